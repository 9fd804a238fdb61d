import { exists, type Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { isUuidLabel, nameKey } from '#text/text.ts';
import { bearsName, isReplaced, type Renamed, type RenamedPlayer, withoutNumber } from './own-teams.ts';
import type { Named } from './players.ts';
import { ANY_PRIVATE, keepsPrivate } from './private-players.ts';
import { type NamedInMatch, renamedMatch } from './renamed-json.ts';

/**
 * Matches of players who keep their former names or their profiles private. Rows store the players as reported; readers put the
 * present name in the place of others, or `HIDDEN` for a private profile in a network that hides them
 * (`PRIVATE_IN_MATCHES=hidden`), for all callers, also in the name of a team that bears the player's name.
 */

/** What a match shows in the place of a hidden player. */
export const HIDDEN: Named = { uuid: '', name: 'hidden' };

/** Whether the network hides private players in matches, as the services stored the setting: the same for all rows. */
export const HIDES = sql`exists (select 1 from private_in_matches where hidden = 1)`;

export const hidesPrivate = (db: Queryable): Promise<boolean> =>
  exists(db, sql`select 1 as found from private_in_matches where hidden = 1`);

/** The present name while the player is erased, who has a pseudonym already: as `uuidLabel`. */
const LABEL = sql`substr(v.uuid, 1, 9) || substr(v.uuid, 25)`;

/** Whether a team of a match has a player whom it shows otherwise: one lookup a player, none while no person keeps anything private. */
export const hasPrivatePlayer = (match: Sql): Sql => sql`
  ${ANY_PRIVATE} and exists (
    select 1 from player_matches x join players y on y.key = x.player_key
    where x.match_key = ${match} and ${keepsPrivate(sql`y.uuid`, 'names')})`;

/** Those of the UUIDs whose players matches show otherwise, with all names that teams of theirs may bear. */
export async function privateInMatches(db: Queryable, uuids: readonly string[]): Promise<Renamed> {
  const isHidden = sql`case when v.profile = 1 and ${HIDES} then 1 else 0 end`;
  const chosen = sql`v.uuid in (${list([...new Set(uuids)])}) and (v.profile = 1 or v.names = 1)`;
  // A player who is being merged keeps the own names until the last record is moved.
  const rows = await db.tuples(sql`
    select v.uuid, n.name, coalesce(p.name, ${LABEL}), ${isHidden}
    from private_players v left join player_aliases a on a.uuid = v.uuid
      left join players p on p.uuid = coalesce(a.into_uuid, v.uuid) left join player_names n on n.player_key = p.key
    where ${chosen}
    union all
    select v.uuid, n.name, p.name, ${isHidden}
    from private_players v join players p on p.uuid = v.uuid join player_aliases a on a.into_uuid = v.uuid
      join players m on m.uuid = a.uuid join player_names n on n.player_key = m.key
    where ${chosen}`);
  const byUuid = Map.groupBy(rows as PrivateTuple[], ([uuid]) => uuid);
  return new Map(
    [...byUuid].map(([uuid, ofPlayer]): [string, RenamedPlayer] => {
      const [[, , present, hidden]] = ofPlayer as [PrivateTuple];
      const names = ofPlayer.flatMap(([, name]) => name ?? []);
      if (hidden === 1) return [uuid, { ...HIDDEN, names }];
      const isFormer = (name: string): boolean => nameKey(name) !== nameKey(present);
      return [uuid, { uuid, name: present, names: names.filter(isFormer), only: { has: isFormer } }];
    }),
  );
}

/** Those of the teams, by their name keys, with a name of a private player, or a label: they may be the player's own. */
export async function privateTeams(db: Queryable, teams: readonly string[]): Promise<Set<string>> {
  const rows = await db.tuples(sql`
    select x.name_key from player_names x join players y on y.key = x.player_key
    where x.name_key in (${list([...new Set(teams.flatMap((team) => [team, withoutNumber(team)]))])})
      and exists (select 1 from private_players z where z.uuid = y.uuid)`);
  const names = new Set(rows.flat());
  return new Set(teams.filter((team) => isUuidLabel(withoutNumber(team)) || bearsName(team, names)));
}

type PrivateTuple = [uuid: string, name: string | null, present: string, isHidden: number];

/** A player of a match as it shows one of `privateInMatches`. */
export function asPrivate<P extends Named>(player: P, others: Renamed): P {
  const other = others.get(player.uuid);
  return other !== undefined && isReplaced(player.name, other)
    ? { ...player, uuid: other.uuid, name: other.name }
    : player;
}

/** A match as a reader shows it. */
interface MatchJson extends NamedInMatch {
  /** Without its closing brace: see `MatchHead`. */
  head?: string;
}

/** Members of stored JSON. A pattern for UUIDs anywhere takes ten times as long. */
const UUID_MEMBERS = /"uuid":"([^"]+)"/g;

/** The UUIDs of the players in the JSON of a match. */
export const uuidsInMatch = ({ teams = '', objectives = '', counters = '' }: MatchJson): string[] =>
  Array.from(`${teams} ${objectives} ${counters}`.matchAll(UUID_MEMBERS), ([, uuid]) => uuid!);

/** Shows private players in the JSON of a match. `teams` is needed for teams that bear their names. */
export function withPrivate<M extends MatchJson>(match: M, others: Renamed): M {
  const facts = match.head === undefined ? undefined : (JSON.parse(`${match.head}}`) as { win: string });
  const { win, newTeams: _, ...shown } = renamedMatch({ ...match, win: facts?.win }, others);
  return { ...match, ...shown, ...(facts && { head: JSON.stringify({ ...facts, win }).slice(0, -1) }) };
}
