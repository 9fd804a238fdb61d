import assert from 'node:assert/strict';
import { ENDPOINTS } from '#api/index.ts';
import { PAGES } from '#site/index.ts';
import { sql } from '#db/sql.ts';
import { ROWS_PER_CHUNK } from '#events/ledger/chunk.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { storeMatchPrivacy } from '#store/game/hidden-players.ts';
import { changesWithFeed, readFeed } from '#store/game/changes.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { resumeJob } from '#store/jobs.ts';
import { get as getPage } from '#test/site/request.ts';
import { after, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { testApi } from '#test/support/api.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { fill, paths } from './filled-network.ts';

/** Requests of somebody who wants to find out about a private player in a network that hides them in matches. */

const [ADA, QUIET, BOB] = [person(1, 'Ada'), person(2, 'Quillback'), person(3, 'Bob')];
const TRACES = /Quillback|000000000002/;

const choose = (profile: boolean) =>
  event('player.privacy', { player: QUIET.uuid, profile, online: false, names: false });

const kills = (victim: { uuid: string }, count: number) =>
  Array.from({ length: count }, (_, place) => ({
    ...{ killer: ADA.uuid, victim: victim.uuid, time: after(-90_000 + place) },
  }));

async function openNetwork(t: Parameters<typeof testApi>[0], url: string) {
  const api = await testApi(t, url);
  const { db, clock } = api.context;
  await storeMatchPrivacy(db, clock.now(), true);
  await sendEvents(
    api.context,
    match({
      win: 'Quillback',
      gamemode: 'ffa',
      teams: [team('Ada', ADA), team('Quillback', QUIET), team('Bob', BOB)],
      kills: [...kills(QUIET, 5), ...kills(BOB, 3)],
    }),
  );
  while (await projectMatches(db, 'UTC', clock.now()));
  while (await projectRivals(db));
  return api;
}

onEachDatabase('the place after a private rival does not tell that there is one', async (t, url) => {
  const { context, get } = await openNetwork(t, url);
  const { id } = (await get('/v1/players/Quillback')).json;
  const rivals = async (by: string): Promise<unknown[]> =>
    (await get(`/v1/players/Ada/rivals?by=${by}&after=${id}`)).json;
  assert.equal((await rivals('victims')).length, 1);
  await sendEvents(context, choose(true));
  for (const by of ['victims', 'killers', 'teammates', 'opponents']) assert.deepEqual(await rivals(by), [], by);
});

onEachDatabase('another name of a hidden player does not tell the matches of the player', async (t, url) => {
  const { context, get } = await openNetwork(t, url);
  const { db } = context;
  await sendEvents(
    context,
    choose(true),
    login('Alpha', person(9)),
    event('player.merged', { from: person(9).uuid, into: QUIET.uuid }),
  );
  await finishJobs(db);
  const { head } = await readFeed(db);
  await sendEvents(context, login('Alpha', { ...QUIET, name: 'Later' }, { time: after(5_000) }));
  const changes = (await changesWithFeed(db, head, 100)).changes;
  assert.deepEqual(
    changes.filter(({ kind }) => kind === 'match'),
    [],
  );
  assert.doesNotMatch((await get('/v1/matches?fields=teams,winners')).text, /Later|Quillback/);
});

onEachDatabase('while a hidden player is erased, matches do not show the player', async (t, url) => {
  const { context, get } = await openNetwork(t, url);
  const { db, clock } = context;
  await sendEvents(context, choose(true));
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), QUIET.uuid)));
  const check = async (): Promise<void> => {
    for (const path of ['/v1/matches?fields=teams,winners', '/v1/matches', '/v1/players/Ada?fields=kills,matches'])
      assert.doesNotMatch((await get(path)).text, TRACES, path);
    for (const path of ['/matches', '/matches.atom', '/'])
      assert.doesNotMatch(await (await getPage(context, path)).text(), TRACES, path);
  };
  await check();
  const { key, cursor } = (await db.get<{ key: number; cursor: string }>(sql`select key, cursor from jobs`))!;
  await db.run(sql`update jobs set cursor = 'nonsense'`);
  await finishJobs(db);
  await check();
  await db.run(sql`update jobs set cursor = ${cursor}`);
  assert.ok(await resumeJob(db, key), 'the job has failed');
  await finishJobs(db);
  await check();
  assert.equal((await get('/v1/matches')).json[0].win, 'hidden');
  assert.ok(!JSON.stringify(await db.all(sql`select uuid from private_players`)).includes(QUIET.uuid));
});

