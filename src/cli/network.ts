import { changeNetwork } from '#admin/network.ts';
import { errorOutput } from '#platform/process/output.ts';
import type { Queryable } from '#db/db.ts';
import { erasedAmong } from '#store/accounts/deleted-players.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { type Command, JSON_OPTION, print, withAppContext } from './command/command.ts';
import { command } from './command/operation-command.ts';

export const HIDDEN_OPTION = {
  value: 'WHO,WHO',
  help: 'Names or UUIDs of players who are never shown live; "" for none',
};

export const commands: Command[] = [
  {
    words: 'network show',
    summary: 'Show what holds for all game servers',
    options: { json: JSON_OPTION },
    run: (input) => withAppContext(input, async ({ db }) => print(input, await wire(db))),
  },
  command(changeNetwork, {
    words: 'network set',
    summary: 'Replace the list of players who are never shown live on any server',
    row: { options: { json: JSON_OPTION }, find: async () => undefined },
    options: { hidden: HIDDEN_OPTION },
    refused: {},
    result: ({ db }) => wire(db),
  }),
];

const wire = (db: Queryable): Promise<Record<string, unknown>> => wireHidden(db, NETWORK);

/** A list of hidden players, and which of them were erased. */
export async function wireHidden(db: Queryable, scope: number): Promise<Record<string, unknown>> {
  const hidden = await hiddenOn(db, scope);
  const erased = await noteErased(db, hidden);
  return { hidden, ...(erased.length > 0 && { hidden_erased: erased }) };
}

/** Says which hidden players were erased. @returns their UUIDs */
export async function noteErased(db: Queryable, hidden: readonly string[]): Promise<string[]> {
  const erased = await erasedAmong(db, hidden);
  for (const uuid of erased)
    errorOutput().write(
      `The player with the UUID ${uuid} was erased, and is left out of running matches. Heartbeats have names only: list ` +
        'the name of the game account as well.\n',
    );
  return erased;
}
