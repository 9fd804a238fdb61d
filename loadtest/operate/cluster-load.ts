import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { createApplication } from '#store/applications/applications.ts';
import { Person } from '#test/auth/person.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { ask, type HttpResponse } from './https.ts';
import type { Service } from './proxy.ts';

export const CALLBACK = 'https://app.example/callback';
const SERVERS = 3;

/** What the users of the load need; created before the processes start. */
export interface Users {
  /** A key of each game server. */
  keys: string[];
  /** An access token for the data API. */
  token: string;
  client: { client_id: string; client_secret: string };
  account: { name: string; password: string };
}

/** Migrates a database and creates the users in it. */
export async function createUsers(database: string): Promise<Users> {
  const keys = await prepare(database, SERVERS);
  const token = await createReader(database);
  await using db = await openDb(database, { keyedHash: secretHash });
  const account = { name: 'Owner', password: 'a password that nobody guesses' };
  const password = await hashPassword(account.password);
  await createAccount(db, Date.now(), { ...account, email: 'owner@loadtest.example', password, email_verified: true });
  const { application, secret } = await createApplication(db, Date.now(), {
    name: 'Sign-in',
    type: 'service',
    redirect_uris: [CALLBACK],
    access: 'approved',
  });
  return { keys, token, account, client: { client_id: application.client_id, client_secret: secret! } };
}

/** Game servers, a reader and a person who signs in, all through the proxy, each with one request after the other. */
export class ClusterLoad {
  readonly #urls: Record<Service, string>;
  readonly #users: Users;
  readonly #ca: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  /** The ids of the matches with a receipt. */
  readonly acknowledged: string[] = [];
  /** Access tokens of finished sign-ins. */
  readonly tokens: string[] = [];
  /** Requests that were answered as they should, by user. */
  readonly answered = { servers: 0, reader: 0, person: 0 };
  /** What a user saw instead of an answer, by user; a process that ends may leave a request without one. */
  readonly failed: Record<keyof ClusterLoad['answered'], string[]> = { servers: [], reader: [], person: [] };
  /** Answers of the sign-in that no lost connection explains. */
  readonly broken: string[] = [];

  constructor(urls: Record<Service, string>, users: Users, ca: string) {
    this.#urls = urls;
    this.#users = users;
    this.#ca = ca;
    this.#running = Promise.all([
      ...users.keys.map((key, number) => this.#send(key, number)),
      this.#repeat(() => this.#read()),
      this.#repeat(() => this.#signIn()),
    ]);
  }

  /** Ends the load; each match that was begun gets its receipt first. */
  async finish(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stop.signal.aborted) await work();
  }

  /** As the sender package: a match without a receipt is sent again. */
  async #send(key: string, number: number): Promise<void> {
    const people = createPopulation(100, number + 1);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await this.#repeat(async () => {
      const match = matchOf(people, 10, Date.now(), randomUUID());
      const body = Buffer.from(JSON.stringify(match));
      const attempt = (): Promise<HttpResponse> =>
        this.#ask('servers', `${this.#urls.INGEST}/events`, { method: 'POST', headers, body });
      for (;;) {
        const answer = await attempt();
        if (/"(accepted|duplicate)"/.test(answer.body)) break;
        if (answer.status === 200) this.broken.push(`ingest: ${answer.body.slice(0, 200)}`);
        await pause(100);
      }
      this.acknowledged.push(match.id);
    });
  }

  async #read(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#users.token}` };
    await this.#ask('reader', `${this.#urls.API}/v1/matches?limit=5`, { headers });
  }

  async #ask(user: 'servers' | 'reader', url: string, options: Parameters<typeof ask>[1]): Promise<HttpResponse> {
    const answer = await ask(url, { ca: this.#ca, ...options }).catch((error: Error) => noAnswer(error));
    if (answer.status === 200) this.answered[user]++;
    else this.failed[user].push(`${answer.status} ${answer.body.slice(0, 80)}`);
    return answer;
  }

  /** A new browser, from the link of an application to the profile that its token reads. */
  async #signIn(): Promise<void> {
    const { client, account } = this.#users;
    const person = new Person(this.#urls.AUTH, { connection: 'close' });
    const state = randomUUID();
    const query = new URLSearchParams({
      ...{ client_id: client.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK, state },
    });
    try {
      await person.open(`/oauth/authorize?${query}`);
      if (this.#isInterrupted(person.page)) return;
      await person.submit({ login: account.name, password: account.password });
      if (this.#isInterrupted(person.page)) return;
      if (person.page.html.includes('/consent"')) await person.submit({}, '/consent');
      if (this.#isInterrupted(person.page)) return;
      const back = new URL(person.page.url);
      const code = back.searchParams.get('code');
      if (code === null || back.searchParams.get('state') !== state)
        return void this.broken.push(`sign-in: ${person.page.status} ${person.page.url} ${person.text.slice(0, 200)}`);
      await this.#redeem(code);
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      this.failed.person.push(String((error as Error).cause ?? error));
    }
  }

  async #redeem(code: string): Promise<void> {
    const body = new URLSearchParams({
      ...this.#users.client,
      ...{ grant_type: 'authorization_code', code, redirect_uri: CALLBACK },
    });
    const headers = { connection: 'close' };
    const response = await fetch(`${this.#urls.AUTH}/oauth/token`, { method: 'POST', body, headers });
    const text = await response.text();
    if (this.#isInterrupted(response)) return;
    if (response.status !== 200) return void this.broken.push(`token: ${response.status} ${text}`);
    this.tokens.push((JSON.parse(text) as { access_token: string }).access_token);
    this.answered.person++;
  }

  #isInterrupted({ status }: { status: number }): boolean {
    const isGone = status === 502 || status === 503 || status === 504;
    if (isGone) this.failed.person.push(String(status));
    return isGone;
  }
}

const noAnswer = (error: Error): HttpResponse => ({ status: 0, headers: {}, body: error.message });

/** `fetch` reports a lost connection as a TypeError with the cause. */
const isLostConnection = (error: unknown): boolean => error instanceof TypeError && error.message === 'fetch failed';
