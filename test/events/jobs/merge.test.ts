import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { keyOf } from '#platform/ids.ts';
import { ROWS_PER_CHUNK } from '#events/ledger/chunk.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { after, BEGINNING, configured, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { DIALECTS, TestClock, twoDatabases } from '#test/support/context.ts';
import { canonicalDumpOf } from '../canonical-dump.ts';

const [FROM, INTO, THIRD] = [person(0, 'Before'), person(1, 'Now'), person(2, 'Later')];

const merge = (from: { uuid: string }, into: { uuid: string }): WireEvent =>
  event('player.merged', { from: from.uuid, into: into.uuid });

const logins = (player: { uuid: string; name: string }, count: number, since: number): WireEvent[] =>
  Array.from({ length: count }, (_, number) => login('Alpha', player, { time: after(since + number) }));

/** Matches in which a player completes an objective without being in a team. */
const scored = (player: { uuid: string; name: string }, count: number): WireEvent[] =>
  Array.from({ length: count }, (_, number) =>
    match({
      started: after(number),
      finished: after(number + 1),
      teams: [team('Red', 7)],
      objectives: [{ type: 'wool', name: 'Lime Wool', color: 'lime', team: 'Red', player, time: BEGINNING }],
    }),
  );

interface Case {
  name: string;
  events: WireEvent[];
  /** Merges that are complete when the withdrawal begins. */
  before?: WireEvent[];
  /** Places of the events that are withdrawn by a job that waits while the merges arrive. */
  withdrawn?: number[];
  merges: WireEvent[];
}

const SERVER = configured('Alpha');
const LONG = 2 * ROWS_PER_CHUNK;
const CASES: Case[] = [
  {
    name: 'the last login of the merged player is withdrawn',
    events: [...logins(FROM, LONG, 0), ...logins(INTO, 3, 50)],
    withdrawn: [LONG - 1],
    merges: [merge(FROM, INTO)],
  },
  {
    name: 'all observations of the merged player are moved, and one is withdrawn',
    events: [...logins(FROM, ROWS_PER_CHUNK, 0), ...logins(INTO, 3, 50)],
    withdrawn: [ROWS_PER_CHUNK - 1],
    merges: [merge(FROM, INTO)],
  },
  {
    name: 'the only observation of the surviving player is withdrawn',
    events: [...scored(FROM, LONG), ...logins(INTO, 1, 50)],
    withdrawn: [LONG],
    merges: [merge(FROM, INTO)],
  },
  {
    name: 'the surviving player is merged into a third one',
    events: [...logins(FROM, LONG, 0), ...logins(INTO, 3, 50), ...logins(THIRD, 3, 90)],
    merges: [merge(FROM, INTO), merge(INTO, THIRD)],
  },
  {
    name: 'a long history is merged into a long one, and both into a third player',
    events: [...scored(FROM, LONG), ...logins(INTO, LONG, 50), ...logins(THIRD, 3, 90)],
    withdrawn: [0, LONG],
    merges: [merge(FROM, INTO), merge(INTO, THIRD)],
  },
  {
    name: 'the surviving player is merged again while a match of the merged one is withdrawn',
    events: [
      match({ teams: [team('Red', { ...FROM, kill_count: 3 })] }),
      ...logins(INTO, 3, 50),
      ...logins(THIRD, 3, 90),
    ],
    before: [merge(FROM, INTO)],
    withdrawn: [0],
    merges: [merge(INTO, THIRD)],
  },
  {
    name: 'the surviving player is merged into one that nobody has seen',
    events: [...scored(FROM, LONG), ...logins(INTO, 3, 50)],
    merges: [merge(FROM, INTO), merge(INTO, THIRD)],
  },
];

/** Sends the events of a case, each step with its jobs done or all jobs at the end. */
async function play(
  db: Db,
  { events, before = [], withdrawn = [], merges }: Case,
  finishesEachJob: boolean,
): Promise<void> {
  const clock = new TestClock();
  const finish = async (): Promise<void> => (finishesEachJob ? await runJobs({ db, clock }) : undefined);
  const receipts = await sendEvents({ db, clock }, SERVER, ...events);
  if (before.length > 0) await sendEvents({ db, clock }, ...before);
  while (await projectMatches(db, 'UTC', clock.now()));
  const keys = withdrawn.map((place) => keyOf(receipts[place + 1]!)!);
  if (keys.length > 0) await createWithdrawal(db, clock, { keys }, { total: keys.length });
  await finish();
  for (const one of merges) {
    await sendEvents({ db, clock }, one);
    await finish();
  }
  await runJobs({ db, clock });
  const failed = await db.tuples(sql`select kind, error from jobs where state = 'failed'`);
  assert.deepEqual(failed, [], 'no job has failed');
}

for (const dialect of DIALECTS) {
  for (const one of CASES) {
    test(`a merge in progress while other jobs wait: ${one.name} (${dialect})`, async (t) => {
      const [waiting, oneByOne] = await twoDatabases(t, dialect);
      await play(oneByOne, one, true);
      await play(waiting, one, false);
      const [found, wanted] = [await canonicalDumpOf(waiting), await canonicalDumpOf(oneByOne)];
      for (const table of Object.keys(wanted)) assert.deepEqual(found[table], wanted[table], table);
    });
  }
}
