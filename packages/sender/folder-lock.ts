import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a folder this process's own until what is returned is called; fails where another has it, or this one already.
 * Whoever wants it first puts down a file named after its process and then looks for those of others: of two that come
 * at once none overlooks the other, and what is removed for an ended process is never a file that another writes anew.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const own = `${process.pid}-${(await beganOf(process.pid)) ?? Math.trunc(performance.timeOrigin)}.lock`;
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
  const [, pid, began] = /^(\d+)-(.+)\.lock$/.exec(name) ?? [];
  if (pid === undefined) return;
  if (await runs(Number(pid), began!)) throw inUse(folder, Number(pid));
  await rm(join(folder, name), { force: true });
}

const inUse = (folder: string, pid: number): Error =>
  new Error(`${folder} is in use by a sender of process ${pid}. Each sender needs a folder of its own.`);

/** Whether a process runs still, and not another one to which its id was given since. */
async function runs(pid: number, began: string): Promise<boolean> {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return ((await beganOf(pid)) ?? began) === began;
}

/** When a process began, on Linux: in ticks since the machine was started, and which start that was. */
async function beganOf(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything, stand the third field and on; the start is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[XZ]/.test(fields[0]!) ? 'ended' : `${fields[19]}-${boot.trim()}`;
  } catch {
    return undefined;
  }
}
