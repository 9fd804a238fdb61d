import { closeSync, openSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';

/**
 * A process whose disk fails to sync the log: writes rows 1 to 4 to the database that the first argument names, and prints
 * the keys of those that were acknowledged as durable, and the bytes of the log that the disk has lost. Row 2 is written
 * without a sync; for row 3, the descriptors of the log lead to /dev/null, which takes writes and cannot be synced.
 */
const [path = ''] = process.argv.slice(2);
const db = await openDb(path);
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Replaces the files behind descriptors. A new descriptor gets the lowest free number, which is that of the closed one. */
function lead(descriptors: readonly number[], to: string): void {
  for (const fd of descriptors) {
    closeSync(fd);
    if (openSync(to, 'r+') !== fd) throw new Error('Another descriptor was free.');
  }
}

async function write(key: number, durable = true): Promise<void> {
  try {
    await db.transaction((tx) => tx.run(sql`insert into samples (key) values (${key})`), { durable });
    if (durable) process.stdout.write(`${key}\n`);
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
  }
}

await db.migrating((tx) => tx.script('create table samples (key integer primary key)'));
await write(1);
const start = statSync(`${path}-wal`).size;
await write(2, false);
const lost = { start, end: statSync(`${path}-wal`).size };
process.stdout.write(`${JSON.stringify(lost)}\n`);
const descriptors = readdirSync('/proc/self/fd')
  .filter((fd) => linkOf(fd) === `${path}-wal`)
  .map(Number);
lead(descriptors, '/dev/null');
await write(3);
lead(descriptors, `${path}-wal`);
await write(4);
process.kill(process.pid, 'SIGKILL');
