// A lock between processes: a file that only one of them can create.

import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const touchInterval = 1_000;
const staleAfter = 20_000;

/**
 * Runs `work` while it holds the lock `file`, and takes over the lock of a dead process.
 * Calls `waiting` once if another process holds the lock.
 */
export async function locked(file, work, waiting) {
  if (!tryLock(file)) {
    waiting();
    do await sleep(200);
    while (!tryLock(file));
  }
  const timer = setInterval(() => touch(file), touchInterval);
  const unlock = () => rmSync(file, { force: true });
  process.on('exit', unlock);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.off('exit', unlock);
    unlock();
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isStale(file)) removeStale(file);
    return false;
  }
}

/**
 * A live owner touches its file every second. The pid proves nothing, because it may belong to another machine or
 * container.
 */
function isStale(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > staleAfter;
}

/** Of several waiting processes one renames the stale file; a process that renamed a fresh file instead puts it back. */
function removeStale(file) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (!isStale(aside)) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function touch(file) {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
