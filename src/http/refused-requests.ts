import type { AppContext } from '#context/context.ts';
import {
  addRefusedRequests,
  OTHERS,
  type RefusedCount,
  SENDER_KINDS,
  type SenderKind,
} from '#store/installation/refused-requests.ts';

const SAVE_EVERY_MS = 5_000;
/** Limits the memory: beyond it the senders with the fewest requests are counted together. */
const MAX_SENDERS = 1_000;
const KEPT_SENDERS = MAX_SENDERS / 2;
/** Limits the rows that a client with many addresses can cause: only these senders of a kind are saved by name. */
const SAVED_SENDERS = 50;

/** Who sent a request, as far as it is known. */
export type Senders = Partial<Record<SenderKind, string>>;

/** Counts refused requests by sender and status: in memory for a few seconds, then in the database for all processes. */
export class RefusedRequests implements AsyncDisposable {
  readonly #context: Pick<AppContext, 'db' | 'clock' | 'log'>;
  readonly #counts = new Map<SenderKind, Map<string, RefusedCount>>(SENDER_KINDS.map((kind) => [kind, new Map()]));
  readonly #timer = setInterval(() => void this.#saveOrLog(), SAVE_EVERY_MS).unref();

  constructor(context: Pick<AppContext, 'db' | 'clock' | 'log'>) {
    this.#context = context;
  }

  add(senders: Senders, status: number): void {
    for (const kind of SENDER_KINDS) {
      const sender = senders[kind];
      if (sender === undefined) continue;
      const counts = this.#counts.get(kind)!;
      if (counts.size >= MAX_SENDERS) this.#counts.set(kind, byKey(firstOf(counts, KEPT_SENDERS)));
      addTo(this.#counts.get(kind)!, { kind, sender, status, count: 1 });
    }
  }

  /** Adds the counts to the database. If that fails, the next call adds them. */
  async save(): Promise<void> {
    const saved = [...this.#counts.values()].flatMap((counts) => firstOf(counts, SAVED_SENDERS));
    if (saved.length === 0) return;
    for (const counts of this.#counts.values()) counts.clear();
    try {
      await addRefusedRequests(this.#context.db, this.#context.clock.now(), saved);
    } catch (error) {
      for (const one of saved) addTo(this.#counts.get(one.kind)!, one);
      throw error;
    }
  }

  async #saveOrLog(): Promise<void> {
    await this.save().catch((error: unknown) =>
      this.#context.log.warn({ err: error }, 'saving the counts of refused requests failed'),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#saveOrLog();
  }
}

function addTo(counts: Map<string, RefusedCount>, added: RefusedCount): void {
  counts.getOrInsert(`${added.status} ${added.sender}`, { ...added, count: 0 }).count += added.count;
}

/** The largest counts; the others become one count for each status. */
function firstOf(counts: Map<string, RefusedCount>, size: number): RefusedCount[] {
  if (counts.size <= size) return [...counts.values()];
  const sorted = [...counts.values()].sort((a, b) => b.count - a.count);
  const others = sorted.slice(size).map((one) => ({ ...one, sender: OTHERS }));
  return [...byKey([...sorted.slice(0, size), ...others]).values()];
}

function byKey(all: readonly RefusedCount[]): Map<string, RefusedCount> {
  const counts = new Map<string, RefusedCount>();
  for (const one of all) addTo(counts, one);
  return counts;
}
