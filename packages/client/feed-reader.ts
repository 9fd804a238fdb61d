import { jsonObject, ResetError, ScorehallError } from './errors.ts';
import { EventStreamParser, type StreamEvent } from './event-stream.ts';
import { type Params, pathOf, type Result } from './paths.ts';
import { backoff, type Deadline, pause } from './timing.ts';
import type { Transport } from './transport.ts';

/** Changes in their order, and the cursor after the last of them. */
export type ChangesPage = Result<'/v1/changes'>;
export type Change = ChangesPage['changes'][number];

/** What can be in the feed: `match`, `player` … */
export type Kind = NonNullable<Params<'/v1/changes'>['types']>[number];

type ChangeOf<C extends Change, K extends Kind> = C extends unknown
  ? `${K}.created` extends C['type']
    ? C
    : never
  : never;
/** A resource of a kind, as its own endpoint gives it. */
export type Resource<K extends Kind> = NonNullable<ChangeOf<Change, K>['resource']>;

export interface FollowOptions {
  /** Only resources of these kinds. Removals of all kinds come in any case. */
  types?: Kind[] | undefined;
  /** Adds the resources. */
  expand?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds between requests without a stream, and the least between requests for resources; default 10 seconds. */
  pollMs?: number | undefined;
}

/** How a stream ended: before it began, without a byte, after some, or because this program was too slow to read it. */
type StreamEnd = 'refused' | 'empty' | 'cut' | 'behind';

/** The largest pages, which cost one request. */
const LIMIT = 1000;
const LIMIT_EXPANDED = 100;
const POLL_MS = 10_000;
/** The service sends a comment each 15 seconds. */
const SILENCE_MS = 45_000;
/** A stream that was refused is requested again after this time. */
const REFUSED_MS = 300_000;

/** Reads the pages after a cursor, then those that the stream gives. It ends by its signal, or by an error that lasts. */
export class FeedReader {
  readonly #transport: Transport;
  readonly #options: FollowOptions;
  readonly #pollMs: number;
  #cursor: string;
  /** The changes of the last page. The stream gives them again if they happened while the page was read. */
  #delivered = new Set<string>();
  #lastRead = 0;

  constructor(transport: Transport, cursor: string, options: FollowOptions) {
    this.#transport = transport;
    this.#cursor = cursor;
    this.#options = options;
    this.#pollMs = options.pollMs ?? POLL_MS;
  }

  /** The first page tells where the follower is; later ones have changes or a new cursor. */
  async *pages(): AsyncGenerator<ChangesPage, never, undefined> {
    const { signal } = this.#options;
    yield* this.#readToEnd(true);
    for (let failures = 0; ;) {
      const end = yield* this.#readStream();
      failures = end === 'empty' ? failures + 1 : 0;
      if (end === 'refused') yield* this.#poll();
      else await pause(backoff(failures), signal);
      if (end === 'behind' || end === 'empty') yield* this.#readToEnd();
    }
  }

  async *#poll(): AsyncGenerator<ChangesPage, void, undefined> {
    const end = Date.now() + REFUSED_MS;
    while (Date.now() < end) {
      await pause(this.#pollMs, this.#options.signal);
      yield* this.#readToEnd();
    }
  }

  async *#readToEnd(isFirst = false): AsyncGenerator<ChangesPage, void, undefined> {
    for (let isNew = isFirst, more = true; more; isNew = false) {
      const page = await this.#readPage();
      more = page.more;
      if (!isNew && page.cursor === this.#cursor) return;
      this.#cursor = page.cursor;
      if (page.changes.length > 0) this.#delivered = new Set(page.changes.map(keyOf));
      yield page;
    }
  }

  /** Waits for the end of an outage. */
  async #readPage(): Promise<ChangesPage> {
    const { types, expand, signal } = this.#options;
    const query = { after: this.#cursor, types, limit: LIMIT, ...(expand && { limit: LIMIT_EXPANDED, expand: 1 }) };
    for (let failures = 0; ; failures++) {
      try {
        this.#lastRead = Date.now();
        return (await this.#transport.json(pathOf('/v1/changes', query), { signal, isCached: false })) as ChangesPage;
      } catch (error) {
        if (!(error instanceof ScorehallError && error.isTransient)) throw error;
        await pause(Math.max(error.retryAfterMs ?? 0, backoff(failures)), signal);
      }
    }
  }

  async *#readStream(): AsyncGenerator<ChangesPage, StreamEnd, undefined> {
    const stream = await this.#open();
    if (typeof stream === 'string') return stream;
    const parser = new EventStreamParser();
    try {
      for (let end: StreamEnd = 'empty'; ; end = 'cut') {
        const { done, value } = await stream.reader.read().catch(() => ({ done: true, value: undefined }));
        this.#options.signal?.throwIfAborted();
        if (done || value === undefined) return end;
        stream.deadline.extend(SILENCE_MS);
        const events = parser.push(value);
        yield* this.#take(events.filter(({ event }) => event === 'change'));
        const names = events.map(({ event }) => event);
        for (const { event, data } of events) if (event === 'reset') throw resetError(data);
        if (names.includes('too_slow')) return 'behind';
        if (names.includes('unauthorized')) return 'cut';
      }
    } finally {
      stream.deadline.close();
    }
  }

  /** Requests the stream. Why it was refused does not matter: if the feed is refused as well, the next page throws. */
  async #open(): Promise<StreamEnd | { reader: ReadableStreamDefaultReader<Uint8Array>; deadline: Deadline }> {
    const { types, signal } = this.#options;
    try {
      return await this.#transport.send({
        path: pathOf('/v1/changes/stream', { after: this.#cursor, types }),
        headers: { accept: 'text/event-stream' },
        ...{ signal, retries: 0, maxWaitMs: 0 },
        read: async ({ headers, body }, deadline) => {
          if (body !== null && headers.get('content-type')?.startsWith('text/event-stream'))
            return { reader: body.getReader(), deadline };
          deadline.close();
          return 'refused';
        },
      });
    } catch (error) {
      if (!(error instanceof ScorehallError) || error instanceof ResetError) throw error;
      // A proxy that keeps back the response until it is complete looks like a service that does not answer.
      return error.isTransient && error.code !== 'timeout' && error.code !== 'rate_limit' ? 'empty' : 'refused';
    }
  }

  /** With `expand` the stream only tells when to read the next page. */
  async *#take(events: StreamEvent[]): AsyncGenerator<ChangesPage, void, undefined> {
    if (events.length === 0) return;
    const changes = events.map(({ data }) => JSON.parse(data) as Change);
    if (!this.#options.expand) yield { changes, cursor: (this.#cursor = events.at(-1)!.id), more: false };
    else if (!changes.every((change) => this.#delivered.has(keyOf(change)))) {
      await pause(Math.max(this.#lastRead + this.#pollMs - Date.now(), 0), this.#options.signal);
      yield* this.#readToEnd();
    }
  }
}

const keyOf = ({ type, id, revision }: Change): string => `${type} ${id} ${revision}`;

/** From the data of an `event: reset`, which are the body of the 410. */
function resetError(data: string): ResetError {
  const { error, error_description, reason } = jsonObject(data);
  return new ResetError(String(error), String(error_description), String(reason), { status: 410 });
}
