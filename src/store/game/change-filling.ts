import type { Cell, Db, Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { recordMissing, RESOURCE_KINDS, type ResourceKind } from './changes.ts';
import { hasPseudonym, type Named } from './players.ts';

/**
 * Adds the resources of an older version to the feed, kind by kind in the order of their keys. The position is saved in the
 * transaction that adds them, under the lock of the keys, so that several processes take turns, and a resource that changes
 * meanwhile keeps its newer place.
 */

/** Maximum resources of one transaction: about 3 ms on SQLite. */
const ROWS_PER_CHUNK = 500;

const SOURCES: Record<ResourceKind, (after: number) => Sql> = {
  match: (after) => sql`select match_key as key from match_details where match_key > ${after}`,
  map: (after) => sql`select key from maps where key > ${after}`,
  punishment: (after) => sql`select key from punishments where key > ${after}`,
  player: (after) => sql`select key, uuid, name from players where key > ${after}`,
  server: (after) => sql`select key from servers where key > ${after} and removed is null`,
};

/** Adds the next resources, by default as many as hold the lock for a short time. @returns false if the feed has all */
export async function fillChanges(db: Db, now: number, limit = ROWS_PER_CHUNK): Promise<boolean> {
  if ((await positionOf(db)) === undefined) return false;
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const position = await positionOf(tx);
    if (position === undefined) return false;
    const { kind, after } = position;
    const rows = await tx.tuples(sql`${SOURCES[kind](after)} order by 1 limit ${limit}`);
    await recordMissing(tx, kind, publicAmong(rows), now);
    const next = rows.length < limit ? followingKind(kind) : `${kind} ${rows.at(-1)![0] as number}`;
    await tx.run(sql`update change_feed set filling = ${next}`);
    return next !== null;
  });
}

/** A player with a pseudonym is erased. */
function publicAmong(rows: readonly Cell[][]): number[] {
  const shown = rows.filter(([, uuid, name]) => uuid === undefined || !hasPseudonym({ uuid, name } as Named));
  return shown.map(([key]) => key as number);
}

/** @returns undefined if the feed has all resources */
async function positionOf(db: Queryable): Promise<{ kind: ResourceKind; after: number } | undefined> {
  const { filling } = (await db.get<{ filling: string | null }>(sql`select filling from change_feed`))!;
  if (filling === null) return undefined;
  const [kind = '', after = '0'] = filling.split(' ');
  return { kind: RESOURCE_KINDS.find((one) => one === kind) ?? RESOURCE_KINDS[0], after: Number(after) };
}

function followingKind(kind: ResourceKind): string | null {
  const next = RESOURCE_KINDS[RESOURCE_KINDS.indexOf(kind) + 1];
  return next === undefined ? null : `${next} 0`;
}
