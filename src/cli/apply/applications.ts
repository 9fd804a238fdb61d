import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { approveAccess, limitAccess, revokeAccess } from '#admin/access.ts';
import { changedSettings, changeSettings } from '#admin/applications.ts';
import { removeOwner } from '#admin/owners.ts';
import { containsAddress, isShownText } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import {
  type Application,
  APPLICATION_TYPES,
  applicationsNamed,
  createApplication,
  managedApplication,
  MAX_NAME_LENGTH,
} from '#store/applications/applications.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { checkRedirectUri } from '#store/applications/redirect-uris.ts';
import { TEXTS } from '#console/texts/index.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { addAsOwner } from '../app/owner.ts';
import { requireAccount } from '#admin/targets.ts';
import { type Change, differencesOf } from './change.ts';
import { commandActor } from '../command/command.ts';
import { performOrThrow } from '../command/operation-command.ts';
import { readEntries } from './file.ts';
import type { KeyFile } from './key-file.ts';

const application = z.strictObject({
  name: z
    .string()
    .max(MAX_NAME_LENGTH)
    .refine(isShownText, { error: 'must have visible characters only' })
    .refine((name) => !containsAddress(name), { error: 'must not contain an address, like a host or a URL' }),
  client_id: z.string().optional(),
  type: z.enum(APPLICATION_TYPES),
  redirect_uris: z.array(z.string()).optional(),
  post_logout_redirect_uris: z.array(z.string()).optional(),
  require_pkce: z.boolean().optional(),
  rotate_refresh_tokens: z.boolean().optional(),
  access: z.enum(['approved', 'revoked']).optional(),
  hourly_limit: z.union([z.int().min(1).max(999_999_999), z.literal('default')]).optional(),
  owners: z.array(z.string()).min(1).optional(),
});

/** An application as a file describes it; what is left out stays as it is, or gets its default. */
type ApplicationEntry = z.output<typeof application>;

/** @throws UsageError that names the entry and what is wrong with it */
export function readApplications(path: string, list: unknown): ApplicationEntry[] {
  const entries = readEntries(path, 'application', list, application);
  for (const [index, { type, redirect_uris = [], post_logout_redirect_uris = [] }] of entries.entries()) {
    for (const uri of [...redirect_uris, ...post_logout_redirect_uris]) {
      const problem = checkRedirectUri(type, uri);
      if (problem === undefined) continue;
      const rule = TEXTS.en.application.problems.uri_rules[problem];
      throw new UsageError(`${path}, application ${index + 1}: the redirect URI ${uri} ${rule}.`);
    }
  }
  return entries;
}

export async function applicationChange({ db }: Pick<AppContext, 'db'>, entry: ApplicationEntry): Promise<Change> {
  const owners: Account[] = [];
  for (const owner of entry.owners ?? []) owners.push(await requireAccount(db, owner));
  const known = await knownApplication(db, entry, owners);
  const changes = known === undefined ? [] : await findChanges(db, known, entry, owners);
  const powers = entry.access === 'revoked' && known?.access === 'approved';
  return {
    kind: 'application',
    name: known?.name ?? entry.name,
    isNew: known === undefined,
    ...(known !== undefined && { client_id: known.client_id }),
    changes,
    ...(powers && { warning: `${known.name} loses its access to the data API.` }),
    apply: (context, keys) => applyApplication(context, entry, { known, owners, keys }),
  };
}

/**
 * The application that an entry describes: by its Client ID, else by its name. Anybody can register an application of any
 * name, so one that others own as well is never taken for the operator's.
 */
async function knownApplication(
  db: Queryable,
  { name, client_id, type }: ApplicationEntry,
  owners: readonly Account[],
): Promise<Application | undefined> {
  const found =
    client_id === undefined ? await applicationsNamed(db, name, 2) : [await managedApplication(db, client_id)];
  const [known, second] = found;
  if (second !== undefined)
    throw new UsageError(`There are several applications ${name}: say with client_id which one is meant.`);
  if (known === undefined) {
    if (client_id === undefined) return undefined;
    throw new UsageError(`No application has the Client ID ${client_id}; without client_id a new one is created.`);
  }
  if (known.type !== type)
    throw new UsageError(`The application ${name} has the type ${known.type}, which cannot change to ${type}.`);
  const others = (await ownersOf(db, known.key)).filter(
    ({ account_id }) => !owners.some(({ id }) => id === account_id),
  );
  if (client_id !== undefined || others.length === 0) return known;
  const names = others.map((owner) => owner.name).join(', ');
  throw new UsageError(
    `There is an application ${name} (Client ID ${known.client_id}) of ${names}: add its client_id if it is meant, or choose another name.`,
  );
}

