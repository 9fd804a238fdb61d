import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { createReader } from '../../support/prepare.ts';
import { sql } from '#db/sql.ts';
import type { ServedProcess } from '../../support/served-process.ts';
import type { AddFigure, Fault } from './measure.ts';
import type { Server } from './postgres-faults.ts';

const PORT = 6432;
const MAX_REVOCATION_MS = 1_000;

/** PgBouncer in transaction mode, which is killed and started again. */
export async function pooler(program: string, server: Server): Promise<Fault> {
  const folder = await mkdtemp(join(server.folder, 'pooler-'));
  const { uid, gid } = statSync(join(server.folder, 'pg'));
  const ini = join(folder, 'pgbouncer.ini');
  await writeFile(
    ini,
    `[databases]
scorehall = host=${join(server.folder, 'pg')} port=5432 user=scorehall
[pgbouncer]
pool_mode = transaction
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = any
default_pool_size = 10
`,
  );
  for (const path of [folder, ini]) chownSync(path, uid, gid);
  chmodSync(folder, 0o711);
  const url = new URL(server.url);
  url.searchParams.set('host', folder);
  url.port = `${PORT}`;
  let child = await start(program, ini, { uid, gid }, url.href);
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    name: 'PgBouncer in transaction mode, killed',
    url: url.href,
    direct: server.url,
    environment: { DATABASE_PREPARED: 'off' },
    begin: kill,
    end: async () => void (child = await start(program, ini, { uid, gid }, url.href)),
    check: (services, add) => testRevocation(server.url, services, add),
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function start(
  program: string,
  ini: string,
  user: { uid: number; gid: number },
  url: string,
): Promise<ChildProcess> {
  const child = spawn(program, ['-q', ini], {
    ...(process.getuid?.() === 0 ? user : {}),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return child;
    } catch (error) {
      if (child.exitCode !== null) throw error;
      await pause(20);
    }
  }
}

/** A token that another process revokes is refused soon, although no notification passes the pooler. */
async function testRevocation(direct: string, { api }: ServedProcess, add: AddFigure): Promise<void> {
  const token = await createReader(direct);
  const status = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } })).status;
  const before = await status();
  await using db = await openDb(direct, { keyedHash: secretHash });
  await db.run(sql`delete from tokens`);
  const revoked = performance.now();
  while ((await status()) === 200 && performance.now() - revoked < 10 * MAX_REVOCATION_MS) await pause(5);
  const duration = performance.now() - revoked;
  add(
    'until a revoked token is refused, ms',
    `${Math.round(duration)}`,
    before === 200 && duration < MAX_REVOCATION_MS,
  );
}
