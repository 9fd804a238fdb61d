import { UsageError } from '#platform/errors.ts';
import type { Db, Transaction } from '../db.ts';
import { schemaVersion, refuseNewer } from '../migrate.ts';
import { sql } from '../sql.ts';
import { readInstallation } from './backup-file.ts';
import { applyChanges, applyChangesIn, startCapture, stopCapture } from './capture.ts';
import {
  closeForWrites,
  type MoveMark,
  openForWrites,
  readDatabaseId,
  readMoveMark,
  removeMoveMark,
  saveInstallation,
  saveMoveMark,
} from './closing.ts';
import { Comparison } from './comparison.ts';
import { copyTables, type Digests, readDigests, type Progress } from './copy.ts';
import { beginLoading, endLoading, loadingState, restoreIndexes } from './loading.ts';
import { hasTable } from './schema.ts';

export interface MoveOptions {
  /** The address of the target without password, which the source will name. */
  target: string;
  now: () => number;
  /** Called when the target has been accepted and before the first row is copied. */
  started?: () => Promise<void>;
  /** Runs in the transaction that lets the target start. */
  ended?: (tx: Transaction) => Promise<void>;
  progress: Progress;
  /** Called at the beginning of each step, for the operator, and awaited before it. */
  step: (sentence: string) => void | Promise<void>;
}

/**
 * The source is closed when so few rows have changed in the last round, or when a round leaves more than this share of the
 * one before: then the network changes about as fast as its changes are copied, and further rounds would only delay.
 */
const FEW_CHANGES = 1_000;
const MAX_SHARE = 0.8;

/**
 * Moves the network of a database in use into an empty one: copies all tables, compares them, catches up with what has
 * changed since, closes the source, copies and compares the rest, and lets the target start. It can be interrupted
 * and resumed.
 * @returns the digests of all tables, equal in both databases
 * @throws UsageError if the target is not empty, or the source has moved already
 */
export async function move(source: Db, target: Db, options: MoveOptions): Promise<Digests> {
  const mark = await refuseOtherMove(source, target, options.target);
  const version = await schemaVersion(source);
  refuseNewer(version);
  if (version.missing.length > 0)
    throw new UsageError('The database is from an older version: start this version once, then move it.');
  const purpose = `the move of the database ${await readDatabaseId(source)}`;
  await beginLoading(target, purpose, version.applied);
  await options.started?.();
  const digests =
    mark?.state === 'moved'
      ? await readDigests(target, options.progress)
      : await copyAndClose(source, target, options, mark);
  await options.step('Restoring triggers and foreign keys of the target.');
  await endLoading(target, options.ended);
  return digests;
}

async function copyAndClose(
  source: Db,
  target: Db,
  options: MoveOptions,
  mark: MoveMark | undefined,
): Promise<Digests> {
  if (mark === undefined) await saveMark(source, options, 'copying');
  let comparison: Comparison | undefined;
  if (mark?.state !== 'closed') {
    await startCapture(source);
    await copy(source, target, options);
    comparison = await compareInUse(source, target, options);
    await catchUp(source, target, options, comparison);
    await saveMark(source, options, 'closed');
  }
  await closeForWrites(source);
  await options.step(
    'The source is closed: it answers writes with 503 and senders keep their events. Copying the rest.',
  );
  while ((await applyChanges(source, target, comparison)) > 0);
  const digests = await finishComparison(source, target, options, comparison);
  await saveInstallation(target, await readInstallation(source));
  await saveMark(source, options, 'moved');
  return digests;
}

async function copy(source: Db, target: Db, { progress, step }: MoveOptions): Promise<void> {
  if ((await loadingState(target, 'copied')) !== undefined) return;
  await step('Copying all tables.');
  // What an earlier run has copied becomes a part of the state that this run copies.
  await applyChanges(source, target);
  {
    await using snapshot = await source.snapshot();
    await copyTables(snapshot, target, progress);
  }
  await step('Creating the indexes of the target.');
  await restoreIndexes(target);
  await target.run(sql`insert into loading_state (name, value) values ('copied', '')`);
}

/** Compares all tables in one state of the source. */
async function compareInUse(source: Db, target: Db, { progress, step }: MoveOptions): Promise<Comparison> {
  await using snapshot = await source.snapshot();
  await step(caughtUp(await applyChangesIn(snapshot, source, target)));
  await step('Comparing all tables.');
  await using copied = await target.snapshot();
  return await Comparison.of(snapshot, copied, progress);
}

/** Catches up until few rows change. */
async function catchUp(source: Db, target: Db, { step }: MoveOptions, comparison: Comparison): Promise<void> {
  for (let before = Infinity; ;) {
    const changes = await applyChanges(source, target, comparison);
    await step(caughtUp(changes));
    if (changes < FEW_CHANGES || changes > before * MAX_SHARE) return;
    before = changes;
  }
}

const caughtUp = (changes: number): string => `Caught up with ${changes} changes.`;

async function finishComparison(
  source: Db,
  target: Db,
  { progress, step }: MoveOptions,
  comparison: Comparison | undefined,
): Promise<Digests> {
  if (comparison === undefined) {
    // A run that was interrupted after the source was closed has compared the rows, and lost the result.
    await step('Comparing all tables.');
    return (await Comparison.of(source, target, progress)).check();
  }
  const digests = comparison.check();
  await comparison.checkCounts(source, target);
  return digests;
}

/** Opens a source that an unfinished move has closed, and stops noting its changes. @param last runs in the transaction that ends this */
export async function cancelMove(source: Db, last?: (tx: Transaction) => Promise<void>): Promise<void> {
  const mark = await readMoveMark(source);
  if (mark === undefined) throw new UsageError('No move of this database is under way.');
  if (mark.state === 'moved') {
    throw new UsageError(
      `The network has moved to ${mark.target}, and may have changed there: move it back from there.`,
    );
  }
  await openForWrites(source);
  await stopCapture(source);
  await source.transaction(async (tx) => {
    await removeMoveMark(tx);
    await last?.(tx);
  });
}

async function refuseOtherMove(source: Db, target: Db, address: string): Promise<MoveMark | undefined> {
  const mark = await readMoveMark(source);
  if (mark === undefined) return undefined;
  if (mark.target !== address) {
    throw new UsageError(
      `A move to ${mark.target} is under way: finish it, or cancel it with \`scorehall move --cancel\`.`,
    );
  }
  if (mark.state === 'moved' && !(await hasTable(target, 'loading_state'))) {
    throw new UsageError(`The network has moved to ${mark.target} already. Set DATABASE_URL to it.`);
  }
  return mark;
}

const saveMark = async (source: Db, { target, now }: MoveOptions, state: MoveMark['state']): Promise<void> =>
  await saveMoveMark(source, { state, target, since: now() });
