import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The folder of one test run, with its PostgreSQL. Both are removed on disposal and when this process ends. */
export interface RunFolder extends AsyncDisposable {
  /** TMPDIR of the tests. */
  temporary: string;
  postgresUrl: string;
  /** The process id of the server, if it was started for this run. */
  postgresPid: number | undefined;
}

const MEMORY = '/dev/shm';
const MEMORY_BYTES = 2 * 1024 ** 3;

const REMEDY =
  'Set TMPDIR to a folder that every user may enter and that is not mounted noexec, ' +
  'or TEST_POSTGRES_URL to a PostgreSQL 16 or newer, with a superuser.';

export async function openRunFolder(): Promise<RunFolder> {
  const folder = mkdtempSync(join(base(), 'scorehall-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { mode: 0o700 });
  const serverProcess = spawn(process.execPath, [join(import.meta.dirname, 'postgres-server.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const close = () => end(serverProcess);
  const { url, pid, error } = await firstLine(serverProcess);
  if (url) return { temporary, postgresUrl: url, postgresPid: pid, [Symbol.asyncDispose]: close };
  await close();
  throw new Error(`PostgreSQL for the tests does not start. ${REMEDY}\n${error}`);
}

interface FirstLine {
  url?: string;
  pid?: number;
  error?: string;
}

async function end(serverProcess: ChildProcess): Promise<void> {
  if (serverProcess.exitCode !== null || serverProcess.signalCode !== null) return;
  const ended = once(serverProcess, 'exit');
  serverProcess.stdin?.end();
  await ended;
}

async function firstLine(serverProcess: ChildProcess): Promise<FirstLine> {
  for await (const line of createInterface({ input: serverProcess.stdout! })) return JSON.parse(line) as FirstLine;
  return { error: 'The process that starts PostgreSQL ended early.' };
}

/**
 * A folder in memory, in which creating, flushing and removing a database takes half the CPU time of a disk, unless TMPDIR
 * names another one. Started as root, PostgreSQL runs as another user, who must be able to enter the folder.
 */
function base(): string {
  if (process.env['TMPDIR'] === undefined && hasMemory()) return MEMORY;
  const candidates = [tmpdir(), '/tmp', '/var/tmp'];
  if (process.getuid?.() !== 0) return candidates[0]!;
  return candidates.find(everyUserMayEnter) ?? candidates[0]!;
}

/** Whether the folder in memory has room for a run (some 0.5 GB), may be entered by every user, and runs programs. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= MEMORY_BYTES && everyUserMayEnter(MEMORY) && runsPrograms(MEMORY);
  } catch {
    return false;
  }
}

/** A file system that is mounted `noexec`, as in many containers, refuses to run the copied PostgreSQL. */
function runsPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'scorehall-'));
  try {
    const program = join(own, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function everyUserMayEnter(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o001) !== 0 && (folder === dirname(folder) || everyUserMayEnter(dirname(folder)));
}
