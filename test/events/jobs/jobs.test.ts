import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { ROWS_PER_CHUNK } from '#events/ledger/chunk.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { runJob, runJobs, runChunk } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { deathsBelow } from '#store/game/kills.ts';
import { listWholeMatches, type MatchTeam } from '#store/game/matches.ts';
import { rotationOf } from '#store/game/maps/maps.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { serverByName } from '#store/game/servers.ts';
import { createJob, type Job, jobByKey, listJobs, resumeJob, pauseJob } from '#store/jobs.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  login,
  map,
  match,
  person,
  punishment,
  rating,
  rotation,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext } from '#test/support/context.ts';
import { type Counted, counting } from '#test/db/counting-db.ts';
import { canonicalDumpOf } from '../canonical-dump.ts';

/** Rows that the statements of one chunk may change: some twenty for each row of a player. */
const MAX_CHANGES = ROWS_PER_CHUNK * 25;

function assertSmallChunks({ changes, withoutYield }: Counted): void {
  assert.ok(Math.max(...changes) <= MAX_CHANGES, `${Math.max(...changes)} rows in one transaction`);
  assert.equal(withoutYield, 0, 'a turn of the event loop between transactions');
}

const PLAYERS = Array.from({ length: 6 }, (_, number) => number);

/** Sends matches of six players, the last one with two hundred, and counts them in the leaderboards. */
async function play(context: TestAppContext, count: number): Promise<string[]> {
  const small = Array.from({ length: count - 1 }, (_, number) =>
    match({ started: after(number), finished: after(number + 1), teams: [team('Red', ...PLAYERS)] }),
  );
  const crowd = Array.from({ length: 200 }, (_, number) => number);
  const kills = crowd.map((killer) => ({
    killer: person(killer).uuid,
    victim: person((killer + 1) % 200).uuid,
    time: BEGINNING,
  }));
  const ids = await sendEvents(context, ...small, match({ teams: [team('Red', ...crowd)], kills }));
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  return ids;
}

const alphaOf = async ({ db }: TestAppContext): Promise<number> => (await serverByName(db, 'Alpha'))!.key;

onEachDatabase('a withdrawal runs in small chunks, pauses between events and survives a restart', async (t, url) => {
  const count = 30;
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), login('Alpha', person(0), { time: after(-1000) }));
  const empty = await canonicalDumpOf(db);
  clock.advance(1000);
  const since = clock.now();
  await play(context, count);
  const key = await createWithdrawal(db, clock, { server: await alphaOf(context), since }, { total: count });
  const counted = counting(db);
  const progress = async (): Promise<Job> => (await jobByKey(db, key))!;
  for (let chunk = 0; chunk < 5; chunk++) {
    await runChunk({ db: counted.db, clock });
    await setImmediate();
  }
  const first = await progress();
  assert.ok(first.done > 0 && first.done < count && first.state === 'waiting', JSON.stringify(first));

  assert.ok(await pauseJob(db, key));
  await runJobs({ db: counted.db, clock });
  const paused = await progress();
  assert.equal(paused.state, 'paused');
  const left = (await db.tuples(sql`select key from matches`)).length;
  assert.equal(left, count - paused.done, 'complete events only');
  const { key: player } = (await playerByUuid(db, person(1).uuid))!;
  assert.equal((await statsOf(db, player)).teampvp['play'], left);
  const rows = await db.tuples(sql`select 1 from player_matches where player_key = ${player}`);
  assert.equal(rows.length, left);

  assert.ok(await resumeJob(db, key));
  assert.equal(await resumeJob(db, key), false);
  await setImmediate();
  await runChunk({ db: counted.db, clock });
  // Another process continues after the first one was killed.
  const other = await testContext(t, url);
  const second = counting(other.db);
  const { state, done, finished } = await runJob({ db: second.db, clock: other.clock }, key);
  assert.deepEqual([state, done, finished], ['done', count, other.clock.now()]);
  for (const one of [counted, second]) assertSmallChunks(one);
  const dump = await canonicalDumpOf(db);
  for (const table of Object.keys(empty)) assert.deepEqual(dump[table], empty[table], table);
});

