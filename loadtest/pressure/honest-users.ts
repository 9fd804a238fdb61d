import { setTimeout as sleep } from 'node:timers/promises';
import { Person } from '#test/auth/person.ts';
import { openDb } from '#db/open.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import type { ServedProcess } from '../support/served-process.ts';

export interface Owner {
  name: string;
  email: string;
  password: string;
}

/** Creates an account to which the honest person signs in, and whose password an abuser tries to guess. */
export async function createOwner(url: string): Promise<{ account: Owner }> {
  const account = { name: 'Owner', email: 'owner@loadtest.example', password: 'a password that nobody guesses' };
  await using db = await openDb(url);
  const password = await hashPassword(account.password);
  await createAccount(db, Date.now(), { ...account, password, email_verified: true });
  return { account };
}

export interface Measured {
  user: string;
  count: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Different failures. */
  errors: string[];
}

interface User {
  name: string;
  /** The pause after each request. */
  everyMs: number;
  /** @throws Error with the failed step */
  request(): Promise<void>;
  /** Not measured. */
  after?(): Promise<void>;
}

/**
 * A game server, a reader of the data API, a reader of the site and a person who signs in, each with requests one after the
 * other.
 */
export class HonestUsers {
  readonly #users: User[];

  constructor(services: ServedProcess, key: string, token: string, account: Owner) {
    const browser = new Person(`http://127.0.0.1:${services.auth}`, { 'x-forwarded-for': '198.51.100.1' });
    const people = createPopulation(100);
    this.#users = [
      {
        name: 'server',
        everyMs: 50,
        request: async () => {
          const body = JSON.stringify(matchOf(people, 10, Date.now()));
          const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
          const url = `http://127.0.0.1:${services.ingest}/events`;
          await expectText(await fetch(url, { method: 'POST', headers, body }), '"accepted"');
        },
      },
      {
        name: 'API reader',
        everyMs: 20,
        request: async () => {
          const headers = { authorization: `Bearer ${token}` };
          const path = '/v1/matches?limit=20&fields=teams';
          await expectText(await fetch(`http://127.0.0.1:${services.api}${path}`, { headers }), '[');
        },
      },
      {
        name: 'site reader',
        everyMs: 200,
        request: async () => {
          const headers = { 'x-forwarded-for': '198.51.100.2' };
          await expectText(await fetch(`http://127.0.0.1:${services.site}/matches`, { headers }), '</html>');
        },
      },
      {
        // In a recognised browser, which password guesses from others must not lock out.
        name: 'sign-in',
        everyMs: 250,
        request: () => signIn(browser, account),
        after: async () => void (await browser.post('/account/sign-out', {})),
      },
    ];
  }

  async run(durationMs: number): Promise<Measured[]> {
    return await Promise.all(this.#users.map((user) => repeat(user, durationMs)));
  }
}

async function expectText(response: Response, expected: string): Promise<void> {
  const text = await response.text();
  if (response.status !== 200 || !text.includes(expected)) throw new Error(`${response.status} ${text.slice(0, 100)}`);
}

async function signIn(person: Person, account: Owner): Promise<void> {
  await person.open('/sign-in');
  const { status, url } = await person.submit({ login: account.name, password: account.password }, '/sign-in');
  if (!url.endsWith('/account')) throw new Error(`${status} ${person.text.slice(0, 200)}`);
}

async function repeat(user: User, durationMs: number): Promise<Measured> {
  const times: number[] = [];
  const errors = new Set<string>();
  const end = performance.now() + durationMs;
  while (performance.now() < end) {
    const began = performance.now();
    await user.request().catch((error: Error) => errors.add(error.message));
    times.push(performance.now() - began);
    await user.after?.();
    await sleep(user.everyMs);
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number): number => times[Math.floor(times.length * share)]!;
  return { user: user.name, count: times.length, p50: quantile(0.5), p99: quantile(0.99), errors: [...errors] };
}
