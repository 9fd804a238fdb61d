import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseProxy } from '#test/support/database-proxy.ts';
import { DURABLE, servePostgres, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';
import { openSmallDisk } from '../../support/small-disk.ts';
import type { Fault } from './measure.ts';

const MAX_CONNECTIONS = 40;
const SETTINGS = [...DURABLE, `max_connections=${MAX_CONNECTIONS}`];

/** A PostgreSQL with an empty database, which is owned by an ordinary role. */
export class Server implements AsyncDisposable {
  readonly folder: string;
  /** The database for the service. */
  readonly url: string;
  /** The maintenance database, as superuser. */
  readonly maintenance: string;
  process: ChildProcess;

  private constructor(folder: string, process: ChildProcess, maintenance: string) {
    this.folder = folder;
    this.process = process;
    this.maintenance = maintenance;
    const url = new URL(maintenance);
    [url.username, url.pathname] = ['scorehall', '/scorehall'];
    this.url = url.href;
  }

  static async start(): Promise<Server> {
    const folder = await mkdtemp(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'scorehall-faults-'));
    const { server, url } = await startPostgres(folder, SETTINGS);
    const result = new Server(folder, server, url);
    await result.command('create role scorehall login');
    await result.command(
      `create database scorehall owner scorehall template template0 locale_provider icu icu_locale 'en'`,
    );
    return result;
  }

  /** Runs a statement as superuser in the maintenance database. */
  async command(statement: string): Promise<pg.QueryResult> {
    const client = new pg.Client(this.maintenance);
    await client.connect();
    try {
      return await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await stopPostgres(this.process);
  }

  async kill(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  async serve(settings: readonly string[] = []): Promise<void> {
    ({ server: this.process } = await servePostgres(this.folder, [...SETTINGS, ...settings]));
  }

  /** Ends the sessions of the service. */
  async terminateSessions(): Promise<number> {
    const { rowCount } = await this.command(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'scorehall'`,
    );
    return rowCount!;
  }

  /** A standby from a copy of the stopped server. */
  async copyAsStandby(): Promise<Server> {
    const folder = await mkdtemp(join(this.folder, '..', 'scorehall-faults-'));
    await chmod(folder, 0o711);
    await symlink(join(this.folder, 'native'), join(folder, 'native'));
    await cp(join(this.folder, 'pg'), join(folder, 'pg'), { recursive: true, preserveTimestamps: true });
    await rm(join(folder, 'pg/data/postmaster.pid'), { force: true });
    await writeFile(join(folder, 'pg/data/standby.signal'), '');
    await ownLike(join(this.folder, 'pg'), join(folder, 'pg'));
    const maintenance = new URL(this.maintenance);
    maintenance.searchParams.set('host', join(folder, 'pg'));
    return new Server(folder, this.process, maintenance.href);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Gives a copied folder the owner of the original one. */
async function ownLike(original: string, copy: string): Promise<void> {
  execFileSync('chown', ['-R', `--reference=${original}`, copy]);
  await chmod(copy, 0o700);
}

type FaultOf = (server: Server) => Promise<Omit<Fault, 'name'>> | Omit<Fault, 'name'>;

const ignore = (): void => undefined;
const nothing = async (): Promise<void> => undefined;

const restarted: FaultOf = (server) => ({
  url: server.url,
  begin: () => server.stop(),
  end: () => server.serve(),
  [Symbol.asyncDispose]: nothing,
});

const killed: FaultOf = (server) => ({ ...(restarted(server) as Omit<Fault, 'name'>), begin: () => server.kill() });

const silent: FaultOf = async (server) => {
  const proxy = await DatabaseProxy.open(server.url);
  return {
    url: proxy.url,
    direct: server.url,
    begin: async () => proxy.silence(),
    end: async () => proxy.resume(),
    [Symbol.asyncDispose]: () => proxy.close(),
  };
};

const readOnly: FaultOf = (server) => {
  const set = async (value: string): Promise<void> => {
    await server.command(`alter database scorehall set default_transaction_read_only = ${value}`);
    await server.terminateSessions();
  };
  return { url: server.url, begin: () => set('on'), end: () => set('off'), [Symbol.asyncDispose]: nothing };
};

/** Another program takes each connection that the service loses. */
const outOfConnections: FaultOf = async (server) => {
  await server.command('create role other login');
  const others: pg.Client[] = [];
  const own = new URL(server.maintenance);
  own.username = 'other';
  const take = async (): Promise<void> => {
    const client = new pg.Client(own.href).on('error', ignore);
    await client.connect();
    others.push(client);
  };
  return {
    url: server.url,
    begin: async () => {
      for (let sessions = 1; sessions > 0; sessions = await server.terminateSessions())
        await Promise.allSettled(Array.from({ length: MAX_CONNECTIONS - others.length }, take));
    },
    end: async () => void (await Promise.all(others.map((client) => client.end()))),
    [Symbol.asyncDispose]: nothing,
  };
};

export const ON_ONE_SERVER: Record<string, FaultOf> = {
  restarted,
  killed,
  silent,
  'read-only': readOnly,
  'out of connections': outOfConnections,
};

/** @returns undefined if the system does not allow the mount */
export async function fullDisk(): Promise<Fault | undefined> {
  const disk = await openSmallDisk();
  if (disk === undefined) return undefined;
  return {
    name: 'PostgreSQL full (tmpfs of a user namespace)',
    url: disk.url,
    begin: () => disk.fill(),
    end: () => disk.free(),
    [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose](),
  };
}

/** The primary is killed, and its synchronous standby is promoted a moment later. */
export async function failover(): Promise<Fault> {
  const primary = await Server.start();
  await primary.stop();
  const standby = await primary.copyAsStandby();
  await primary.serve(['synchronous_standby_names=*']);
  await standby.serve([`primary_conninfo=host=${join(primary.folder, 'pg')} port=5432 user=postgres`]);
  const inSync = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  while ((await primary.command(inSync)).rowCount === 0) await pause(20);
  const url = new URL(primary.url);
  url.searchParams.set('host', [primary, standby].map(({ folder }) => join(folder, 'pg')).join(','));
  url.searchParams.set('target_session_attrs', 'read-write');
  return {
    name: 'primary killed, synchronous standby promoted',
    url: url.href,
    begin: () => primary.kill(),
    end: async () => void (await standby.command('select pg_promote()')),
    [Symbol.asyncDispose]: async () => {
      await standby[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}
