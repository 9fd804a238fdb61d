import { DatabaseSync } from 'node:sqlite';

/** The file of a mirror. The simulator reads it while the process of the mirror writes it. */

export const KINDS = ['match', 'map', 'punishment', 'player', 'server'] as const;
export type Kind = (typeof KINDS)[number];

/** A change as the feed gives it. */
export interface FeedItem {
  id: string;
  /** `match.created` */
  type: string;
  revision: number;
  time: string;
  url?: string;
  resource?: unknown;
}

const REMOVALS = new Set(['withdrawn', 'merged', 'erased']);
const TYPES = new Set(['created', 'changed', ...REMOVALS]);

export const isRemoval = ({ type }: Pick<FeedItem, 'type'>): boolean => REMOVALS.has(type.split('.')[1]!);

const SCHEMA = `
  pragma journal_mode = delete;
  pragma synchronous = off;
  create table if not exists items (
    kind text, id text, revision integer, type text, resource text, primary key (kind, id));
  create table if not exists state (name text primary key, value text);
  create table if not exists faults (fault text)`;

/** How a mirror is told about changes: `ordered` mirrors never get a revision again, unless a connection was cut. */
export type Delivery = 'ordered' | 'repeating' | 'unordered';

export class MirrorDisk implements Disposable {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 20_000 });
    this.#db.exec(SCHEMA);
  }

  get cursor(): string {
    return this.#state('cursor') ?? '0';
  }

  get resets(): number {
    return Number(this.#state('resets') ?? 0);
  }

  /** The number of items that were applied. */
  get applied(): number {
    return Number(this.#state('applied') ?? 0);
  }

  get faults(): string[] {
    return this.#db
      .prepare('select distinct fault from faults limit 20')
      .all()
      .map(({ fault }) => String(fault));
  }

  /** Stores items and the cursor behind them in one transaction. */
  apply(items: readonly FeedItem[], delivery: Delivery, cursor?: string): void {
    this.#transaction(() => {
      for (const item of items) this.#applyOne(item, delivery);
      if (cursor !== undefined) this.#set('cursor', cursor);
      this.#set('applied', String(this.applied + items.length));
    });
  }

  /** Empties the mirror, to begin again at `after=0`. */
  reset(reason: string): void {
    this.#transaction(() => {
      this.#db.exec('delete from items');
      this.#set('cursor', '0');
      this.#set('resets', String(this.resets + 1));
      this.#set('reason', reason);
    });
  }

  /** Notes that the service broke a promise. */
  fault(text: string): void {
    this.#db.prepare('insert into faults values (?)').run(text);
  }

  /** The resources of a kind by id; those without content are null. */
  resources(kind: Kind): Map<string, unknown> {
    const rows = this.#db.prepare('select id, type, resource from items where kind = ?').all(kind);
    const present = rows.filter(({ type }) => !REMOVALS.has(String(type)));
    return new Map(present.map(({ id, resource }) => [String(id), JSON.parse(String(resource ?? 'null'))]));
  }

  /** 0 for a resource that it never had. */
  revisionOf(kind: string, id: string): number {
    const stored = this.#db.prepare('select revision from items where kind = ? and id = ?').get(kind, id);
    return Number(stored?.['revision'] ?? 0);
  }

  /**
   * What is stored of each resource, as text: its id and its content. The bytes of the file would have more than its rows:
   * SQLite leaves copies of rows in unused parts of pages when it moves them to another page.
   */
  contents(): { kind: Kind; id: string; text: string }[] {
    const rows = this.#db.prepare("select kind, id, coalesce(resource, '') as resource from items").all();
    return rows.map(({ kind, id, resource }) => ({
      kind: kind as Kind,
      id: String(id),
      text: `${String(id)} ${String(resource)}`,
    }));
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #applyOne(item: FeedItem, delivery: Delivery): void {
    const { id, revision, resource } = item;
    const [kind = '', type = ''] = item.type.split('.');
    const name = `${kind} ${id}`;
    if (!KINDS.includes(kind as Kind) || !TYPES.has(type)) this.fault(`${name} has the type ${item.type}`);
    const removes = REMOVALS.has(type);
    if (removes && (item.url !== undefined || resource !== undefined)) this.fault(`the tombstone of ${name} has more`);
    const before = this.revisionOf(kind, id);
    if (delivery === 'ordered' && revision === before) this.fault(`${name} came again with the revision ${revision}`);
    if (delivery !== 'unordered' && revision < before) this.fault(`${name} went back from ${before} to ${revision}`);
    if (revision < before) return;
    const text = removes || resource === undefined ? null : JSON.stringify(resource);
    this.#db
      .prepare(
        `insert into items values (?, ?, ?, ?, ?) on conflict do update
         set revision = excluded.revision, type = excluded.type, resource = excluded.resource`,
      )
      .run(kind, id, revision, type, text);
  }

  #transaction(work: () => void): void {
    this.#db.exec('begin immediate');
    try {
      work();
      this.#db.exec('commit');
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  #state(name: string): string | undefined {
    return this.#db.prepare('select value from state where name = ?').get(name)?.['value'] as string | undefined;
  }

  #set(name: string, value: string): void {
    this.#db
      .prepare('insert into state values (?, ?) on conflict do update set value = excluded.value')
      .run(name, value);
  }
}
