import { type Cell, type Db, getAs, type Queryable } from '#db/db.ts';
import { identifier, insertAll, join, type Sql, sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { hasPseudonym, type Named } from './players.ts';

/** The kinds of resources in the feed of changes (docs/adr/0006-feed-of-changes.md). */
export const RESOURCE_KINDS = ['match', 'map', 'punishment', 'player', 'server'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** The types of changes and whether they remove the resource: the feed then has a tombstone of it. */
export const CHANGE_TYPES = {
  created: { removes: false },
  changed: { removes: false },
  withdrawn: { removes: true },
  merged: { removes: true },
  erased: { removes: true },
} as const;
export type ChangeType = keyof typeof CHANGE_TYPES;

const TOMBSTONE = sql`type in ('withdrawn', 'merged', 'erased')`;
const TOMBSTONES_PER_CHUNK = 500;

/** A change of one resource. */
export interface ResourceChange {
  kind: ResourceKind;
  key: number;
  type: ChangeType;
}

/** The newest change of a resource. */
export interface Change extends ResourceChange {
  /** Its place in the feed: greater than that of every change that was visible before. */
  number: number;
  /** Counts the changes of the resource. */
  revision: number;
  time: number;
}

/** The changes of one transaction, one a resource. */
export class ChangeSet {
  readonly #changes = new Map<string, ResourceChange>();
  readonly #declared: Set<ResourceKind>;

  constructor(declared: readonly ResourceKind[] = RESOURCE_KINDS) {
    this.#declared = new Set(declared);
  }

  /** Allows changes of these kinds, which an event effect or a job declares. */
  declare(kinds: readonly ResourceKind[]): void {
    for (const kind of kinds) this.#declared.add(kind);
  }

  /** A removal replaces every earlier change of the resource, `changed` none. */
  add(kind: ResourceKind, key: number, type: ChangeType): void {
    if (!this.#declared.has(kind)) throw new Error(`A change of a ${kind} is recorded that nothing declares.`);
    const id = `${kind} ${key}`;
    if (type === 'changed' && this.#changes.has(id)) return;
    this.#changes.set(id, { kind, key, type });
  }

  /** Returns the changes and empties the set. */
  take(): ResourceChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

const HEAD = `
  insert into changes (number, kind, key, type, revision, time)
  select s.last - cast(v.column1 as bigint), v.column2, cast(v.column3 as bigint), v.column4, 1, cast(v.column5 as bigint)
  from (values`;
const FROM_SEQUENCE = ") v cross join sequence s where s.name = 'change' on conflict (kind, key)";
const MOVE = `${FROM_SEQUENCE} do update set
  number = excluded.number, type = excluded.type, revision = changes.revision + 1, time = excluded.time`;
const KEEP = `${FROM_SEQUENCE} do nothing`;

/**
 * The statements that move resources to the end of the feed, in the transaction that changes them, which holds the lock of
 * the keys (`Keys.lock`): numbers then become visible in their order. They read the numbers themselves, so that an ingest
 * sends them with its others and waits once.
 */
export function changeStatements(changes: readonly ResourceChange[], now: number, onConflict = MOVE): Sql[] {
  if (changes.length === 0) return [];
  const rows = changes.map(({ kind, key, type }, index) => [changes.length - 1 - index, kind, key, type, now]);
  return [
    sql`update sequence set last = last + ${changes.length} where name = 'change'`,
    ...insertAll(HEAD, rows, onConflict),
  ];
}

export async function recordChanges(tx: Queryable, changes: readonly ResourceChange[], now: number): Promise<void> {
  await tx.runAll(changeStatements(changes, now));
}

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
    const missing = publicAmong(rows).map((key): ResourceChange => ({ kind, key, type: 'created' }));
    await tx.runAll(changeStatements(missing, now, KEEP));
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

const oldestTombstones = (tx: Queryable): Promise<{ number: number; time: number }[]> =>
  tx.all(sql`select number, time from changes where ${TOMBSTONE} order by number limit ${TOMBSTONES_PER_CHUNK}`);

/**
 * Deletes the oldest tombstones that were recorded before a timestamp. A follower whose place is before the largest deleted
 * number, the floor of the feed, has to begin again.
 * @returns whether there may be more
 */
export async function deleteTombstones(db: Db, before: number): Promise<boolean> {
  const isOld = ({ time }: { time: number }): boolean => time < before;
  const [first] = await oldestTombstones(db);
  if (first === undefined || !isOld(first)) return false;
  return await db.transaction(async (tx) => {
    // Recorded changes move tombstones, too: the lock keeps the two from waiting for each other.
    await Keys.lock(tx);
    const rows = await oldestTombstones(tx);
    const end = rows.findIndex((row) => !isOld(row));
    const old = end === -1 ? rows : rows.slice(0, end);
    const last = old.at(-1);
    if (last === undefined) return false;
    await tx.run(sql`delete from changes where number <= ${last.number} and ${TOMBSTONE}`);
    await tx.run(sql`update change_feed set floor = ${last.number}`);
    return old.length === TOMBSTONES_PER_CHUNK;
  });
}

/** The feed: its id, the number of its newest change, and the largest number of a deleted tombstone. */
export interface Feed {
  id: string;
  head: number;
  floor: number;
  /** Whether the resources of an older version are in it. */
  isFilled: boolean;
}

type FeedRow = Omit<Feed, 'isFilled'> & { filling: string | null };

const FEED = sql`select id, floor, filling, (select last from sequence where name = 'change') as head from change_feed`;

const toFeed = ({ id, head, floor, filling }: FeedRow): Feed => ({ id, head, floor, isFilled: filling === null });

export const readFeed = async (db: Queryable): Promise<Feed> => (await getAs(db, FEED, toFeed))!;

/**
 * Changes after a number in their order, of some kinds, and the tombstones of all kinds, with the feed at the same moment and
 * the number after which the next page begins. One statement, so that all parts see the same state; each part reads few more
 * than `limit` rows of one index: all changes of a kind, or its tombstones.
 */
export async function changesWithFeed(
  db: Queryable,
  after: number,
  limit: number,
  kinds: readonly ResourceKind[] = RESOURCE_KINDS,
): Promise<{ feed: Feed; changes: Change[]; end: number; more: boolean }> {
  const rows = await db.all<FeedRow & (Change | { number: null })>(sql`
    select f.id, f.floor, f.filling, f.head, page.number, page.kind, page.key, page.type, page.revision, page.time
    from (${FEED}) f left join (${selectChanges(after, limit + 1, kinds)}) page on true order by page.number`);
  const changes = rows.flatMap((row) => {
    if (row.number === null) return [];
    const { number, kind, key, type, revision, time } = row;
    return [{ number, kind, key, type, revision, time }];
  });
  const feed = toFeed(rows[0]!);
  if (changes.length <= limit) return { feed, changes, end: feed.head, more: false };
  const shown = changes.slice(0, limit);
  return { feed, changes: shown, end: shown.at(-1)!.number, more: true };
}

/** Literals, so that PostgreSQL knows how rare a kind is when it plans for any values. */
const OF_KIND: Record<ResourceKind, Sql> = {
  match: sql`kind = 'match'`,
  map: sql`kind = 'map'`,
  punishment: sql`kind = 'punishment'`,
  player: sql`kind = 'player'`,
  server: sql`kind = 'server'`,
};

function selectChanges(after: number, limit: number, kinds: readonly ResourceKind[]): Sql {
  const isFiltered = kinds.length < RESOURCE_KINDS.length;
  const conditions = isFiltered
    ? RESOURCE_KINDS.map((kind) => (kinds.includes(kind) ? OF_KIND[kind] : sql`${OF_KIND[kind]} and ${TOMBSTONE}`))
    : [sql`true`];
  const parts = conditions.map(
    (condition, index) => sql`
      select * from (select number, kind, key, type, revision, time from changes
        where ${condition} and number > ${after} order by number limit ${limit}) as ${identifier(`part${index}`)}`,
  );
  return sql`${join(parts, ' union all ')} order by number limit ${limit}`;
}

/** The newest change of a resource; undefined without one, also after its tombstone was deleted. */
export const changeOfResource = (db: Queryable, kind: ResourceKind, key: number): Promise<Change | undefined> =>
  db.get(sql`select number, kind, key, type, revision, time from changes where kind = ${kind} and key = ${key}`);

/**
 * The number before the first change since a time, by halving the feed: its times rise with its numbers, apart from those
 * that a clock which was set back has written.
 */
export async function placeBefore(db: Queryable, time: number, { head }: Pick<Feed, 'head'>): Promise<number> {
  let [before, after] = [0, head];
  while (before < after) {
    const middle = Math.floor((before + after) / 2);
    const next = await db.get<Pick<Change, 'number' | 'time'>>(
      sql`select number, time from changes where number > ${middle} and number <= ${after} order by number limit 1`,
    );
    if (next === undefined || next.time >= time) after = middle;
    else before = next.number;
  }
  return before;
}
