import { exists, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Renamed } from './own-teams.ts';
import type { Named } from './players.ts';
import { rename, uuidsIn } from './renamed-json.ts';

/**
 * Matches of private players in a network that hides them there (`PRIVATE_IN_MATCHES=hidden`). Rows store the players as
 * reported; readers put `HIDDEN` in their places, for all callers, also in the name of a team that bears the player's name.
 */

/** What a match shows in the place of a hidden player. */
export const HIDDEN: Named = { uuid: '', name: 'hidden' };

/** Whether the network hides private players in matches, as the services stored the setting: the same for all rows. */
export const HIDES = sql`exists (select 1 from private_in_matches where hidden = 1)`;

export const hidesPrivate = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from private_in_matches where hidden = 1`);

/** Those of the UUIDs whose players matches do not show, with all names that teams of theirs may bear. */
export async function hiddenAmong(db: Queryable, uuids: readonly string[]): Promise<Renamed> {
  const rows = await db.tuples(sql`
    select v.uuid, n.name from private_players v left join player_aliases a on a.uuid = v.uuid
      left join players p on p.uuid = coalesce(a.into_uuid, v.uuid) left join player_names n on n.player_key = p.key
    where v.uuid in (${list([...new Set(uuids)])}) and v.profile = 1 and ${HIDES}`);
  const names = Map.groupBy(rows as [string, string | null][], ([uuid]) => uuid);
  return new Map(
    [...names].map(([uuid, named]) => [uuid, { ...HIDDEN, names: named.flatMap(([, name]) => name ?? []) }]),
  );
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

/** The UUIDs of the players in the JSON of a match. */
export const uuidsInMatch = ({ teams = '', objectives = '', counters = '' }: MatchJson): string[] =>
  uuidsIn(`${teams} ${objectives} ${counters}`);

const parsed = (json: string | null | undefined): unknown => (json ? JSON.parse(json) : undefined);

/** Hides players in the JSON of a match. `teams` is needed to hide teams that bear their names. */
export function withHidden<M extends MatchJson>(match: M, hidden: Renamed): M {
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
