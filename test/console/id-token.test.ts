import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { type CryptoKey, importJWK, type JWK, SignJWT } from 'jose';
import { currentKeys } from '#store/accounts/signing-keys.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { openServices } from '#server/listeners.ts';
import { Person } from '#test/auth/person.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { account } from '#test/support/builders.ts';
import { onSqlite, TestClock, type TestAppContext } from '#test/support/context.ts';
import { consoleConfig } from './support.ts';

/** The console with a responder in the place of the sign-in, whose ID tokens are those that `idToken` returns. */
async function openAtResponder(t: TestContext, url: string, idToken: () => string) {
  const context = (await openAppContext(readConfig(await consoleConfig(url)), new TestClock())) as TestAppContext;
  await shareSigningKey(context);
  const { config, db, clock } = context;
  const [jwk] = (await currentKeys(db, openSecretKey(config), clock.now())) as [JWK];
  const { kty, n, e, kid } = jwk;
  const responder = createServer((request, response) => {
    request.resume();
    const isKeys = request.url === '/oauth/jwks';
    const body = isKeys ? { keys: [{ kty, n, e, kid, alg: 'RS256' }] } : { id_token: idToken(), refresh_token: 'x' };
    response.end(JSON.stringify(body));
  }).listen(Number(new URL(config.AUTH_URL).port), '127.0.0.1');
  await once(responder, 'listening');
  const services = await openServices(context, ['SITE']);
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await context[Symbol.asyncDispose]();
    responder.close();
  });
  return { context, jwk, key: (await importJWK(jwk, 'RS256')) as CryptoKey };
}

/** A part of a compact JWS. */
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onSqlite('an ID token for another application, issuer, time, sign-in or key starts no session', async (t, url) => {
  let sent = '';
  const { context, jwk, key } = await openAtResponder(t, url, () => sent);
  const { AUTH_URL, SITE_URL } = context.config;
  const { id } = await account(context, 'Ann');
  const now = Math.floor(context.clock.now() / 1000);
  const right = (request: URLSearchParams) => ({
    ...{ iss: AUTH_URL, sub: id, aud: request.get('client_id')!, exp: now + 60, iat: now, auth_time: now },
    nonce: request.get('nonce')!,
  });
  type Claims = ReturnType<typeof right>;
  const signed = (claims: object): Promise<string> =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: jwk.kid! }).sign(key);
  const cases: Record<string, (claims: Claims) => Promise<string>> = {
    'of another application': (claims) => signed({ ...claims, aud: 'another' }),
    'of no application': ({ aud: _, ...claims }) => signed(claims),
    'of another issuer': (claims) => signed({ ...claims, iss: 'https://evil.example' }),
    'that has expired': (claims) => signed({ ...claims, exp: now - 6 }),
    'without an end': ({ exp: _, ...claims }) => signed(claims),
    'of another sign-in': (claims) => signed({ ...claims, nonce: 'another' }),
    'without a nonce': ({ nonce: _, ...claims }) => signed(claims),
    'without a signature': async (claims) => `${part({ alg: 'none' })}.${part(claims)}.`,
    'under the public key as a secret': (claims) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', kid: jwk.kid! }).sign(Buffer.from(jwk.n!)),
    'whose claims were changed': async (claims) => {
      const [header, , signature] = (await signed({ ...claims, sub: 'another' })).split('.');
      return `${header}.${part(claims)}.${signature}`;
    },
  };
  const signIn = async (make: (claims: Claims) => Promise<string>): Promise<Person> => {
    const person = new Person(SITE_URL);
    const { searchParams } = new URL((await person.open('/console/sign-in')).url);
    sent = await make(right(searchParams));
    const query = new URLSearchParams({ state: searchParams.get('state')!, iss: AUTH_URL, code: 'x' });
    await person.open(`/console/signed-in?${query.toString()}`);
    return person;
  };
  for (const [name, make] of Object.entries(cases)) {
    const { page } = await signIn(make);
    assert.equal(page.status, 400, name);
    assert.match(page.html, name === 'of another sign-in' ? /<code>nonce</ : /<code>id_token</, name);
  }
  const { page, text } = await signIn(signed);
  assert.equal(page.url, `${SITE_URL}/console`, text);
  assert.match(text, /Ann/);
});
