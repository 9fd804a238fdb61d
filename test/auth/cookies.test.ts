import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createTestDatabase, testContext, testServices } from '#test/support/context.ts';
import type { Environment } from '#platform/config/config.ts';
import { freePorts } from '#test/support/ports.ts';
import { shareSigningKey } from './signing-key.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';

/** Every cookie that sign-in, console and site set. */
async function collectCookies(t: TestContext, settings: Environment): Promise<string[]> {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url, { SMTP_URL: 'smtp://127.0.0.1:1', ...settings });
  await shareSigningKey(context);
  const { AUTH: auth, SITE: site } = await testServices(context, ['AUTH', 'SITE']);
  const services = { context, auth: auth!, api: '', listens: auth! };
  await makeAccount(services, 'Ann');
  const { application } = await makeApplication(services, 'web');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const headers = { origin: context.config.AUTH_URL, 'sec-fetch-site': 'same-origin' };
  const form = (fields: Record<string, string>): RequestInit => ({
    ...{ method: 'POST', headers, body: new URLSearchParams(fields) },
  });
  const requests: [string, RequestInit?][] = [
    [`${auth}/oauth/authorize?${new URLSearchParams(query).toString()}`],
    [`${auth}/sign-in?lang=ja`],
    [`${auth}/register`, form({ name: 'Bob', email: 'bob@example.org', password: PASSWORD })],
    [`${auth}/sign-in`, form({ login: 'Ann', password: PASSWORD })],
    [`${site}/console/sign-in`],
    [`${site}/console?lang=ja`],
    [`${site}/?lang=ja`],
  ];
  const cookies = await Promise.all(
    requests.map(async ([url, init]) => {
      const response = await fetch(url, { redirect: 'manual', ...init });
      await response.arrayBuffer();
      const set = response.headers.getSetCookie().filter((cookie) => !/=;/.test(cookie));
      assert.ok(set.length > 0, `${url}: ${response.status}`);
      return set;
    }),
  );
  return cookies.flat();
}

test('every cookie is Secure, HttpOnly and SameSite when the addresses are https', async (t) => {
  const cookies = await collectCookies(t, { AUTH_URL: 'https://auth.example.org', SITE_URL: 'https://example.org' });
  assert.ok(cookies.length >= 7);
  for (const cookie of cookies) {
    assert.match(cookie, /; *secure/i);
    assert.match(cookie, /; *httponly/i);
    assert.match(cookie, /; *samesite=lax/i);
  }
  const names = new Set(cookies.map((cookie) => cookie.split('=', 1)[0]!));
  for (const cookie of cookies) {
    const isHostCookie = / path=\/(;|$)/i.test(cookie) && !/; *domain=/i.test(cookie);
    assert.ok(cookie.startsWith(isHostCookie ? '__Host-scorehall_' : '__Secure-scorehall_'), cookie);
  }
  for (const name of ['session', 'device', 'passkey', 'language', 'console_attempt'])
    assert.ok(names.has(`__Host-scorehall_${name}`), name);
  for (const name of ['step', 'resume', 'registering']) assert.ok(names.has(`__Secure-scorehall_${name}`), name);
});

test('cookies on loopback without https are not Secure', async (t) => {
  const [auth, site] = await freePorts(2);
  const cookies = await collectCookies(t, {
    ...{ AUTH_URL: `http://127.0.0.1:${auth}`, SITE_URL: `http://127.0.0.1:${site}` },
    ...{ AUTH_LISTEN: '', SITE_LISTEN: '' },
  });
  for (const cookie of cookies) {
    assert.doesNotMatch(cookie, /; *secure/i);
    assert.match(cookie, /^scorehall_/);
    assert.match(cookie, /; *httponly/i);
  }
});
