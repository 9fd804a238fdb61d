import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { containsAddress, isShownText } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import {
  type Application,
  APPLICATION_TYPES,
  applicationByClientId,
  applicationsNamed,
  createApplication,
  managedApplication,
  MAX_NAME_LENGTH,
  setLimit,
} from '#store/applications/applications.ts';
import { decideWithoutRequest } from '#store/applications/access-requests.ts';
import { changeApplication } from '#store/applications/application-changes.ts';
import { addOwner, ownersOf, removeOwner } from '#store/applications/owners.ts';
import { checkRedirectUri } from '#store/applications/redirect-uris.ts';
import { ownerMail } from '#console/mails.ts';
import { TEXTS } from '#console/texts/index.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { requireAccount } from '../command/lookup.ts';
import { type Applied, type Change, differencesOf } from './change.ts';
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
  for (const [index, { type, redirect_uris = [] }] of entries.entries()) {
    for (const uri of redirect_uris) {
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
  const changes = known === undefined ? [] : await changesOf(db, known, entry, owners);
  const powers = entry.access === 'revoked' && known?.access === 'approved';
  return {
    kind: 'application',
    name: known?.name ?? entry.name,
    action: known === undefined ? 'create' : changes.length > 0 ? 'change' : 'unchanged',
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
  const strangers = (await ownersOf(db, known.key)).filter(
    ({ account_id }) => !owners.some(({ id }) => id === account_id),
  );
  if (client_id !== undefined || strangers.length === 0) return known;
  const names = strangers.map((owner) => owner.name).join(', ');
  throw new UsageError(
    `There is an application ${name} (Client ID ${known.client_id}) of ${names}: add its client_id if it is meant, or choose another name.`,
  );
}

async function changesOf(
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
): Promise<Applied> {
  const { db, clock } = context;
  const { name, type, access = 'none', redirect_uris = [], require_pkce, rotate_refresh_tokens } = entry;
  const created =
    known === undefined
      ? await createApplication(db, clock.now(), {
          ...{ name, type, redirect_uris, access },
          ...(require_pkce !== undefined && { require_pkce }),
          ...(rotate_refresh_tokens !== undefined && { rotate_refresh_tokens }),
        })
      : undefined;
  const stored = known ?? created!.application;
  if (known !== undefined) await saveApplication(context, known, entry);
  if (entry.hourly_limit !== undefined)
    await setLimit(db, stored.client_id, entry.hourly_limit === 'default' ? null : entry.hourly_limit);
  if (entry.owners !== undefined) await setOwners(context, stored, owners);
  const { owners: _, ...settings } = entry;
  const detail = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)]));
  const action = known === undefined ? 'application.create' : 'application.change';
  const act = { action, subject: stored.client_id, label: name, detail };
  if (created === undefined) return { act };
  const client_secret = created.secret;
  if (client_secret === undefined || keys === undefined)
    return { act, secrets: { client_id: stored.client_id, ...(client_secret !== undefined && { client_secret }) } };
  keys.addApplication(name, { client_id: stored.client_id, client_secret });
  return { act, secrets: { client_id: stored.client_id } };
}

async function saveApplication({ db, clock }: AppContext, known: Application, entry: ApplicationEntry): Promise<void> {
  const { client_id } = known;
  const settings = {
    name: entry.name,
    redirect_uris: entry.redirect_uris ?? known.redirect_uris,
    require_pkce: entry.require_pkce ?? known.require_pkce,
    rotate_refresh_tokens: entry.rotate_refresh_tokens ?? known.rotate_refresh_tokens,
  };
  await changeApplication(db, clock.now(), client_id, settings, undefined);
  if (entry.access !== undefined)
    await decideWithoutRequest(db, clock.now(), client_id, { state: entry.access, by: 'command' });
}

/** Adds the owners that are missing before it removes others, because an application that has owners keeps one. */
async function setOwners(
  { db, clock, config, mail }: AppContext,
  { key, client_id }: Application,
  owners: readonly Account[],
): Promise<void> {
  const { name } = (await applicationByClientId(db, client_id))!;
  for (const account of owners) {
    if (await addOwner(db, clock.now(), key, account.id)) mail.send(ownerMail(config, account, name));
  }
  for (const { account_id } of await ownersOf(db, key)) {
    if (!owners.some(({ id }) => id === account_id)) await removeOwner(db, key, account_id);
  }
}
