import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { ingestEvents } from '#events/ledger.ts';
import type { WireEvent } from '#events/schema.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { type ServerNow, serverByKey, serverByName } from '#store/game/servers.ts';
import { type Command, type Input, optional, printTable, withAppContext } from './command/command.ts';
import { nameKey } from '#platform/text.ts';
import { readEvent } from '#events/read-event.ts';

/** The options of `server create` with a file. */
export const FROM: NonNullable<Command['options']> = {
  from: {
    type: 'string',
    value: 'FILE',
    help: 'Create or change all servers of a YAML file: a list of name, region, order, icon and max',
  },
  'keys-to': {
    type: 'string',
    value: 'FILE',
    help: 'With --from: write new keys to this file instead of printing them',
  },
  'dry-run': { type: 'boolean', help: 'With --from: only show what would change' },
};

const server = z.strictObject({
  name: z.string().min(1),
  region: z.string(),
  order: z.int().optional(),
  icon: z.string().optional(),
  max: z.int().optional(),
});

/** A server as a file describes it; what is left out stays as it is, or gets its default. */
export type ServerEntry = z.output<typeof server>;

const file = z.union([
  z.array(server),
  z.strictObject({ servers: z.array(server) }).transform(({ servers }) => servers),
]);

/** Reads a YAML or JSON file with a list of servers, or with a member `servers`. @throws UsageError */
export function readServers(path: string): ServerEntry[] {
  const content = parsed(path);
  const list = (content as { servers?: unknown } | null)?.servers ?? content;
  if (!Array.isArray(list)) throw new UsageError(`${path} must be a list of servers with name and region.`);
  const result = file.safeParse(content);
  if (!result.success) throw new UsageError(`${path}${reasonOf(list)}.`);
  const seen = new Map<string, number>();
  for (const [index, entry] of result.data.entries()) {
    checkBounds(`${path}, server ${index + 1}`, entry);
    const earlier = seen.get(nameKey(entry.name));
    if (earlier !== undefined) throw new UsageError(`${path}, server ${index + 1} has the name of server ${earlier}.`);
    seen.set(nameKey(entry.name), index + 1);
  }
  return result.data;
}

function parsed(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'), { logLevel: 'error' }) as unknown;
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message.split('\n')[0]}.`);
  }
}

/** The first problem of the list; the union of both forms of a file would hide it. */
function reasonOf(list: unknown[]): string {
  for (const [index, entry] of list.entries()) {
    const issue = server.safeParse(entry).error?.issues[0];
    if (issue !== undefined)
      return `, server ${index + 1}${issue.path.length > 0 ? `, ${issue.path.join('.')}` : ''}: ${issue.message}`;
  }
  return ' may contain nothing but servers';
}

/** Checks the whole file by the event's schema before anything is changed. */
function checkBounds(place: string, { name, ...data }: ServerEntry): void {
  const time = new Date(0).toISOString();
  const read = readEvent({ version: 1, id: 'file', type: 'server.configured', time, server: name, data });
  if ('event' in read) return;
  const { place: member, reason } = read.problems[0]!;
  const option = member.replace(/^data\./, '').replace(/^server$/, 'name');
  throw new UsageError(`${place}: ${option} ${reason}.`);
}

/**
 * A file of new keys, `{"SERVER": "KEY"}`, which only its owner may read. Earlier keys stay in it. It is opened before the
 * keys are made, because they cannot be shown again.
 */
export class KeyFile implements Disposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #keys: Record<string, string>;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.part`;
    try {
      this.#keys = existsSync(path)
        ? z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(path, 'utf8')))
        : {};
      writeFileSync(this.#temporary, '', { mode: 0o600, flag: 'wx' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `--keys-to ${path} ${code === undefined ? 'is not a file of keys' : `cannot be written (${code})`}.`,
      );
    }
  }

  /** Adds a key and returns when it is on disk. */
  add(server: string, key: string): void {
    this.#keys[server] = key;
    const file = openSync(this.#temporary, 'w', 0o600);
    writeFileSync(file, `${JSON.stringify(this.#keys, null, 2)}\n`);
    fsyncSync(file);
    closeSync(file);
    renameSync(this.#temporary, this.#path);
  }

  [Symbol.dispose](): void {
    rmSync(this.#temporary, { force: true });
  }
}

/** Brings the servers to the state of a file; doing so again changes nothing. Only new servers get a key. */
export async function createFrom(input: Input, path: string, exclusive: readonly string[]): Promise<void> {
  const own = exclusive.find((option) => input.values[option] !== undefined);
  if (own !== undefined) throw new UsageError(`Give --from or --${own}, not both.`);
  const entries = readServers(path);
  const dryRun = input.values['dry-run'] === true;
  const keysTo = optional(input, 'keys-to');
  using keys = keysTo === undefined || dryRun ? undefined : new KeyFile(keysTo);
  await withAppContext(async ({ db, clock }) => {
    const rows: Record<string, unknown>[] = [];
    for (const entry of entries) {
      const known = await knownServer(db, entry.name);
      const differences = known === undefined ? [] : differencesOf(known, entry);
      const action = known === undefined ? 'create' : differences.length > 0 ? 'change' : 'unchanged';
      const row = { name: known?.name ?? entry.name, action, changes: differences };
      if (dryRun || action === 'unchanged') rows.push(row);
      else rows.push({ ...row, ...(await applyEntry(db, clock, entry, known, keys)) });
    }
    printTable(
      input,
      rows.map((row) => (keysTo === undefined && !dryRun ? { ...row, ingest_key: row['ingest_key'] ?? null } : row)),
    );
  });
}

async function applyEntry(
  db: Db,
  clock: Clock,
  { name, ...data }: ServerEntry,
  known: ServerNow | undefined,
  keys: KeyFile | undefined,
): Promise<{ ingest_key?: string }> {
  const { region: _, ...defaults } = known === undefined ? { region: '' } : propertiesOf(known);
  await ingestEvent(db, clock, {
    type: 'server.configured',
    server: known?.name ?? name,
    data: { ...defaults, ...data },
  });
  if (known !== undefined) return {};
  const secret = await createServerKey(db, clock.now(), (await serverByName(db, name))!.key);
  if (keys === undefined) return { ingest_key: secret };
  keys.add(name, secret);
  return {};
}

async function knownServer(db: Db, name: string): Promise<ServerNow | undefined> {
  const stored = await serverByName(db, name);
  return stored && (await serverByKey(db, stored.key, 0));
}

const propertiesOf = ({ region, order, icon, max }: ServerNow) => ({ region, order, icon, max });

/** `region eu → us` for each property that the file changes. */
function differencesOf(known: ServerNow, { name: _, ...wanted }: ServerEntry): string[] {
  const present: Record<string, unknown> = propertiesOf(known);
  return Object.entries(wanted)
    .filter(([property, value]) => value !== undefined && present[property] !== value)
    .map(([property, value]) => `${property} ${String(present[property])} → ${String(value)}`);
}

type ServerEvent = {
  [T in WireEvent['type']]: Pick<Extract<WireEvent, { type: T }>, 'type' | 'server' | 'data'>;
}[WireEvent['type']];

/** Ingests an event of a server as the operator. @throws UsageError that names the option that is wrong */
export async function ingestEvent(db: Db, clock: Clock, event: ServerEvent): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [
    { version: 1, id: `command ${randomUUID()}`, time, ...event },
  ]);
  if (receipt!.status === 'rejected') throw new UsageError(`${optionOf(receipt!.place)} ${receipt!.reason}.`);
}

const optionOf = (place: string): string => `--${place.replace(/^data\./, '').replace('server', 'name')}`;
