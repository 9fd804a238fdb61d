import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DURABLE, startPostgres, stopPostgres } from '#test/support/postgres-native.ts';

/** A PostgreSQL database on a small separate file system. */
export interface SmallDisk extends AsyncDisposable {
  url: string;
  /** Fills the file system to the last page. */
  fill(): Promise<void>;
  free(): Promise<void>;
}

const SIZE_MB = 48;
const DISK_FULL = '53100';

/**
 * In a user namespace (user_namespaces(7)) an ordinary user may mount a tmpfs that only its own processes see. The second
 * `unshare` maps the user back from root, because PostgreSQL refuses to run as root.
 */
const MOUNT = `mount -t tmpfs -o size=${SIZE_MB}m,mode=700 tmpfs "$0" && exec unshare -U --map-user=1000 --map-group=1000 "$@"`;

/** Returns undefined if the system does not allow user namespaces. */
export async function openSmallDisk(): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'scorehall-small-'));
  const disk = join(folder, 'disk');
  await mkdir(disk);
  await chmod(folder, 0o711);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  if (spawnSync('unshare', ['-Urm', 'sh', '-c', MOUNT, disk, 'true']).status !== 0) {
    await remove();
    return undefined;
  }
  const { server, url } = await startPostgres(folder, DURABLE, ['unshare', '-Urm', 'sh', '-c', MOUNT, disk]);
  const [maintenance, own] = [new pg.Client(url), new URL(url)];
  own.pathname = '/small';
  await maintenance.connect();
  await maintenance.query(`create tablespace small location '${disk}'`);
  await maintenance.query('create database small template template0 tablespace small');
  await maintenance.end();
  const close = async (): Promise<void> => {
    await stopPostgres(server);
    await remove();
  };
  return { url: own.href, fill: () => fill(own.href), free: () => free(own.href), [Symbol.asyncDispose]: close };
}

/** Inserts ever smaller batches of rows until a single row, which takes a page, does not fit. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('create table ballast (bytes text)');
  await client.query('alter table ballast alter column bytes set storage plain');
  for (let rows = 1024; rows >= 1; rows = Math.floor(rows / 4)) {
    for (let isFull = false; !isFull;) {
      const grown = client.query(`insert into ballast select repeat('x', 7000) from generate_series(1, ${rows})`);
      isFull = await grown.then(
        () => false,
        (error: pg.DatabaseError) => {
          if (error.code === DISK_FULL) return true;
          throw error;
        },
      );
    }
  }
  await client.end();
}

async function free(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('drop table ballast');
  await client.query('checkpoint');
  await client.end();
}
