import { exists, type Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import type { Renamed } from './own-teams.ts';
import type { Named } from './players.ts';
import { rename } from './renamed-json.ts';

/**
 * Matches of private players in a network that hides them there (`PRIVATE_IN_MATCHES=hidden`). Rows store the players as
 * reported; readers put `HIDDEN` in their places, for all callers, also in the name of a team that bears the player's name.
 */

/** What a match shows in the place of a hidden player. */
export const HIDDEN: Named = { uuid: '', name: 'hidden' };

/** Whether the network hides private players in matches, as the services stored the setting. */
export const HIDES = sql`exists (select 1 from private_in_matches where hidden = 1)`;

export const hidesPrivate = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from private_in_matches where hidden = 1`);

const PRIVATE = sql`
  player_matches y join players p on p.key = y.player_key
    join private_players v on v.uuid = p.uuid and v.profile = 1`;

/** Whether readers hide a player of a match. */
export const hasHidden = (match: Sql): Sql => sql`
  (${HIDES} and exists (select 1 from ${PRIVATE} where y.match_key = ${match}))`;

/** The hidden players of matches, by their own UUIDs and by those that were merged into them; matches without any are absent. */
export async function hiddenIn(db: Queryable, matches: readonly number[]): Promise<Map<number, Renamed>> {
  const rows = await db.tuples(sql`
    select y.match_key, p.uuid, a.uuid from ${PRIVATE} left join player_aliases a on a.into_uuid = p.uuid
    where y.match_key in (${list([...matches])}) and ${HIDES}`);
  const hidden = new Map<number, Map<string, Named>>();
  for (const [match, uuid, alias] of rows as [number, string, string | null][]) {
    const ofMatch = hidden.get(match) ?? new Map<string, Named>();
    hidden.set(match, ofMatch.set(uuid, HIDDEN));
    if (alias !== null) ofMatch.set(alias, HIDDEN);
  }
  return hidden;
}

/** Those of the UUIDs whose players matches do not show. */
export async function hiddenAmong(db: Queryable, uuids: readonly string[]): Promise<Set<string>> {
  const rows = await db.tuples(sql`
    select uuid from private_players where uuid in (${list([...uuids])}) and profile = 1 and ${HIDES}`);
  return new Set(rows.map(([uuid]) => uuid as string));
}

/** JSON of a match: its teams, and what a reader shows of the rest. */
interface MatchJson {
  teams?: string;
  objectives?: string;
  counters?: string;
  /** Without its closing brace: see `MatchHead`. */
  head?: string;
  extras?: string | null;
}

/** Hides players in the JSON of a match. `teams` is needed to hide teams that bear their names. */
export function withHidden<M extends MatchJson>(match: M, hidden: Renamed): M {
  const parsed = (json: string | null | undefined): unknown => (json ? JSON.parse(json) : undefined);
  const head = parsed(match.head && `${match.head}}`) as { win: string } | undefined;
  const extras = parsed(match.extras) as { winners?: string[] } | undefined;
  const [teams, objectives, counters] = [match.teams, match.objectives, match.counters].map(parsed);
  const { win, winners } = { ...head, ...extras };
  const shown = rename({ teams, objectives, counters, win, winners }, hidden) as Record<string, unknown>;
  return {
    ...match,
    ...(teams !== undefined && { teams: JSON.stringify(shown['teams']) }),
    ...(objectives !== undefined && { objectives: JSON.stringify(shown['objectives']) }),
    ...(counters !== undefined && { counters: JSON.stringify(shown['counters']) }),
    ...(head !== undefined && { head: JSON.stringify({ ...head, win: shown['win'] }).slice(0, -1) }),
    ...(winners !== undefined && { extras: JSON.stringify({ ...extras, winners: shown['winners'] }) }),
  };
}
