import { mock } from 'node:test';
import { openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { openServices } from '#server/listeners.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import type { TestConsole } from '#test/console/support.ts';
import { scorehallWith, type Ran } from '#test/cli/scorehall.ts';
import { createTestDatabase, type Dialect, TestClock, type TestAppContext } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { freePorts } from '#test/support/ports.ts';
import { fileName, type Recording } from './recording.ts';

/** When every history begins; also the time of commands, which read the clock of the process. */
const BEGINNING = Date.parse('2026-03-01T12:00:00Z');

/** All services on one database, and the commands beside them. */
export interface World extends TestConsole, AsyncDisposable {
  name: string;
  recording: Recording;
  ingest: string;
  mail: Mailbox;
  environment: Record<string, string>;
  advance(ms: number): void;
  /** Runs a command and records its output. */
  command(...args: string[]): Promise<Ran>;
  commandWith(more: { stdin?: string; settings?: Record<string, string> }, ...args: string[]): Promise<Ran>;
  /** The words of the commands that ran. */
  ran: string[][];
}

export async function openWorld(
  name: string,
  dialect: Dialect,
  recording: Recording,
  settings: Record<string, string> = {},
): Promise<World> {
  mock.timers.enable({ apis: ['Date'], now: BEGINNING });
  const stack = new AsyncDisposableStack();
  stack.defer(() => mock.timers.reset());
  const database = await createTestDatabase(dialect);
  stack.defer(() => database.drop());
  const mail = await Mailbox.open({ after: (close) => stack.defer(async () => await close()) });
  const [auth, site, api, ingest] = (await freePorts(4)).map((port) => `http://127.0.0.1:${port}`) as string[];
  const environment: Record<string, string> = {
    ...{ AUTH_URL: auth!, SITE_URL: site!, API_URL: api!, INGEST_URL: ingest! },
    ...{ DATABASE_URL: database.url, LOG_LEVEL: 'silent', NETWORK_NAME: 'Testnet', CONTACT: 'hello@example.org' },
    ...{ SECRET_KEY: 'a secret that is long enough for tests', SMTP_URL: mail.url, INGEST_DIALECTS: 'dewdrop' },
    ...{ USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000', SITE_LIMIT: '1000000' },
    ...settings,
  };
  const clock = new TestClock(BEGINNING);
  const context = stack.use((await openAppContext(readConfig(environment), clock)) as TestAppContext);
  await shareSigningKey(context);
  const services = stack.use(await openServices(context, ['AUTH', 'API', 'SITE', 'INGEST']));
  const ran: string[][] = [];
  const commandWith: World['commandWith'] = async ({ stdin = '', settings: changed = {} }, ...args) => {
    const result = await scorehallWith(stdin, { ...environment, ...changed }, ...args);
    ran.push(args);
    const words = args.slice(0, 3).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('--'));
    await recording.write(`${name}/commands/${fileName(words.join('-'))}.txt`, transcriptOf(args, result));
    return result;
  };
  return {
    ...{
      name,
      recording,
      context,
      auth: environment['AUTH_URL']!,
      api: api!,
      site: site!,
      ingest: ingest!,
      listens: services.addresses.AUTH!,
    },
    ...{ mail, environment, ran, commandWith },
    command: (...args) => commandWith({}, ...args),
    advance(ms) {
      clock.advance(ms);
      mock.timers.setTime(clock.now());
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** How far a job or a copy has come is printed now and then. */
const PROGRESS = /^(job \S+: \d+|\w+ [\d,]+ rows of ).*\n/gm;

export function transcriptOf(args: readonly string[], { status, out, err: printed }: Ran): string {
  const err = printed.replace(PROGRESS, '');
  return `$ scorehall ${args.map(quoted).join(' ')}\n${out}${err === '' ? '' : `--- stderr\n${err}`}--- exit code ${status}\n`;
}

const quoted = (arg: string): string => (/^[\w./:=@-]+$/.test(arg) ? arg : JSON.stringify(arg));
