import { nameKey } from '#platform/text/text.ts';
import { insertAll, type Sql, sql, type Value } from '#db/sql.ts';
import { syncAccountName } from '#store/game/linked-account.ts';
import { type Added, additions, observations } from '#store/game/player-stats.ts';
import type { KnownPlayer, PlayerName } from '#store/game/players.ts';

/** The SQL statements that write the changes of a `PlayerAccumulator`. */

/** A player in the accumulator, with its unwritten changes. */
export interface Entry extends KnownPlayer {
  isNew: boolean;
  rowChanged: boolean;
  renamed: boolean;
  seenChanged: boolean;
  /** Whether it is in the accumulator's list of changed players. */
  isChanged: boolean;
  names: Map<string, PlayerName> | undefined;
  /** The amounts to add to counters, one element per group. */
  sums: Added[] | undefined;
}

const PLAYERS =
  'insert into players (key, uuid, name, name_key, name_since, last_login, last_login_server, last_logout) values';
const NAMES = 'insert into player_names (name_key, player_key, name, first_seen, last_seen) values';
const WIDEN_NAMES = `on conflict (name_key, player_key) do update set
  first_seen = case when excluded.first_seen < player_names.first_seen then excluded.first_seen else player_names.first_seen end,
  last_seen = case when excluded.last_seen > player_names.last_seen then excluded.last_seen else player_names.last_seen end,
  name = case when excluded.last_seen >= player_names.last_seen then excluded.name else player_names.name end`;

export function playerStatements(entries: readonly Entry[]): Sql[] {
  // Most players only have changed counters.
  const rowsOrNames = entries.filter(({ rowChanged, names }) => rowChanged || names !== undefined);
  const seenOnly = entries.filter((entry) => entry.seenChanged && entry.sums === undefined);
  return [
    ...insertAll(PLAYERS, rowsOrNames.filter(({ isNew }) => isNew).map(playerRow)),
    ...rowsOrNames.filter(({ isNew, rowChanged }) => rowChanged && !isNew).map(updatePlayer),
    ...rowsOrNames.filter(({ renamed }) => renamed).flatMap(({ uuid, name }) => syncAccountName(uuid, name)),
    ...observations(seenOnly.map(({ key, nameSeen }) => [nameSeen, key])),
    ...counterStatements(entries),
    ...insertAll(NAMES, rowsOrNames.flatMap(nameRows), WIDEN_NAMES),
  ];
}

function nameRows({ key, names }: Entry): Value[][] {
  return [...(names ?? [])].map(([nameKey, { name, first_seen, last_seen }]) => [
    nameKey,
    key,
    name,
    first_seen,
    last_seen,
  ]);
}

function playerRow({ key, uuid, name, nameSince, lastLogin, lastLoginServer, lastLogout }: Entry): Value[] {
  return [key, uuid, name, nameKey(name), nameSince, lastLogin, lastLoginServer, lastLogout];
}

function updatePlayer(entry: Entry): Sql {
  return sql`
    update players set name = ${entry.name}, name_key = ${nameKey(entry.name)}, name_since = ${entry.nameSince},
      last_login = ${entry.lastLogin}, last_login_server = ${entry.lastLoginServer}, last_logout = ${entry.lastLogout}
    where key = ${entry.key}`;
}

/** One statement per counter group also writes the time of the last observation. */
function counterStatements(entries: readonly Entry[]): Sql[] {
  const added = entries.flatMap(({ key, nameSeen, sums = [] }) =>
    sums.map(({ group, sums }) => ({ group, row: [...sums, nameSeen, key] })),
  );
  const byGroup = Map.groupBy(added, ({ group }) => group);
  return [...byGroup].flatMap(([group, additionsOfGroup]) =>
    additions(
      group,
      additionsOfGroup.map(({ row }) => row),
    ),
  );
}
