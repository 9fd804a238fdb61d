import { idOf } from '#platform/ids.ts';
import { changesRow, exists, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { nextKey } from './sequence.ts';

/**
 * Long work that runs in short transactions (`events/jobs/`). Jobs run one after another in the order of their keys.
 * Any number of processes may take turns, because each transaction reads the cursor and saves the next one.
 */

export type JobKind = 'withdrawal' | 'merge' | 'anonymisation' | 'counters';
export type JobState = 'waiting' | 'pausing' | 'paused' | 'done' | 'failed';

export interface Job {
  key: number;
  kind: JobKind;
  state: JobState;
  /** `derive`: the work is done or paused, and stale data is derived again. */
  phase: 'work' | 'derive';
  /** The subject for operators: the name of a server or a pseudonym, the id of a player, but no player's name. */
  label: string;
  /** JSON, private to the job's kind; emptied when the job is done. */
  params: string;
  /** JSON, private to the job's kind: the position at which the next transaction continues. */
  cursor: string;
  /** The number of transactions so far. */
  chunks: number;
  done: number;
  /** How much there is to do, in the unit of `done`; null if unknown. */
  total: number | null;
  created: number;
  finished: number | null;
  error: string;
}

export interface NewJob {
  kind: JobKind;
  label: string;
  params?: unknown;
  cursor?: unknown;
  total?: number;
  /** The number of transactions before the job was created. */
  chunks?: number;
}

const COLUMNS = sql`
  key, kind, state, phase, label, params, cursor, portions as chunks, done, total, created, finished, error`;

export async function createJob(tx: Queryable, now: number, job: NewJob): Promise<number> {
  const { kind, label, params = {}, cursor = {}, total = null, chunks = 0 } = job;
  const key = await nextKey(tx, now);
  await tx.run(sql`
    insert into jobs (key, kind, state, phase, label, params, cursor, portions, done, total, created, finished, error)
    values (${key}, ${kind}, 'waiting', 'work', ${label}, ${JSON.stringify(params)}, ${JSON.stringify(cursor)}, ${chunks}, 0,
      ${total}, ${now}, null, '')`);
  return key;
}

export const jobByKey = (db: Queryable, key: number): Promise<Job | undefined> =>
  db.get(sql`select ${COLUMNS} from jobs where key = ${key}`);

/** Jobs with keys below `before`, newest first. */
export const listJobs = (db: Queryable, before: number, limit: number): Promise<Job[]> =>
  db.all(sql`
    select ${COLUMNS} from jobs where key < ${before} order by key desc limit ${limit}`);

/**
 * A withdrawal or count of a counter is paused between two events, so later jobs may run. They wait for a paused merge
 * or anonymisation, because the records of its player are in two states until it is complete. They do not wait for a failed one,
 * which may never be resumed.
 */
const OPEN = sql`
  finished is null and state <> 'failed' and not (kind in ('withdrawal', 'counters') and state = 'paused')`;

/**
 * The job whose turn it is: the oldest, but a merge or anonymisation that has begun comes before a withdrawal that was
 * paused before it and is resumed now. It may be a paused one, for which the others wait.
 */
export const jobInTurn = (db: Queryable): Promise<Job | undefined> =>
  db.get(sql`
    select ${COLUMNS} from jobs where ${OPEN}
    order by case when kind in ('merge', 'anonymisation') and portions > 0 then 0 else 1 end, key limit 1`);

/** The job whose next chunk can run. */
export async function nextJob(db: Queryable): Promise<Job | undefined> {
  const first = await jobInTurn(db);
  return first?.state === 'paused' ? undefined : first;
}

/** @returns the job in turn if `job` has to wait for it */
export function waitsFor({ key, state }: Job, inTurn: Job | undefined): Job | undefined {
  return (state === 'waiting' || state === 'pausing') && inTurn?.key !== key ? inTurn : undefined;
}

/** Whether a new job would have to wait. */
export const hasOpenJob = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from jobs where ${OPEN} limit 1`);

/** Saves the progress of a job at the end of one of its transactions. */
export async function saveJob(tx: Queryable, job: Job): Promise<void> {
  const { key, state, phase, params, cursor, chunks, done, finished, error } = job;
  await tx.run(sql`
    update jobs set state = ${state}, phase = ${phase}, params = ${params}, cursor = ${cursor}, portions = ${chunks}, done = ${done},
      finished = ${finished}, error = ${error}
    where key = ${key}`);
}

/** Pauses a job after its present event, without undoing its work. @returns false if it was not waiting or running */
export const pauseJob = (db: Queryable, key: number): Promise<boolean> =>
  changesRow(db, sql`update jobs set state = 'pausing' where key = ${key} and state = 'waiting'`);

/** Continues a job that was paused or has failed. @returns false if it was neither */
export const resumeJob = async (db: Queryable, key: number): Promise<boolean> =>
  (await db.run(sql`
    update jobs set state = 'waiting', finished = null, error = ''
    where key = ${key} and state in ('pausing', 'paused', 'failed')`)) > 0;

/** Requests that something is derived again at the end of the present job. */
export async function markStale(tx: Queryable, kind: Stale['kind'], refs: Iterable<string | number>) {
  const statement = (ref: string) =>
    sql`insert into rederivations (kind, ref) values (${kind}, ${ref}) on conflict (kind, ref) do nothing`;
  await tx.runAll([...new Set(refs)].map((ref) => statement(String(ref))));
}

/** A player, the maxima of a player's counters, a player's records, or an aggregate of the ledger. */
export interface Stale {
  kind: 'player' | 'counters' | 'records' | 'aggregate';
  ref: string;
}

/** The next player or aggregate to derive again: aggregates first, because deriving them may make players stale. */
export const nextStale = (db: Queryable): Promise<Stale | undefined> =>
  db.get(sql`select kind, ref from rederivations order by kind, ref limit 1`);

export async function unmarkStale(tx: Queryable, { kind, ref }: Stale): Promise<void> {
  await tx.run(sql`delete from rederivations where kind = ${kind} and ref = ${ref}`);
}

export const jobId = ({ key }: Pick<Job, 'key'>): string => idOf(key);
