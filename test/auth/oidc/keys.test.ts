import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { SecretKey } from '#platform/crypto/secret-key.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { publishedKeys, RETIRED_FOR_MS, PUBLISHED_AHEAD_MS, rotateKeys } from '#auth/oidc/keys.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from '../support.ts';

const row = (kid: string, created: number) => ({ kid, created, sealed: '' });

test('a new key is published before it signs, and a replaced key stays published', () => {
  const rows = [row('a', 0), row('b', 10_000_000)];
  const at = (now: number): string =>
    publishedKeys(rows, now)
      .map(({ kid }) => kid)
      .join('');
  assert.equal(publishedKeys(rows.slice(0, 1), 5).length, 1, 'the first key signs at once');
  const takesOver = 10_000_000 + PUBLISHED_AHEAD_MS;
  assert.deepEqual([at(10_000_000), at(takesOver - 1), at(takesOver)], ['ab', 'ab', 'ba']);
  assert.deepEqual([at(takesOver + RETIRED_FOR_MS - 1), at(takesOver + RETIRED_FOR_MS)], ['ba', 'b']);
});

test('after a rotation tokens of the old key are still valid', async (t) => {
  const database = await createTestDatabase('sqlite');
  const first = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  await makeAccount(first, 'Steve');
  const { application, secret } = await makeApplication(first, 'service');
  const idTokenOf = async (services: TestAuth): Promise<string> => {
    const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    const address = `${services.auth}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    const code = (await authorize(services.auth, address, 'Steve')).searchParams.get('code')!;
    const fields = { ...query, client_secret: secret!, grant_type: 'authorization_code', code };
    const response = await fetch(`${services.auth}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
    return ((await response.json()) as { id_token: string }).id_token;
  };
  const old = await idTokenOf(first);
  const { db, clock, config } = first.context;
  const kid = await rotateKeys(db, new SecretKey(config.SECRET_KEY), clock.now());
  const settings = { AUTH_URL: first.auth, AUTH_LISTEN: '127.0.0.1:0' };
  const second = await openTestAuth(t, database.url, settings, clock.now() + PUBLISHED_AHEAD_MS + 1);
  assert.ok(second);
  const keys = (await (await fetch(`${second.listens}/oauth/jwks`)).json()) as JSONWebKeySet;
  assert.equal(keys.keys.length, 2);
  for (const key of keys.keys)
    assert.deepEqual(
      Object.keys(key).filter((name) => 'dpq'.includes(name)),
      [],
      'public parts only',
    );
  await jwtVerify(old, createLocalJWKSet(keys), { issuer: first.auth });
  assert.equal(keys.keys[0]!.kid, kid);
  assert.notEqual(decodeProtectedHeader(old).kid, kid);
});
