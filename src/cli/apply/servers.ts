import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import { UsageError } from '#platform/errors.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { GAME_ADDRESS_FORMS, gameAddressText, readGameAddress } from '#store/game/watches/game-address.ts';
import type { Db, Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ledger.ts';
import { readEvent } from '#events/read-event.ts';
import type { WireEvent } from '#events/schema.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import {
  removeWatch,
  setWatch,
  targetProblem,
  WATCH_PROTOCOLS,
  watchOf,
  type WatchTarget,
} from '#store/game/watches/server-watches.ts';
import { PUNISHMENT_SCOPES, type ServerNow, serverByKey, serverByName } from '#store/game/servers.ts';
import { type Applied, type Change, differencesOf } from './change.ts';
import { readEntries } from './file.ts';
import type { KeyFile } from './key-file.ts';
import { applyManagement, manage, type Management, managementChanges, managementText, readManage } from './managed.ts';

const server = z.strictObject({
  name: z.string().min(1),
  region: z.string(),
  order: z.int().optional(),
  icon: z.string().optional(),
  max: z.int().optional(),
  punishments: z.enum(PUNISHMENT_SCOPES).optional(),
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
    return { ...entry, manage: readManage(path, place, entry.manage) };
  });
}

/** Checks an entry by the event's schema, so that a wrong file is refused before anything is changed. */
function checkBounds(place: string, { name, watch, manage: _, ...data }: ReadServer): void {
  checkWatch(place, watch);
  const time = new Date(0).toISOString();
  const read = readEvent({ version: 1, id: 'file', type: 'server.configured', time, server: name, data });
  if ('event' in read) return;
  const problem = read.problems[0]!;
  const option = problem.place.replace(/^data\./, '').replace(/^server$/, 'name');
  throw new UsageError(`${place}: ${reasonAbout(option, problem)}`);
}

function checkWatch(place: string, watch: ServerEntry['watch']): void {
  if (watch === undefined || watch === null) return;
  const address = readGameAddress(watch.address);
  const problem =
    address === undefined
      ? `must be ${GAME_ADDRESS_FORMS} (it is "${watch.address}")`
      : targetProblem(address, watch.protocol);
  if (problem !== undefined) throw new UsageError(`${place}: watch.address ${problem}.`);
}

/** The address in the form in which it is stored. */
function targetOf(watch: NonNullable<ServerEntry['watch']>): WatchTarget {
  return { ...watch, address: gameAddressText(readGameAddress(watch.address)!) };
}

const watchText = (watch: WatchTarget | null | undefined): string =>
  watch === null || watch === undefined ? 'none' : `${watch.protocol} ${watch.address}`;

export async function serverChange(context: AppContext, entry: ServerEntry): Promise<Change> {
  const { db } = context;
  const { name, watch, manage: management, ...wanted } = entry;
  const known = await knownServer(db, name);
  const present = known && (await watchOf(db, known.key));
  const watched = watch === undefined ? {} : { watch: watchText(watch && targetOf(watch)) };
  const changes =
    known === undefined
      ? []
      : [
          ...differencesOf({ ...propertiesOf(known), watch: watchText(present) }, { ...wanted, ...watched }),
          ...(await managementChanges(context, known.key, management)),
        ];
  return {
    kind: 'server',
    name: known?.name ?? name,
    action: known === undefined ? 'create' : changes.length > 0 ? 'change' : 'unchanged',
    changes,
    apply: (applying, keys) => applyServer(applying, entry, known, keys),
  };
}

async function applyServer(
  context: AppContext,
  { name, watch, manage: management, ...data }: ServerEntry,
  known: ServerNow | undefined,
  keys: KeyFile | undefined,
): Promise<Applied> {
  const { db, clock } = context;
  const watched = watch === undefined ? {} : { watch: watchText(watch) };
  const managed = management === undefined ? {} : { manage: managementText(management) };
  const detail = JSON.parse(JSON.stringify({ ...data, ...watched, ...managed })) as Record<string, string>;
  if (known !== undefined) {
    const merged = { ...propertiesOf(known), ...data };
    await ingestEvent(db, clock, { type: 'server.configured', server: known.name, data: merged });
    await applyWatch(db, known.key, watch);
    await applyManagement(context, known.key, management);
    return { act: { action: 'server.set', subject: known.name, detail } };
  }
  await ingestEvent(db, clock, { type: 'server.configured', server: name, data });
  const { key: serverKey } = (await serverByName(db, name))!;
  await applyWatch(db, serverKey, watch);
  await applyManagement(context, serverKey, management);
  const key = await createServerKey(db, clock.now(), serverKey);
  const act = { action: 'server.create', subject: name, detail };
  if (keys === undefined) return { act, secrets: { ingest_key: key } };
  keys.addServer(name, key);
  return { act };
}

async function applyWatch(db: Db, serverKey: number, watch: ServerEntry['watch']): Promise<void> {
  if (watch === null) await removeWatch(db, serverKey);
  else if (watch !== undefined) await setWatch(db, serverKey, targetOf(watch));
}

async function knownServer(db: Queryable, name: string): Promise<ServerNow | undefined> {
  const stored = await serverByName(db, name);
  return stored && (await serverByKey(db, stored.key, 0));
}

const propertiesOf = ({ region, order, icon, max, punishments }: ServerNow) => ({
  ...{ region, order, icon, max, punishments },
});

type ServerEvent = {
  [T in WireEvent['type']]: Pick<Extract<WireEvent, { type: T }>, 'type' | 'server' | 'data'>;
}[WireEvent['type']];

/** Ingests an event of a server as the operator. @throws UsageError that names the option that is wrong */
export async function ingestEvent(db: Db, clock: Clock, event: ServerEvent): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [
    { version: 1, id: `command ${randomUUID()}`, time, ...event },
  ]);
  if (receipt!.status === 'rejected') throw new UsageError(reasonAbout(optionOf(receipt!.place), receipt!));
}

const optionOf = (place: string): string => `--${place.replace(/^data\./, '').replace('server', 'name')}`;
