import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { lists, type Sql, sql } from '#db/sql.ts';
import { effectOf } from '../handlers/index.ts';
import { rejectedFor, type Receipt } from '../ledger/receipts.ts';
import { type EventName, typeOf } from '../schema/index.ts';
import type { Checked } from './prepare.ts';
import { isSameJson } from '#text/text.ts';
import { problemOf } from '../schema/problems.ts';

/** The identity of an event: the key of its server (0 for the network itself) and the sender's id. */
export type Identity = [scope: number, id: string];

interface AcceptedEvent {
  key: number;
  scope: number;
  withdrawn: boolean;
  hash: string | null;
  /** The content of an event of the same transaction; undefined if the event is in the ledger. */
  content?: Content;
}

export interface LedgerPlace {
  key: number;
  scope: number;
  aggregate: string | null;
}

interface Content {
  type: EventName;
  body: string;
  aggregate: string | null;
}

/** Recognises events whose id was accepted before: in the ledger, or earlier in the same transaction. */
export class AcceptedEvents {
  readonly #tx: Queryable;
  readonly #events = new Map<string, AcceptedEvent>();

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  async load(identities: readonly Identity[]): Promise<void> {
    const rows = await Promise.all(queriesFor(identities).map((query) => this.#tx.tuples(query)));
    for (const [scope, id, key, withdrawn, hash] of rows.flat() as LedgerTuple[]) {
      this.#events.set(`${scope} ${id}`, { key, scope, withdrawn: withdrawn !== null, hash });
    }
  }

  add(identity: string, { event, raw, hash }: Checked, { key, scope, aggregate }: LedgerPlace): void {
    const content = { type: event.type, body: raw, aggregate };
    this.#events.set(identity, { key, scope, withdrawn: false, hash, content });
  }

  /** The receipt of an event whose id was accepted before; undefined if it was not. */
  async earlierReceipt(identity: string, checked: Checked): Promise<Receipt | undefined> {
    const accepted = this.#events.get(identity);
    if (accepted === undefined) return undefined;
    const { id } = checked.event;
    if (accepted.withdrawn) return rejectedFor(id, [WITHDRAWN]);
    const receipt = idOf(accepted.key);
    if (await this.#hasContent(accepted, checked)) return { id, status: 'duplicate', receipt };
    return { ...rejectedFor(id, [ANOTHER]), receipt };
  }

  async #hasContent(accepted: AcceptedEvent, { event, raw, hash }: Checked): Promise<boolean> {
    if (accepted.hash === null || hash === null || accepted.hash === hash) return true;
    if (typeOf(event.type).stored !== 'whole') return false;
    const { type, body, aggregate } = accepted.content ?? (await this.#readContent(accepted.key));
    if (type !== event.type) return false;
    if (isSameJson(body, raw)) return true;
    return (await effectOf(type).isSame?.(this.#tx, { scope: accepted.scope, body, aggregate }, raw)) ?? false;
  }

  async #readContent(key: number): Promise<Content> {
    return (await this.#tx.get<Content>(sql`select type, body, aggregate from ledger where key = ${key}`))!;
  }
}

type LedgerTuple = [...Identity, key: number, withdrawn: number | null, hash: string | null];

const WITHDRAWN = problemOf(
  'is the id of an event that the operator has withdrawn; an event that is different needs a new id',
  'id',
);
const ANOTHER = problemOf(
  'is the id of another event, accepted before under this receipt; an event that is different needs a new id',
  'id',
);

/** One statement per scope, for which PostgreSQL uses the index whatever its statistics are. */
function queriesFor(identities: readonly Identity[]): Sql[] {
  return [...Map.groupBy(identities, ([scope]) => scope)].flatMap(([scope, events]) =>
    lists(events.map(([, id]) => id)).map(
      (ids) => sql`
        select scope_key, event_id, key, withdrawn, content_hash from ledger
        where scope_key = ${scope} and event_id in (${ids})`,
    ),
  );
}
