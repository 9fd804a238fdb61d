import type { TestContext } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { type Environment, readConfig } from '#platform/config.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { openAppContext } from '#context/context.ts';
import { type Account, createAccount } from '#store/accounts/accounts.ts';
import { type Application, type ApplicationType, createApplication } from '#store/applications/applications.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { ingestEvents } from '#events/ledger.ts';
import { TestClock, type TestAppContext } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { Person } from './person.ts';

export const PASSWORD = 'correct horse battery';
export const CALLBACK = 'https://app.example/callback';

/** A house with sign-in and data API open on real sockets. */
export interface TestAuth {
  context: TestAppContext;
  /** The issuer. */
  auth: string;
  api: string;
  /** Where the sign-in listens, which another process of the same issuer does elsewhere. */
  listens: string;
}

/** A port that nobody listens on: the issuer has to be known before the door opens. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

export async function openTestAuth(
  t: TestContext,
  databaseUrl: string,
  settings: Environment = {},
  now = Date.now(),
): Promise<TestAuth> {
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
  const services = await openServices(context, ['AUTH', 'API']);
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await context[Symbol.asyncDispose]();
  });
  return { context, auth: config.AUTH_URL, api: services.addresses.API!, listens: services.addresses.AUTH! };
}

export async function makeApplication(
  { context }: Pick<TestAuth, 'context'>,
  type: ApplicationType,
  redirect_uris: string[] = [CALLBACK],
): Promise<{ application: Application; secret: string | undefined }> {
  const wanted = { name: `A ${type} app`, type, redirect_uris, access: 'approved' } as const;
  return await createApplication(context.db, context.clock.now(), wanted);
}

export interface TestPlayer {
  uuid: string;
  name: string;
}

/** Makes an account, linked to a player that the network knows where one is given. */
export async function makeAccount({ context }: TestAuth, name: string, player?: TestPlayer): Promise<Account> {
  const { db, clock } = context;
  const facts = { name, email: `${name.toLowerCase()}@example.org`, email_verified: true };
  const account = await createAccount(db, clock.now(), { ...facts, password: await hashed() });
  if (typeof account === 'string') throw new Error(account);
  if (player === undefined) return account;
  await seePlayer(context, player);
  await db.transaction((tx) => linkPlayer(tx, account.id, player));
  return { ...account, name: player.name, player_uuid: player.uuid };
}

let known: Promise<string> | undefined;

/** One hash for everybody: making one takes its time. */
function hashed(): Promise<string> {
  return (known ??= hashPassword(PASSWORD));
}

/** The status of the data API for a token, once it is this one or a second has passed: that long a refusal may take. */
export async function statusWithinASecond(api: string, token: string, expected: number): Promise<number> {
  const until = performance.now() + 1_000;
  for (;;) {
    const { status } = await fetch(`${api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
    if (status === expected || performance.now() > until) return status;
  }
}

let events = 0;

export async function send(context: TestAppContext, type: string, data: object, server = 'Lobby') {
  const time = new Date(context.clock.now()).toISOString();
  const event = { version: 1, id: `event-${++events}`, type, time, server, data };
  return (await ingestEvents(context.db, context.clock, { kind: 'operator' }, [event]))[0]!;
}

export async function seePlayer(context: TestAppContext, player: TestPlayer): Promise<void> {
  await send(context, 'player.login', { player });
}

/** Signs somebody in at an application and agrees; gives the address that the browser is sent to. */
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
