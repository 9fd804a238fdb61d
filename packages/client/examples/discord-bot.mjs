// Posts the result of each match to a channel of Discord. Started again, it posts what it has missed.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResetError, Scorehall } from 'scorehall-client';

const { API_URL: baseUrl, AUTH_URL: authUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const { DISCORD_WEBHOOK, CURSOR_FILE = 'cursor.txt' } = process.env;
const client = new Scorehall({ baseUrl, authUrl, clientId, clientSecret });

const save = (cursor) => {
  writeFileSync(`${CURSOR_FILE}.new`, cursor);
  renameSync(`${CURSOR_FILE}.new`, CURSOR_FILE);
};

if (!existsSync(CURSOR_FILE)) save((await client.get('/v1/changes', { after: 'now' })).cursor);
try {
  for await (const change of client.changes.follow(readFileSync(CURSOR_FILE, 'utf8'), { types: ['match'] })) {
    if (change.type === 'match.created') await post(change.id);
    save(change.cursor);
  }
} catch (error) {
  if (error instanceof ResetError) rmSync(CURSOR_FILE);
  throw error;
}

async function post(id) {
  const match = await client.find('/v1/matches/{id}', { id });
  if (match === undefined) return;
  const scores = match.teams.map(({ name, score }) => `${name}: ${score}`).join('\n');
  const embed = { title: `${match.win || 'Draw'} on ${match.map}`, url: match.permalink_url, description: scores };
  // Without allowed_mentions the name of a team could notify everyone.
  const body = JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const response = await fetch(DISCORD_WEBHOOK, { method: 'POST', headers, body });
    if (response.ok) return;
    if (response.status !== 429) throw new Error(`Discord answered ${response.status}: ${await response.text()}`);
    await sleep(Number(response.headers.get('retry-after')) * 1000);
  }
}
