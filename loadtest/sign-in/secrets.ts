import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { openAppContext } from '#context/context.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { runWithin } from '../operate/installation.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import type { ByteSearch } from './byte-search.ts';
import { Issued } from './issued.ts';
import { MailReader } from './mailed-secrets.ts';
import { SignIns } from './sign-ins.ts';

/** Whole sign-ins, of all kinds together. */
const SIGN_INS = 1_000;
/** People who use every link that is mailed. */
const READERS = 40;
/** People who sign in at the same time. */
const PARALLEL = 4;
const SECRET_KEY = 'the secret key of a load test of the sign-in';

/** Signs in in every way, and searches what the installation stores for the secrets that were issued. */
export async function testSecrets(databases: Databases, report: Report): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-sign-in-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const url = await databases.create();
  stack.defer(() => databases.remove(url));
  await prepare(url, 1);
  const mail = await Mailbox.open({ after: (close) => stack.defer(close) });
  const log = join(folder, 'service.log');
  const ports = await freeServicePorts();
  const environment = {
    // Passkeys need a domain.
    ...{ AUTH_URL: `http://localhost:${ports.auth}`, AUTH_LISTEN: `127.0.0.1:${ports.auth}` },
    SITE_URL: `http://127.0.0.1:${ports.site}`,
    ...{ TRUSTED_PROXIES: '127.0.0.1', SMTP_URL: mail.url, SECRET_KEY, DATA_FOLDER: folder },
    ...{ LOG_LEVEL: 'debug', ACCESS_LOG: 'all' },
  };
  const services = await serveProcess(url, { ports, environment, log });
  stack.defer(() => services.kill());
  const issued = await signInOften({ ...environment, DATABASE_URL: url }, mail);
  const name = databases.dialect;
  report.note(`${name}: secrets issued`, JSON.stringify(Object.fromEntries(issued.kinds)));
  // Stored on purpose: a search that does not find it would find nothing.
  issued.search.add('control', CONTROL);
  const backup = join(folder, 'backup');
  const { status, errors } = runWithin([], { ...environment, DATABASE_URL: url }, 'backup', backup);
  if (status !== 0) throw new Error(errors);
  await reportFound(report, `${name}: ${IN_USE}`, issued.search, await filesOf(url));
  await services.kill('SIGTERM');
  await reportFound(report, `${name}: database after the stop`, issued.search, await filesOf(url));
  await reportFound(report, `${name}: backup`, issued.search, [backup]);
  await reportFound(report, `${name}: log`, issued.search, [log]);
}

/** The e-mail address of one account. */
const CONTROL = 'person_1@loadtest.example';

async function signInOften(environment: NodeJS.ProcessEnv, mail: Mailbox): Promise<Issued> {
  const config = readConfig({ ...environment, LOG_LEVEL: 'silent' });
  await using context = await openAppContext(config, systemClock);
  const issued = new Issued();
  const signIns = new SignIns(context, mail, issued);
  await signIns.prepare();
  let people = 0;
  const signInMore = async (): Promise<void> => {
    while (people * signIns.kinds < SIGN_INS) await signIns.all(++people);
  };
  let readers = 0;
  const readMails = async (): Promise<void> => {
    while (readers < READERS) await new MailReader(context, mail, issued, ++readers).all();
  };
  await Promise.all(Array.from({ length: PARALLEL }, signInMore));
  await Promise.all(Array.from({ length: PARALLEL }, readMails));
  return issued;
}

/** The files of a database after a checkpoint: of SQLite with its log, of PostgreSQL the whole data folder. */
async function filesOf(url: string): Promise<string[]> {
  const isPostgres = url.startsWith('postgres:');
  if (isPostgres) await checkpoint(url);
  const folder = isPostgres ? new URL(url).searchParams.get('host')! : dirname(url);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function checkpoint(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('checkpoint');
  await client.end();
}

/** The part in which PostgreSQL replaces and removes files, such as `pg_internal.init`, during the search. */
const IN_USE = 'database in use';

/** The content of a file, without one if a database in use has removed it since it was listed. */
async function contentOf(file: string, title: string): Promise<Buffer> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && title.endsWith(IN_USE)) return Buffer.alloc(0);
    throw error;
  });
}

/** Reports the secrets in files. The control must be in one of them, except in the log. */
async function reportFound(report: Report, title: string, search: ByteSearch, files: string[]): Promise<void> {
  const found = new Map<string, number>();
  let bytes = 0;
  for (const file of files) {
    const content = await contentOf(file, title);
    bytes += content.length;
    for (const [kind, places] of search.search(content)) found.set(kind, (found.get(kind) ?? 0) + places);
  }
  const isSearched = found.delete('control') || title.endsWith('log');
  const size = `${(bytes / 2 ** 20).toFixed(0)} MiB in ${files.length} files`;
  report.add(
    title,
    found.size === 0 ? `nothing in ${size}` : JSON.stringify(Object.fromEntries(found)),
    found.size === 0,
  );
  report.add(`${title}: what is stored on purpose`, isSearched ? 'found' : 'not found', isSearched && bytes > 0);
}
