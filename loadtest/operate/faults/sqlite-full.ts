import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedProcess } from '../../support/served-process.ts';
import type { Fault } from './measure.ts';

/** The disk of a SQLite file is full: a small tmpfs if this process may mount one, otherwise a limit on the size of files. */
export async function sqliteFull(): Promise<Fault> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-full-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512m', 'tmpfs', folder]).status === 0;
  const ballast = join(folder, 'ballast');
  return {
    name: `SQLite full (${isMounted ? 'tmpfs' : 'file size limit, because this process may not mount'})`,
    url: join(folder, 'scorehall.db'),
    begin: async (services) => (isMounted ? fill(ballast) : limit(services, '100000:unlimited')),
    end: async (services) => (isMounted ? unlinkSync(ballast) : limit(services, 'unlimited:unlimited')),
    [Symbol.asyncDispose]: async () => {
      if (isMounted) execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}

const limit = ({ child }: ServedProcess, size: string): void =>
  void execFileSync('prlimit', [`--pid=${child.pid}`, `--fsize=${size}`]);

/** Writes until not a single byte fits. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 20; size >= 1;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
