import type { PgmGamemode, WatchCore } from './core.ts';
import type { GameStatus } from './status.ts';

/**
 * The gamemodes that the tags of a map allow, in descending order of probability: several if they share a tag. As in the plugin for
 * PGM, the first one with its own field group counts, otherwise the first one in the order of the table. Some tags are other
 * facts, such as `4teams`.
 */
function gamemodesFromTags(gamemodes: readonly PgmGamemode[], tags: readonly string[]): PgmGamemode[] {
  const found = tags.flatMap((tag) => gamemodes.filter((mode) => mode.tag === tag));
  const chosen = found.find((mode) => mode.hasGroup) ?? gamemodes.find((mode) => found.includes(mode));
  return chosen === undefined ? [] : gamemodes.filter((mode) => mode.tag === chosen.tag);
}

/** The gamemode of each status: among several, the one of the imported map with its name. */
export async function decideGamemodes(
  core: Pick<WatchCore, 'gamemodes' | 'gamemodesOfMaps'>,
  statuses: readonly GameStatus[],
): Promise<Map<GameStatus, string>> {
  const possible = statuses.map((status) => {
    return { status, names: gamemodesFromTags(core.gamemodes, status.tags).map(({ name }) => name) };
  });
  const undecided = possible.filter(({ status, names }) => names.length > 1 && status.map !== '');
  const imported = await core.gamemodesOfMaps(undecided.map(({ status }) => status.map));
  return new Map(
    possible.map(({ status, names }) => {
      const ofMap = imported.get(status.map) ?? [];
      return [status, names.find((mode) => ofMap.includes(mode)) ?? names[0] ?? ''];
    }),
  );
}
