import { ResetError } from './errors.ts';
import { type Change, FeedReader, type FollowOptions } from './feed-reader.ts';
import { type MirrorOptions, type MirrorStore, pageForMirror } from './mirror.ts';
import type { Transport } from './transport.ts';

/** A change, and the cursor from which a program continues that has processed it. */
export type FollowedChange = Change & { cursor: string };

/** The cursor before all changes. */
const START = '0';

/** The feed of changes. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Follows the feed until the signal aborts: first what has changed since the cursor, then each change when it happens, by the
   * stream or, if that is refused, by polling. It continues after cut connections and outages. A change can come again with the
   * same revision.
   * @param after the `cursor` of the last change that was processed, or `now`; without it the feed begins with the present state
   * @throws ResetError if the follower has to begin again without a cursor
   */
  async *follow(after = START, options: FollowOptions = {}): AsyncGenerator<FollowedChange, void, undefined> {
    let cursor = after;
    for await (const { changes, cursor: next } of new FeedReader(this.#transport, after, options).pages()) {
      for (const [index, change] of changes.entries()) {
        // Only the end of a page is a place to continue from.
        if (index === changes.length - 1) cursor = next;
        yield { ...change, cursor };
      }
    }
  }

  /**
   * Keeps a copy of the resources in a store until the signal aborts: begins where the store is, follows, and begins again with an
   * empty store if the service asks for it.
   */
  async mirror(store: MirrorStore, options: MirrorOptions = {}): Promise<never> {
    for (;;) {
      try {
        const after = (await store.cursor()) ?? START;
        const reader = new FeedReader(this.#transport, after, { ...options, expand: true });
        for await (const page of reader.pages()) await store.apply(pageForMirror(page));
      } catch (error) {
        if (!(error instanceof ResetError)) throw error;
        await store.clear();
      }
    }
  }
}
