import { z } from 'zod';
import { hasVisibleCharacter, isShownText, isUuidLabel, uuidLabel } from '#text/text.ts';
import { type Problem, problemOf } from './problems.ts';

/** Names of players that cannot be shown: they cost neither the event nor the player, who is shown under a label. */

const MAX_LENGTH = 64;

export const NOT_SHOWN =
  'must not contain control characters, invalid Unicode, or marks that change the direction of text';

export const playerName = z
  .string()
  .min(1)
  .max(MAX_LENGTH, `must have at most ${MAX_LENGTH} characters`)
  .refine((name) => isShownText(name) || !hasVisibleCharacter(name), NOT_SHOWN);

/** Whether a text names a player: it can be seen, and is no label of a UUID. */
export const isName = (text: string): boolean => hasVisibleCharacter(text) && !isUuidLabel(text);

/** The player with the label of the UUID in the place of what is no name. */
export const labelled = <P extends { uuid: string; name: string }>(player: P): P =>
  isName(player.name) ? player : { ...player, name: uuidLabel(player.uuid) };

/** The members of an event's data that have players. */
const WITH_PLAYERS = ['player', 'punished', 'punisher', 'revoker', 'teams', 'players', 'objectives'];
const MAX_WARNINGS = 5;
/** Events of newer versions may have unknown members at any depth. */
const MAX_DEPTH = 7;

/** Warnings about names without a visible character, in data as it was sent. */
export function warningsAboutNames(data: unknown): Problem[] {
  const found: Problem[] = [];
  const path = ['data'];
  const visit = (value: unknown, member: string): void => {
    if (value === undefined || value === null || path.length > MAX_DEPTH) return;
    path.push(member);
    if (typeof value === 'string') {
      if (found.length < MAX_WARNINGS && !hasVisibleCharacter(value)) found.push(problemOf(UNSEEN, path.join('.')));
    } else if (Array.isArray(value)) for (const [index, one] of value.entries()) visit(one, String(index));
    else {
      const { name, uuid } = value as Record<string, unknown>;
      if (uuid !== undefined) visit(name, 'name');
      search(value as object);
    }
    path.pop();
  };
  const search = (object: object): void => {
    for (const member of WITH_PLAYERS) visit((object as Record<string, unknown>)[member], member);
  };
  search(data as object);
  return found;
}

const UNSEEN = 'has no visible character, so the player is shown under a label of the UUID and not found by the name';
