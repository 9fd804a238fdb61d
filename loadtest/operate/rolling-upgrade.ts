import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { latestMigration } from '#db/migrate.ts';
import { openDb } from '#db/open.ts';
import { list, sql } from '#db/sql.ts';
import { freePorts } from '#test/support/ports.ts';
import type { Report } from '../report.ts';
import { databases } from '../support/databases.ts';
import { ROOT } from '../support/programs.ts';
import { ClusterLoad, createUsers } from './cluster-load.ts';
import { type Installation, serveInstallation } from './installation.ts';
import { type Service, SERVICES } from './proxy.ts';

const ONLINE = '-- online: programs name their columns.\nalter table matches add column note text;\n';
const OFFLINE = '-- offline: for this test.\ncreate table offline_change (id bigint primary key);\n';

/** Replaces two processes on PostgreSQL by those of a version with an online migration, under constant requests. */
export async function testRollingUpgrade(report: Report, folder: string): Promise<void> {
  await using server = await databases('postgres');
  const database = await server.create();
  const users = await createUsers(database);
  const open = await freePorts(SERVICES.length);
  const urls = Object.fromEntries(SERVICES.map((name, place) => [name, `http://127.0.0.1:${open[place]}`]));
  const processes = [await settingsOf(urls, database, folder), await settingsOf(urls, database, folder)];
  await using running = new AsyncDisposableStack();
  const started: Installation[] = [];
  for (const { settings } of processes) started.push(running.use(await serveInstallation(settings)));
  await using balancer = new Balancer(
    open,
    processes.map(({ ports }) => ports),
  );
  const load = new ClusterLoad(urls as Record<Service, string>, users, '');
  await untilServed(load, 20);

  const next = join(folder, 'next');
  copyVersion(next, { [nameOf(1)]: ONLINE });
  for (const [place, { settings }] of processes.entries()) {
    balancer.without(place);
    await started[place]!.stop();
    running.use(await serveInstallation(settings, [], next));
    balancer.without(undefined);
    await untilServed(load, Math.min(...Object.values(load.answered)) + 20);
  }

  const offline = join(folder, 'offline');
  copyVersion(offline, { [nameOf(1)]: ONLINE, [nameOf(2)]: OFFLINE });
  const command = [join(offline, 'src/main.ts'), 'migrate'];
  const env = { PATH: process.env['PATH'], ...processes[0]!.settings };
  const refused = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  const sentence = refused.stderr.trim();
  const isRefused =
    refused.status === 1 && /^scorehall: The migration .* cannot run while .* serve \(\d+@.*, \d+@/.test(sentence);
  report.add('rolling: an offline migration beside both', sentence.slice(0, 200), isRefused);
  await load.finish();

  const failed = Object.values(load.failed).flat();
  const answered = Object.values(load.answered).reduce((sum, count) => sum + count, 0);
  const figure = `${failed.length} of ${answered + failed.length}`;
  report.add(
    'rolling: failed requests while both processes were replaced',
    `${figure} ${failed.slice(0, 3).join('; ')}`,
    failed.length === 0,
  );
  report.add('rolling: broken sign-ins', load.broken.slice(0, 3).join('; ') || 'none', load.broken.length === 0);
  await addStored(report, 'rolling', database, load);
  await using db = await openDb(database);
  const [applied] = (await db.tuple(sql`select max(number) from migrations`))!;
  report.add('rolling: the migration ran', String(applied), applied === latestMigration() + 1);
}

/** Whether each match with a receipt is stored, once. */
export async function addStored(report: Report, name: string, database: string, load: ClusterLoad): Promise<void> {
  await using db = await openDb(database);
  const { acknowledged } = load;
  let stored = 0;
  for (let start = 0; start < acknowledged.length; start += 500) {
    const ids = list(acknowledged.slice(start, start + 500));
    stored += Number((await db.tuple(sql`select count(*) from ledger where event_id in (${ids})`))![0]);
  }
  const isRight = stored === acknowledged.length && stored > 0;
  report.add(`${name}: acknowledged matches that are stored`, `${stored} of ${acknowledged.length}`, isRight);
}

export async function untilServed(load: ClusterLoad, count: number): Promise<void> {
  while (Math.min(...Object.values(load.answered)) < count) await new Promise((resolve) => setTimeout(resolve, 50));
}

const nameOf = (place: number): string => `${String(latestMigration() + place).padStart(3, '0')}-loadtest.sql`;

/** Copies this version, with further migrations. */
function copyVersion(folder: string, migrations: Readonly<Record<string, string>>): void {
  for (const path of ['package.json', 'src', 'packages']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(folder, 'src/db/migrations', name), text);
}

interface OfProcess {
  settings: NodeJS.ProcessEnv;
  ports: readonly number[];
}

/** The settings of docs/scaling.md, on free ports of this machine. */
async function settingsOf(urls: NodeJS.ProcessEnv, database: string, folder: string): Promise<OfProcess> {
  const ports = await freePorts(SERVICES.length);
  const listens = SERVICES.map((name, place) => [`${name}_LISTEN`, `127.0.0.1:${ports[place]}`]);
  const settings = {
    ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [`${name}_URL`, url])),
    ...Object.fromEntries(listens),
    ...{ INTERNAL_LISTEN: '127.0.0.1:0', DATABASE_URL: database, DATA_FOLDER: folder, MIGRATION_BACKUP: 'off' },
    ...{ SECRET_KEY: 'the secret key of all processes of the network', COUNTERS: 'database', REVOCATION_LOG: 'off' },
    ...{ LOG_LEVEL: 'error', INGEST_WEIGHT_LIMIT: '0', NEW_PLAYERS_LIMIT: '0' },
  };
  return { settings, ports };
}

/** Hands each connection to one of the processes in turn, as a proxy of TCP does; one of them can be left out. */
class Balancer implements AsyncDisposable {
  readonly #servers: Server[];
  readonly #targets: readonly (readonly number[])[];
  #left: number | undefined;
  #turn = 0;

  constructor(open: readonly number[], targets: readonly (readonly number[])[]) {
    this.#targets = targets;
    this.#servers = open.map((port, service) =>
      createServer({ allowHalfOpen: true }, (client) => {
        const server = connect({ port: this.#next()[service]!, host: '127.0.0.1', allowHalfOpen: true });
        client.on('error', () => server.destroy());
        server.on('error', () => client.destroy());
        client.pipe(server).pipe(client);
      }).listen(port, '127.0.0.1'),
    );
  }

  /** New connections do not go to this process; those that are open continue. */
  without(process: number | undefined): void {
    this.#left = process;
  }

  #next(): readonly number[] {
    const inside = this.#targets.filter((_, place) => place !== this.#left);
    return inside[this.#turn++ % inside.length]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
