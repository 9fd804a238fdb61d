import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { serverByKey, serverByName, type ServerNow } from '#store/game/servers.ts';
import { type Input, SERVER } from './command/command.ts';
import type { RowOption } from './command/operation-command.ts';

/** The server that `--name` names; with `deletedToo` also a deleted one. @throws UsageError if there is none */
export async function requireServer(db: Db, input: Input, deletedToo = false): Promise<ServerNow> {
  const name = input.required('name');
  const stored = await serverByName(db, name);
  const server = stored && (await serverByKey(db, stored.key, 0));
  if (server !== undefined) return server;
  if (stored !== undefined && deletedToo) return stored as ServerNow;
  throw new UsageError(`There is no server ${name}; see: scorehall server list`);
}

export const byName: RowOption<ServerNow> = { options: SERVER, find: ({ db }, input) => requireServer(db, input) };
