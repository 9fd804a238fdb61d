import { exists, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Renamed } from './own-teams.ts';
import type { Named } from './players.ts';
import { uuidsIn } from './renamed-json.ts';
import { type NamedInMatch, renamedMatch } from './renamed-match.ts';

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

/** A match as a reader shows it. */
interface MatchJson extends NamedInMatch {
  /** Without its closing brace: see `MatchHead`. */
  head?: string;
}

/** The UUIDs of the players in the JSON of a match. */
export const uuidsInMatch = ({ teams = '', objectives = '', counters = '' }: MatchJson): string[] =>
  uuidsIn(`${teams} ${objectives} ${counters}`);

/** Hides players in the JSON of a match. `teams` is needed to hide teams that bear their names. */
export function withHidden<M extends MatchJson>(match: M, hidden: Renamed): M {
  const facts = match.head === undefined ? undefined : (JSON.parse(`${match.head}}`) as { win: string });
  const { win, newTeams: _, ...shown } = renamedMatch({ ...match, win: facts?.win }, hidden);
  return { ...match, ...shown, ...(facts && { head: JSON.stringify({ ...facts, win }).slice(0, -1) }) };
}
