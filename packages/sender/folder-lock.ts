import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Locks a folder for this process and returns the function that releases the lock. Fails if a running process has the
 * lock, this process included. Each process first creates a lock file with its own process id in the name and then looks
 * for the files of others. So two processes that start at the same time both see each other, and removing the file of an
 * ended process can never remove a file that another process has just created.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const own = `${process.pid}-${(await processStart(process.pid)) ?? Math.trunc(performance.timeOrigin)}.lock`;
  await writeFile(join(folder, own), '', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? inUse(folder, process.pid) : error;
  });
  const release = (): Promise<void> => rm(join(folder, own), { force: true });
  try {
    for (const name of await readdir(folder)) if (name !== own) await removeEnded(folder, name);
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

async function removeEnded(folder: string, name: string): Promise<void> {
  const [, pid, start] = /^(\d+)-(.+)\.lock$/.exec(name) ?? [];
  if (pid === undefined) return;
  if (await isRunning(Number(pid), start!)) throw inUse(folder, Number(pid));
  await rm(join(folder, name), { force: true });
}

const inUse = (folder: string, pid: number): Error =>
  new Error(`${folder} is in use by a sender of process ${pid}. Each sender needs a folder of its own.`);

/** Whether the process that created a lock file still runs; the system may have given its id to another process. */
async function isRunning(pid: number, start: string): Promise<boolean> {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return ((await processStart(pid)) ?? start) === start;
}

/** Identifies the start of a process, on Linux only: its start time in clock ticks since boot, and the id of the boot. */
async function processStart(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // See proc_pid_stat(5): the second field is the name in parentheses, which may hold any character, so the fields are
    // split after the last parenthesis. `fields[0]` is field 3 (the state), `fields[19]` field 22 (the start time).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[XZ]/.test(fields[0]!) ? 'ended' : `${fields[19]}-${boot.trim()}`;
  } catch {
    return undefined;
  }
}
