// Lets processes take turns by a file that only one of them can create.

import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const beat = 1_000;
const deaf = 20_000;

/**
 * Runs `work` while no other process runs work under the same file; takes the file of a dead process over.
 * Calls `waiting` once when it has to wait.
 */
export async function locked(file, work, waiting) {
  if (!take(file)) {
    waiting();
    do await sleep(200);
    while (!take(file));
  }
  const heart = setInterval(() => touch(file), beat);
  const leave = () => rmSync(file, { force: true });
  process.on('exit', leave);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    process.off('exit', leave);
    leave();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isDead(file)) clear(file);
    return false;
  }
}

/** A living owner touches its file every second; pids may be another machine's or container's and say nothing. */
function isDead(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > deaf;
}

/** Of several that wait, one moves the dead file away; whoever catches a fresh one instead puts it back. */
function clear(file) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (!isDead(aside)) linkSync(aside, file);
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
