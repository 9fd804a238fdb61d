import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import type { Db } from '#db/db.ts';
import { deathsBelow, killsBelow } from '#store/game/kills.ts';
import { ROWS_PER_CHUNK } from '#events/ledger/chunk.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { listWholeMatches, matchByKey } from '#store/game/matches.ts';
import { findPlayer, namesOf, type PlayerName, playerByUuid, playersBefore } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { serverByName } from '#store/game/servers.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { DIALECTS, onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { after, BEGINNING, configured, event, login, match, person, team, sendEvents } from '#test/support/builders.ts';
import { canonicalDumpOf } from '../canonical-dump.ts';
import { arbitraryHistory, merge, type GeneratedEvent } from '../generated-history.ts';
import { ingestHistory } from '../ingest-history.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

const FROM = person(0).uuid;
const INTO = person(1).uuid;

/** Tables with the UUIDs and names of events, which a merge does not change, and that of the merges themselves. */
const UNLIKE = ['match_details', 'match_counters', 'ledger', 'kills', 'merged_in_matches', 'player_aliases'];

/** An event of the merged UUID as one of the surviving UUID. Who revoked a punishment stays as reported after a merge. */
function renamedEvent(received: GeneratedEvent): GeneratedEvent {
  const renamed = JSON.parse(JSON.stringify(received).replaceAll(FROM, INTO)) as GeneratedEvent;
  if (received.event.type === 'punishment.revoked' && renamed.event.type === 'punishment.revoked') {
    renamed.event.data.revoker = received.event.data.revoker;
  }
  return renamed;
}

for (const dialect of DIALECTS) {
  test(`a player merged into another has always been that other (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, fc.nat(25), fc.integer({ min: 1, max: 5 }), async (events, place, batches) => {
        const received = events.filter(({ event }) => !(has(event, FROM) && has(event, INTO)));
        await ingestHistory(one, received.toSpliced(place, 0, merge), batches);
        const renamed = received.map(renamedEvent);
        await ingestHistory(other, renamed, batches);
        await finishJobs(one);
        const [found, wanted] = [await canonicalDumpOf(one), await canonicalDumpOf(other)];
        for (const table of Object.keys(wanted)) {
          if (!UNLIKE.includes(table)) assert.deepEqual(found[table], wanted[table], table);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 60 : 20 },
    );
  });
}

/** The dump, and matches and kills as readers return them. */
async function shownIn(db: Db): Promise<Record<string, unknown>> {
  await finishJobs(db);
  while (await projectMatches(db, 'UTC', 0));
  while (await projectRivals(db));
  const matches = await listWholeMatches(db, { before: Number.MAX_SAFE_INTEGER, limit: 100 });
  const players = await playersBefore(db, Number.MAX_SAFE_INTEGER, 100);
  const kills = await Promise.all(
    players.map(async ({ key, uuid }) => [
      uuid,
      await killsBelow(db, key, { before: undefined, limit: 100, audience: 'public' }),
      await deathsBelow(db, key, { before: undefined, limit: 100, audience: 'public' }),
    ]),
  );
  const keys = JSON.stringify([matches, kills]).replaceAll(/"(?:key|match)":\d+|\\?"id\\?":\\?"\w+/g, '');
  const shown = (JSON.parse(keys.replaceAll(/([{,]),+|,+(?=})/g, '$1')) as unknown[]).map((rows) =>
    (rows as unknown[]).map((row) => JSON.stringify(row)).sort(),
  );
  return { ...(await canonicalDumpOf(db)), shown };
}

for (const dialect of DIALECTS) {
  test(`it does not matter whether a merge arrives before or after other events (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    const place = fc.nat(25);
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, place, place, fc.nat(3), async (events, early, late, batches) => {
        const dumps = [];
        for (const [db, at] of [
          [one, early],
          [other, late],
        ] as const) {
          await ingestHistory(db, events.toSpliced(at, 0, merge), batches + 1);
          dumps.push(await shownIn(db));
        }
        for (const table of Object.keys(dumps[0]!)) assert.deepEqual(dumps[1]![table], dumps[0]![table], table);
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 10 },
    );
  });
}

onEachDatabase('the id of a merged player leads to the player it was merged into', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), login('Alpha', person(0)), login('Alpha', person(1)));
  const id = idOf((await playerByUuid(context.db, FROM))!.key);
  await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
  assert.equal((await findPlayer(context.db, id))!.uuid, INTO);
  assert.equal(await findPlayer(context.db, idOf(keyOf(id)! + 1)), undefined);
});

onEachDatabase('merging players leaves the merged player of a deleted account its id', async (t, url) => {
  const context = await testContext(t, url);
  const persons = [0, 1, 2, 3].map((number) => person(number));
  await sendEvents(context, configured('Alpha'), ...persons.map((one) => login('Alpha', one)));
  await context.db.transaction((tx) => pseudonymise(tx, context.clock.now(), person(2).uuid));
  await finishJobs(context.db);
  const [deleted] = await context.db.all<{ key: number; uuid: string }>(sql`
    select key, uuid from players where name like 'deleted-%'`);
  await sendEvents(context, event('player.merged', { from: deleted!.uuid, into: person(3).uuid }));
  await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
  await finishJobs(context.db);
  assert.equal((await findPlayer(context.db, idOf(deleted!.key)))?.uuid, person(3).uuid);
});

