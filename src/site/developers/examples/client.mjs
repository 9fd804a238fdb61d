import { Scorehall } from 'scorehall-client';

const client = new Scorehall({
  ...{ baseUrl: '@api@', authUrl: '@auth@' },
  ...{ clientId: '@client_id@', clientSecret: '@client_secret@' },
});

const player = await client.find('/v1/players/{id}', { id: '@player@', fields: ['total'] });
console.log(player ? `${player.name}: ${player.total.kill_count} kills` : 'unknown');

for await (const change of client.changes.follow('now', { types: ['match'], expand: true })) {
  if (change.type === 'match.created') console.log(`${change.resource.map}: ${change.resource.win}`);
}
