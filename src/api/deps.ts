import type { AppContext } from '#context/context.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { Cursors } from '#store/game/change-cursors.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import type { Deps } from './endpoint.ts';
import { appealContact } from '#http/contact.ts';
import { timestampsIn } from '#http/timestamps.ts';
import { Walks } from './walks.ts';
import { hash } from 'node:crypto';
import type { Config } from '#platform/config/config.ts';
import type { Db, Versions } from '#db/db.ts';
import { matchWithTeams } from '#store/game/matches.ts';
import { readDatabaseId } from '#db/transfer/closing.ts';

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
    appeal: appealContact(config),
    api: config.API_URL,
    presenceTimeoutMs: config.PRESENCE_TIMEOUT * 1000,
    snapshot: () => db.snapshot(),
    cursors: new Cursors(openSecretKey(config)),
    walks: new Walks(context),
  };
}

/**
 * The query of one match. PostgreSQL has no data version of all matches, so the entity tag of a match is made from the match's
 * own revision; with merged players, whose names its row does not store, from its content.
 */
function matchQuery(db: Db, renderVersion: string): Deps['match'] {
  if (!db.remote) return (key) => matchWithTeams(db.shortReads, key);
  let databaseId: number | undefined;
  return async (key) => {
    databaseId ??= await readDatabaseId(db);
    const match = await matchWithTeams(db.shortReads, key);
    if (match === undefined || match.rewritten === 1) return match;
    return { ...match, tag: `r${match.revision.toString(36)}-${renderVersion}-${databaseId.toString(36)}` };
  };
}

/** See `EndpointContext.dataVersion`. The database id keeps the tags of two databases apart. */
export function dataVersionOf({ databaseId, matches }: Versions, renderVersion: string): string | undefined {
  if (databaseId === undefined || matches === undefined) return undefined;
  return `${matches.toString(36)}-${renderVersion}-${databaseId.toString(36)}`;
}

/** Increase this whenever the JSON of a match changes: it invalidates the entity tags that clients have stored. */
const RENDERING = 3;

/** Identifies how matches are rendered under these settings; part of every entity tag of a match. */
export function renderVersionOf({ TIME_ZONE, SITE_URL }: Pick<Config, 'TIME_ZONE' | 'SITE_URL'>): string {
  return hash('sha256', JSON.stringify([RENDERING, TIME_ZONE, SITE_URL]), 'base64url').slice(0, 10);
}
