import { PATHS } from '#auth/security/paths.ts';
import { en } from '#auth/texts/en.ts';
import { openAppContext } from '#context/context.ts';
import { systemClock } from '#platform/clock.ts';
import { sql } from '#db/sql.ts';
import { readConfig } from '#platform/config/config.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { newTotpSecret, totpCode, totpStep } from '#platform/crypto/totp.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { setTotp } from '#store/accounts/totp.ts';
import { Person } from '#test/auth/person.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { createOwner, type Owner } from '../pressure/honest-users.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';

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
  const ports = await freeServicePorts();
  // Passkeys need a domain.
  const origin = `http://localhost:${ports.auth}`;
  const listen = { AUTH_URL: origin, AUTH_LISTEN: `127.0.0.1:${ports.auth}` };
  const services = await serveProcess(url, {
    ports,
    environment: { ...listen, TRUSTED_PROXIES: '127.0.0.1', SECRET_KEY },
  });
  try {
    const owner = new OwnerSignIns(origin, account);
    const stop = await owner.start();
    const statuses = await guess(origin, '192.0.2', PASSWORD_GUESSES, (thief, number) =>
      thief.post('/sign-in', { login: account.name, password: `wrong password ${number}` }),
    );
    const title = `${databases.dialect}: ${PASSWORD_GUESSES} passwords from ${ADDRESSES} addresses`;
    reportStatuses(report, title, statuses, MAX_PASSWORDS);
    await guessCodes(report, databases.dialect, { url, origin });
    await stop();
    reportOwner(report, `${databases.dialect}: failed sign-ins of the owner meanwhile`, owner);
    await guessSecondStep(report, databases.dialect, { url, origin });
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
  await using guarded = await createGuarded(url, 'Guarded');
  const browser = await sessionOfGuarded(guarded, origin);
  let last: Promise<unknown> = Promise.resolve();
  const statuses = await guess(origin, '198.18.0', CODE_GUESSES, (_thief, number, address) => {
    // In turn, because the right password gives the session a new id, with which alone the next request continues.
    const guessed = last.then(async () => {
      const fields = { password: PASSWORD, code: String(number).padStart(6, '0') };
      const { status, html } = await browser.post(PATHS.confirm, fields, { 'x-forwarded-for': address });
      // The page of a refused code has the status of that of a wrong one.
      return { status: status === 422 && html.includes(en.errors.too_many_attempts) ? 429 : status };
    });
    last = guessed;
    return guessed;
  });
  reportStatuses(report, `${name}: ${CODE_GUESSES} codes from ${ADDRESSES} addresses`, statuses, MAX_CODES);
}

/**
 * Thieves with the password guess codes of the authenticator app at the second step of the sign-in, each in a separate
 * browser, while the owner signs in with codes of the app and by a passkey in turn, in a browser that the service recognises.
 */
async function guessSecondStep(
  report: Report,
  name: string,
  { url, origin }: { url: string; origin: string },
): Promise<void> {
  await using guarded = await createGuarded(url, 'Doubly guarded');
  await guarded.addApp();
  const owner = new OwnerSignIns(origin, { name: guarded.name, password: PASSWORD }, () => guarded.freshCode());
  await owner.addPasskey(origin);
  const stop = await owner.start();
  const statuses = await guess(origin, '203.0.113', CODE_GUESSES, async (thief, number, address) => {
    const status = number < ADDRESSES ? await enterPassword(thief, guarded.name) : 303;
    if (status !== 303) throw new Error(`${address}: the password led to no second step, but to status ${status}`);
    const page = await thief.post('/sign-in/second', { code: String(number).padStart(6, '0') });
    // The page of a refused code has the status of that of a wrong one.
    return { status: page.html.includes(en.second_factor.blocked) ? 429 : page.status };
  });
  await stop();
  const title = `${name}: ${CODE_GUESSES} codes at the second step from ${ADDRESSES} addresses`;
  reportStatuses(report, title, statuses, MAX_CODES);
  reportOwner(report, `${name}: failed sign-ins of the owner with app and passkey meanwhile`, owner);
}

/** @returns 303 at the second step */
async function enterPassword(thief: Person, login: string): Promise<number> {
  for (;;) {
    const { status, url } = await thief.post('/sign-in', { login, password: PASSWORD });
    if (url.endsWith('/sign-in/second')) return 303;
    // The queue of passwords had no place.
    if (status !== 503) return status;
  }
}

/** An account with a password that a thief knows. */
interface Guarded extends AsyncDisposable {
  name: string;
  addApp: () => Promise<void>;
  /** The present code of the app, which counts again, as half a minute later. */
  freshCode(): Promise<string>;
}