for (const when of ['before', 'after'] as const) {
  onEachDatabase(
    `a player who played a match under several UUIDs, merged ${when} it, keeps all names after retractions`,
    async (t, url) => {
      const context = await testContext(t, url);
      const names = ['One', 'Two', 'Three', 'Two', 'One'];
      const persons = names.map((name, number) => person(number, name));
      const merges = [1, 2, 3, 4].map((number) => event('player.merged', { from: person(number).uuid, into: FROM }));
      const played = match({ teams: [team('Red', ...persons.slice(0, 2)), team('Blue', ...persons.slice(2))] });
      await sendEvents(context, configured('Alpha'));
      const [gone = ''] = await sendEvents(context, login('Alpha', persons[0]!));
      await sendEvents(context, ...(when === 'before' ? [...merges, played] : [played, ...merges]));
      const { key } = (await playerByUuid(context.db, FROM))!;
      await retractEvents(context.db, context.clock, [keyOf(gone)!]);
      assert.deepEqual((await namesOf(context.db, key)).map(({ name }) => name).sort(), [...new Set(names)].sort());

      await context.db.transaction((tx) => pseudonymise(tx, context.clock.now(), FROM));
      await finishJobs(context.db);
      const [{ name: pseudonym }, ...others] = (await namesOf(context.db, key)) as [PlayerName, ...PlayerName[]];
      assert.match(pseudonym, /^deleted-/);
      assert.deepEqual(others, []);
      const observations = await context.db.tuples(sql`select name from name_observations where player_key = ${key}`);
      assert.ok(observations.every(([name]) => name === pseudonym));
    },
  );
}

onEachDatabase('a match of two UUIDs of a player counts once, in counters as on boards', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const crowd = Array.from({ length: ROWS_PER_CHUNK }, (_, number) => number + 2);
  const played = (winner: number, loser: number) =>
    match({ win: 'Red', teams: [team('Red', winner, ...crowd), team('Blue', loser)] });
  const both = { win: 'Red', teams: [team('Red', 0, 1)] };
  const counted = async (): Promise<unknown[]> => {
    while (await projectMatches(db, 'UTC', 0));
    const { key } = (await playerByUuid(db, INTO))!;
    const { win, lose, play } = (await statsOf(db, key)).teampvp;
    const board = await db.tuples(sql`
      select b.win, b.play from boards b where b.player_key = ${key} and b.mode = 'teampvp' and b.bucket = ${bucketsIn('UTC')(0).all}`);
    return [win, lose, play, ...(board[0] ?? [0, 0])];
  };
  const withdraw = (...ids: string[]) =>
    createWithdrawal(db, clock, { server: alpha, keys: ids.map((id) => keyOf(id)!) });
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1)));
  const alpha = (await serverByName(db, 'Alpha'))!.key;
  const before = await sendEvents(context, played(0, 1), played(1, 0), match(both));
  // This one is being withdrawn when its two UUIDs become one player.
  const [halfGone = ''] = await sendEvents(context, played(0, 1));
  await withdraw(halfGone);
  await runChunk(context);
  await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
  await finishJobs(db);
  const after = await sendEvents(context, played(0, 1), played(1, 0), match(both));
  assert.deepEqual(await counted(), [6, 0, 6, 6, 6]);
  await withdraw(before[0]!, after[0]!, before[2]!);
  await finishJobs(db);
  assert.deepEqual(await counted(), [3, 0, 3, 3, 3]);
  await withdraw(...before.slice(1, 2), ...after.slice(1));
  await finishJobs(db);
  assert.deepEqual(await counted(), [0, 0, 0, 0, 0]);
});

onEachDatabase(
  'the present name is listed first, also where an earlier name was seen at the same time',
  async (t, url) => {
    const context = await testContext(t, url);
    for (const name of ['Anna', 'Zoe']) {
      await sendEvents(context, event('player.named', { player: person(0, name) }, { time: BEGINNING }));
    }
    const player = (await playerByUuid(context.db, FROM))!;
    assert.equal(player.name, 'Zoe');
    assert.deepEqual(
      (await namesOf(context.db, player.key)).map(({ name }) => name),
      ['Zoe', 'Anna'],
    );
  },
);

for (const survivor of ['a known', 'an unknown'] as const) {
  onEachDatabase(
    `the objectives of a player merged into ${survivor} one show the survivor, also without a place in a team`,
    async (t, url) => {
      const context = await testContext(t, url);
      const objective = { player: person(0), team: 'Red', type: 'flag', name: 'Flag', time: BEGINNING } as const;
      const played = match({
        finished: after(-1),
        teams: [team('Red', 2), team('Blue', 3)],
        objectives: [objective],
      });
      await sendEvents(context, configured('Alpha'), ...(survivor === 'a known' ? [login('Alpha', person(1))] : []));
      const receipts = await sendEvents(
        context,
        ...Array.from({ length: 150 }, () => ({ ...played, id: randomUUID() })),
      );
      await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
      await finishJobs(context.db);
      const { name } = person(survivor === 'a known' ? 1 : 0);
      for (const receipt of receipts) {
        const { objectives } = (await matchByKey(context.db, keyOf(receipt)!))!;
        assert.deepEqual((JSON.parse(objectives) as { player: unknown }[])[0]!.player, { uuid: INTO, name });
      }
    },
  );
}

const has = (event: GeneratedEvent['event'], uuid: string): boolean => JSON.stringify(event).includes(uuid);
