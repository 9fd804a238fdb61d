import { changeNetwork } from '#admin/network.ts';
import type { Queryable } from '#db/db.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { type Command, inContext, JSON_OPTION } from './command/command.ts';
import { wireHidden } from './command/hidden-players.ts';
import { command } from './command/operation-command.ts';

export const HIDDEN_OPTION = {
  value: 'WHO,WHO',
  help: 'Names or UUIDs of players who are never shown live; "" for none',
  mayBeEmpty: true,
} as const;

export const commands: Command[] = [
  {
    words: 'network show',
    summary: 'Show what holds for all game servers',
    options: { json: JSON_OPTION },
    run: inContext(({ db }) => wire(db)),
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
