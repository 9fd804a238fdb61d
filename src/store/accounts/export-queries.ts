import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type AuditEntry, listAuditOf } from '#store/audit/audit.ts';
import { deathsBelow, type Death, killsBelow } from '#store/game/kills.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import type { PlayedMatch } from '#store/game/matches.ts';
import type { PlayerName } from '#store/game/players.ts';
import { listPunishmentsOf, type Punishment } from '#store/game/punishments.ts';

/** All data of a person for the export, read page by page to limit memory. */

const BATCH_SIZE = 500;

/** Reads pages, each after the last row of the previous page, until a page is not full. */
async function* pages<T>(read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let rows = await read(undefined); ; rows = await read(rows.at(-1))) {
    yield rows;
    if (rows.length < BATCH_SIZE) return;
  }
}

export const allMatches = (db: Queryable, playerKey: number): AsyncGenerator<PlayedMatch[]> =>
  pages((last) => listPlayedMatches(db, playerKey, last?.key ?? Number.MAX_SAFE_INTEGER, BATCH_SIZE));

export const allKills = (db: Queryable, playerKey: number): AsyncGenerator<Death[]> =>
  pages((last) => killsBelow(db, playerKey, { before: last, limit: BATCH_SIZE, audience: 'public' }));

export const allDeaths = (db: Queryable, playerKey: number): AsyncGenerator<Death[]> =>
  pages((last) => deathsBelow(db, playerKey, { before: last, limit: BATCH_SIZE, audience: 'public' }));

export const allPunishments = (db: Queryable, playerKey: number, now: number): AsyncGenerator<Punishment[]> =>
  pages((last) => listPunishmentsOf(db, playerKey, last?.key ?? Number.MAX_SAFE_INTEGER, BATCH_SIZE, now));

/** The audit log entries of an account's acts, without acts before authentication. */
export const allActs = (db: Queryable, accountId: string): AsyncGenerator<AuditEntry[]> =>
  pages((last) => listAuditOf(db, accountId, last?.id, BATCH_SIZE));

export interface OwnToken {
  kind: string;
  client_id: string | null;
  expires: number | null;
  hash: string;
}

export const allTokens = (db: Queryable, accountId: string): AsyncGenerator<OwnToken[]> =>
  pages((last) =>
    db.all(sql`
      select kind, client_id, expires, hash from tokens
      where account_id = ${accountId} and (kind, hash) > (${last?.kind ?? ''}, ${last?.hash ?? ''})
      order by kind, hash limit ${BATCH_SIZE}`),
  );

export interface Rating {
  map: string;
  version: string;
  rate: number;
  time: number;
  map_key: number;
}

export const allRatings = (db: Queryable, playerKey: number): AsyncGenerator<Rating[]> =>
  pages((last) =>
    db.all(sql`
      select m.name as map, v.version, v.rate, v.time, v.map_key from map_votes v join maps m on m.key = v.map_key
      where v.player_key = ${playerKey} and (v.map_key, v.version) > (${last?.map_key ?? 0}, ${last?.version ?? ''})
      order by v.map_key, v.version limit ${BATCH_SIZE}`),
  );

type OwnName = PlayerName & { name_key: string };

/** Every name of a player, without the label of the UUID, which was never seen. `last_seen` of the present name may be older than its last match; see `namesOf`. */
export const allNames = (db: Queryable, playerKey: number): AsyncGenerator<OwnName[]> =>
  pages((last) =>
    db.all(sql`
      select name, first_seen, last_seen, name_key from player_names
      where player_key = ${playerKey} and last_seen > 0
        and (last_seen, name_key) < (${last?.last_seen ?? Number.MAX_SAFE_INTEGER}, ${last?.name_key ?? ''})
      order by last_seen desc, name_key desc limit ${BATCH_SIZE}`),
  );
