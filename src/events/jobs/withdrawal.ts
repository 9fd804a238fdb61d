import { keyOf } from '#platform/ids.ts';
import type { Clock } from '#platform/clock.ts';
import type { Queryable, Transactional } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { forgetSeen } from '#store/game/live-matches.ts';
import { removeOnlineSamples } from '#store/game/online-samples.ts';
import { createJob, markStale } from '#store/jobs.ts';
import { pageBefore } from '#store/keyset-paging.ts';
import { keysByServer } from '../ledger/server-events.ts';
import { IS_OPERATOR_ACT } from '../ingest/operator-events.ts';
import type { ChunkCursor, ChunkedRetraction } from '../handlers/event-effect.ts';
import { effectOf, NOT_RETRACTED } from '../handlers/index.ts';
import { parseStoredEvents, LEDGER, type LedgerRow } from '../ledger/ledger-rows.ts';
import { withdrawEvents } from './retract.ts';
import type { EventName } from '../schema/index.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { Budget, type Progress, type ChunkRunner } from '../ledger/chunk.ts';

/** All events of a server, or those that one of its keys sent (`credential`), that were received since a timestamp. */
export interface WithdrawalSince {
  server: number;
  since: number;
  credential?: number | undefined;
}

/** Withdraws events of a server, newest first, or some by their keys. */
export type WithdrawalParams = { server?: number; keys: readonly number[] } | WithdrawalSince;

interface Cursor {
  /** Whether the samples of players online are removed. */
  sampled?: boolean;
  /** All events with this key or a greater one are done (`since`). */
  before: number;
  /** The number of keys that are done (`keys`). */
  place: number;
  /** The event that is being retracted in chunks, usually a match. */
  match?: ChunkCursor | undefined;
  events: number;
  /** Events that `deriveAggregate` withdrew because they depend on others. */
  cascaded: number;
}

const BEGINNING: Cursor = { before: Number.MAX_SAFE_INTEGER, place: 0, events: 0, cascaded: 0 };
/** Maximum candidates read at a time: they are read by an index, and most of them are not wanted. */
const CANDIDATES = 500;
const SAMPLES_PER_CHUNK = 500;

export const withdrawChunk: ChunkRunner = async (work, job) => {
  const params = JSON.parse(job.params) as WithdrawalParams;
  const cursor = { ...BEGINNING, ...(JSON.parse(job.cursor) as Partial<Cursor>) };
  const before = cursor.events;
  const progress = (isComplete: boolean): Progress => {
    return { cursor, done: cursor.events - before, isComplete, mayPause: cursor.match === undefined };
  };
  const budget = new Budget();
  // Heartbeats are stored without the key that sent them.
  if ('since' in params && params.credential === undefined && !cursor.sampled) {
    const { samples, isSeen } = await removeOnlineSamples(work.tx, params.server, params.since, SAMPLES_PER_CHUNK);
    // A copy of the server names those who were online.
    if (isSeen) work.changes.add('server', params.server, 'changed');
    cursor.sampled = samples < SAMPLES_PER_CHUNK;
    if (!cursor.sampled) return progress(false);
    await forgetSeen(work.tx, params.server, params.since);
  }
  if (cursor.match !== undefined) await continueRetraction(work, cursor, budget);
  if (budget.isSpent || (job.state === 'pausing' && cursor.match === undefined)) return progress(false);
  const candidates = await candidatesAfter(work.tx, params, cursor);
  for (let place = 0; place < candidates.length && !budget.isSpent && cursor.match === undefined;) {
    const taken = runFrom(candidates, place, budget.rows);
    await withdrawRun(work, taken, 'keys' in params ? params.server : undefined, cursor, budget);
    place += taken.length;
    cursor.place += taken.length;
    cursor.before = taken.at(-1)!.key;
  }
  return progress(candidates.length === 0);
};

interface Candidate {
  key: number;
  /** Undefined if the ledger does not have the event. */
  type: EventName | undefined;
  isWanted: boolean;
}

async function candidatesAfter(tx: Queryable, params: WithdrawalParams, cursor: Cursor): Promise<Candidate[]> {
  if ('since' in params) return await eventsOfServer(tx, params, cursor.before, CANDIDATES);
  const keys = params.keys.slice(cursor.place, cursor.place + CANDIDATES);
  if (keys.length === 0) return [];
  const rows = await tx.tuples(sql`select key, type from ledger where key in (${list(keys)})`);
  const types = new Map(rows as [number, EventName][]);
  return keys.map((key) => ({ key, type: types.get(key), isWanted: types.has(key) }));
}

/**
 * The next candidates to handle together: one event that is retracted in chunks, or the events before the next such one, of
 * which at most `limit` are wanted.
 */