onEachDatabase('only players whose names depend on a withdrawn event are derived again', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const ids = await sendEvents(
    context,
    configured('Alpha'),
    ...[0, 1, 2, 3].map((number) => login('Alpha', person(1), { time: after(number) })),
  );
  const keys = [2, 3].map((place) => keyOf(ids[place]!)!);
  await createWithdrawal(db, clock, { keys });
  await runChunk(context);
  assert.deepEqual(await db.all(sql`select * from rederivations`), [], 'a login between two others decides nothing');
  await runJobs(context);
  await createWithdrawal(db, clock, { keys: [keyOf(ids[4]!)!] });
  await runChunk(context);
  assert.equal((await db.all(sql`select * from rederivations`)).length, 1);
  await runJobs(context);
  assert.equal((await playerByUuid(db, person(1).uuid))!.last_login, Date.parse(after(0)));
});

const [FROM, INTO] = [person(0, 'Before'), person(1, 'Now')];

const SIDES = [[FROM], [INTO], [FROM, INTO]];

/** Matches of two UUIDs of one person, together or one of them. */
async function playAsTwo(context: TestAppContext, count: number): Promise<string[]> {
  const played = Array.from({ length: count }, (_, number) =>
    match({
      started: after(number),
      finished: after(number + 1),
      teams: [{ name: 'Red', players: SIDES[number % 3]! }, team('Blue', 7)],
      kills: number % 3 === 1 ? [] : [{ killer: person(7).uuid, victim: FROM.uuid, time: BEGINNING }],
    }),
  );
  const ids = await sendEvents(context, ...played);
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  return ids;
}

onEachDatabase('a merge of many matches is a job; matches then show the surviving player', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  await playAsTwo(context, 320);
  await sendEvents(context, event('player.merged', { from: FROM.uuid, into: INTO.uuid }));
  const [job] = await listJobs(db, Number.MAX_SAFE_INTEGER, 9);
  assert.equal(job?.kind, 'merge');
  const counted = counting(db);
  await runChunk({ db: counted.db, clock });
  await setImmediate();
  // The merged UUID keeps playing, and the merge is paused and resumed.
  await sendEvents(context, match({ teams: [{ name: 'Red', players: [FROM] }] }));
  await pauseJob(db, job.key);
  await runJobs({ db: counted.db, clock });
  assert.equal((await jobByKey(db, job.key))!.state, 'paused');
  await resumeJob(db, job.key);
  await runJobs({ db: counted.db, clock });
  assertSmallChunks(counted);
  const players = await db.all<{ uuid: string }>(sql`select uuid from players order by uuid`);
  assert.deepEqual(
    players.map(({ uuid }) => uuid),
    [INTO.uuid, person(7).uuid],
  );
  const { key } = (await playerByUuid(db, FROM.uuid))!;
  assert.equal((await db.tuples(sql`select 1 from player_matches where player_key = ${key}`)).length, 321);
  await sendEvents(context, match({ teams: [{ name: 'Red', players: [FROM] }] }));
  const matches = await listWholeMatches(db, { before: Number.MAX_SAFE_INTEGER, limit: 400 });
  assert.equal(matches.length, 322);
  const { name } = (await playerByUuid(db, INTO.uuid))!;
  for (const [index, { teams }] of matches.entries()) {
    const [red] = JSON.parse(teams) as MatchTeam[];
    const mentions = index < 2 ? [name] : SIDES[(321 - index) % 3]!.map((one) => (one === FROM ? name : undefined));
    for (const [place, player] of red!.players.entries()) {
      assert.equal(player.uuid, INTO.uuid);
      const isMerged = mentions.includes(name);
      assert.equal(player.name, isMerged ? name : 'Now', `match ${index}, place ${place}`);
    }
  }
  const deaths = await deathsBelow(db, key, { before: undefined, limit: 400, audience: 'public' });
  assert.deepEqual([...new Set(deaths.map(({ victim }) => `${victim.uuid} ${victim.name}`))], [`${INTO.uuid} ${name}`]);
});

const named = (player: { uuid: string; name: string }, ms: number) =>
  event('player.named', { player }, { time: after(ms) });

