import { setTimeout as pause } from 'node:timers/promises';
import { openServices } from '#server/listeners.ts';
import { type Environment, readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { type Account, createAccount } from '#store/accounts/accounts.ts';
import {
  type Application,
  type ApplicationType,
  createApplication,
  type NewApplication,
} from '#store/applications/applications.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { type Closing, TestClock, type TestAppContext } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { Person } from './person.ts';
import { shareSigningKey } from './signing-key.ts';

export const PASSWORD = 'correct horse battery';
/** The hash of `PASSWORD` at Argon2id's lowest cost: checking one of `hashPassword` takes 26 ms of CPU time. */
export const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$AQEBAQEBAQEBAQEBAQEBAQ$OFV8TrrEQliqqHF4+jF1XekyKTLvLxAcRxwpKMBoFjc';
export const CALLBACK = 'https://app.example/callback';

/** Sign-in and data API, listening on sockets. */
export interface TestAuth {
  context: TestAppContext;
  /** The issuer. */
  auth: string;
  api: string;
  /** Address that this process listens on; it differs from the issuer in a second process with the same issuer. */
  listens: string;
}

export interface RunningTestAuth extends TestAuth {
  /** Stops the services before the test ends. */
  stop(): Promise<void>;
}

/** A free port, because the issuer must be known before the service starts. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

export async function openTestAuth(
  t: Closing,
  databaseUrl: string,
  settings: Environment = {},
  now = Date.now(),
): Promise<RunningTestAuth> {
  const auth = `http://127.0.0.1:${await freePort()}`;
  const config = readConfig({
    ...{ AUTH_URL: auth, API_LISTEN: '127.0.0.1:0', DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' },
    ...{
      SECRET_KEY: 'a secret that is long enough for tests',
      NETWORK_NAME: 'Testnet',
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
    ...settings,
  });
  const context = (await openAppContext(config, new TestClock(now))) as TestAppContext;
  await shareSigningKey(context);
  const services = await openServices(context, ['AUTH', 'API']);
  const stop = async (): Promise<void> => await services[Symbol.asyncDispose]();
  t.after(async () => {
    await stop();
    await context[Symbol.asyncDispose]();
  });
  return { context, auth: config.AUTH_URL, api: services.addresses.API!, listens: services.addresses.AUTH!, stop };
}

export async function makeApplication(
  { context }: Pick<TestAuth, 'context'>,
  type: ApplicationType,
  redirect_uris: string[] = [CALLBACK],
  more: Partial<NewApplication> = {},
): Promise<{ application: Application; secret: string | undefined }> {
  const wanted = { name: `A ${type} app`, type, redirect_uris, access: 'approved', ...more } as const;
  return await createApplication(context.db, context.clock.now(), wanted);
}

export interface TestPlayer {
  uuid: string;
  name: string;
}

/** Creates an account with `PASSWORD`; with a player, reports their login and links them. */
export async function makeAccount(
  { context }: TestAuth,
  name: string,
  player?: TestPlayer,
  email_verified = true,
): Promise<Account> {
  const { db, clock } = context;
  const facts = { name, email: `${name.toLowerCase()}@example.org`, email_verified };
  const account = await createAccount(db, clock.now(), { ...facts, password: PASSWORD_HASH });
  if (typeof account === 'string') throw new Error(account);
  if (player === undefined) return account;
  await seePlayer(context, player);
  await db.transaction((tx) => linkPlayer(tx, account.id, player));
  return { ...account, name: player.name, player_uuid: player.uuid };
}

/** Polls the data API with a token until the status is the expected one, for at most a second. @returns the last status */
export async function statusWithinASecond(api: string, token: string, expected: number): Promise<number> {
  const deadline = performance.now() + 1_000;
  for (;;) {
    const { status } = await fetch(`${api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
    if (status === expected || performance.now() > deadline) return status;
    await pause(10);
  }
}

let eventCount = 0;

/** Ingests one event. @returns its receipt */
export async function send(context: TestAppContext, type: string, data: object, server = 'Lobby') {
  const time = new Date(context.clock.now()).toISOString();
  const event = { version: 1, id: `event-${++eventCount}`, type, time, server, data };
  return (await ingestEvents(context.db, context.clock, { kind: 'operator' }, [event]))[0]!;
}

export async function seePlayer(context: TestAppContext, player: TestPlayer): Promise<void> {
  await send(context, 'player.login', { player });
}

/** Opens an authorization request, signs in and consents if asked. @returns the URL that the browser is sent to */
export async function authorize(
  auth: string,
  request: string | URL,
  login: string,
  person = new Person(auth),
): Promise<URL> {
  await person.open(String(request));
  if (person.page.html.includes('name="password"')) await person.submit({ login, password: PASSWORD });
  if (person.page.html.includes('/consent"')) await person.submit({}, '/consent');
  return new URL(person.page.url);
}
