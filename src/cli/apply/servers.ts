import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { activeServer, changeServer, createServer, unwatchServer, watchServer } from '#admin/servers.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { readEvent } from '#events/schema/index.ts';
import { hiddenOn } from '#store/game/hidden-lists.ts';
import { WATCH_PROTOCOLS, watchOf, type WatchTarget } from '#store/game/watches/server-watches.ts';
import { PUNISHMENT_SCOPES, type Server, type ServerNow } from '#store/game/servers.ts';
import { type Change, differencesOf } from './change.ts';
import { performOrThrow } from '../command/operation-command.ts';
import { readEntries } from './file.ts';
import type { KeyFile } from './key-file.ts';
import { noteErased } from '../command/hidden-players.ts';
import { hiddenList, readHidden } from './network.ts';
import { applyManagement, manage, type Management, managementChanges, readManage } from './managed.ts';

const server = z.strictObject({
  name: z.string().min(1),
  region: z.string(),
  order: z.int().optional(),
  icon: z.string().optional(),
  max: z.int().optional(),
  punishments: z.enum(PUNISHMENT_SCOPES).optional(),
  hidden: hiddenList.optional(),
  watch: z
    .union([z.null(), z.strictObject({ address: z.string(), protocol: z.enum(WATCH_PROTOCOLS).default('minecraft') })])
    .optional(),
  manage: manage.optional(),
});

type ReadServer = z.output<typeof server>;

/** A server as a file describes it; what is left out stays as it is, or gets its default. */
interface ServerEntry extends Omit<ReadServer, 'manage'> {
  manage?: Management | undefined;
}

/** @throws UsageError that names the entry and what is wrong with it */
export function readServers(path: string, list: unknown): ServerEntry[] {
  const entries = readEntries(path, 'server', list, server);
  return entries.map((entry, index) => {
    const place = `${path}, server ${index + 1}`;
    checkBounds(place, entry);
    const hidden = entry.hidden && readHidden(`${place}: hidden`, entry.hidden);
    return { ...entry, hidden, manage: readManage(path, place, entry.manage) };
  });
}

/** Checks an entry by the event's schema, so that a wrong file is refused before anything is changed. */
function checkBounds(place: string, { name, watch, manage: _, hidden: __, ...data }: ReadServer): void {
  checkWatch(place, watch);
  const time = new Date(0).toISOString();
  const read = readEvent({ version: 1, id: 'file', type: 'server.configured', time, server: name, data });
  if ('event' in read) return;
  const problem = read.problems[0]!;
  const option = problem.place.replace(/^data\./, '').replace(/^server$/, 'name');
  throw new UsageError(`${place}: ${reasonAbout(option, problem)}`);
}

function checkWatch(place: string, watch: ServerEntry['watch']): void {
  const issue = watch && watchServer.fields.safeParse(watch).error?.issues[0];
  if (issue) throw new UsageError(`${place}: watch.${String(issue.path[0])} ${issue.message}.`);
}

/** With the address in the form in which it is stored. */
const targetOf = (watch: NonNullable<ServerEntry['watch']>): WatchTarget => watchServer.fields.parse(watch);

const watchText = (watch: WatchTarget | null | undefined): string =>
  watch === null || watch === undefined ? 'none' : `${watch.protocol} ${watch.address}`;

export async function serverChange(context: AppContext, entry: ServerEntry): Promise<Change> {
  const { db } = context;
  const { name, watch, manage: management, ...wanted } = entry;
  const known = await activeServer(db, name);
  const present = known && (await watchOf(db, known.key));
  const watched = watch === undefined ? {} : { watch: watchText(watch && targetOf(watch)) };
  const changes =
    known === undefined
      ? []
      : [
          ...differencesOf(
            { ...(await propertiesOf(db, known)), watch: watchText(present) },
            { ...wanted, ...watched },
          ),
          ...(await managementChanges(context, known.key, management)),
        ];
  return {
    kind: 'server',
    name: known?.name ?? name,
    isNew: known === undefined,
    changes,
    apply: (applying, keys) => applyServer(applying, entry, known, keys),
  };
}

async function applyServer(
  context: AppContext,
  { name, watch, manage: management, ...data }: ServerEntry,
  known: ServerNow | undefined,
  keys: KeyFile | undefined,
): Promise<Record<string, string>> {
  const created =
    known === undefined ? await performOrThrow(createServer, context, undefined, { name, ...data }) : undefined;
  if (known !== undefined && differencesOf(await propertiesOf(context.db, known), data).length > 0)
    await performOrThrow(changeServer, context, known, data);
  await noteErased(context.db, data.hidden ?? []);
  const server = known ?? created!.server;
  await applyWatch(context, server, watch);
  await applyManagement(context, server, management);
  if (created === undefined) return {};
  if (keys === undefined) return { ingest_key: created.secret };
  keys.addServer(name, created.secret);
  return {};
}

async function applyWatch(context: AppContext, server: Server, watch: ServerEntry['watch']): Promise<void> {
  if (watch === undefined) return;
  const [present, wanted] = [await watchOf(context.db, server.key), watch && targetOf(watch)];
  if (watchText(present) === watchText(wanted)) return;
  if (wanted === null) await performOrThrow(unwatchServer, context, server, {});
  else await performOrThrow(watchServer, context, server, wanted);
}

const propertiesOf = async (db: Queryable, { key, region, order, icon, max, punishments }: ServerNow) => ({
  ...{ region, order, icon, max, punishments },
  hidden: await hiddenOn(db, key),
});
