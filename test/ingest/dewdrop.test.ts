import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { keyOf as keyOfId } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { mapNameBySlug } from '#store/game/maps/map-names.ts';
import { mapSlug } from '#text/map-slug.ts';
import { gamemodeFromTags } from '#dewdrop/gamemode.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { PGM_GAMEMODES_WITH_GROUP } from '#store/game/statistics-groups.ts';
import { matchByKey } from '#store/game/matches.ts';
import { BEGINNING, after, event, map, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { ask } from '#test/support/request.ts';
import { keyOf, openIngestService } from './service.ts';

/** The statistics as `MatchData.populateNewParticipation` of Dewdrop sends them. */
const stats = (more: Record<string, unknown>) => ({
  ...{ kills: 0, deaths: 0, assists: 0, killstreak: 0, damageDealt: 0, damageDealtBow: 0, damageReceived: 0 },
  ...{ damageReceivedBow: 0, arrowsHit: 0, arrowsShot: 0, wools: 0, woolsTouched: 0, monuments: 0, cores: 0 },
  ...{ flags: 0, flagsPicked: 0, score: 0, ...more },
});

/** The tags that `MapData.getMapTagsFromMap` of Dewdrop 8856c31 sends for the gamemodes of a map, in any order. */
const TAGS: [string[], string][] = [
  [['CTW'], 'ctw'],
  [['CONQ', 'KOTH', 'CP'], 'koth'],
  [['CONQ', 'TDM'], 'tdm'],
  [['CONQ', 'CTF', 'RAGE'], 'ctf'],
  [['CONQ', 'KOTF'], 'kotf'],
  [['BLITZ', 'RAGE'], 'blitz'],
  [['FF'], 'ffb'],
  [['BW'], 'bedwars'],
  [['FUN'], 'arcade'],
  [['BRIDGE'], 'bridge'],
  [[], 'mixed'],
];

test('the tags of Dewdrop give the gamemode as PGM names it', () => {
  assert.deepEqual(
    TAGS.map(([tags]) => [tags, gamemodeFromTags(tags, PGM_GAMEMODES_WITH_GROUP)]),
    TAGS,
  );
});

/** Names and ids by `StringUtils.slugify` of PGM 852bf3d. */
test('a map has the id that PGM derives from its name', () => {
  const ids = ['Twin Peaks', 'Harbour’s Day: II', 'Rush - Lite', 'Café_Noir', '5 Wools!'].map(mapSlug);
  assert.deepEqual(ids, ['twin_peaks', 'harbours_day_ii', 'rush__lite', 'cafe_noir', '5_wools']);
});

const [ada, bob, cid] = [person(1, 'Ada'), person(2, 'Bob'), person(3, 'Cid')];
const MATCH = {
  createdAt: BEGINNING.replace('.000Z', '.000123456Z'),
  startedAt: after(-600_000),
  endedAt: BEGINNING,
  status: 'ENDED',
  serverName: 'Dewdrop 1',
  mapSlug: 'twin_peaks',
  seriesId: '1',
  teams: [
    {
      name: '§cRed',
      color: '#FF5555',
      score: null,
      participations: [
        {
          userUuid: ada.uuid,
          primary: true,
          duration: 590_400,
          stats: stats({ kills: 5, deaths: 2, assists: 3, killstreak: 4, arrowsHit: 7, arrowsShot: 20, wools: 1 }),
        },
        { userUuid: bob.uuid, primary: false, duration: 60_000, stats: stats({ kills: 1, damageDealt: 12.6 }) },
      ],
    },
    {
      name: '§9Blue',
      color: '#5555FF',
      score: null,
      participations: [
        { userUuid: bob.uuid, primary: true, duration: 530_000, stats: stats({ kills: 2, deaths: 5 }) },
        { userUuid: cid.uuid, primary: false, duration: null, stats: null },
      ],
    },
  ],
  winnerTeam: { name: '§cRed', color: '#ffff5555', score: null },
};

onEachDatabase('the ingest serves the paths of Dewdrop where it is switched on', async (t, url) => {
  const { context, origin, alpha, post } = await openIngestService(t, url, { INGEST_DIALECTS: 'dewdrop' });
  const { db } = context;
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'x-api-key': alpha },
  ) =>
    ask(origin, path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const counters = PGM_COUNTERS.map((data) => event('counter.declared', data));
  await sendEvents(context, ...counters, map('Harbour Day'));

  for (const { uuid, name } of [ada, bob, bob]) {
    const answer = await send('PUT', `/users/${uuid}`, { userUuid: uuid, username: name });
    assert.deepEqual([answer.status, answer.json], [200, { userUuid: uuid, username: name }]);
  }
  const upsert = { name: 'Twin Peaks', mapSlug: 'twin_peaks', teamCount: 2, mapTags: ['CONQ', 'CTW'] };
  const put = await send('PUT', '/maps/twin_peaks', upsert, { authorization: alpha });
  assert.deepEqual([put.status, put.json], [200, upsert]);

  const created = await send('POST', '/matches', MATCH, { 'api-key': alpha });
  assert.equal(created.status, 200, created.text);
  const { matchId } = created.json as { matchId: string };
  assert.equal(created.json.mapSlug, 'twin_peaks');
  // The answer was lost, and Cid is known by name now: the plugin sends the same match again.
  await send('PUT', `/users/${cid.uuid}`, { userUuid: cid.uuid, username: cid.name });
  const again = await send('POST', '/matches', MATCH, { authorization: `Bearer ${alpha}` });
  assert.deepEqual([again.status, again.json], [200, created.json]);
  const fetched = await send('GET', `/matches/${matchId}`);
  assert.deepEqual([fetched.status, fetched.json.matchId, fetched.json.startedAt], [200, matchId, MATCH.startedAt]);

  const stored = (await matchByKey(db, keyOfId(matchId)!))!;
  const head = JSON.parse(`${stored.head}}`) as Record<string, unknown>;
  assert.deepEqual([head['map'], head['gamemode'], head['win'], head['server']], ['Twin Peaks', 'ctw', 'Red', 'Alpha']);
  const teams = JSON.parse(stored.teams) as { name: string; players: Record<string, unknown>[] }[];
  const rows = teams.flatMap(({ name, players }) =>
    players.map((one) => [
      name,
      one['name'],
      one['kill_count'],
      one['death_count'],
      one['shot_count'],
      one['hit_count'],
    ]),
  );
  assert.deepEqual(rows, [
    ['Red', 'Ada', 5, 2, 20, 7],
    ['Red', 'Bob', 1, 0, 0, 0],
    ['Blue', 'Bob', 2, 5, 0, 0],
    // The match had no name of the player, who has one now.
    ['Blue', 'Cid', 0, 0, 0, 0],
  ]);
  const bodies = await db.all<{ type: string }>(sql`select type from ledger where scope_key <> 0 order by key`);
  const types = bodies.map(({ type }) => type).filter((type) => type !== 'server.configured');
  assert.deepEqual(types, ['player.named', 'player.named', 'match.finished', 'player.named']);
  const totals = (await send('GET', `/users/${ada.uuid}/stats`)).json as Record<string, number>;
  const { kills, deaths, killstreak, assists, wools, matches, wins, ties } = totals;
  assert.deepEqual([kills, deaths, killstreak, assists, wools, matches, wins, ties], [5, 2, 4, 3, 1, 1, 1, 0]);
  assert.equal((await send('GET', `/users/${person(9).uuid}/stats`)).json.kills, 0);

  // Free for all, on a map that was imported under its name but not sent by the plugin.
  const { teams: _teams, winnerTeam: _winner, ...rest } = MATCH;
  const alone = [ada, bob].map(({ uuid }) => ({ userUuid: uuid, primary: true, duration: 60_000, stats: stats({}) }));
  const ffa = { ...rest, startedAt: after(-300_000), mapSlug: 'harbour_day', participations: alone };
  const second = await send('POST', '/matches', { ...ffa, winnerUserUuid: bob.uuid });
  const ended = (await matchByKey(db, keyOfId(second.json.matchId as string)!))!;
  const facts = JSON.parse(`${ended.head}}`) as Record<string, unknown>;
  assert.deepEqual([facts['map'], facts['win']], ['Harbour Day', 'Bob']);

  const wrong = await send('POST', '/matches', { ...MATCH, teams: [{ name: 'Red', participations: [{}] }] });
  assert.deepEqual([wrong.status, wrong.json.error], [400, 'invalid_request']);
  assert.match(wrong.text, /teams\.0\.participations\.0\.userUuid/);
  const backwards = await send('POST', '/matches', { ...MATCH, startedAt: after(1_000) });
  assert.equal(backwards.status, 422, backwards.text);
  assert.match(backwards.json.error_description as string, /^`data\.finished` [^`]*\.$/);
  const later = await send('POST', '/matches', { ...MATCH, startedAt: after(86_400_000), endedAt: after(86_500_000) });
  assert.equal(later.status, 503, 'a clock that is ahead: the plugin tries again');
  for (const [method, path, status] of [
    ['POST', '/matches', 401],
    ['DELETE', '/matches', 405],
    ['GET', '/matches/x', 404],
    ['PUT', `/users/${ada.uuid}`, 400],
    ['GET', '/users/x/stats', 400],
    ['PUT', '/maps/%zz', 400],
  ] as const) {
    const body = method === 'GET' ? undefined : { ...upsert, userUuid: bob.uuid, username: 'Bob' };
    const answer = await send(method, path, body, status === 401 ? { authorization: 'shk_wrong' } : undefined);
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
  }
  // 8,200 players are more values than one statement may have; texts with NUL are none for PostgreSQL.
  const many = Array.from({ length: 8_200 }, (_, number) => ({ userUuid: person(number).uuid, duration: 0 }));
  const crowds = Array.from({ length: 9 }, (_, number) => many.slice(number * 1_000, (number + 1) * 1_000));
  const crowd = crowds.map((participations, number) => ({ name: `Team ${number}`, participations }));
  const nul = { ...upsert, mapSlug: 'nul', name: 'a\u0000b' };
  for (const [method, path, body, status] of [
    ['POST', '/matches', { ...MATCH, startedAt: after(10), teams: crowd }, 422],
    ['POST', '/matches', { ...MATCH, mapSlug: 'a\u0000b' }, 400],
    ['PUT', '/maps/nul', nul, 400],
    ['PUT', '/maps/a%00b', { ...nul, mapSlug: 'a\u0000b' }, 400],
    ['POST', '/matches', { ...MATCH, createdAt: ' '.repeat(1_048_577) }, 413],
  ] as const) {
    const answer = await send(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
  }
  await db.run(sql`
    insert into dialect_maps (slug, name, gamemode)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 9999)
    select 'many_' || i, 'Many', 'ctw' from n`);
  const beyond = await send('PUT', '/maps/beyond', { ...upsert, mapSlug: 'beyond' });
  assert.deepEqual([beyond.status, beyond.json.error], [422, 'invalid_request']);
  assert.equal(
    (await send('PUT', '/maps/many_5', { ...upsert, mapSlug: 'many_5' })).status,
    200,
    'a known slug changes',
  );

  const test = await keyOf(context, 'Alpha', true);
  const tried = await send('POST', '/matches', { ...MATCH, startedAt: after(-1_000) }, { 'x-api-key': test });
  assert.equal(tried.status, 200);
  assert.equal((await send('GET', `/matches/${tried.json.matchId}`)).status, 404, 'a key for tests stores nothing');
  assert.equal((await post({ ...event('server.presence', { current: 0, players: [] }) })).status, 200);
  assert.throws(() => readConfig({ INGEST_DIALECTS: 'dewdrop,foo' }), /INGEST_DIALECTS.*dewdrop alone.*foo is unknown/);
});

onSqlite(
  'every path of Dewdrop counts against the quota of the server, also one that reports nothing',
  async (t, url) => {
    const settings = { INGEST_DIALECTS: 'dewdrop', INGEST_WEIGHT_LIMIT: '8' };
    const { context, origin, alpha, beta } = await openIngestService(t, url, settings);
    const statusesOf = async (method: string, path: string, body?: object): Promise<number[]> => {
      context.clock.advance(60_000);
      const statuses: number[] = [];
      for (const token of [alpha, alpha, alpha, beta]) {
        const headers = { 'content-type': 'application/json', 'x-api-key': token };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        statuses.push((await ask(origin, path, { method, headers, ...sent })).status);
      }
      return statuses;
    };
    const map = { name: 'Twin Peaks', mapSlug: 'twin_peaks' };
    assert.deepEqual(await statusesOf('PUT', '/maps/twin_peaks', map), [200, 200, 429, 200]);
    assert.deepEqual(await statusesOf('PUT', '/maps/other', map), [400, 400, 429, 400], 'a wrong request counts, too');
    assert.deepEqual(await statusesOf('GET', `/users/${ada.uuid}/stats`), [200, 200, 429, 200]);
    assert.deepEqual(await statusesOf('GET', '/matches/00000000000'), [404, 404, 429, 404]);
    assert.deepEqual(await statusesOf('POST', '/matches', MATCH), [200, 429, 429, 200]);
  },
);

onSqlite('without the setting the paths of Dewdrop are not there', async (t, url) => {
  const { origin, alpha } = await openIngestService(t, url);
  const answer = await ask(origin, '/matches', { method: 'POST', token: alpha, body: JSON.stringify(MATCH) });
  assert.equal(answer.status, 404);
});

onEachDatabase('the maps are read again for unknown slugs only when there are others', async (t, url) => {
  const context = await testContext(t, url);
  const { clock } = context;
  let lists = 0;
  const db: Db = new Proxy(context.db, {
    get(target, name) {
      if (name === 'all') lists++;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const named = async (slug: string) => [await mapNameBySlug(db, clock.now(), slug), lists];
  await sendEvents(context, map('Twin Peaks'), map('Twin Peaks!'));
  assert.deepEqual(await named('harbour'), [undefined, 1]);
  assert.deepEqual(await named('twin_peaks'), ['Twin Peaks', 1]);
  assert.deepEqual(await named('nowhere'), [undefined, 1]);
  await sendEvents(context, map('Harbour'));
  assert.deepEqual(await named('harbour'), ['Harbour', 2]);
  await context.db.run(sql`delete from maps where name = 'Twin Peaks'`);
  clock.advance(59_999);
  assert.deepEqual(await named('twin_peaks'), ['Twin Peaks', 2]);
  clock.advance(1);
  assert.deepEqual(await named('twin_peaks'), ['Twin Peaks!', 3]);
});
