import { changeNetwork } from '#admin/network.ts';
import type { Queryable } from '#db/db.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { type Command, reading } from './command/command.ts';
import { wireHidden } from './command/hidden-players.ts';
import { command } from './command/operation-command.ts';

export const commands: Command[] = [
  reading('network show', 'Show what holds for all game servers', ({ db }) => wire(db)),
  command(changeNetwork, 'network set', { result: ({ db }) => wire(db) }),
];

const wire = (db: Queryable): Promise<Record<string, unknown>> => wireHidden(db, NETWORK);
