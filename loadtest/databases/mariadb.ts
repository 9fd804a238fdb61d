import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { findProgram, runProgram } from '../support/programs.ts';

/** A MariaDB of the operating system, with its data in a folder and without a password for its administrator. */
export interface MariaDb extends AsyncDisposable {
  port: number;
  version: string;
  /** Connects as the administrator. */
  connect(database?: string): Promise<Connection>;
  stop(): Promise<void>;
  /** Starts it with further options, until it is stopped. */
  start(...options: string[]): Promise<void>;
}

const READY_MS = 30_000;
const PAUSE_MS = 100;
const ROOT_UID = 0;

export function findMariaDb(): { server: string; install: string } | undefined {
  const [server, install] = [findProgram('mariadbd'), findProgram('mariadb-install-db')];
  return server === undefined || install === undefined ? undefined : { server, install };
}

/** @param folder is made readable by the user of the server: MariaDB does not run as root */
export async function startMariaDb(
  { server, install }: { server: string; install: string },
  folder: string,
  port: number,
): Promise<MariaDb> {
  const data = join(folder, 'mariadb');
  await mkdir(data);
  const asUser = process.getuid?.() === ROOT_UID ? ['--user=mysql'] : [];
  if (asUser.length > 0) await chmod(folder, 0o755);
  await giveToMariaDb(data);
  const options = ['--no-defaults', ...asUser, `--datadir=${data}`];
  runProgram(install, [...options, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const socket = join(data, 'socket');
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGKILL'));
  const connect = (database?: string): Promise<Connection> =>
    createConnection({ socketPath: socket, user: 'root', ...(database === undefined ? {} : { database }) });
  const start = async (...further: string[]): Promise<void> => {
    const address = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${socket}`];
    child = spawn(server, [...options, ...address, '--skip-log-bin', ...further], { stdio: 'ignore' });
    await ready(connect);
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  await start();
  const version = runProgram(server, ['--version']).trim();
  return { port, version, connect, start, stop, [Symbol.asyncDispose]: stop };
}

/** Makes the user of the server the owner of a file or folder. */
export async function giveToMariaDb(path: string): Promise<void> {
  if (process.getuid?.() !== ROOT_UID) return;
  const { uid, gid } = userIds('mysql');
  await chown(path, uid, gid);
}

function userIds(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(runProgram('/usr/bin/id', [flag, user])));
  return { uid: uid!, gid: gid! };
}

async function ready(connect: () => Promise<Connection>): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    try {
      const connection = await connect();
      return await connection.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(PAUSE_MS);
    }
  }
}