onEachDatabase(
  'while an account is merged into a hidden player, matches show no team under its name',
  async (t, url) => {
    const { context, get } = await openNetwork(t, url);
    const own = { ...person(9, 'Spindrift') };
    await sendEvents(
      context,
      match({ win: 'Spindrift', gamemode: 'ffa', teams: [team('Ada', ADA), team('Spindrift', own), team('Bob', BOB)] }),
      ...Array.from({ length: ROWS_PER_CHUNK }, () => match({ teams: [team('Red', own, ADA)] })),
      choose(true),
      event('player.merged', { from: own.uuid, into: QUIET.uuid }),
    );
    const check = async (): Promise<void> => {
      for (const path of ['/v1/matches?gamemode=ffa&fields=teams,winners', '/v1/matches?gamemode=ffa'])
        assert.doesNotMatch((await get(path)).text, /Spindrift|000000000009|Quillback/, path);
    };
    await check();
    assert.ok(await runChunk(context), 'the merge is not complete with its event');
    await finishJobs(context.db);
    await check();
  },
);

onEachDatabase('a match that is withdrawn while it is read does not show a hidden player', async (t, url) => {
  const { context, get } = await openNetwork(t, url);
  const { db, clock } = context;
  const red = [
    { ...QUIET, counters: { streak: 2 } },
    ...Array.from({ length: ROWS_PER_CHUNK }, (_, number) => number + 9),
  ];
  const declared = event('counter.declared', { key: 'streak', label: { en: 'Streak' } });
  const [, , id] = await sendEvents(context, declared, choose(true), match({ teams: [team('Red', ...red)] }));
  const path = `/v1/matches/${id}?fields=counters`;
  assert.match((await get(path)).text, /"streak":2/);
  await createWithdrawal(db, clock, { keys: [keyOf(id!)!] });
  const { shortReads } = db;
  const read = shortReads.all.bind(shortReads);
  const mocked = t.mock.method(shortReads, 'all', async (query: Parameters<typeof read>[0]) => {
    if (query.strings.some((text) => text.includes('from match_counters'))) {
      mocked.mock.restore();
      await runChunk(context);
    }
    return await read(query);
  });
  assert.doesNotMatch((await get(path)).text, TRACES);
  assert.equal((await get(path)).status, 404);
});

/** Values that no parameter of an address may fail on. */
const MALFORMED = [
  ...['', '%20', '%00', 'x', '-1', '0', '1.', '.1', '1e400', '9'.repeat(40), 'null', 'undefined', 'NaN'],
  ...['%F0%9F%8E%AE', '%ED%A0%80', ',', ',,,', '%22', "'", '%27%20or%201=1', '%25', '%', 'a.b.c.d', '0.0.0.0', '..'],
];

onSqlite('no malformed value of a parameter is an error of the server', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const history = await fill(context);
  const known = paths(history);
  const failed: string[] = [];
  const probe = async (address: string, read: () => Promise<number>): Promise<void> => {
    if ((await read()) >= 500) failed.push(address);
  };
  for (const { path, query = {}, isStream } of ENDPOINTS)
    for (const name of isStream === true ? [] : Object.keys(query))
      for (const value of MALFORMED) {
        const address = `${known[path]}?${name}=${value}`;
        await probe(address, async () => (await get(address)).status);
      }
  const names = ['q', 'with', 'by', 'around', 'ago', 'behind', 'max_id', 'mode', 'period', 'sort', 'players', 'player'];
  const filters = ['map', 'server', 'gamemode', 'ranked', 'since', 'until', 'rotation', 'path', 'client_id', 'lang'];
  const player = person(1).uuid;
  for (const page of Object.keys(PAGES)) {
    const own = page.startsWith('/players') ? player : page.startsWith('/matches') ? history.match : history.map;
    for (const name of [...names, ...filters])
      for (const value of MALFORMED) {
        const address = `${page.replace(/:\w+/, own)}?${name}=${value}`;
        await probe(address, async () => (await getPage(context, address)).status);
      }
    if (!page.includes(':')) continue;
    for (const value of MALFORMED) {
      const address = page.replace(/:\w+/, value);
      await probe(address, async () => (await getPage(context, address)).status);
    }
  }
  assert.deepEqual(failed, []);
});
