import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { vacuum } from '#db/sqlite/vacuum.ts';
import { exportEvents } from '#events/export.ts';
import type { EventName, WireEvent } from '#events/schema/index.ts';
import { importCore } from '#cli/import/core.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { runImport } from '#cli/import/run.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { keyOf } from '#test/ingest/service.ts';
import {
  account,
  after,
  application,
  BEGINNING,
  configured,
  event,
  login,
  match,
  person,
  presence,
  progress,
  punishment,
  rating,
  rotation,
  sendEvents,
  serviceToken,
  statistics,
  team,
} from '#test/support/builders.ts';
import { onEachDatabase, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';
import { publicPaths } from '#test/support/public-paths.ts';
import { ask } from '#test/support/request.ts';
import { rowsOf, tableNames } from '#test/support/database-content.ts';

/** Names and UUIDs that no other text contains. */
const UUID = '5e7ac0de-91b4-4d3c-a26f-77e0c4b1d952';
const [ERASED, FORMER] = [
  { uuid: UUID, name: 'Vqxzjk_Erased' },
  { uuid: UUID, name: 'Wqxzjk_Former' },
];
const MERGED = { uuid: '6f8bd1ef-a2c5-4e4d-b37a-88f1d5c2ea63', name: '.Xqxzjk_Merged' };
const TRACES = [ERASED, FORMER, MERGED].flatMap(({ uuid, name }) => [name, uuid, uuid.replaceAll('-', '')]);

const ADA = person(1, 'Ada');
const wool = (player: { uuid: string; name: string }, name: string) =>
  ({ player, team: name, type: 'wool', name: 'Red Wool', time: BEGINNING }) as const;

/** A free-for-all with two winners, one of them under `NAME 2`. */
const alone = (...players: { uuid: string; name: string }[]) =>
  match({
    map: 'Harbour Day',
    gamemode: 'ffa',
    win: players[0]!.name,
    winners: [players[0]!.name, `${players[0]!.name} 2`],
    teams: [
      ...players.map((one) => team(one.name, { ...one, kill_count: 1, counters: { best_streak: 2 } })),
      team(`${players[0]!.name} 2`, { ...players[0]!, primary: false }),
    ],
    objectives: [wool(players[0]!, players[0]!.name), wool(ADA, players[0]!.name)],
  });

/** Events of each type with the name and the UUID of the player wherever the type has a place for them. */
const EVENTS: Record<EventName, (context: AppContext) => WireEvent[] | Promise<WireEvent[]>> = {
  'server.configured': () => [configured('Alpha')],
  'counter.declared': () => [
    event('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'max' }),
  ],
  'player.known': () => [event('player.known', { player: FORMER })],
  'player.named': () => [event('player.named', { player: FORMER })],
  'player.login': () => [login('Alpha', MERGED), login('Alpha', ERASED), login('Alpha', ADA)],
  'player.logout': () => [event('player.logout', { player: ERASED }, { server: 'Alpha' })],
  'match.finished': () => [
    alone(ERASED, ADA),
    alone(FORMER, MERGED, ADA),
    match({
      gamemode: 'ctw',
      teams: [team('Red', ERASED, 3), team('Blue', 1)],
      kills: [{ killer: UUID, victim: ADA.uuid, time: BEGINNING }],
      objectives: [wool(ERASED, 'Red')],
    }),
    // A player under another name than the own team.
    match({ teams: [{ name: FORMER.name.toUpperCase(), players: [ERASED] }, team('Ada', ADA)], win: 'Ada' }),
    event(
      'match.finished',
      { map: 'Later', gamemode: 'x', started: after(-1), finished: BEGINNING, teams: [team(ERASED.name, ERASED)] },
      { server: 'Beta', id: `match of ${UUID.toUpperCase()}` },
    ),
  ],
  'match.progress': () => [
    progress(
      {
        started: after(1_000),
        teams: [team(ERASED.name, ERASED), team(`${ERASED.name} 2`, { ...ERASED, primary: false }), team('Ada', ADA)],
        objectives: [wool(ERASED, ERASED.name), wool(ADA, `${ERASED.name} 2`)],
      },
      { time: after(2_000) },
    ),
  ],
  'server.presence': () => [presence('Alpha', { current: 1, players: [ERASED.name] })],
  'server.removed': () => [],
  // The author of a map is named as its author, and stays.
  'map.published': () => [event('map.published', { name: 'Harbour Day', version: '1' })],
  'map.rated': () => [rating('Harbour Day', ERASED, 4)],
  'rotation.changed': () => [rotation('Alpha', ['Harbour Day'])],
  'punishment.issued': () => [
    punishment('one', ERASED, { punisher: MERGED, reason: `${ERASED.name}: see vqxzjk_erased, of ${UUID}` }),
    punishment('two', MERGED, { reason: `is ${FORMER.name}` }),
    punishment('three', ADA, { punisher: ERASED }),
    punishment('four', ERASED),
  ],
  'punishment.changed': () => [
    event('punishment.changed', { punishment: 'two', reason: `again ${MERGED.name}` }),
    event('punishment.changed', { punishment: 'four', reason: `(${ERASED.name})` }),
  ],
  'punishment.revoked': () => [
    event('punishment.revoked', { punishment: 'one', revoker: ERASED, reason: `It was not ${ERASED.name}` }),
    event('punishment.revoked', { punishment: 'three', revoker: MERGED }),
  ],
  'player.statistics': () => [statistics(ERASED)],
  'player.privacy': () => [event('player.privacy', { player: ERASED.uuid, profile: true, online: true, names: true })],
  'account.link': async (context) => {
    const { id } = await account(context, 'Linked');
    return [event('account.link', { player: ERASED, code: await newLinkCode(context.db, context.clock.now(), id) })];
  },
  'counter.removed': () => [],
  'player.merged': () => [event('player.merged', { from: MERGED.uuid, into: UUID })],
  'player.name_removed': () => [],
};

/** Everything that importers and the ingest of other programs report about the player. */
async function reportOtherwise(context: TestAppContext, ingest: string, wanted: number): Promise<void> {
  const { db, clock } = context;
  const names = [{ uuid: UUID, name: ERASED.name, expiresOn: '2026-03-30 00:00:00 +0000' }];
  const banned = { ...ERASED, created: '2025-06-01 10:00:00 +0200', source: ERASED.name, expires: 'forever' };
  const files = {
    'usercache.json': JSON.stringify(names),
    'banned-players.json': JSON.stringify([{ ...banned, reason: `${ERASED.name} again` }]),
    [`world/stats/${UUID}.json`]: JSON.stringify({ stats: { 'minecraft:custom': { 'minecraft:deaths': 3 } } }),
  };
  await using folder = await folderOf(files);
  const found = importMinecraft(folder.path, importCore(db, clock), { server: 'Alpha', create: false });
  const refused: unknown[] = [];
  const listener = {
    refused: (...one: unknown[]) => refused.push(one),
    noted: () => undefined,
    progressed: () => undefined,
  };
  const { taken } = await runImport(db, clock, found, listener);
  assert.deepEqual(refused, []);
  assert.equal(taken, wanted);
  const headers = { 'content-type': 'application/json', 'x-api-key': await keyOf(context, 'Alpha') };
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const { status, text } = await ask(ingest, path, { method, headers, body: JSON.stringify(body) });
    assert.equal(status, 200, text);
  };
  await send('PUT', `/users/${UUID}`, { userUuid: UUID, username: ERASED.name });
  const participations = [ADA, ERASED].map(({ uuid }) => ({ userUuid: uuid, primary: true, duration: 60_000 }));
  await send('POST', '/matches', {
    ...{
      createdAt: BEGINNING,
      startedAt: after(-300_000),
      endedAt: BEGINNING,
      status: 'ENDED',
      mapSlug: 'harbour_day',
    },
    ...{ serverName: 'Dewdrop', seriesId: '1', participations, winnerUserUuid: UUID },
  });
}

/** Which of the texts a value contains, in any case. */
function tracesIn(content: string): string[] {
  const lower = content.toLowerCase();
  return TRACES.filter((text) => lower.includes(text.toLowerCase()));
}

async function assertNoTrace({ db }: AppContext): Promise<void> {
  for (const row of await rowsOf(db, await tableNames(db))) assert.deepEqual(tracesIn(row), [], row);
  for await (const one of exportEvents(db)) assert.deepEqual(tracesIn(JSON.stringify(one)), [], JSON.stringify(one));
}

for (const way of ['erasure', 'deletion of the account'] as const) {
  onEachDatabase(`${way}: neither name nor UUID is in an answer, feed, export or table`, async (t, url, dialect) => {
    const high = { USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000' };
    const context = await testContext(t, url, { ...high, INGEST_DIALECTS: 'dewdrop' });
    const { db, clock } = context;
    const { API, SITE, INGEST } = await testServices(context, ['API', 'SITE', 'INGEST']);
    const token = await serviceToken(context, (await application(context)).client_id);
    await sendEvents(context, configured('Beta'));
    for (const make of Object.values(EVENTS)) await sendEvents(context, ...(await make(context)));
    await reportOtherwise(context, INGEST!, 3);
    await finishJobs(db);
    while (await projectMatches(db, 'UTC', clock.now()));
    const paths = await publicPaths(context, { api: API!, site: SITE! }, [ERASED, MERGED, ADA], 'qxzjk');
    const answers = async (): Promise<Map<string, string>> => {
      const found = new Map<string, string>();
      for (const path of paths) {
        const wish = path.startsWith(API!) ? { token } : {};
        const { status, text } = await ask(path, new URL(path).pathname + new URL(path).search, wish);
        if (status === 200) found.set(path, text);
      }
      return found;
    };
    const before = [...(await answers())].filter(([, text]) => tracesIn(text).length > 0).map(([path]) => path);
    for (const part of ['/v1/matches?', '/v1/matches/', '/v1/punishments', '/v1/changes', `${SITE}/matches/`, '.atom'])
      assert.ok(
        before.some((path) => path.includes(part)),
        part,
      );
    const mirror = new Mirror(context);
    await mirror.check('before');

    const { id } = (await db.get<{ id: string }>(sql`select id from accounts where player_uuid = ${UUID}`))!;
    if (way === 'erasure') {
      await db.run(sql`delete from accounts where id = ${id}`);
      await db.run(sql`delete from audit where actor_id = ${id}`);
      assert.ok('job' in (await erasePlayer(db, clock.now(), UUID)));
    } else await deleteAccount(db, clock.now(), id);
    // Changes name a punishment and not the player: the job replaces the reasons.
    for await (const one of exportEvents(db))
      if (one.type !== 'punishment.changed' && one.type !== 'punishment.revoked')
        assert.deepEqual(tracesIn(JSON.stringify(one)), [], `at once ${JSON.stringify(one)}`);
    await finishJobs(db);
    await mirror.check('after');
    await assertNoTrace(context);

    // Later events of the game account, and the import of the same files.
    context.clock.advance(10_000);
    await sendEvents(context, alone(ERASED, ADA), ...(await EVENTS['match.progress'](context)));
    await reportOtherwise(context, INGEST!, 0);
    await mirror.check('later');
    await assertNoTrace(context);
    for (const [path, text] of await answers()) assert.deepEqual(tracesIn(text), [], path);
    const bans = await db.all(sql`select key from punishments where reference like 'minecraft-ban:%'`);
    assert.equal(bans.length, 1, 'not issued again');
    while (await projectMatches(db, 'UTC', clock.now()));
    const counted = await db.tuples(sql`select team, play, win from map_results where map_key = 'harbour day'`);
    assert.deepEqual(tracesIn(JSON.stringify(counted)), []);
    if (dialect === 'postgres') return;
    await vacuum(url);
    const contents = [url, `${url}-wal`].map((path) => readFileSync(path, 'latin1')).join('');
    assert.deepEqual(tracesIn(contents), []);
  });
}
