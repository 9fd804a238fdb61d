import { z } from 'zod';
import { isShownText, nameKey, uuidOf } from '#text/text.ts';
import { MAX_HIDDEN, NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { ofOperators, operation } from './operation.ts';

const MAX_NAME = 64;
const FORMS = `have at most ${MAX_HIDDEN} names or UUIDs, separated by commas or lines, each of at most ${MAX_NAME} characters`;

/** Players who are never shown live, as entered: names and UUIDs, separated by commas or lines; none: the empty text. */
export const hiddenPlayers = z.string().transform((text, context): string[] => {
  const entered = text.split(/[,\r\n]/).map((entry) => entry.trim());
  const entries = entered.filter((entry) => entry !== '').map((entry) => uuidOf(entry) ?? entry);
  const isValid = entries.every((entry) => entry.length <= MAX_NAME && isShownText(entry));
  if (isValid && entries.length <= MAX_HIDDEN)
    return [...new Map(entries.map((entry) => [nameKey(entry), entry])).values()].sort();
  context.addIssue({ code: 'custom', message: `must ${FORMS}` });
  return z.NEVER;
});

export const HIDDEN_OPTION = {
  value: 'WHO,WHO',
  help: 'Names or UUIDs of players who are never shown live; "" for none',
  mayBeEmpty: true,
} as const;

export const changeNetwork = operation({
  ...ofOperators,
  name: 'network.set',
  summary: 'Replace the list of players who are never shown live on any server',
  subject: (_: undefined) => ({ subject: 'network', label: '' }),
  fields: z.strictObject({ hidden: hiddenPlayers }),
  options: { hidden: HIDDEN_OPTION },
  reauthenticate: 'always',
  changes: ['player', 'server'],
  run: async ({ tx, clock }, _, { hidden }) => await setHidden(tx, clock.now(), NETWORK, hidden),
  detail: ({ hidden }) => ({ hidden: hidden.length }),
});
