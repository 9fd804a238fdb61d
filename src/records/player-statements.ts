import { nameKey } from '#base/text.ts';
import { insertAll, type Sql, sql, type Value } from '#db/sql.ts';
import { followName } from './account-names.ts';
import { type Added, additions, additionsTo, type Group, sightings } from './player-stats.ts';
import type { KnownPlayer, PlayerName } from './players.ts';

/** The statements that write what a PlayerAccumulator holds. */

/** A player in the accumulator, with what of it is not written yet. */
export interface Entry extends KnownPlayer {
  isNew: boolean;
  rowChanged: boolean;
  renamed: boolean;
  seenChanged: boolean;
  /** Whether it is in the accumulator's list of changed players. */
  waits: boolean;
  names: Map<string, PlayerName> | undefined;
  /** What was added, by groups: one, or some where several matches have added to it. */
  sums: Added[] | undefined;
}

const PLAYERS =
  'insert into players (key, uuid, name, name_key, name_since, last_login, last_login_server, last_logout) values';
const NAMES = 'insert into player_names (name_key, player_key, name, first_seen, last_seen) values';
const WIDEN_NAMES = `on conflict (name_key, player_key) do update set
  first_seen = case when excluded.first_seen < player_names.first_seen then excluded.first_seen else player_names.first_seen end,
  last_seen = case when excluded.last_seen > player_names.last_seen then excluded.last_seen else player_names.last_seen end,
  name = case when excluded.last_seen >= player_names.last_seen then excluded.name else player_names.name end`;

/**
 * The statements that bring the tables up to what changed of some players.
 * @param remote see `Queryable`
 */
export function statementsOf(entries: Entry[], remote: boolean): Sql[] {
  // Of most players nothing is new but counters.
  const others = entries.filter(({ rowChanged, names }) => rowChanged || names !== undefined);
  const unnumbered = entries.filter((entry) => entry.seenChanged && entry.sums === undefined);
  return [
    ...insertAll(PLAYERS, others.filter(({ isNew }) => isNew).map(rowOf)),
    ...others.filter(({ isNew, rowChanged }) => rowChanged && !isNew).map(updateOf),
    ...others.filter(({ renamed }) => renamed).flatMap(({ uuid, name }) => followName(uuid, name)),
    ...sightings(unnumbered.map(({ key, nameSeen, lastMatch }) => [nameSeen, lastMatch, key])),
    ...countsOf(entries, remote),
    ...insertAll(NAMES, others.flatMap(namesOf), WIDEN_NAMES),
  ];
}

function namesOf({ key, names }: Entry): Value[][] {
  return [...(names ?? [])].map(([nameKey, { name, first_seen, last_seen }]) => [
    nameKey,
    key,
    name,
    first_seen,
    last_seen,
  ]);
}

function rowOf({ key, uuid, name, nameSince, lastLogin, lastLoginServer, lastLogout }: Entry): Value[] {
  return [key, uuid, name, nameKey(name), nameSince, lastLogin, lastLoginServer, lastLogout];
}

function updateOf(entry: Entry): Sql {
  return sql`
    update players set name = ${entry.name}, name_key = ${nameKey(entry.name)}, name_since = ${entry.nameSince},
      last_login = ${entry.lastLogin}, last_login_server = ${entry.lastLoginServer}, last_logout = ${entry.lastLogout}
    where key = ${entry.key}`;
}

type Row = (number | null)[];

/** Over a connection rows go together; inside the process a row by itself costs less, once there is one to be changed. */
function countsOf(entries: Entry[], remote: boolean): Sql[] {
  const together = new Map<Group, Row[]>();
  const apart: Sql[] = [];
  for (const { key, nameSeen, lastMatch, sums, isNew } of entries) {
    if (sums === undefined) continue;
    const moved = [nameSeen, lastMatch, key];
    if (remote || isNew) for (const { group, sums: added } of sums) addTo(together, group, [...added, ...moved]);
    else apart.push(...additionsTo(sums, moved));
  }
  // Whoever carries them out looks each statement up once where equal ones stand behind each other.
  const alike = Map.groupBy(apart, ({ strings }) => strings).values();
  return [...[...together].flatMap(([group, rows]) => additions(group, rows)), ...[...alike].flat()];
}

function addTo<K, T>(map: Map<K, T[]>, key: K, one: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [one]);
  else known.push(one);
}
