/** What follows the reason of a ban in the list of a game server, each on a line. */
const OBJECTION = /(?:^|\n)(?:Punishment: [0-9a-z]{11}\n)?To object: [^\n]*$/;

/**
 * The reason that a banned player reads at a join, with the id of the punishment and where to object.
 * @param id undefined if the punishment must not be named: the player is erased, or has none
 * @param appeal empty if the network names no contact: the reason alone
 */
export function withObjection(reason: string, id: string | undefined, appeal: string): string {
  if (appeal === '') return reason;
  const named = id === undefined ? [] : [`Punishment: ${id}`];
  return [...(reason === '' ? [] : [reason]), ...named, `To object: ${appeal}`].join('\n');
}

/** The reason as it was given, before `withObjection`. */
export const withoutObjection = (reason: string): string => reason.replace(OBJECTION, '');