onEachDatabase('names of merged players with the same timestamps are derived by a job', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const names = Array.from({ length: 600 }, (_, number) => named({ ...INTO, name: `Name${number}` }, number - 1_000));
  await sendEvents(context, ...names, named(INTO, 0), named(FROM, 0));
  const counted = counting(db);
  const merge = event('player.merged', { from: FROM.uuid, into: INTO.uuid });
  await sendEvents({ db: counted.db, clock }, merge);
  const [job] = await listJobs(db, Number.MAX_SAFE_INTEGER, 9);
  assert.deepEqual([job?.kind, job?.state], ['merge', 'waiting']);
  await setImmediate();
  await runJobs({ db, clock });
  const player = (await playerByUuid(db, FROM.uuid))!;
  assert.deepEqual([player.uuid, player.name], [INTO.uuid, FROM.name], 'the later event decides');
  assert.equal((await namesOf(db, player.key)).length, 602);
});

onEachDatabase('a rotation is rebuilt from its newest event', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const maps = Array.from({ length: 50 }, (_, number) => `Map ${number}`);
  const rotations = Array.from({ length: 40 }, (_, number) =>
    rotation('Alpha', maps.with(0, `First ${number}`), { time: after(number) }),
  );
  const ids = await sendEvents(context, configured('Alpha'), ...rotations);
  const counted = counting(db);
  const withdraw = async (id: string): Promise<void> => {
    await createWithdrawal(db, clock, { keys: [keyOf(id)!] });
    await runJobs({ db: counted.db, clock });
  };
  const first = async () => (await rotationOf(db, await alphaOf(context)))[0];
  await withdraw(ids[40]!);
  assert.equal(await first(), 'First 38');
  await withdraw(ids[20]!);
  assert.equal(await first(), 'First 38');
  assertSmallChunks(counted);
  assert.ok(Math.max(...counted.changes) < 4 * maps.length, 'each transaction writes one rotation');
});

const published = (version: string, ms: number) => map('Isle', { version }, { time: after(ms), server: 'Alpha' });

onEachDatabase('the ratings of a map are derived in small chunks', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const [count, olderVersion] = [ROWS_PER_CHUNK + 2, ROWS_PER_CHUNK + 1];
  const rated = (rate: number, version?: string) =>
    Array.from({ length: count }, (_, number) => rating('Isle', person(number), rate, version));
  await sendEvents(context, configured('Alpha'));
  const [first = ''] = await sendEvents(context, published('1', 0));
  const second = [published('2', 1), ...rated(4), ...rated(5, '1').slice(0, olderVersion)];
  const early = await sendEvents(context, ...rated(3));
  const remaining = await sendEvents(context, ...second);
  const before = await canonicalDumpOf(db);
  const counted = counting(db);
  const withdraw = async (...ids: string[]): Promise<Job> => {
    const key = await createWithdrawal(db, clock, { keys: ids.map((id) => keyOf(id)!) });
    return await runJob({ db: counted.db, clock }, key);
  };
  const differences = async (): Promise<string[]> => {
    const dump = await canonicalDumpOf(db);
    return ['maps', 'map_votes', 'map_rates'].filter((table) => !isDeepStrictEqual(dump[table], before[table]));
  };
  const more = await sendEvents(context, ...rated(1), published('3', 2), ...rated(2));
  assert.deepEqual(await differences(), ['maps', 'map_votes', 'map_rates']);
  await withdraw(...more);
  assert.deepEqual(await differences(), [], 'a later version and its ratings');

  // Ratings without a version belong to the version that was current; those from before the first one lose their map.
  const job = await withdraw(first);
  assert.equal((JSON.parse(job.cursor) as { cascaded: number }).cascaded, early.length);
  const votes = await db.tuples(
    sql`select version, rate, count(*) from map_votes group by version, rate order by version`,
  );
  assert.deepEqual(votes.map((row) => [...row]), [['1', 5, olderVersion], ['2', 4, count]]); // prettier-ignore
  const [isle] = await db.tuples(sql`select key, version from maps`);
  assert.deepEqual([...isle!], [keyOf(remaining[0]!), '2']);
  assertSmallChunks(counted);
  assert.ok(Math.max(...counted.changes) <= ROWS_PER_CHUNK * 5, 'a chunk of ratings');
});

