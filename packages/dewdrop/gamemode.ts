/** Tags that are not the id of PGM's gamemode in upper case. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['BW', 'bedwars'],
  ['FF', 'ffb'],
  ['FUN', 'arcade'],
]);

/**
 * The gamemode of a map by the tags that Dewdrop makes from its gamemodes; `mixed` without one.
 * @param withGroup the gamemodes that have a separate group of statistics
 */
export function gamemodeFromTags(tags: readonly string[], withGroup: readonly string[]): string {
  const upper = tags.map((tag) => tag.trim().toUpperCase()).filter((tag) => /^[A-Z0-9_-]{1,32}$/.test(tag));
  // CONQ sums up others, so it is the last choice.
  const first = upper.find((tag) => tag !== 'CONQ') ?? upper[0] ?? 'mixed';
  const telling = withGroup.filter((mode) => upper.includes(mode.toUpperCase()));
  // A hill is a control point as well, so koth tells more than cp.
  return telling.find((mode) => mode !== 'cp') ?? telling[0] ?? RENAMED.get(first) ?? first.toLowerCase();
}
