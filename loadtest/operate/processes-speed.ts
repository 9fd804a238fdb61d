import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Report } from '../report.ts';
import { GameServers } from '../ingest/child-process.ts';
import { createDatabase } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { RawClient, rawGet } from '../support/raw-client.ts';
import { cpuOf, type ServedProcess, serveProcess } from '../support/served-process.ts';
import type { ReplicatedPostgres } from '../support/standby.ts';
import { makeAsynchronous, makeSynchronous } from './synchronous.ts';

const COUNTS = [1, 2, 4];
const SENDERS = 32;
const WARM_UP = 800;
const MATCHES = 1_600;
const CONNECTIONS = 32;
const READ_MS = 4_000;
const TICK_US = 10_000;

/** Measures what each more process adds, on one database. The generator of the load and PostgreSQL have the same cores. */
export async function testProcessSpeed(report: Report, postgres: ReplicatedPostgres): Promise<void> {
  await makeAsynchronous(postgres);
  for (const count of COUNTS) await measure(report, postgres, count, 'no synchronous standby');
  await makeSynchronous(report, postgres);
  await measure(report, postgres, 1, 'a synchronous standby');
}

async function measure(report: Report, postgres: ReplicatedPostgres, count: number, how: string): Promise<void> {
  const url = await createDatabase(postgres.primary);
  const keys = await prepare(url, SENDERS);
  const token = await createReader(url);
  const environment = {
    COUNTERS: 'database',
    SECRET_KEY: 'the secret key of all processes of the network',
    REVOCATION_LOG: 'off',
  };
  const services: ServedProcess[] = [];
  try {
    for (let started = 0; started < count; started++) services.push(await serveProcess(url, { environment }));
    const name = `${count} ${count === 1 ? 'process' : 'processes'}, ${how}`;
    const cpu = (): number => services.reduce((sum, service) => sum + (cpuOf(service) ?? 0), 0);
    using servers = new GameServers();
    const order = { ports: services.map(({ ingest }) => ingest), keys, batch: 1 };
    await servers.send({ ...order, matches: WARM_UP });
    const [own, database] = [cpu(), cpuOfPostgres(postgres)];
    const rate = await servers.send({ ...order, matches: MATCHES });
    const each = `${Math.round((cpu() - own) / MATCHES)} and ${Math.round((cpuOfPostgres(postgres) - database) / MATCHES)}`;
    report.note(`${name}: matches a second`, `${Math.round(rate)}; µs of CPU of Scorehall and PostgreSQL: ${each}`);
    await read(services, token, READ_MS / 2);
    const [before, databaseBefore] = [cpu(), cpuOfPostgres(postgres)];
    const requests = await read(services, token, READ_MS);
    const perRequest = `${Math.round((cpu() - before) / requests)} and ${Math.round((cpuOfPostgres(postgres) - databaseBefore) / requests)}`;
    const perSecond = Math.round(requests / (READ_MS / 1000));
    report.note(`${name}: requests a second`, `${perSecond}; µs of CPU of Scorehall and PostgreSQL: ${perRequest}`);
    const memory = services.map(({ child }) => residentMegabytes(child.pid!)).join(', ');
    report.note(`${name}: resident MB of each; connections`, `${memory}; ${await connectionsOf(url)}`);
  } finally {
    await Promise.all(services.map((service) => service.kill('SIGTERM')));
  }
}

/** Reads a list with some connections to each process for a while. @returns the number of answers */
async function read(services: readonly ServedProcess[], token: string, forMs: number): Promise<number> {
  const request = rawGet('/v1/matches?limit=20', token);
  const end = performance.now() + forMs;
  let count = 0;
  const reader = async (place: number): Promise<void> => {
    const client = new RawClient(services[place % services.length]!.api);
    for (; performance.now() < end; count++) {
      const response = await client.send(request);
      if (!response.startsWith('HTTP/1.1 200')) throw new Error(response);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, place) => reader(place)));
  return count;
}

/** CPU time of the server and all its processes, those that ended included, in microseconds; 0 outside Linux. */
function cpuOfPostgres({ process: { pid } }: ReplicatedPostgres): number {
  if (process.platform !== 'linux') return 0;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const times = pids.map((name) => ticksOf(name, pid!));
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_US;
}

/** The fields of proc_pid_stat(5) after the name: state, parent …, times of the process and of its ended children. */
function ticksOf(name: string, server: number): number {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const times = fields.slice(11, Number(name) === server ? 15 : 13);
    return Number(name) === server || fields[1] === server ? times.reduce((sum, time) => sum + time, 0) : 0;
  } catch {
    return 0;
  }
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round((Number(kilobytes) * 1024) / 1e6);
}

async function connectionsOf(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const query = 'select count(*) - 1 as count from pg_stat_activity where datname = current_database()';
  const { rows } = await client.query<{ count: string }>(query);
  await client.end();
  return Number(rows[0]!.count);
}
