import { stringify } from 'yaml';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { listAccounts } from '#store/accounts/accounts.ts';
import { listApplications } from '#store/applications/applications.ts';
import { ownersOf } from '#store/applications/owners.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { listServers } from '#store/game/servers.ts';
import { listManaged } from '#store/game/watches/managed-servers.ts';
import { listWatches } from '#store/game/watches/server-watches.ts';
import type { Change } from './change.ts';

/** The lists of the file, with the kind of their entries in the order in which they are applied. */
const LISTED = { servers: 'server', applications: 'application', accounts: 'account' } as const;

type Entry = { name: string; client_id?: string } & Record<string, unknown>;
type Present = { network: { hidden: string[] } } & Record<keyof typeof LISTED, Entry[]>;

/**
 * The present state in the form of the file. Of accounts those with a role; of a management connection nothing, because its
 * secret is not shown, and what an entry leaves out stays as it is.
 */
async function presentState(db: Queryable): Promise<Present> {
  return {
    network: { hidden: await hiddenOn(db, NETWORK) },
    servers: await presentServers(db),
    applications: await presentApplications(db),
    accounts: (await listAccounts(db)).filter(({ role }) => role !== 'user').map(({ name, role }) => ({ name, role })),
  };
}

async function presentServers(db: Queryable): Promise<Entry[]> {
  const managed = new Set((await listManaged(db)).map(({ server }) => server));
  const watches = new Map(
    (await listWatches(db)).map(({ server, address, protocol }) => [server, { address, protocol }]),
  );
  const entries: Entry[] = [];
  for (const { key, name, region, order, icon, max, punishments } of await listServers(db, 0)) {
    const facts = { name, region, order, icon, max, punishments, hidden: await hiddenOn(db, key) };
    entries.push({ ...facts, watch: watches.get(name) ?? null, ...(!managed.has(name) && { manage: null }) });
  }
  return entries;
}

async function presentApplications(db: Queryable): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { key, name, client_id, type, access, hourly_limit, ...application } of await listApplications(db)) {
    const { redirect_uris, post_logout_redirect_uris, require_pkce, rotate_refresh_tokens } = application;
    const owners = (await ownersOf(db, key)).map((owner) => owner.name);
    entries.push({
      ...{ name, client_id, type, redirect_uris, post_logout_redirect_uris, require_pkce, rotate_refresh_tokens },
      ...((access === 'approved' || access === 'revoked') && { access }),
      hourly_limit: hourly_limit ?? 'default',
      ...(owners.length > 0 && { owners }),
    });
  }
  return entries;
}

/** The file that describes the present state: to apply it changes nothing. */
export async function exportNetwork({ db, config }: AppContext): Promise<string> {
  const managed = (await listManaged(db)).map(({ server, url }) => `#   ${server}: ${url}\n`);
  return [
    `# ${config.NETWORK_NAME} as scorehall apply --export found it, without secrets and without accounts that have no role.\n`,
    ...(managed.length > 0
      ? ['# Management connections, left out because their secrets are in files of yours:\n']
      : []),
    ...managed,
    stringify(await presentState(db), { lineWidth: 0 }),
  ].join('');
}

/** What exists in the lists of a file, and has no entry in it. */
export async function unmanagedRows(
  db: Queryable,
  lists: readonly string[],
  changes: readonly Change[],
): Promise<Record<string, unknown>[]> {
  const present = await presentState(db);
  return Object.entries(LISTED).flatMap(([list, kind]) => {
    if (!lists.includes(list)) return [];
    const managed = new Set(
      changes.filter((change) => change.kind === kind).map((change) => change.client_id ?? change.name),
    );
    return present[list as keyof typeof LISTED]
      .filter(({ name, client_id }) => !managed.has(client_id ?? name))
      .map(({ name, client_id }) => ({
        kind,
        name,
        action: 'unmanaged',
        changes: [],
        ...(client_id && { client_id }),
      }));
  });
}