async function findChanges(
  db: Queryable,
  known: Application,
  { client_id: _, owners: listed, hourly_limit, ...wanted }: ApplicationEntry,
  owners: readonly Account[],
): Promise<string[]> {
  const present = (await ownersOf(db, known.key)).map(({ name }) => name).sort();
  return differencesOf(
    { ...known, hourly_limit: known.hourly_limit ?? 'default', owners: present },
    { ...wanted, hourly_limit, owners: listed && owners.map(({ name }) => name).sort() },
  );
}

interface Plan {
  known: Application | undefined;
  owners: readonly Account[];
  keys: KeyFile | undefined;
}

async function applyApplication(
  context: AppContext,
  entry: ApplicationEntry,
  { known, owners, keys }: Plan,
): Promise<Record<string, string>> {
  const created = known === undefined ? await create(context, entry) : undefined;
  const stored = known ?? created!.application;
  if (known !== undefined) await applySettings(context, known, entry);
  await applyLimit(context, stored, entry);
  if (entry.owners !== undefined) await applyOwners(context, { ...stored, name: entry.name }, owners);
  if (created === undefined) return {};
  const { client_id } = stored;
  const client_secret = created.secret;
  if (client_secret === undefined || keys === undefined)
    return { client_id, ...(client_secret !== undefined && { client_secret }) };
  keys.addApplication(entry.name, { client_id, client_secret });
  return { client_id };
}

async function create(context: AppContext, entry: ApplicationEntry): ReturnType<typeof createApplication> {
  const { db, clock } = context;
  const { name, type, require_pkce = false, rotate_refresh_tokens = false } = entry;
  const { redirect_uris = [], post_logout_redirect_uris = [] } = entry;
  const facts = { type, access: entry.access ?? 'none', require_pkce, rotate_refresh_tokens } as const;
  const after = post_logout_redirect_uris.join(' ');
  const detail = { ...facts, redirect_uris: redirect_uris.join(' '), post_logout_redirect_uris: after };
  return await db.transaction(async (tx) => {
    const wanted = { name, redirect_uris, post_logout_redirect_uris, ...facts };
    const created = await createApplication(tx, clock.now(), wanted);
    const { client_id: subject } = created.application;
    await recordAudit(tx, clock.now(), commandActor(), { action: 'application.create', subject, label: name, detail });
    return created;
  });
}

async function applySettings(context: AppContext, known: Application, entry: ApplicationEntry): Promise<void> {
  const { name, redirect_uris, post_logout_redirect_uris, require_pkce, rotate_refresh_tokens, access } = entry;
  const settings = { name, redirect_uris, post_logout_redirect_uris, require_pkce, rotate_refresh_tokens };
  if (Object.keys(changedSettings(known, settings)).length > 0)
    await performOrThrow(changeSettings, context, known, settings);
  if (access === undefined || access === known.access) return;
  await performOrThrow(access === 'approved' ? approveAccess : revokeAccess, context, known, {});
}

async function applyLimit(
  context: AppContext,
  application: Application,
  { hourly_limit }: ApplicationEntry,
): Promise<void> {
  if (hourly_limit === undefined) return;
  const limit = hourly_limit === 'default' ? null : hourly_limit;
  if (limit !== application.hourly_limit) await performOrThrow(limitAccess, context, application, { limit });
}

/** Adds the owners that are missing before it removes others, because an application that has owners keeps one. */
async function applyOwners(context: AppContext, application: Application, owners: readonly Account[]): Promise<void> {
  for (const account of owners) await addAsOwner(context, application, account);
  for (const { account_id: id, name } of await ownersOf(context.db, application.key)) {
    if (!owners.some((owner) => owner.id === id))
      await performOrThrow(removeOwner, context, { application, account: { id, name } }, {});
  }
}
