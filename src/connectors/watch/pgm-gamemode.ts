import { nameKey } from '#platform/text/text.ts';
import type { Queryable } from '#db/db.ts';
import { gamemodesOfMaps } from '#store/game/maps/maps.ts';
import { type Gamemode, GAMEMODE_NAMES, GAMEMODES, PGM_GAMEMODES_WITH_GROUP } from '#store/game/statistics-groups.ts';
import type { GameStatus } from './status.ts';

/** The gamemodes of each tag of PGM. Some tags are other facts, such as `4teams`. */
const GAMEMODES_OF_TAG: ReadonlyMap<unknown, readonly Gamemode[]> = Map.groupBy(
  GAMEMODE_NAMES.filter((mode) => GAMEMODES[mode].tag !== null),
  (mode) => GAMEMODES[mode].tag,
);
const MAX_TAGS = 50;

/**
 * The gamemodes that the tags of a map allow, in descending order of probability: several if they share a tag. As in the plugin for
 * PGM, the first one with its own field group counts, otherwise the first one in the order of the table.
 */
export function gamemodesFromTags(tags: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(tags) ? tags.slice(0, MAX_TAGS) : [];
  const found = list.flatMap((tag) => GAMEMODES_OF_TAG.get(tag) ?? []);
  const chosen =
    found.find((mode) => PGM_GAMEMODES_WITH_GROUP.includes(mode)) ??
    GAMEMODE_NAMES.find((mode) => found.includes(mode));
  return chosen === undefined ? [] : GAMEMODES_OF_TAG.get(GAMEMODES[chosen].tag)!;
}

/** The gamemode of each status: among several, the one of the imported map with its name. */
export async function decideGamemodes(
  db: Queryable,
  statuses: readonly GameStatus[],
): Promise<Map<GameStatus, string>> {
  const undecided = statuses.filter(({ gamemodes, map }) => gamemodes.length > 1 && map !== '');
  const imported = await gamemodesOfMaps(
    db,
    undecided.map(({ map }) => map),
  );
  return new Map(
    statuses.map((status) => {
      const { gamemodes, map } = status;
      const ofMap = imported.get(nameKey(map)) ?? [];
      return [status, gamemodes.find((mode) => ofMap.includes(mode)) ?? gamemodes[0] ?? ''];
    }),
  );
}
