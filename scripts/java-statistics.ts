import { METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { PERIODS } from '#store/game/time-buckets.ts';
import {
  COUNTERS,
  countersOf,
  GROUP_NAMES,
  PGM_GAMEMODES_WITH_GROUP,
  TOTAL_COUNTERS,
} from '#store/game/statistics-groups.ts';

/** Groups, counters and gamemodes for the Java plugins, as sources by their paths in `packages/`. */
export const JAVA_SOURCES: Record<string, string> = {
  'bukkit-plugin/src/scorehall/bukkit/Statistics.java': `package scorehall.bukkit;

import java.util.List;
import java.util.Map;

/** Groups and counters of the data API. \`npm run docs\` writes this file. */
final class Statistics {
  static final List<String> GROUPS = ${listOf(GROUP_NAMES)};

  /** Names of placeholders by the member of a group. */
  static final Map<String, String> NAMES = Map.ofEntries(
${Object.values(COUNTERS)
  .flatMap(({ wire, placeholder }) => (placeholder === null ? [] : `      Map.entry("${wire}", "${placeholder}")`))
  .join(',\n')});

  /** Names in all groups together. */
  static final List<String> TOTAL = ${listOf(TOTAL_COUNTERS.flatMap((counter) => COUNTERS[counter].placeholder ?? []))};

  /** Names that are not in all groups together, each after its group. */
  static final List<String> ONLY_IN_GROUPS = ${listOf(GROUP_NAMES.flatMap(ownNames))};

  /** Modes and periods of leaderboards. */
  static final List<String> LEADERBOARD_MODES = ${listOf(MODES)};
  static final List<String> LEADERBOARD_PERIODS = ${listOf(PERIODS)};

  /** The members that order leaderboards, by the names of placeholders. */
  static final Map<String, String> LEADERBOARD_MEMBERS = Map.of(
${METRICS.map((metric) => `      "${COUNTERS[metric].placeholder}", "${COUNTERS[metric].wire}"`).join(',\n')});

  private Statistics() {}
}
`,
  'pgm-plugin/src/scorehall/pgm/FieldGroups.java': `package scorehall.pgm;

import java.util.List;

/** Field groups of the data API. \`npm run docs\` writes this file. */
final class FieldGroups {
  /** The gamemodes with a separate field group. */
  static final List<String> GAMEMODES = ${listOf(PGM_GAMEMODES_WITH_GROUP)};

  private FieldGroups() {}
}
`,
};

function ownNames(group: (typeof GROUP_NAMES)[number]): string[] {
  const own = countersOf(group).filter((counter) => !TOTAL_COUNTERS.some((name) => name === counter));
  return own.flatMap((counter) => {
    const { placeholder } = COUNTERS[counter];
    return placeholder === null ? [] : `${group}_${placeholder}`;
  });
}

function listOf(names: readonly string[]): string {
  return `List.of(${names.map((name) => `"${name}"`).join(', ')})`;
}
