import { type NameRemoval, withoutName } from '#store/accounts/removed-names.ts';
import { playerByUuid } from '#store/game/players.ts';
import { markStale } from '#store/jobs.ts';
import { uuidLabel } from '#text/text.ts';
import { effectOf } from '../handlers/index.ts';
import { removeNameInMatch } from '../handlers/match-anonymisation.ts';
import { storeRenamed } from '../handlers/renamed-events.ts';
import { type Progress, ROWS_PER_CHUNK } from '../ledger/chunk.ts';
import { removeObservedName } from '../ledger/observations.ts';
import { mentions, withoutNameIn } from '../ledger/pseudonyms.ts';
import { typeOf } from '../schema/index.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { readEvent, readLedger } from './stored-events.ts';

/**
 * Removes a name of a player from the stored events, and from the rows with it, as far as they are not later than the removal.
 * The label of the UUID takes its place, which derivations leave out and readers of matches replace by the present name.
 */
export async function removeNameChunk(
  work: UnitOfWork,
  removal: NameRemoval,
  { after }: { after: number },
): Promise<Progress> {
  // Undefined if the player was erased meanwhile: the job of the erasure replaces the rows.
  const owner = (await playerByUuid(work.tx, removal.uuids[0]!))?.key;
  const rows = await readLedger(work.tx, after);
  let [done, touched, last] = [0, 0, after];
  for (const row of rows) {
    if (touched === ROWS_PER_CHUNK) break;
    done++;
    last = row.key;
    if (row.time > removal.until || typeOf(row.type).pseudonyms === 'never' || !mentions(row, removal.uuids)) continue;
    touched++;
    await removeIn(work, row.key, removal, owner);
  }
  if (rows.length > 0) return { cursor: { after: last }, done, isComplete: false };
  if (owner !== undefined) await markStale(work.tx, 'player', [owner]);
  return { cursor: { after }, done, isComplete: true };
}

async function removeIn(work: UnitOfWork, key: number, removal: NameRemoval, owner: number | undefined): Promise<void> {
  const { tx } = work;
  // An earlier event of the chunk may have changed the reason of this one.
  const stored = await readEvent(tx, key);
  const spellings = new Set<string>();
  const after = withoutNameIn(tx, stored, removal, spellings);
  if (after !== undefined) await storeRenamed(tx, stored, after);
  const renamed = withoutName(removal);
  const named = removal.uuids.find((uuid) => mentions(stored, [uuid]))!;
  const player = owner === undefined ? undefined : { key: owner, name: uuidLabel(named) };
  if (stored.type !== 'match.finished')
    await effectOf(stored.type).anonymise?.(work, key, {
      ...{ pseudonyms: renamed, names: new Set([removal.name]), owner: player },
    });
  else if (after !== undefined) await removeNameInMatch(work, key, { renamed, player, spellings: [...spellings] });
  if (player !== undefined && spellings.size > 0) await removeObservedName(tx, key, player, [...spellings]);
}
