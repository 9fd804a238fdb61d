import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Account } from '#store/accounts/accounts.ts';
import { createTestDatabase } from '#test/support/context.ts';
import type { Fields } from '../flow.ts';
import { Person } from '../person.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD, type RunningTestAuth } from '../support.ts';

/** The redirect URI after a sign-out: the root of the application's origin. */
export const AFTER_LOGOUT = 'https://app.example/';

export interface Client {
  id: string;
  secret: string;
}

export interface Tokens {
  access_token: string;
  id_token: string;
  refresh_token: string;
  token_type: string;
  scope: string;
}

/** What an authorization request led to. */
export interface Outcome {
  callback: URL;
  /** Whether the person saw a page on which to sign in or consent. */
  sawPage: boolean;
}

/**
 * The provider as the conformance suite of the OpenID Foundation meets it: two static clients, which an operator has approved,
 * and a person with a game account. All modules of a file share the service; each has a new browser.
 */
export class ConformanceWorld {
  services!: RunningTestAuth;
  account!: Account;
  client!: Client;
  client2!: Client;
  metadata!: Record<string, unknown>;
  #keys!: ReturnType<typeof createLocalJWKSet>;

  static inSuite(): ConformanceWorld {
    const world = new ConformanceWorld();
    const closings: (() => PromiseLike<void>)[] = [];
    before(async () => {
      const database = await createTestDatabase('sqlite');
      world.services = await openTestAuth({ after: (close) => closings.push(close) }, database.url);
      closings.push(() => database.drop());
      const player = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
      world.account = await makeAccount(world.services, 'Someone', player);
      [world.client, world.client2] = [await world.#makeClient(), await world.#makeClient()];
      world.metadata = await world.json('/.well-known/openid-configuration');
      world.#keys = createLocalJWKSet((await world.json('/oauth/jwks')) as unknown as JSONWebKeySet);
    });
    after(async () => {
      for (const close of closings) await close();
    });
    return world;
  }

  async #makeClient(): Promise<Client> {
    const { application, secret } = await makeApplication(this.services, 'service');
    return { id: application.client_id, secret: secret! };
  }

  get issuer(): string {
    return this.services.auth;
  }

  async json(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.issuer + path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as Record<string, unknown>;
  }

  newPerson(): Person {
    return new Person(this.issuer, { accept: 'text/html' });
  }

  request(more: Fields = {}, client = this.client): Fields {
    return {
      ...{ client_id: client.id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK },
      ...{ state: 'a state', nonce: 'a nonce', ...more },
    };
  }

  url(request: Fields): string {
    return `${this.issuer}/oauth/authorize?${new URLSearchParams(request).toString()}`;
  }

  /** Sends the request and answers the pages that appear. */
  async authorize(person: Person, request: Fields): Promise<Outcome> {
    await person.open(this.url(request));
    return await this.answerPages(person);
  }

  async answerPages(person: Person): Promise<Outcome> {
    let sawPage = false;
    if (person.page.html.includes('name="password"') && person.page.url.startsWith(this.issuer)) {
      sawPage = true;
      await person.submit({ login: 'Steve', password: PASSWORD });
    }
    if (person.page.html.includes('/consent"') && person.page.url.startsWith(this.issuer)) {
      sawPage = true;
      await person.submit({}, '/consent');
    }
    return { callback: new URL(person.page.url), sawPage };
  }

  /** Posts a form with HTTP Basic. */
  async post(
    path: string,
    fields: Fields,
    client?: Client,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const basic = client && {
      authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
    };
    const response = await fetch(this.issuer + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...basic },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  redeem(code: string, more: Fields = {}) {
    return this.post(
      '/oauth/token',
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more },
      this.client,
    );
  }

  /** Verifies an ID token as a client does. */
  async verify(idToken: string, nonce?: string): Promise<JWTPayload> {
    const options = {
      issuer: this.issuer,
      audience: this.client.id,
      algorithms: ['RS256'],
      requiredClaims: ['exp', 'iat'],
    };
    const { payload } = await jwtVerify(idToken, this.#keys, options);
    assert.deepEqual([payload.sub, payload['nonce']], [this.account.id, nonce]);
    return payload;
  }

  /** A whole sign-in: every answer is checked as each module of the suite checks it. */
  async signIn(person: Person, more: Fields = {}) {
    const request = this.request(more);
    const outcome = await this.authorize(person, request);
    return { ...outcome, ...(await this.tokensFor(outcome.callback, request)) };
  }

  async tokensFor(callback: URL, request: Fields) {
    const { searchParams } = callback;
    assert.equal(callback.origin + callback.pathname, CALLBACK, callback.href);
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], [null, request['state'] ?? null]);
    assert.equal(searchParams.get('iss'), this.issuer);
    const code = searchParams.get('code')!;
    const { status, body } = await this.redeem(code);
    assert.equal(status, 200);
    const tokens = body as unknown as Tokens;
    assert.equal(tokens.token_type, 'Bearer');
    return { code, tokens, claims: await this.verify(tokens.id_token, request['nonce']) };
  }

  async userinfo(token: string, init: RequestInit = { headers: { authorization: `Bearer ${token}` } }) {
    const response = await fetch(`${this.issuer}/oauth/userinfo`, init);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type')!, /^application\/json/);
    const claims = (await response.json()) as Record<string, unknown>;
    assert.equal(claims['sub'], this.account.id);
    return claims;
  }
}
