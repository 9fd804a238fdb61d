import { isUuidLabel, nameKey, uuidOf } from '#text/text.ts';

/**
 * The team of one player that bears the player's name, as in a free-for-all: it is renamed and hidden with the player. A team
 * of several players keeps its name, although one of them may have the same.
 */

/** Another UUID and name of a player. */
export interface RenamedPlayer {
  uuid: string;
  name: string;
  /** All names that the player had, as far as they are known; left out: the one beside the UUID. */
  names?: Iterable<string>;
  /** The keys of the only names that are replaced; left out: all. */
  only?: { has(key: string): boolean };
}

/** Whether the name beside the UUID of a player is replaced. */
export const isReplaced = (name: unknown, { only }: RenamedPlayer): boolean =>
  only === undefined || (typeof name === 'string' && only.has(nameKey(name)));

/** By the former UUID. */
export type Renamed = ReadonlyMap<string, RenamedPlayer>;

/**
 * Whether a team bears one of some names: `NAME`, or `NAME 2` if another team has the name.
 * @param keys of the names; the empty one, of players without a name, is no team's
 */
export function bearsName(team: string, keys: { has(key: string): boolean }): boolean {
  const key = nameKey(team);
  return key !== '' && (keys.has(key) || keys.has(withoutNumber(key)));
}

/** The name of a player, in the team `NAME 2`. */
export const withoutNumber = (team: string): string => team.replace(/(?<=.) \d+$/, '');

interface Team {
  name: string;
  players: readonly { uuid: string; name?: unknown }[];
}

/** The key of two teams in any order, by which their matches are listed (`matches.teams_key`). */
export const teamsKey = (names: readonly string[]): string => names.map(nameKey).sort().join('\n');

/** The key of the teams of a match; null unless there are two, neither of which bears the name of its only player, or had it. */
export const teamsKeyOf = (teams: readonly Team[]): string | null =>
  teams.length === 2 && !teams.some(isOwn) ? teamsKey(teams.map(({ name }) => name)) : null;

function isOwn({ name, players }: Team): boolean {
  const keys = players.map((player) => nameKey(String(player.name)));
  return (
    isUuidLabel(withoutNumber(name)) ||
    (new Set(players.map(({ uuid }) => uuid)).size === 1 && bearsName(name, new Set(keys)))
  );
}

/**
 * The new names of the teams that follow their players, by the present ones. Each name of the match stays unique. A team that is
 * named by objectives alone is that of its scorers: in a free-for-all it leaves with its player.
 */
export function renamedTeams(
  { teams, objectives }: { teams?: unknown; objectives?: unknown },
  renamed: Renamed,
): ReadonlyMap<string, string> {
  const listed = Array.isArray(teams) ? teams.filter(isTeam) : [];
  const scored = Array.isArray(objectives) ? objectives.filter(isScored) : [];
  const scorers = Map.groupBy(scored, ({ team }) => team);
  for (const { name } of listed) scorers.delete(name);
  const left = [...scorers].map(([name, own]) => ({ name, players: own.map(({ player }) => player) }));
  const all = [...listed, ...left];
  const own = all.flatMap((team) => {
    const name = newNameOf(team, renamed);
    return name === undefined ? [] : [[team.name, name] as const];
  });
  const taken = new Set(all.map(({ name }) => name)).difference(new Map(own));
  return new Map(
    own.map(([before, name]) => {
      let free = name;
      for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
      taken.add(free);
      return [before, free];
    }),
  );
}

/** @returns undefined for a team that keeps its name */
function newNameOf({ name, players }: Team, renamed: Renamed): string | undefined {
  const entries = players.map((player) => ({ before: player.name, after: renamed.get(uuidOf(player.uuid) ?? '') }));
  const [first] = entries;
  if (first?.after === undefined || entries.some(({ after }) => after?.name !== first.after!.name)) return undefined;
  const names = entries.flatMap(({ before, after }) => [
    ...(isReplaced(before, after!) ? [before] : []),
    ...(after!.names ?? []),
  ]);
  const keys = new Set(names.flatMap((one) => (typeof one === 'string' ? nameKey(one) : [])));
  return bearsName(name, keys) ? first.after.name : undefined;
}

function isTeam(value: unknown): value is Team {
  const { name, players } = (value ?? {}) as { name?: unknown; players?: unknown };
  return typeof name === 'string' && Array.isArray(players) && players.every(hasUuid);
}

function isScored(value: unknown): value is { team: string; player: Team['players'][number] } {
  const { team, player } = (value ?? {}) as { team?: unknown; player?: unknown };
  return typeof team === 'string' && hasUuid(player);
}

const hasUuid = (value: unknown): boolean => typeof (value as { uuid?: unknown } | null)?.uuid === 'string';
