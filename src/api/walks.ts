import type { AppContext } from '#context/context.ts';
import { rateLimited } from '#http/errors.ts';
import { FixedWindows } from '#http/fixed-windows.ts';
import { LIMITS, rateLimit } from '#http/limits.ts';
import type { Application } from '#store/applications/applications.ts';
import { beginWalk, continueWalk } from '#store/applications/feed-walks.ts';
import type { Cursor } from '#store/game/change-cursors.ts';
import type { Caller } from './callers.ts';

const MAX_APPLICATIONS = 10_000;
/** How long a walk may begin again without a second page. */
const AGAIN_MS = 10 * 60_000;

/** First walks of applications through the feed of changes, which are paced and do not count against the hourly limit. */
export class Walks {
  readonly #context: Pick<AppContext, 'config' | 'db' | 'clock'>;
  readonly #pages = new FixedWindows<number>(LIMITS.walkPage.windowMs, MAX_APPLICATIONS);
  /** The walks of which this process has noted that they continued, by application and beginning. */
  readonly #continued = new FixedWindows<string>(LIMITS.walk.windowMs, MAX_APPLICATIONS);

  constructor(context: Pick<AppContext, 'config' | 'db' | 'clock'>) {
    this.#context = context;
  }

  /**
   * Whether the page after a cursor belongs to a granted walk of the caller. Without a cursor a walk begins, which is granted
   * once in a day: to the application's own token, because each of its users could use up the grant.
   */
  async isGranted(caller: Caller, cursor: Cursor | undefined): Promise<boolean> {
    if (caller.kind !== 'application' || caller.application.access !== 'approved') return false;
    const { key } = caller.application;
    const { db, clock } = this.#context;
    const { windowMs } = LIMITS.walk;
    if (cursor === undefined) return await beginWalk(db, clock.now(), key, { windowMs, againMs: AGAIN_MS });
    const grant = cursor.walk?.grant;
    if (grant?.application !== key || clock.now() >= grant.began + windowMs) return false;
    if (this.#continued.add(`${key} ${grant.began}`, 1, clock.now()).used === 1) await continueWalk(db, key);
    return true;
  }

  /** Counts a page of a granted walk. @throws HttpError 429 if the pages come too fast */
  pace({ key }: Application): void {
    const now = this.#context.clock.now();
    const { used, resets } = this.#pages.add(key, 1, now);
    const { max } = rateLimit(this.#context.config, 'walkPage', 'application');
    if (used > max) throw rateLimited(`Read at most ${max} pages of a first walk a minute.`, resets - now);
  }
}