async function createGuarded(url: string, name: string): Promise<Guarded> {
  const config = readConfig({ DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'silent' });
  const context = await openAppContext(config, systemClock);
  const { db } = context;
  const facts = { name, email: `${name.replace(' ', '-')}@loadtest.example`, email_verified: true };
  const account = await createAccount(db, Date.now(), { ...facts, password: await hashPassword(PASSWORD) });
  if (typeof account === 'string') throw new Error(account);
  const app = { secret: newTotpSecret(), step: 0 };
  return {
    name,
    addApp: () => db.transaction((tx) => setTotp(tx, Date.now(), openSecretKey(config), account.id, app)),
    freshCode: async () => {
      await db.run(sql`update totp_secrets set last_step = 0 where account_id = ${account.id}`);
      return totpCode(app.secret, totpStep(Date.now()));
    },
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

/** Adds an authenticator app to the account after its sign-in. @returns the browser */
async function sessionOfGuarded({ name: login, addApp }: Guarded, origin: string): Promise<Person> {
  const person = new Person(origin, { 'x-forwarded-for': '198.51.100.2' });
  await person.open('/sign-in');
  await person.submit({ login, password: PASSWORD }, '/sign-in');
  if (!person.page.url.endsWith('/account')) throw new Error(person.text);
  await addApp();
  return person;
}

type Statuses = Record<number, number>;

/**
 * Sends guesses from all addresses at the same time.
 * @param network of the addresses; another one for each kind of guesses, because each address has a limit for all kinds together
 * @returns how many got each status
 */
async function guess(
  origin: string,
  network: string,
  count: number,
  send: (thief: Person, number: number, address: string) => Promise<{ status: number }>,
): Promise<Statuses> {
  const statuses: Statuses = {};
  const guessFrom = async (place: number): Promise<void> => {
    const address = `${network}.${place + 1}`;
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
    checked > 0 && checked <= max,
  );
  report.add(`${title}: other answers`, JSON.stringify(others), Object.keys(others).length === 0);
}

function reportOwner(report: Report, title: string, { failed, count }: OwnerSignIns): void {
  report.add(title, `${failed} of ${count}`, failed === 0 && count > 1);
}

/** The owner, who signs in and out in a browser that the service recognises. */
class OwnerSignIns {
  readonly #browser: Person;
  readonly #account: Pick<Owner, 'name' | 'password'>;
  readonly #code: (() => Promise<string>) | undefined;
  #device: SoftwareAuthenticator | undefined;
  count = 0;
  failed = 0;

  /** @param code of the authenticator app, for the second step */
  constructor(origin: string, account: Pick<Owner, 'name' | 'password'>, code?: () => Promise<string>) {
    this.#browser = new Person(origin, { 'x-forwarded-for': '198.51.100.1' });
    this.#account = account;
    this.#code = code;
  }

  async #signIn(): Promise<void> {
    await this.#browser.open('/sign-in');
    if (this.#device !== undefined && this.count % 2 === 1) {
      const credential = this.#device.answer(this.#browser.page.html);
      await this.#browser.post('/sign-in/passkey', { credential });
    } else await this.#enterPassword();
    this.count++;
    if (!this.#browser.page.url.endsWith('/account')) this.failed++;
    await this.#browser.post('/account/sign-out', {});
  }

  async #enterPassword(): Promise<void> {
    const { name: login, password } = this.#account;
    await this.#browser.submit({ login, password }, '/sign-in');
    if (this.#code !== undefined) await this.#browser.post('/sign-in/second', { code: await this.#code() });
  }

  /** Adds a passkey, with which every second sign-in is made. */
  async addPasskey(origin: string): Promise<void> {
    const browser = this.#browser;
    await browser.open('/sign-in');
    await this.#enterPassword();
    await browser.open(PATHS.addPasskey);
    const form = browser.forms().find(({ fields }) => 'password' in fields)!;
    await browser.post(form.action, { password: this.#account.password, code: await this.#code!() });
    const device = new SoftwareAuthenticator(origin);
    await browser.post(PATHS.addPasskey, { name: 'Phone', credential: device.answer(browser.page.html) });
    await browser.post('/account/sign-out', {});
    this.#device = device;
  }

  /** Signs in once, and then again and again. @returns a function that waits for the last sign-in */
  async start(): Promise<() => Promise<void>> {
    await this.#signIn();
    const over = new AbortController();
    const repeated = (async () => {
      while (!over.signal.aborted) await this.#signIn();
    })();
    return async () => {
      over.abort();
      await repeated;
    };
  }
}