function runFrom(candidates: readonly Candidate[], place: number, limit: number): Candidate[] {
  if (takesChunks(candidates[place]!)) return [candidates[place]!];
  let wanted = 0;
  const end = candidates.findIndex(
    (one, at) => at >= place && (takesChunks(one) || (one.isWanted && ++wanted > limit)),
  );
  return candidates.slice(place, end === -1 ? undefined : end);
}

const takesChunks = ({ type, isWanted }: Candidate): boolean =>
  isWanted && type !== undefined && chunkedRetraction(type) !== undefined;

function chunkedRetraction(type: EventName): ChunkedRetraction | undefined {
  const { retract } = effectOf(type);
  return typeof retract === 'object' && 'begin' in retract ? retract : undefined;
}

/** The events of a server before a key, newest first, and whether they are to be withdrawn. */
async function eventsOfServer(
  db: Queryable,
  { server, since, credential }: WithdrawalSince,
  before: number,
  limit: number,
): Promise<(Candidate & { type: EventName })[]> {
  const ofKey = credential === undefined ? sql`` : sql`and l.credential = ${credential}`;
  const rows = await db.tuples(sql`
    select l.key, l.type, case when l.received >= ${since} ${ofKey} and l.withdrawn is null
      and l.type not in (${list(NOT_RETRACTED)}) and not ${IS_OPERATOR_ACT} then 1 else 0 end
    from (${keysByServer(server, pageBefore(before, limit))}) s join ledger l on l.key = s.key
    order by l.key desc limit ${limit}`);
  return (rows as [number, EventName, number][]).map(([key, type, wanted]) => ({ key, type, isWanted: wanted === 1 }));
}

/** Withdraws events; begins the retraction of an event that takes several chunks. */
async function withdrawRun(
  work: UnitOfWork,
  candidates: readonly Candidate[],
  server: number | undefined,
  cursor: Cursor,
  budget: Budget,
): Promise<void> {
  const keys = candidates.filter(({ isWanted }) => isWanted).map(({ key }) => key);
  if (keys.length === 0) return;
  const ofServer = server === undefined ? sql`` : sql`and l.scope_key = ${server}`;
  const rows = await work.tx.all<LedgerRow>(sql`
    ${LEDGER}
    where l.key in (${list(keys)}) and l.withdrawn is null and l.type not in (${list(NOT_RETRACTED)}) ${ofServer}
    order by l.key desc`);
  const [first] = rows;
  const retraction = first && chunkedRetraction(first.type);
  if (retraction !== undefined) {
    work.changes.declare(effectOf(first!.type).changes);
    cursor.match = await retraction.begin(work, first!);
    budget.spend(1, first!.body.length);
    if (!budget.isSpent) await continueRetraction(work, cursor, budget);
    return;
  }
  await markStale(work.tx, 'aggregate', await withdrawEvents(work, await parseStoredEvents(work.tx, rows)));
  cursor.events += rows.length;
  budget.spend(rows.length);
}

async function continueRetraction(work: UnitOfWork, cursor: Cursor, budget: Budget): Promise<void> {
  const row = await work.tx.get<LedgerRow>(sql`${LEDGER} where l.key = ${cursor.match!.key}`);
  work.changes.declare(effectOf(row!.type).changes);
  cursor.match = await chunkedRetraction(row!.type)!.next(work, row!, cursor.match as never, budget);
  if (cursor.match === undefined) cursor.events++;
}

/** Adds a job that withdraws events. @returns its key */
export async function createWithdrawal(
  db: Transactional,
  clock: Clock,
  params: WithdrawalParams,
  { label = '', total }: { label?: string; total?: number } = {},
): Promise<number> {
  const count = 'keys' in params ? params.keys.length : total;
  const job = { kind: 'withdrawal', label, params, ...(count === undefined ? {} : { total: count }) } as const;
  return await db.transaction((tx) => createJob(tx, clock.now(), job));
}

/** The number of events that a withdrawal would withdraw, by type. Read in pages, with turns of the event loop between. */
export async function withdrawalImpact(db: Queryable, scope: WithdrawalSince): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await eventsOfServer(db, scope, before, CANDIDATES);
    for (const { type, isWanted } of page) if (isWanted) counts.set(type, (counts.get(type) ?? 0) + 1);
    if (page.length < CANDIDATES) return counts;
    before = page.at(-1)!.key;
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** Like `withdrawalImpact`, for one event by its receipt. Empty if the server sent no such event, or it is withdrawn. */
export async function receiptImpact(db: Queryable, server: number, receipt: string): Promise<Map<string, number>> {
  const row = await db.get<{ type: string }>(sql`
    select type from ledger where key = ${keyOf(receipt) ?? 0} and scope_key = ${server} and withdrawn is null
      and type not in (${list(NOT_RETRACTED)})`);
  return new Map(row === undefined ? [] : [[row.type, 1]]);
}
