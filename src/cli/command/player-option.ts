import { UsageError } from '#platform/errors.ts';
import { uuidOf } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { findForStaff, isErased } from '#store/accounts/deleted-players.ts';
import { namesakes, namesOf, type Player, playerByUuid, playersNamed } from '#store/game/players.ts';
import { type CommandOption, type Input, option } from './command.ts';

/** Maximum players in the sentence about a name that several have or had. */
const MAX_CANDIDATES = 20;

/** The player that an option names. `name` and `last_seen` are null if the network has not seen the UUID. */
export interface NamedPlayer {
  uuid: string;
  name: string | null;
  last_seen: string | null;
  /** Whether the UUID is that of an erased player, of whom nothing else is known. */
  erased: boolean;
  /** Whether the option has the UUID: a command then needs no question about whose it is. */
  isExact: boolean;
}

export const playerOption = (help: string): CommandOption => ({
  ...option('WHO', `${help}: its UUID, or a name that no other player has or had`),
});

/**
 * The player whose UUID, present or former name is the value of a mandatory option.
 * @throws UsageError if no player has or had the name, and with all candidates if several have or had it
 */
export async function requireNamedPlayer(db: Queryable, input: Input, option: string): Promise<NamedPlayer> {
  const text = input.required(option);
  const uuid = uuidOf(text);
  if (uuid !== undefined) {
    const erased = await isErased(db, uuid);
    const player = erased ? undefined : await playerByUuid(db, uuid);
    return { ...(await described(db, player, uuid)), erased, isExact: true };
  }
  await refuseSharedName(db, option, text);
  const [only] = await playersNamed(db, text, 1);
  if (only === undefined)
    throw new UsageError(`--${option}: no player has or had the name "${text}"; a UUID is also possible.`);
  return { ...(await described(db, only, only.uuid)), erased: false, isExact: false };
}

/**
 * The player with the UUID, the name or the id that an option has.
 * @throws UsageError if there is none, or if the player was erased
 */
export async function requirePlayer(db: Queryable, option: string, text: string): Promise<Player> {
  const found = await findForStaff(db, text);
  if (found?.player !== undefined) return found.player;
  if (found !== undefined) throw new UsageError(`--${option}: ${erasedSentence(found.erased)}`);
  throw new UsageError(`No player has the UUID, name or id "${text}" (--${option}).`);
}

export const erasedSentence = (uuid: string): string =>
  `no player has the UUID ${uuid} any more: the player was erased. The records are under a pseudonym, to which the UUID ` +
  'does not lead.';

/** @throws UsageError with all candidates if the value of an option is a name that several players have or had */
export async function refuseSharedName(db: Queryable, option: string, text: string): Promise<void> {
  const candidates = [];
  for (const one of await namesakes(db, text, MAX_CANDIDATES))
    candidates.push(shownPlayer(await described(db, one, one.uuid)));
  if (candidates.length === 0) return;
  throw new UsageError(
    `--${option} has to be the UUID, since several players have or had the name "${text}": ${candidates.join(', ')}.`,
  );
}

async function described(
  db: Queryable,
  player: Player | undefined,
  uuid: string,
): Promise<Omit<NamedPlayer, 'isExact' | 'erased'>> {
  if (player === undefined) return { uuid, name: null, last_seen: null };
  const [present] = await namesOf(db, player.key);
  return {
    uuid,
    name: player.name,
    last_seen: present === undefined ? null : new Date(present.last_seen).toISOString(),
  };
}

/** `Ann (UUID, last seen TIME)`. */
export const shownPlayer = ({ uuid, name, last_seen }: Omit<NamedPlayer, 'isExact' | 'erased'>): string =>
  `${name ?? 'unknown'} (${uuid}, ${last_seen === null ? 'not seen yet' : `last seen ${last_seen}`})`;

/** What a dry run prints. */
export const playerImpact = ({ uuid, name, last_seen, erased }: NamedPlayer): Record<string, unknown> => ({
  ...{ uuid, name, last_seen },
  ...(erased && { erased }),
});
