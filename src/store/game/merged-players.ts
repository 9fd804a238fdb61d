import { columnOf, type Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import type { Named } from './players.ts';
import { uuidLabel } from '#text/text.ts';
import { hasPrivatePlayer, privateInMatches, uuidsInMatch, withPrivate } from './hidden-in-matches.ts';
import { withNamesInJson } from './present-names.ts';
import { renamedJson } from './renamed-json.ts';

/**
 * Matches in which a merged UUID took part. The rows of a match store the players as they were reported; a reader
 * replaces the UUID, and gives every place of the surviving player in the match the name that the player has now. So
 * the response does not depend on whether the merge or the match arrived first, and contains no withdrawn or anonymised
 * name. Players without a name in a match, or with a removed one, and their teams are shown so, too.
 */

/** Whether a merged UUID took part in a match. */
export const hasMerged = (match: Sql): Sql => sql`
  exists (select 1 from merged_in_matches x where x.match_key = ${match})`;

/** A column of a match: 1 if `asShownMatches` may have to rewrite its JSON. */
export const isRewritten = (match: Sql, or = sql``): Sql => sql`
  case when ${hasMerged(match)} or ${hasPrivatePlayer(match)} ${or} then 1 else 0 end as rewritten`;

/** `isRewritten` for readers of `match_details`. */
export const IS_REWRITTEN = isRewritten(sql`match_details.match_key`);

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

/** A match as it is stored: JSON of players, and whether a reader shows some of them otherwise. */
interface StoredMatch {
  key: number;
  teams?: string;
  objectives?: string;
  counters?: string;
  head?: string;
  extras?: string | null;
  rewritten: number;
}

const MEMBERS = ['teams', 'objectives', 'counters'] as const;
/** They have the names of teams, but no players. */
const TEAM_MEMBERS = ['head', 'extras'] as const;

/** Few matches have a team with a label, and the test takes a fifth of the time of the replacement. */
const withTeamNames = (json: string, names: ReadonlyMap<string, string>): string =>
  /"[0-9a-f]{8}-[0-9a-f]{12}/.test(json) ? withNamesInJson(json, names) : json;

/**
 * Puts the surviving players into the JSON of matches, and shows private players as `privateInMatches` says, with few more
 * statements if any of the matches has such players.
 */
export async function asShownMatches<M extends StoredMatch>(
  db: Queryable,
  matches: readonly M[],
): Promise<readonly M[]> {
  const rewritten = matches.filter((match) => match.rewritten === 1);
  if (rewritten.length === 0) return matches;
  const keys = rewritten.map(({ key }) => key);
  const survivors = await survivorsIn(db, keys);
  const teams = rewritten.every((match) => match.teams !== undefined) ? new Map() : await teamsOf(db, keys);
  const merged = rewritten.map((match) =>
    withSurvivors({ ...teams.get(match.key), ...match }, survivors.get(match.key)),
  );
  const uuids = merged.map(uuidsInMatch);
  const others = await privateInMatches(db, uuids.flat());
  const shown = merged.map((match, index) =>
    uuids[index]!.some((uuid) => others.has(uuid)) ? withPrivate(match, others) : match,
  );
  const byKey = new Map(shown.map((match) => [match.key, match]));
  return matches.map((match) => byKey.get(match.key) ?? match);
}

async function teamsOf(db: Queryable, matches: readonly number[]): Promise<Map<number, { teams: string }>> {
  const rows = await db.all<{ key: number; teams: string }>(sql`
    select match_key as key, teams from match_details where match_key in (${list(matches)})`);
  return new Map(rows.map(({ key, teams }) => [key, { teams }]));
}

function withSurvivors<M extends StoredMatch>(match: M, renamed: Survivors | undefined): M {
  if (renamed === undefined) return match;
  const names = new Map([...renamed].map(([uuid, { name }]) => [uuidLabel(uuid), name]));
  const given = MEMBERS.filter((member) => match[member] !== undefined).map(
    (member) => [member, withTeamNames(renamedJson(match[member]!, renamed), names)] as const,
  );
  const ofTeams = TEAM_MEMBERS.filter((member) => typeof match[member] === 'string').map(
    (member) => [member, withTeamNames(match[member]!, names)] as const,
  );
  return { ...match, ...Object.fromEntries([...given, ...ofTeams]) };
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
