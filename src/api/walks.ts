import type { AppContext } from '#context/context.ts';
import { rateLimited } from '#http/errors.ts';
import { LIMITS } from '#http/limits.ts';
import { RateLimits } from '#http/rate-limits.ts';
import type { Application } from '#store/applications/applications.ts';
import { beginWalk, continueWalk } from '#store/applications/feed-walks.ts';
import type { Cursor } from '#store/game/change-cursors.ts';
import type { Caller } from './callers.ts';

const MAX_APPLICATIONS = 10_000;
/** How long a walk may begin again without a second page. */
const AGAIN_MS = 10 * 60_000;

/** First walks of applications through the feed of changes, which are paced and do not count against the hourly limit. */
export class Walks {
  readonly #context: Pick<AppContext, 'db' | 'clock'>;
  readonly #limits: RateLimits;

  constructor(context: Pick<AppContext, 'config' | 'db' | 'clock'>) {
    this.#context = context;
    this.#limits = new RateLimits(context, MAX_APPLICATIONS);
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
    await continueWalk(db, key);
    return true;
  }

  /** Counts a page of a granted walk. @throws HttpError 429 if the pages come too fast */
  async pace({ key }: Application): Promise<void> {
    const { allowed, limit, resets } = await this.#limits.count('walkPage', { application: String(key) });
    const waitMs = resets - this.#context.clock.now();
    if (!allowed) throw rateLimited(`Read at most ${limit} pages of a first walk a minute.`, waitMs);
  }
}
