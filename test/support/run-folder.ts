import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A folder for one run of the tests and the PostgreSQL in it. Both are gone once disposed of, or when this process is. */
export interface RunFolder extends AsyncDisposable {
  /** Where the tests may leave what they like. */
  temporary: string;
  postgresUrl: string;
  /** Of the server that was started for this run. */
  postgresPid: number | undefined;
}

const REMEDY =
  'Point TMPDIR at a folder that all may enter and where programs may run, ' +
  'or TEST_POSTGRES_URL at a PostgreSQL 16 or newer whose superuser it names.';

export async function openRunFolder(): Promise<RunFolder> {
  const folder = mkdtempSync(join(base(), 'scorehall-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { mode: 0o700 });
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'postgres-server.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const close = () => end(keeper);
  const { url, pid, error } = await firstLine(keeper);
  if (url) return { temporary, postgresUrl: url, postgresPid: pid, [Symbol.asyncDispose]: close };
  await close();
  throw new Error(`PostgreSQL for the tests does not start. ${REMEDY}\n${error}`);
}

interface FirstLine {
  url?: string;
  pid?: number;
  error?: string;
}

async function end(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const ended = once(keeper, 'exit');
  keeper.stdin?.end();
  await ended;
}

async function firstLine(keeper: ChildProcess): Promise<FirstLine> {
  for await (const line of createInterface({ input: keeper.stdout! })) return JSON.parse(line) as FirstLine;
  return { error: 'The process that starts it ended early.' };
}

/** As root PostgreSQL runs as another user, who has to be able to enter the folder. */
function base(): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp'];
  if (process.getuid?.() !== 0) return candidates[0]!;
  return candidates.find(isOpenToAll) ?? candidates[0]!;
}

function isOpenToAll(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o001) !== 0 && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}
