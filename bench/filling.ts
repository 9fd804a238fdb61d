import type { Db, Transaction } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { effectOf } from '#events/handlers/index.ts';
import { contentHash } from '#events/ingest/prepare.ts';
import { UnitOfWork } from '#events/ledger/unit-of-work.ts';
import { prepareEvent } from '#events/schema/index.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { readFeed } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import { type Server, serverByName } from '#store/game/servers.ts';
import type { Bulk } from './bulk/bulk.ts';
import { BulkLeaderboards } from './bulk/leaderboards.ts';
import { BulkRivals } from './bulk/rivals.ts';
import { type BenchHistory, END, type GeneratedMatch } from './generated-history.ts';

const OPENING_BATCH_SIZE = 1000;
const OPERATOR = { kind: 'operator' } as const;

/** Ingests the events before the first match with `ingestEvents`. */
export async function ingestOpening(db: Db, history: BenchHistory): Promise<void> {
  const events = [...history.opening()];
  for (let start = 0; start < events.length; start += OPENING_BATCH_SIZE) {
    const receipts = await ingestEvents(
      db,
      { now: () => END },
      OPERATOR,
      events.slice(start, start + OPENING_BATCH_SIZE),
    );
    const rejected = receipts.find(({ status }) => status !== 'accepted');
    if (rejected !== undefined)
      throw new Error(`An event before the first match was not accepted: ${JSON.stringify(rejected)}`);
  }
}

/**
 * Inserts the matches of a history whose players are in the database already. Writes the same rows as `ingestEvents`, but
 * checks nothing, and writes the counters of the players only once, at the end.
 */
export async function fillMatches(
  bulk: Bulk,
  history: BenchHistory,
  progress: (matches: number) => void,
): Promise<void> {
  const tx = bulk.tx as Transaction;
  const keys = await Keys.lock(tx);
  const work = new UnitOfWork(tx, keys, END);
  work.changes.declare(effectOf('match.finished').changes);
  await work.load(history.players.map(({ uuid }) => uuid));
  const keyOf = (uuid: string): number => work.players.find(uuid)!.key;
  const players = history.players.map(({ uuid }) => keyOf(uuid));
  const leaderboards = new BulkLeaderboards(bulk, players, END);
  const rivals = new BulkRivals();
  const servers = new Servers(bulk);
  let [matches, last, number] = [0, 0, (await readFeed(tx)).head];
  for (const block of history.blocks()) {
    for (const generated of block) {
      last = await ingestOne(work, await servers.named(generated.wire.server!), generated);
      await leaderboards.count(generated.event, keyOf);
      rivals.count(last, generated.event, keyOf);
    }
    await bulk.insert(work.rows.take());
    const changes = work.changes.take();
    const rows = changes.map(({ kind, key, type }) => [++number, kind, key, type, 1, END]);
    await bulk.insert(insertAll('insert into changes (number, kind, key, type, revision, time) values', rows));
    progress((matches += block.length));
  }
  await work.flush();
  await keys.save();
  await leaderboards.finish(last);
  await rivals.finish(tx, last);
  await tx.run(sql`update sequence set last = ${number} where name = 'change'`);
}

/** Applies a match and adds it to the ledger. It must be new and valid. */
async function ingestOne(work: UnitOfWork, server: Server, { event, wire }: GeneratedMatch): Promise<number> {
  const key = work.keys.next(work.now);
  const { id: eventId, time, data } = prepareEvent(event);
  const context = { work, sender: OPERATOR, key, playerKeys: work.keys, eventId, time, server, isReplay: false };
  await effectOf(event.type).apply(context, data);
  const body = JSON.stringify(wire.data);
  const hash = contentHash(secretHash, event.type, body);
  work.rows.add('ledger', [key, server.key, event.id, event.type, event.time, work.now, body, null, 0, hash, null]);
  return key;
}

class Servers {
  readonly #bulk: Bulk;
  readonly #byName = new Map<string, Server>();

  constructor(bulk: Bulk) {
    this.#bulk = bulk;
  }

  async named(name: string): Promise<Server> {
    let server = this.#byName.get(name);
    if (server === undefined) this.#byName.set(name, (server = (await serverByName(this.#bulk.tx, name))!));
    return server;
  }
}
