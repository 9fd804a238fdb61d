import { gzipSync } from 'node:zlib';
import { after, BEGINNING, event, person } from '#test/support/builders.ts';
import type { Keys, Player } from './player.ts';

const [ADA, BOB] = [person(101, 'Ada'), person(102, 'Bob')];

const login = (id: string): string => JSON.stringify(event('player.login', { player: ADA }, { id }));

/** Other forms of requests to the ingest: streams, compression, dry runs, refused bodies, test keys and the protocol of Dewdrop. */
export async function playIngestExtras(player: Player, keys: Keys, testKey: string): Promise<void> {
  const token = keys['Alpha']!;
  const ndjson = { 'content-type': 'application/x-ndjson' };
  for (const [title, exchange] of Object.entries({
    'one event': { token, body: login('single') },
    'a stream': { token, headers: ndjson, body: `${login('stream')}\n{"id":"broken"\n\n${login('stream')}\n` },
    'a dry run': { token, path: '/events?dry_run=1', body: login('dry') },
    'a wrong dry run': { token, path: '/events?dry_run=x', body: login('dry') },
    'a test key': { token: testKey, body: login('test') },
    'a wrong key': { token: 'shk_wrong', body: login('x') },
    'no JSON': { token, body: '{' },
    'a repeated member': { token, body: '[{"id":"a","id":"b"}]' },
    'a broken element': { token, body: `[${login('array')}, {"a": nonsense}]` },
    'another type': { token, headers: { 'content-type': 'text/plain' }, body: login('x') },
    'another encoding': { token, headers: { 'content-encoding': 'br' }, body: login('x') },
    'no gzip': { token, headers: { 'content-encoding': 'gzip' }, body: login('x') },
    'too many events': { token, body: JSON.stringify(Array.from({ length: 1_001 }, () => 0)) },
    'no such path': { token, path: '/nothing', body: '' },
    'another method': { token, path: '/events', method: 'GET' },
    receipts: { token, path: '/receipts?limit=2', method: 'GET' },
    'more receipts': { token, path: '/receipts?limit=2&after=37598m50000', method: 'GET' },
    'wrong receipts': { token, path: '/receipts?limit=x', method: 'GET' },
    'receipts after nonsense': { token, path: '/receipts?after=!', method: 'GET' },
  } as Record<string, Parameters<Player['request']>[1]>))
    await player.request(title, exchange);
  await player.request('gzip', {
    token,
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(login('gzip')) as never,
  });
  await playDewdrop(player, token);
}

const stats = (more: object) => ({
  ...{ kills: 0, deaths: 0, assists: 0, killstreak: 0, damageDealt: 0, damageDealtBow: 0, damageReceived: 0 },
  ...{ damageReceivedBow: 0, arrowsHit: 0, arrowsShot: 0, wools: 0, woolsTouched: 0, monuments: 0, cores: 0 },
  ...{ flags: 0, flagsPicked: 0, score: 0, ...more },
});

const participation = ({ uuid }: { uuid: string }, more: object) => ({
  ...{ userUuid: uuid, primary: true, duration: 590_400, stats: stats(more) },
});

async function playDewdrop(player: Player, key: string): Promise<void> {
  const match = {
    ...{ createdAt: BEGINNING, startedAt: after(-900_000), endedAt: after(-300_000), status: 'ENDED', seriesId: '1' },
    ...{ serverName: 'Dewdrop 1', mapSlug: 'river_bend' },
    teams: [
      {
        name: '§cRed',
        color: '#FF5555',
        score: null,
        participations: [participation(ADA, { kills: 5, assists: 3, wools: 1 })],
      },
      {
        name: '§9Blue',
        color: '#5555FF',
        score: null,
        participations: [participation(BOB, { deaths: 5, arrowsShot: 20 })],
      },
    ],
    winnerTeam: { name: '§cRed', color: '#ffff5555', score: null },
  };
  const { teams: _teams, winnerTeam: _winner, ...rest } = match;
  const alone = {
    ...rest,
    startedAt: after(-300_000),
    mapSlug: 'harbour',
    participations: [participation(BOB, {})],
    winnerUserUuid: BOB.uuid,
  };
  const send = async (title: string, method: string, path: string, body?: object) =>
    await player.request(`dewdrop ${title}`, {
      method,
      path,
      headers: { 'x-api-key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await send('user', 'PUT', `/users/${ADA.uuid}`, { userUuid: ADA.uuid, username: ADA.name });
  await send('other user', 'PUT', `/users/${ADA.uuid}`, { userUuid: BOB.uuid, username: BOB.name });
  await send('map', 'PUT', '/maps/river_bend', {
    name: 'River Bend',
    mapSlug: 'river_bend',
    teamCount: 2,
    mapTags: ['CTW'],
  });
  await send('other map', 'PUT', '/maps/other', {
    name: 'River Bend',
    mapSlug: 'river_bend',
    teamCount: 2,
    mapTags: [],
  });
  const { json } = await send('match', 'POST', '/matches', match);
  await send('match again', 'POST', '/matches', match);
  await send('free for all', 'POST', '/matches', alone);
  await send('wrong match', 'POST', '/matches', { ...match, teams: [{ name: 'Red', participations: [{}] }] });
  await send('late match', 'POST', '/matches', { ...match, startedAt: after(86_400_000), endedAt: after(86_500_000) });
  await send('found match', 'GET', `/matches/${(json as { matchId?: string }).matchId}`);
  await send('no match', 'GET', '/matches/nothing');
  await send('stats', 'GET', `/users/${ADA.uuid}/stats`);
  await send('stats of nobody', 'GET', `/users/${person(999).uuid}/stats`);
  await send('wrong stats', 'GET', '/users/x/stats');
  await send('another method', 'DELETE', '/matches');
}
