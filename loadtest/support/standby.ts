import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DURABLE, servePostgres, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';
import { runProgram } from './programs.ts';

/** A PostgreSQL server and a streaming standby of it. */
export interface ReplicatedPostgres extends AsyncDisposable {
  /** The maintenance database. */
  primary: string;
  /** The same, read-only, on the standby. */
  standby: string;
  process: ChildProcess;
}

/** The name by which `synchronous_standby_names` knows the standby. */
export const STANDBY = 'scorehall_standby';

/** Starts a primary and a standby, which is not synchronous yet, from a copy of its data folder. */
export async function startReplicated(folder: string): Promise<ReplicatedPostgres> {
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  await Promise.all([mkdir(first), mkdir(second)]);
  await stopPostgres((await startPostgres(first, DURABLE)).server);
  runProgram('/bin/cp', ['-a', join(first, 'native'), join(first, 'pg'), second]);
  await writeFile(join(second, 'pg/data/standby.signal'), '');
  runProgram('/bin/chmod', ['711', second]);
  const primary = await servePostgres(first, DURABLE);
  const socket = dirname(join(first, 'pg/data'));
  const follow = `primary_conninfo=host=${socket} port=5432 user=postgres application_name=${STANDBY}`;
  const standby = await servePostgres(second, [...DURABLE, follow]);
  return {
    primary: primary.url,
    standby: standby.url,
    process: primary.server,
    [Symbol.asyncDispose]: async () => {
      await stopPostgres(standby.server);
      await stopPostgres(primary.server);
    },
  };
}
