import type { AppContext } from '#context/context.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { Cursors } from '#store/game/change-cursors.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import type { Deps } from './endpoint.ts';
import { matchQuery, renderVersionOf } from './match-queries.ts';
import { timestampsIn } from '#http/timestamps.ts';
import { Walks } from './walks.ts';

/** The dependencies of the endpoints in one thread. */
export function depsOf(context: Pick<AppContext, 'config' | 'db' | 'clock'>): Deps {
  const { config, db, clock } = context;
  return {
    db: db.shortReads,
    clock,
    match: matchQuery(db, renderVersionOf(config)),
    timestamp: timestampsIn(config.TIME_ZONE),
    bucketsAt: bucketsIn(config.TIME_ZONE),
    site: config.SITE_URL,
    api: config.API_URL,
    presenceTimeoutMs: config.PRESENCE_TIMEOUT * 1000,
    snapshot: () => db.snapshot(),
    cursors: new Cursors(openSecretKey(config)),
    walks: new Walks(context),
  };
}
