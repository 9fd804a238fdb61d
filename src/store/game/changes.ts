import type { Queryable } from '#db/db.ts';
import { identifier, insertAll, join, list, sql } from '#db/sql.ts';

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

/**
 * Moves resources to the end of the feed, in the transaction that changes them, which holds the lock of the keys
 * (`Keys.lock`): numbers then become visible in their order.
 */
export async function recordChanges(tx: Queryable, changes: readonly ResourceChange[], now: number): Promise<void> {
  if (changes.length === 0) return;
  const { last } = (await tx.get<{ last: number }>(
    sql`update sequence set last = last + ${changes.length} where name = 'change' returning last`,
  ))!;
  const first = last - changes.length + 1;
  const rows = changes.map(({ kind, key, type }, index) => [first + index, kind, key, type, 1, now]);
  await tx.runAll(
    insertAll(
      'insert into changes (number, kind, key, type, revision, time) values',
      rows,
      `on conflict (kind, key) do update set number = excluded.number, type = excluded.type,
        revision = changes.revision + 1, time = excluded.time`,
    ),
  );
}

/** The feed: its id, the number of its newest change, and the largest number of a deleted tombstone. */
export interface Feed {
  id: string;
  head: number;
  floor: number;
  /** Whether the resources of an older version are in it. */
  isFilled: boolean;
}

export async function readFeed(db: Queryable): Promise<Feed> {
  const feed = (await db.get<{ id: string; head: number; floor: number; filling: string | null }>(sql`
    select id, floor, filling, (select last from sequence where name = 'change') as head from change_feed`))!;
  return { id: feed.id, head: feed.head, floor: feed.floor, isFilled: feed.filling === null };
}

/**
 * Changes after a number in their order, of some kinds, and the tombstones of all kinds. One statement, so that all parts
 * see the same state; each part reads one index range of at most `limit` rows.
 */
export async function changesAfter(
  db: Queryable,
  after: number,
  limit: number,
  kinds: readonly ResourceKind[] = RESOURCE_KINDS,
): Promise<Change[]> {
  const isFiltered = kinds.length < RESOURCE_KINDS.length;
  const conditions = isFiltered
    ? [...kinds.map((kind) => sql`kind = ${kind}`), sql`${TOMBSTONE} and kind not in (${list(kinds)})`]
    : [sql`true`];
  const parts = conditions.map(
    (condition, index) => sql`
      select * from (select number, kind, key, type, revision, time from changes
        where ${condition} and number > ${after} order by number limit ${limit}) as ${identifier(`part${index}`)}`,
  );
  return await db.all<Change>(sql`${join(parts, ' union all ')} order by number limit ${limit}`);
}

/** The newest change of a resource; undefined without one, also after its tombstone was deleted. */
export async function changeOfResource(db: Queryable, kind: ResourceKind, key: number): Promise<Change | undefined> {
  return await db.get<Change>(
    sql`select number, kind, key, type, revision, time from changes where kind = ${kind} and key = ${key}`,
  );
}

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
