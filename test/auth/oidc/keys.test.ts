import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { SecretKey } from '#platform/crypto/secret-key.ts';
import {
  PUBLISHED_AHEAD_MS,
  publishedKeys,
  RETIRED_FOR_MS,
  rotateKeys,
  rotateOldKey,
  signingKeys,
  withdrawKey,
} from '#store/accounts/signing-keys.ts';
import { purgeNow } from '#server/jobs.ts';
import { createTestDatabase, onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { scorehall } from '#test/cli/scorehall.ts';
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

async function idTokenOf({ auth }: TestAuth, client_id: string, client_secret: string): Promise<string> {
  const query = { client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const address = `${auth}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  const code = (await authorize(auth, address, 'Steve')).searchParams.get('code')!;
  const fields = { ...query, client_secret, grant_type: 'authorization_code', code };
  const response = await fetch(`${auth}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return ((await response.json()) as { id_token: string }).id_token;
}

test('after a rotation tokens of the old key are still valid', async (t) => {
  const database = await createTestDatabase('sqlite');
  const first = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  await makeAccount(first, 'Steve');
  const { application, secret } = await makeApplication(first, 'service');
  const old = await idTokenOf(first, application.client_id, secret!);
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

onSqlite('after the signing key is withdrawn the next newer key signs at once, never a retired one', async (t, url) => {
  const { db, clock, config } = await testContext(t, url);
  const secret = new SecretKey(config.SECRET_KEY);
  const published = async (): Promise<string[]> =>
    publishedKeys(await signingKeys(db), clock.now()).map(({ kid }) => kid);
  const withdraw = async (kid: string): Promise<string> => await withdrawKey(db, secret, { kid, now: clock.now() });
  const second = await rotateKeys(db, secret, clock.now());
  const [first] = (await published()) as [string];
  clock.advance(PUBLISHED_AHEAD_MS + 1);
  const third = await rotateKeys(db, secret, clock.now());
  assert.deepEqual(await published(), [second, first, third], 'the first one is retired, the third does not sign yet');
  assert.equal(await withdraw(second), third);
  assert.deepEqual(await published(), [third, first]);
  const fourth = await withdraw(third);
  assert.deepEqual(await published(), [fourth, first], 'a new one');
  assert.equal(await withdraw(first), fourth, 'the key that signs stays');
  const fifth = await withdraw(fourth);
  assert.deepEqual(await published(), [fifth]);
});

const kids = async ({ listens }: TestAuth): Promise<(string | undefined)[]> =>
  ((await (await fetch(`${listens}/oauth/jwks`)).json()) as JSONWebKeySet).keys.map(({ kid }) => kid);
const status = async ({ listens }: TestAuth, path: string): Promise<number> => (await fetch(listens + path)).status;

onEachDatabase('a withdrawn key is refused by every process within a second or two', async (t, url) => {
  const first = await openTestAuth(t, url);
  const second = await openTestAuth(t, url, { AUTH_URL: first.auth, AUTH_LISTEN: '127.0.0.1:0' });
  await makeAccount(first, 'Steve');
  const { application, secret } = await makeApplication(first, 'service');
  const token = await idTokenOf(first, application.client_id, secret!);
  const leaked = decodeProtectedHeader(token).kid!;
  const tokeninfo = `/oauth/tokeninfo?id_token=${token}`;
  const logout = `/oauth/logout?id_token_hint=${token}`;
  for (const process of [first, second])
    assert.deepEqual([await status(process, tokeninfo), await status(process, logout)], [200, 200]);

  const environment = { DATABASE_URL: url, SECRET_KEY: first.context.config.SECRET_KEY };
  const run = async (...args: string[]) => await scorehall(environment, 'signing-key', ...args);
  const asked = await run('withdraw', '--kid', leaked);
  assert.equal(asked.status, 2);
  assert.match(asked.err, /refuses all ID tokens that \S+ has signed\. A new key signs at once\. .* until they fetch/);
  assert.match((await run('withdraw', '--kid', leaked, '--dry-run')).out, /state +signs\ndry_run +true/);
  assert.match((await run('withdraw', '--kid', 'lost', '--yes')).err, /There is no published key lost\. There are: /);
  assert.deepEqual(await kids(second), [leaked], 'nothing has happened yet');

  const done = await run('withdraw', '--kid', leaked, '--yes', '--json');
  const { signs } = JSON.parse(done.out) as { signs: string };
  const end = performance.now() + 5_000;
  for (const process of [first, second]) {
    while ((await kids(process)).includes(leaked)) {
      assert.ok(performance.now() < end, 'still published');
      await pause(20);
    }
    assert.deepEqual(await kids(process), [signs]);
    assert.deepEqual([await status(process, tokeninfo), await status(process, logout)], [400, 400]);
  }
  assert.equal(decodeProtectedHeader(await idTokenOf(first, application.client_id, secret!)).kid, signs);
  const audit = await scorehall(environment, 'audit', '--action', 'signing-key.withdraw', '--json');
  const [entry] = JSON.parse(audit.out) as { subject: string }[];
  assert.equal(entry?.subject, leaked, audit.err);
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onEachDatabase(
  'keys are replaced by age, once, and no client with an hour-old key set refuses a token',
  async (t, url) => {
    const settings = { SIGNING_KEY_LIFETIME: '2d' };
    const first = await openTestAuth(t, url, settings);
    const { AUTH_URL } = first.context.config;
    const start = first.context.clock.now();
    const second = await openTestAuth(t, url, { ...settings, AUTH_URL, AUTH_LISTEN: '127.0.0.1:0' }, start);
    const processes = [first, second];
    const { db } = first.context;
    const advance = (ms: number): void => processes.forEach(({ context }) => context.clock.advance(ms));
    const kids = async (): Promise<string[]> => (await signingKeys(db)).map(({ kid }) => kid);

    await makeAccount(first, 'Steve');
    const { application, secret } = await makeApplication(first, 'service');
    const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    const request = `${AUTH_URL}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    const code = (await authorize(AUTH_URL, request, 'Steve')).searchParams.get('code')!;
    const redeem = async (at: TestAuth, grant: Record<string, string>) => {
      const fields = { client_id: application.client_id, client_secret: secret!, redirect_uri: CALLBACK, ...grant };
      const response = await fetch(`${at.listens}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
      assert.equal(response.status, 200);
      return (await response.json()) as { id_token: string; refresh_token: string };
    };
    const { refresh_token } = await redeem(first, { grant_type: 'authorization_code', code });

    // Each client read the key set of one process and uses it for an hour.
    const clients = processes.map(() => ({ read: -Infinity, keys: { keys: [] } as JSONWebKeySet }));
    const signers = new Set<string>();
    const refused: string[] = [];
    const verifyAll = async (now: number): Promise<void> => {
      for (const [place, client] of clients.entries()) {
        if (now - client.read < HOUR) continue;
        const response = await fetch(`${processes[place]!.listens}/oauth/jwks`);
        Object.assign(client, { read: now, keys: (await response.json()) as JSONWebKeySet });
      }
      for (const { id_token } of await Promise.all(
        processes.map((at) => redeem(at, { grant_type: 'refresh_token', refresh_token })),
      )) {
        signers.add(decodeProtectedHeader(id_token).kid!);
        for (const { keys } of clients)
          await jwtVerify(id_token, createLocalJWKSet(keys), { issuer: AUTH_URL }).catch((error: unknown) =>
            refused.push(String(error)),
          );
      }
    };

    const rotate = () =>
      Promise.all(
        [...processes, ...processes].map(({ context }) =>
          rotateOldKey(context.db, context.config, context.clock.now()),
        ),
      );
    advance(2 * DAY - 2);
    await rotate();
    assert.equal((await kids()).length, 1, 'the key is not old enough');
    // One client has the set of the moment before the new key, the other of 40 minutes before.
    await verifyAll(-40 * MINUTE);
    clients[0]!.read = -1;
    advance(2);
    await rotate();
    const [old, replacement, ...more] = await kids();
    assert.deepEqual([typeof replacement, more], ['string', []], 'of four attempts in two processes one adds a key');
    for (let now = 0; now <= 70 * MINUTE; now += 5 * MINUTE) {
      await verifyAll(now);
      if (now === 60 * MINUTE)
        assert.deepEqual([...signers], [old], 'the new key does not sign before all clients have it');
      advance(5 * MINUTE);
    }
    assert.deepEqual(refused, []);
    assert.deepEqual([...signers], [old, replacement]);

    advance(RETIRED_FOR_MS - 11 * MINUTE);
    await purgeNow(first.context);
    assert.deepEqual(await kids(), [old, replacement], 'a replaced key is published until no token needs it');
    advance(MINUTE);
    await purgeNow(first.context);
    assert.deepEqual(await kids(), [replacement], 'then its private key is deleted');
    for (const { listens } of processes) {
      const { keys } = (await (await fetch(`${listens}/oauth/jwks`)).json()) as JSONWebKeySet;
      assert.deepEqual(
        keys.map(({ kid }) => kid),
        [replacement],
      );
    }
  },
);

test('with SIGNING_KEY_LIFETIME=0 keys are replaced by command only', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context } = await openTestAuth(t, database.url, { SIGNING_KEY_LIFETIME: '0' });
  t.after(() => database.drop());
  context.clock.advance(3650 * DAY);
  await rotateOldKey(context.db, context.config, context.clock.now());
  assert.equal((await signingKeys(context.db)).length, 1);
});