onEachDatabase('a deletion anonymises in small chunks, beside the ingest', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  await play(context, 60);
  await sendEvents(context, login('Alpha', person(0)), punishment('one', person(3), { punisher: person(0) }));
  const { id } = await account(context, 'Owner', person(0).uuid);
  const counted = counting(db);
  await deleteAccount(db, clock.now(), id);
  await runChunk({ db: counted.db, clock });
  await setImmediate();
  const [job] = await listJobs(db, Number.MAX_SAFE_INTEGER, 1);
  await pauseJob(db, job!.key);
  await runJobs({ db: counted.db, clock });
  // A later job waits for the paused one, so that it never sees one player under two names.
  const later = await createWithdrawal(db, clock, { keys: [1] });
  await assert.rejects(runJob(context, later), /waits for an earlier one/);
  await resumeJob(db, job!.key);
  await runJobs({ db: counted.db, clock });
  assertSmallChunks(counted);
  for (const table of ['ledger', 'match_details', 'players', 'player_matches', 'kills', 'punishments', 'jobs']) {
    const text = JSON.stringify(await db.all({ strings: [`select * from ${table}`], values: [] }));
    assert.ok(!text.includes(person(0).uuid) && !text.includes('"Player0"'), table);
  }
});

onEachDatabase('a ban is not shed by deleting the account and linking again', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const steve = person(1, 'Steve');
  await sendEvents(
    context,
    configured('Alpha'),
    login('Alpha', steve),
    punishment('ban', steve, {}, { server: 'Alpha' }),
    punishment('old', steve, { expires: after(1) }),
  );
  const punished = async () =>
    await db.tuples(sql`
      select u.reference, p.uuid from punishments u join players p on p.key = u.punished_key order by u.reference`);
  for (const round of ['One', 'Two']) {
    clock.advance(1000);
    const { id } = await account(context, round, steve.uuid);
    await deleteAccount(db, clock.now(), id);
    await runJobs(context);
    const text = JSON.stringify(await db.all(sql`select * from pseudonyms where original is null`));
    assert.ok(!text.includes(steve.uuid), 'by the keyed hash only');
    assert.ok(!JSON.stringify(await punished()).includes(steve.uuid));
    const { id: returning } = await account(context, `${round}Again`);
    await db.transaction((tx) => linkPlayer(tx, returning, { uuid: person(2).uuid, name: 'Other' }));
    assert.ok(!JSON.stringify(await punished()).includes(person(2).uuid), 'another game account brings nothing back');
    const { id: linking } = await account(context, `${round}Links`);
    assert.equal(await linkGameAccount(db, clock, linking, steve), undefined);
    assert.deepEqual((await punished())[0], ['ban', steve.uuid], 'it holds at once');
    await runJobs(context);
    // A rebuild of the punishment keeps it with the player.
    const [changed] = await sendEvents(
      context,
      event('punishment.changed', { punishment: 'ban', reason: round }, { server: 'Alpha' }),
    );
    await runJob(context, await createWithdrawal(db, clock, { keys: [keyOf(changed!)!] }));
    assert.deepEqual((await punished())[0], ['ban', steve.uuid]);
    await db.run(sql`update accounts set player_uuid = null where id = ${linking}`);
    await db.run(sql`update accounts set player_uuid = null where id = ${returning}`);
  }
  assert.ok(!JSON.stringify((await punished())[1]).includes(steve.uuid), 'one that had expired stays away');
});

onEachDatabase('a command ends without an error where another process has ended its job', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), match({ teams: [team('Red', 1)] }));
  const { key } = (await serverByName(db, 'Alpha'))!;
  const job = await createWithdrawal(db, clock, { server: key, since: 0 }, { label: 'Alpha', total: 1 });
  const read = db.get.bind(db);
  // The other process ends the job after each read of this one.
  t.mock.method(db, 'get', async (query: Parameters<Db['get']>[0]) => {
    const row = await read(query);
    db.get = read;
    await runJobs({ db, clock });
    return row;
  });
  assert.equal((await runJob({ db, clock }, job)).state, 'done');
});

onSqlite('a job that fails is logged with the stack of its error', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  const key = await createJob(db, clock.now(), { kind: 'merge', label: '', params: {} });
  await db.run(sql`update jobs set params = 'nonsense' where key = ${key}`);
  const lines: string[] = [];
  await runChunk({ db, clock, log: pino({}, { write: (line) => void lines.push(line) }) });
  const {
    job,
    kind,
    msg,
    err: error,
  } = JSON.parse(lines.join('')) as { job: string; kind: string; msg: string; err: { stack: string } };
  assert.deepEqual([job, kind, msg], [idOf(key), 'merge', 'a job has failed']);
  assert.match(error.stack, /^SyntaxError: .*\n\s+at /);
});
