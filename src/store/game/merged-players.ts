import { columnOf, type Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import type { Named } from './players.ts';
import { uuidLabel } from '#text/text.ts';
import { withNamesInJson } from './present-names.ts';
import { renamedJson } from './renamed-json.ts';

/**
 * Matches in which a merged UUID took part. The rows of a match store the players as they were reported; a reader
 * replaces the UUID, and gives every place of the surviving player in the match the name that the player has now. So
 * the response does not depend on whether the merge or the match arrived first, and contains no withdrawn or anonymised
 * name. Players without a name in a match, or with a removed one, and their teams are shown so, too.
 */

/** The column `merged` of a match: 1 if `withSurvivors` has to rewrite its JSON. */
export const hasMerged = (match: Sql): Sql => sql`
  case when exists (select 1 from merged_in_matches x where x.match_key = ${match}) then 1 else 0 end`;

/** `hasMerged` for readers of `match_details`. */
export const HAS_MERGED = hasMerged(sql`match_details.match_key`);

/** The name to show of a player in a match: `stored`, or the present name if a UUID of the player was merged. */
export function shownName(match: Sql, player: Sql, present: Sql, stored: Sql): Sql {
  return sql`
    case when exists (select 1 from merged_in_matches x where x.match_key = ${match} and x.player_key = ${player})
      then ${present} else ${stored} end`;
}

/** The surviving players of a match by their own UUIDs and by those that were merged into them. */
type Survivors = ReadonlyMap<string, Named>;

async function survivorsIn(db: Queryable, matches: readonly number[]): Promise<Map<number, Survivors>> {
  const rows = await db.tuples(sql`
    select x.match_key, p.uuid, p.name, a.uuid
    from merged_in_matches x join players p on p.key = x.player_key left join player_aliases a on a.into_uuid = p.uuid
    where x.match_key in (${list([...matches])})`);
  const survivors = new Map<number, Map<string, Named>>();
  for (const [match, uuid, name, alias] of rows as [number, string, string, string | null][]) {
    const ofMatch = survivors.get(match) ?? new Map<string, Named>();
    survivors.set(match, ofMatch.set(uuid, { uuid, name }));
    if (alias !== null) ofMatch.set(alias, { uuid, name });
  }
  return survivors;
}

/** A match as it is stored: JSON of players, and whether a merged UUID took part. */
interface StoredMatch {
  key: number;
  teams?: string;
  objectives?: string;
  counters?: string;
  head?: string;
  extras?: string | null;
  isMerged: boolean;
}

const MEMBERS = ['teams', 'objectives', 'counters'] as const;
/** They have the names of teams, but no players. */
const TEAM_MEMBERS = ['head', 'extras'] as const;

/** Puts the surviving players into the JSON of matches, with one more statement if any of them has merged players. */
export async function withSurvivors<M extends StoredMatch>(
  db: Queryable,
  matches: readonly M[],
): Promise<readonly M[]> {
  const merged = matches.filter(({ isMerged }) => isMerged).map(({ key }) => key);
  if (merged.length === 0) return matches;
  const survivors = await survivorsIn(db, merged);
  return matches.map((match) => {
    const renamed = survivors.get(match.key);
    if (renamed === undefined) return match;
    const names = new Map([...renamed].map(([uuid, { name }]) => [uuidLabel(uuid), name]));
    const given = MEMBERS.filter((member) => match[member] !== undefined).map(
      (member) => [member, withNamesInJson(renamedJson(match[member]!, renamed), names)] as const,
    );
    const ofTeams = TEAM_MEMBERS.filter((member) => typeof match[member] === 'string').map(
      (member) => [member, withNamesInJson(match[member]!, names)] as const,
    );
    return { ...match, ...Object.fromEntries([...given, ...ofTeams]) };
  });
}

/**
 * Records that UUIDs which were merged into a player took part in stored matches.
 * @returns those of the keys that are matches
 */
export async function recordMergedIn(
  tx: Queryable,
  player: number,
  events: readonly number[],
): Promise<readonly number[]> {
  const matches = await matchesAmong(tx, events);
  if (matches.length === 0) return [];
  await tx.run(sql`
    insert into merged_in_matches (match_key, player_key)
    select match_key, cast(${player} as bigint) from match_details where match_key in (${list([...matches])})
    on conflict (match_key, player_key) do nothing`);
  return matches;
}

/** Those of the events that are matches, without those that are being withdrawn. */
export const matchesAmong = (tx: Queryable, events: readonly number[]): Promise<number[]> =>
  columnOf(tx, sql`select match_key from match_details where match_key in (${list([...events])})`);
