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

/** Guesses the password of an account from many addresses, while its owner signs in again and again. */
export async function testGuesses(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  await prepare(url, 1);
  const { account } = await createOwner(url);
  const services = await serveProcess(url, { environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  const origin = `http://127.0.0.1:${services.auth}`;
  try {
    const owner = new OwnerSignIns(origin, account);
    await owner.signIn();
    const stop = owner.start();
    const statuses = await guess(origin, PASSWORD_GUESSES, (thief, number) =>
      thief.post('/sign-in', { login: account.name, password: `wrong password ${number}` }),
    );
    await stop();
    const title = `${databases.dialect}: ${PASSWORD_GUESSES} passwords from ${ADDRESSES} addresses`;
    reportStatuses(report, title, statuses, MAX_PASSWORDS);
    report.add(`${title}: failed sign-ins of the owner`, `${owner.failed} of ${owner.count}`, owner.failed === 0);
  } finally {
    await services.kill();
    await databases.remove(url);
  }
}

type Statuses = Record<number, number>;

/** Sends guesses from all addresses at the same time. @returns how many got each status */
async function guess(
  origin: string,
  count: number,
  send: (thief: Person, number: number) => Promise<{ status: number }>,
): Promise<Statuses> {
  const statuses: Statuses = {};
  const guessFrom = async (address: number): Promise<void> => {
    const thief = new Person(origin, { 'x-forwarded-for': `203.0.113.${address + 1}` });
    for (let number = address; number < count; number += ADDRESSES) {
      const { status } = await send(thief, number);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: ADDRESSES }, (_, address) => guessFrom(address)));
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
