import type { Db } from '#db/db.ts';
import { apply } from '#events/apply.ts';
import { Batch } from '#events/unit-of-work.ts';
import { prepareEvent } from '#events/validation.ts';
import { ingestEvents } from '#events/ledger.ts';
import { Keys } from '#store/sequence.ts';
import { type Server, serverByName } from '#store/game/servers.ts';
import type { Bulk } from './bulk/bulk.ts';
import { BulkBoards } from './bulk/leaderboards.ts';
import { type BenchHistory, END, type Made } from './generated-history.ts';

const OPENING_BATCH_SIZE = 1000;
const OPERATOR = { kind: 'operator' } as const;

/** Takes what comes before the matches in the usual way. */
export async function ingestOpening(db: Db, history: BenchHistory): Promise<void> {
  const events = [...history.opening()];
  for (let start = 0; start < events.length; start += OPENING_BATCH_SIZE) {
    const receipts = await ingestEvents(
      db,
      { now: () => END },
      OPERATOR,
      events.slice(start, start + OPENING_BATCH_SIZE),
    );
    const refused = receipts.find(({ status }) => status !== 'accepted');
    if (refused !== undefined) throw new Error(`An event of the opening is refused: ${JSON.stringify(refused)}`);
  }
}

/**
 * Fills in the matches of a season, of which the database knows everybody who plays: what the nouns make of each match
 * is what `ingestEvents` would write, only that it is written without asking, and the players' sums once at the end.
 */
export async function fillMatches(
  bulk: Bulk,
  history: BenchHistory,
  progress: (matches: number) => void,
): Promise<void> {
  const { tx } = bulk;
  const keys = await Keys.lock(tx);
  const batch = new Batch(tx, keys, END);
  await batch.load(history.players.map(({ uuid }) => uuid));
  const keyOf = (uuid: string): number => batch.players.find(uuid)!.key;
  const players = history.players.map(({ uuid }) => keyOf(uuid));
  const boards = new BulkBoards(bulk, players, END);
  const servers = new Servers(bulk);
  let [matches, last] = [0, 0];
  for (const block of history.blocks()) {
    for (const made of block) {
      last = await ingestOne(batch, await servers.named(made.wire.server!), made);
      await boards.count(made.event, keyOf);
    }
    await bulk.insert(batch.rows.take());
    progress((matches += block.length));
  }
  await batch.flush();
  await keys.save();
  await boards.finish(last);
}

/** Takes a match that is known to be new and right, as the ledger does. */
async function ingestOne(batch: Batch, server: Server, { event, wire }: Made): Promise<number> {
  const key = batch.keys.next(batch.now);
  await apply({ batch, sender: OPERATOR, key, time: event.time, server, isReplay: false }, prepareEvent(event));
  const body = JSON.stringify(wire.data);
  batch.rows.add('ledger', [key, server.key, event.id, event.type, event.time, batch.now, body, null, 0]);
  return key;
}

class Servers {
  readonly #bulk: Bulk;
  readonly #known = new Map<string, Server>();

  constructor(bulk: Bulk) {
    this.#bulk = bulk;
  }

  async named(name: string): Promise<Server> {
    let server = this.#known.get(name);
    if (server === undefined) this.#known.set(name, (server = (await serverByName(this.#bulk.tx, name))!));
    return server;
  }
}
