/** A kind of offence and its punishment. */
export interface Offence {
  type: 'warn' | 'mute' | 'kick' | 'ban';
  level: number;
  reason: string;
  /** The duration: 0 for a kick, null for a permanent punishment. */
  hours: number | null;
  automatic: boolean;
  /** The change by a moderator some hours later. */
  afterwards?: 'shortened' | 'lengthened' | 'revoked';
}

type Extras = Partial<Pick<Offence, 'automatic' | 'afterwards'>>;

const offence = (
  type: Offence['type'],
  level: number,
  hours: number | null,
  reason: string,
  extras: Extras = {},
): Offence => ({
  type,
  level,
  reason,
  hours,
  automatic: false,
  ...extras,
});

const AUTOMATIC = { automatic: true };

const WEEK = 7 * 24;

/** The forty offences of the history, in the order in which they happen. */
export const OFFENCES: readonly Offence[] = [
  offence('warn', 1, 4 * WEEK, 'Repeated messages in chat', AUTOMATIC),
  offence('kick', 1, 0, 'Away for fifteen minutes during a match', AUTOMATIC),
  offence('mute', 2, 6, 'Insulting other players'),
  offence('ban', 4, 2 * WEEK, 'Flying', { afterwards: 'shortened' }),
  offence('warn', 1, 4 * WEEK, 'Blocking the spawn of the own team'),
  offence('warn', 1, 4 * WEEK, 'Capital letters in every message', AUTOMATIC),
  offence('mute', 2, 24, 'Advertising another network', { afterwards: 'revoked' }),
  offence('kick', 1, 0, 'Teaming in a free-for-all'),
  offence('warn', 2, 4 * WEEK, 'Breaking blocks of the own base'),
  offence('ban', 5, null, 'Modified client: hits beyond reach', AUTOMATIC),
  offence('mute', 2, 12, 'Spoiling the wool routes for the other side in global chat'),
  offence('warn', 1, 4 * WEEK, 'Repeated messages in chat', AUTOMATIC),
  offence('kick', 1, 0, 'Away for fifteen minutes during a match', AUTOMATIC),
  offence('ban', 3, 72, 'Leaving ranked matches three times in a day', { automatic: true, afterwards: 'revoked' }),
  offence('mute', 3, WEEK, 'Insulting a moderator', { afterwards: 'lengthened' }),
  offence('warn', 1, 4 * WEEK, 'Asking for operator rights again and again'),
  offence('kick', 1, 0, 'Connection drops in a loop', AUTOMATIC),
  offence('warn', 2, 4 * WEEK, 'Trapping team mates with blocks'),
  offence('ban', 4, 4 * WEEK, 'Looking through walls', { afterwards: 'shortened' }),
  offence('mute', 2, 6, 'Repeated messages in chat', AUTOMATIC),
  offence('warn', 1, 4 * WEEK, 'Unsuitable sign in the lobby'),
  offence('ban', 5, null, 'Evading a ban with a second account'),
  offence('kick', 1, 0, 'Away for fifteen minutes during a match', AUTOMATIC),
  offence('mute', 2, 24, 'Insulting other players'),
  offence('warn', 1, 4 * WEEK, 'Capital letters in every message', AUTOMATIC),
  offence('ban', 3, 48, 'Giving kills away to a friend', { afterwards: 'revoked' }),
  offence('warn', 2, 4 * WEEK, 'Destroying the farm of an allied faction'),
  offence('mute', 3, 3 * 24, 'Threatening to reveal private data'),
  offence('kick', 1, 0, 'Teaming in a free-for-all'),
  offence('ban', 4, 3 * WEEK, 'Clicking by a program', { afterwards: 'shortened' }),
  offence('warn', 1, 4 * WEEK, 'Repeated messages in chat', AUTOMATIC),
  offence('mute', 2, 12, 'Begging in the factions chat'),
  offence('kick', 1, 0, 'Connection drops in a loop', AUTOMATIC),
  offence('ban', 5, null, 'Modified client: aims by itself', AUTOMATIC),
  offence('mute', 2, 48, 'Advertising another network'),
  offence('warn', 1, 4 * WEEK, 'Blocking the spawn of the own team'),
  offence('kick', 1, 0, 'Away for fifteen minutes during a match', AUTOMATIC),
  offence('ban', 4, 2 * WEEK, 'Walking on water'),
  offence('mute', 2, 24, 'Insulting other players'),
  offence('ban', 3, WEEK, 'Leaving ranked matches three times in a day', AUTOMATIC),
];
