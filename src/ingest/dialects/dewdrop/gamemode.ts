/** Tags of Dewdrop whose matches count for a separate statistics group, the most specific first. */
const TELLING = ['CTW', 'DTC', 'DTM', 'CTF', 'KOTH', 'CP'];

/** The gamemode of a map by its tags; `mixed` without one. */
export function gamemodeFromTags(tags: readonly string[]): string {
  const upper = tags.map((tag) => tag.trim().toUpperCase()).filter((tag) => /^[A-Z0-9_-]{1,32}$/.test(tag));
  // CONQ sums up others, so it is the last choice.
  const first = upper.find((tag) => tag !== 'CONQ') ?? upper[0] ?? 'mixed';
  return (TELLING.find((tag) => upper.includes(tag)) ?? first).toLowerCase();
}
