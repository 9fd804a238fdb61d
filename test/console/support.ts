import type { TestContext } from 'node:test';
import { openHouse } from '#app.ts';
import { type Environment, readConfig } from '#base/config.ts';
import { openHall } from '#hall.ts';
import { setRole } from '#records/account-changes.ts';
import type { Account } from '#records/accounts.ts';
import { Person } from '../signin/person.ts';
import { freePort, makeAccount, PASSWORD, type TestSignIn } from '../signin/support.ts';
import { TestClock, type TestHall } from '../support/hall.ts';

/** A house with data API, sign-in and site open on real sockets. */
export interface TestConsole extends TestSignIn {
  site: string;
}

export async function openTestConsole(
  t: TestContext,
  databaseUrl: string,
  settings: Environment = {},
): Promise<TestConsole> {
  const [auth, site, api] = (await Promise.all([freePort(), freePort(), freePort()])).map(
    (port) => `http://127.0.0.1:${port}`,
  ) as [string, string, string];
  const config = readConfig({
    ...{ AUTH_URL: auth, SITE_URL: site, API_URL: api, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' },
    ...{
      SECRET_KEY: 'a secret that is long enough for tests',
      NETWORK_NAME: 'Testnet',
      SMTP_URL: 'smtp://127.0.0.1:1',
    },
    ...settings,
  });
  const hall = (await openHall(config, new TestClock(Date.now()))) as TestHall;
  const house = await openHouse(hall, ['AUTH', 'API', 'SITE']);
  t.after(async () => {
    await house[Symbol.asyncDispose]();
    await hall[Symbol.asyncDispose]();
  });
  return { hall, auth, api, site, listens: house.addresses.AUTH! };
}

export async function makeOperator(house: TestConsole, name: string): Promise<Account> {
  const account = await makeAccount(house, name);
  await setRole(house.hall.db, account.id, 'operator');
  return { ...account, role: 'operator' };
}

/** Somebody at the console, and the same somebody at the sign-in: one browser with two services. */
export interface Visitor {
  console: Person;
  signIn: Person;
}

/** Signs somebody in at the console, by the sign-in's own pages. */
export async function enter(house: TestConsole, login: string, headers: Record<string, string> = {}): Promise<Visitor> {
  const visitor = { console: new Person(house.site, headers), signIn: new Person(house.auth, headers) };
  await walk(visitor, '/console/sign-in', login);
  return visitor;
}

/** Goes to the sign-in and back. */
export async function walk({ console, signIn }: Visitor, path: string, login: string): Promise<void> {
  const there = await console.open(path);
  await signIn.open(there.url);
  if (signIn.page.html.includes('name="password"')) await signIn.submit({ login, password: PASSWORD });
  if (signIn.page.html.includes('/consent"')) await signIn.submit({}, '/consent');
  await console.open(signIn.page.url);
}
