import { PATHS } from '#auth/security/paths.ts';
import { en } from '#auth/texts/en.ts';
import { openAppContext } from '#context/context.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { newTotpSecret } from '#platform/crypto/totp.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { setTotp } from '#store/accounts/totp.ts';
import { Person } from '#test/auth/person.ts';
import { createOwner, type Owner } from '../pressure/honest-users.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';

const ADDRESSES = 50;
const PASSWORD_GUESSES = 5_000;
/** What `wrongPassword` of src/http/limits.ts allows all browsers together that have not signed in before. */
const MAX_PASSWORDS = 100;
const CODE_GUESSES = 5_000;
/** What `wrongCode` allows a browser in a day that has signed in before, whose cookies the thief has. */
const MAX_CODES = 20;
const PASSWORD = 'the password that the thief knows';
const SECRET_KEY = 'the secret key of a load test of the sign-in';

/** Guesses the password of an account from many addresses, and codes in a stolen session of another one. */
export async function testGuesses(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  await prepare(url, 1);
  const { account } = await createOwner(url);
  const environment = { TRUSTED_PROXIES: '127.0.0.1', SECRET_KEY };
  const services = await serveProcess(url, { environment });
  const origin = `http://127.0.0.1:${services.auth}`;
  try {
    const owner = new OwnerSignIns(origin, account);
    await owner.signIn();
    const stop = owner.start();
    const statuses = await guess(origin, PASSWORD_GUESSES, (thief, number) =>
      thief.post('/sign-in', { login: account.name, password: `wrong password ${number}` }),
    );
    const title = `${databases.dialect}: ${PASSWORD_GUESSES} passwords from ${ADDRESSES} addresses`;
    reportStatuses(report, title, statuses, MAX_PASSWORDS);
    await guessCodes(report, databases.dialect, { url, origin });
    await stop();
    const failed = `${owner.failed} of ${owner.count}`;
    report.add(`${databases.dialect}: failed sign-ins of the owner meanwhile`, failed, owner.failed === 0);
  } finally {
    await services.kill();
    await databases.remove(url);
  }
}

/**
 * A thief with the password and the cookie of a session guesses codes of the authenticator app, which would let the thief
 * change the factors of the account.
 */
async function guessCodes(
  report: Report,
  name: string,
  { url, origin }: { url: string; origin: string },
): Promise<void> {
  const cookie = await sessionOfGuarded(url, origin);
  const statuses = await guess(origin, CODE_GUESSES, async (_thief, number, address) => {
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address };
    const body = new URLSearchParams({ password: PASSWORD, code: String(number).padStart(6, '0') });
    const response = await fetch(origin + PATHS.confirm, { method: 'POST', body, headers, redirect: 'manual' });
    const text = await response.text();
    // The page of a refused code has the status of that of a wrong one.
    return { status: response.status === 422 && text.includes(en.errors.too_many_attempts) ? 429 : response.status };
  });
  reportStatuses(report, `${name}: ${CODE_GUESSES} codes from ${ADDRESSES} addresses`, statuses, MAX_CODES);
}

/** Creates an account with an authenticator app after its sign-in. @returns the cookie of the session */
async function sessionOfGuarded(url: string, origin: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'silent' });
  await using context = await openAppContext(config, systemClock);
  const { db } = context;
  const facts = { name: 'Guarded', email: 'guarded@loadtest.example', email_verified: true };
  const account = await createAccount(db, Date.now(), { ...facts, password: await hashPassword(PASSWORD) });
  if (typeof account === 'string') throw new Error(account);
  const person = new Person(origin, { 'x-forwarded-for': '198.51.100.2' });
  await person.open('/sign-in');
  await person.submit({ login: 'Guarded', password: PASSWORD }, '/sign-in');
  if (!person.page.url.endsWith('/account')) throw new Error(person.text);
  const app = { secret: newTotpSecret(), step: 0 };
  await db.transaction((tx) => setTotp(tx, Date.now(), openSecretKey(config), account.id, app));
  return [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

type Statuses = Record<number, number>;

/** Sends guesses from all addresses at the same time. @returns how many got each status */
async function guess(
  origin: string,
  count: number,
  send: (thief: Person, number: number, address: string) => Promise<{ status: number }>,
): Promise<Statuses> {
  const statuses: Statuses = {};
  const guessFrom = async (place: number): Promise<void> => {
    const address = `203.0.113.${place + 1}`;
    const thief = new Person(origin, { 'x-forwarded-for': address });
    for (let number = place; number < count; number += ADDRESSES) {
      const { status } = await send(thief, number, address);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: ADDRESSES }, (_, place) => guessFrom(place)));
  return statuses;
}

/** Checked guesses have status 422, refused ones 429, and those for which the queue had no place 503. */
function reportStatuses(report: Report, title: string, statuses: Statuses, max: number): void {
  const { 422: checked = 0, 429: refused = 0, 503: busy = 0, ...others } = statuses;
  report.add(
    `${title}: checked (at most ${max})`,
    `${checked}, ${refused} refused, ${busy} not queued`,
    checked <= max,
  );
  report.add(`${title}: other answers`, JSON.stringify(others), Object.keys(others).length === 0);
}

/** The owner, who signs in and out in a browser that the service recognises. */
class OwnerSignIns {
  readonly #browser: Person;
  readonly #account: Owner;
  count = 0;
  failed = 0;

  constructor(origin: string, account: Owner) {
    this.#browser = new Person(origin, { 'x-forwarded-for': '198.51.100.1' });
    this.#account = account;
  }

  async signIn(): Promise<void> {
    await this.#browser.open('/sign-in');
    const { name: login, password } = this.#account;
    const { url } = await this.#browser.submit({ login, password }, '/sign-in');
    this.count++;
    if (!url.endsWith('/account')) this.failed++;
    await this.#browser.post('/account/sign-out', {});
  }

  /** @returns a function that waits for the last sign-in */
  start(): () => Promise<void> {
    const over = new AbortController();
    const repeated = (async () => {
      while (!over.signal.aborted) await this.signIn();
    })();
    return async () => {
      over.abort();
      await repeated;
    };
  }
}
