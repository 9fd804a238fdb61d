import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { type Environment, readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { Person } from '#test/auth/person.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { makeAccount, PASSWORD, type TestAuth } from '#test/auth/support.ts';
import { freePorts } from '#test/support/ports.ts';
import { TestClock, type TestAppContext } from '#test/support/context.ts';

/** Data API, auth service and site (with the console) listening on real sockets. */
export interface TestConsole extends TestAuth {
  site: string;
}

export async function openTestConsole(
  t: TestContext,
  databaseUrl: string,
  settings: Environment = {},
  now = Date.now(),
): Promise<TestConsole> {
  const config = readConfig(await consoleConfig(databaseUrl, settings));
  const context = (await openAppContext(config, new TestClock(now))) as TestAppContext;
  await shareSigningKey(context);
  const services = await openServices(context, ['AUTH', 'API', 'SITE']);
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await context[Symbol.asyncDispose]();
  });
  const { AUTH_URL: auth, API_URL: api, SITE_URL: site } = config;
  return { context, auth, api, site, listens: services.addresses.AUTH! };
}

/** Settings with free ports chosen in advance, since each service has to know the addresses of the others. */
export async function consoleConfig(databaseUrl: string, settings: Environment = {}): Promise<Environment> {
  const [auth, site, api] = (await freePorts(3)).map((port) => `http://127.0.0.1:${port}`);
  return {
    AUTH_URL: auth,
    SITE_URL: site,
    API_URL: api,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    SECRET_KEY: 'a secret that is long enough for tests',
    NETWORK_NAME: 'Testnet',
    SMTP_URL: 'smtp://127.0.0.1:1',
    ...settings,
  };
}

export async function makeOperator(services: TestConsole, name: string): Promise<Account> {
  const account = await makeAccount(services, name);
  await setRole(services.context.db, account.id, 'operator');
  return { ...account, role: 'operator' };
}

/** One person with one browser, at the console and at the sign-in. */
export interface Visitor {
  console: Person;
  signIn: Person;
}

/** Signs somebody in at the console through the pages of the sign-in. */
export async function enter(
  services: TestConsole,
  login: string,
  headers: Record<string, string> = {},
): Promise<Visitor> {
  const visitor = { console: new Person(services.site, headers), signIn: new Person(services.auth, headers) };
  await completeSignIn(visitor, '/console/sign-in', login);
  return visitor;
}

/**
 * Completes a sign-in and returns to the console.
 * @param path of the console that redirects to the sign-in, or an absolute URL of the sign-in
 */
export async function completeSignIn({ console, signIn }: Visitor, path: string, login: string): Promise<void> {
  const isAbsolute = path.startsWith('http');
  await signIn.open(isAbsolute ? path : (await console.open(path)).url);
  if (signIn.page.html.includes('name="password"')) await signIn.submit({ login, password: PASSWORD });
  await console.open(signIn.page.url);
}

/** Confirms the act that the page asks about, as the form of `confirmation.ts` does. */
export async function confirm(person: Person): Promise<void> {
  const asked = person.forms().find(({ fields }) => fields['confirmed'] === 'yes');
  assert.ok(asked, person.text);
  await person.post(asked.action, asked.fields);
}

/** The CSRF token in the forms of a page. */
export function tokenOn(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)![1]!;
}
