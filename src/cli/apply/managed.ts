import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { manageServer, unmanageServer } from '#admin/servers.ts';
import type { AppContext } from '#context/context.ts';
import type { Server } from '#store/game/servers.ts';
import { hasManagementSecret, managedServer, type ManageTarget } from '#store/game/watches/managed-servers.ts';
import { differencesOf } from './change.ts';
import { performOrThrow } from '../command/operation-command.ts';

/** The management connection of a server in a file. Its secret is in another file, never in this one. */
export const manage = z
  .strictObject({ url: z.string(), secret_file: z.string().min(1), ca_file: z.string().min(1).optional() })
  .nullable();

type ManageEntry = z.output<typeof manage>;

/** A connection with the content of its files; null: none. */
export type Management = (ManageTarget & { secret: string }) | null;

/**
 * Reads the files that an entry names, relative to the folder of the file.
 * @param place the entry, for errors
 * @throws UsageError
 */
export function readManage(path: string, place: string, entry: ManageEntry | undefined): Management | undefined {
  if (entry === undefined || entry === null) return entry;
  const nameOf = (member: keyof typeof entry): string => `${place}: manage.${member}`;
  const read = (member: 'secret_file' | 'ca_file'): string => {
    try {
      return readFileSync(resolve(dirname(path), entry[member]!), 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`${nameOf(member)} names a file that cannot be read (${code}).`);
    }
  };
  const ca = entry.ca_file === undefined ? undefined : read('ca_file');
  const { data, error } = manageServer.fields.safeParse({ url: entry.url, secret: read('secret_file'), ca });
  if (error === undefined) return { ...data, ca: data.ca ?? '' };
  const { path: where, message } = error.issues[0]!;
  const member = where[0] === 'url' ? 'url' : (`${String(where[0])}_file` as 'secret_file' | 'ca_file');
  throw new UsageError(`${nameOf(member)} ${message}.`);
}

/** A connection as changes and the audit log show it: without its secret. */
function managementText(target: ManageTarget | null | undefined): string {
  if (target === null || target === undefined) return 'none';
  return target.ca === '' ? target.url : `${target.url} (own CA ${hash('sha256', target.ca).slice(0, 8)})`;
}

export async function managementChanges(
  { db, config }: Pick<AppContext, 'db' | 'config'>,
  serverKey: number,
  wanted: Management | undefined,
): Promise<string[]> {
  if (wanted === undefined) return [];
  const present = await managedServer(db, serverKey);
  const changes = differencesOf({ manage: managementText(present) }, { manage: managementText(wanted) });
  if (wanted === null || present === undefined) return changes;
  const isSame = await hasManagementSecret(db, openSecretKey(config), serverKey, wanted.secret);
  return isSame ? changes : [...changes, 'manage secret changed'];
}

/** Sets the connection only if it differs, because a connection that is set begins again. */
export async function applyManagement(
  context: AppContext,
  server: Server,
  wanted: Management | undefined,
): Promise<void> {
  if (wanted === undefined || (await managementChanges(context, server.key, wanted)).length === 0) return;
  if (wanted === null) {
    await performOrThrow(unmanageServer, context, server, {});
    return;
  }
  const { ca, ...target } = wanted;
  await performOrThrow(manageServer, context, server, { ...target, ...(ca !== '' && { ca }) });
}
