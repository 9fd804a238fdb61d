import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createTestDatabase, testContext, testServices } from '#test/support/context.ts';
import type { Environment } from '#platform/config.ts';
import { freePorts } from '#test/support/ports.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';

/** Every cookie that somebody gets on the way through sign-in, console and site. */
async function cookies(t: TestContext, settings: Environment): Promise<string[]> {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url, { SMTP_URL: 'smtp://127.0.0.1:1', ...settings });
  const { AUTH: auth, SITE: site } = await testServices(context, ['AUTH', 'SITE']);
  const services = { context, auth: auth!, api: '', listens: auth! };
  await makeAccount(services, 'Ann');
  const { application } = await makeApplication(services, 'web');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const headers = { origin: context.config.AUTH_URL, 'sec-fetch-site': 'same-origin' };
  const form = (fields: Record<string, string>): RequestInit => ({
    ...{ method: 'POST', headers, body: new URLSearchParams(fields) },
  });
  const asked: [string, RequestInit?][] = [
    [`${auth}/oauth/authorize?${new URLSearchParams(query).toString()}`],
    [`${auth}/sign-in?lang=ja`],
    [`${auth}/register`, form({ name: 'Bob', email: 'bob@example.org', password: PASSWORD })],
    [`${auth}/sign-in`, form({ login: 'Ann', password: PASSWORD })],
    [`${site}/console/sign-in`],
    [`${site}/console?lang=ja`],
    [`${site}/?lang=ja`],
  ];
  const given = await Promise.all(
    asked.map(async ([url, init]) => {
      const response = await fetch(url, { redirect: 'manual', ...init });
      await response.arrayBuffer();
      const set = response.headers.getSetCookie().filter((cookie) => !/=;/.test(cookie));
      assert.ok(set.length > 0, `${url}: ${response.status}`);
      return set;
    }),
  );
  return given.flat();
}

test('every cookie is Secure, HttpOnly and SameSite wherever addresses are https', async (t) => {
  const given = await cookies(t, { AUTH_URL: 'https://auth.example.org', SITE_URL: 'https://example.org' });
  assert.ok(given.length >= 7);
  for (const cookie of given) {
    assert.match(cookie, /; *secure/i);
    assert.match(cookie, /; *httponly/i);
    assert.match(cookie, /; *samesite=lax/i);
  }
  assert.ok(given.some((cookie) => cookie.startsWith('__Host-scorehall_session=')));
  assert.ok(given.some((cookie) => cookie.startsWith('__Host-scorehall_console_')));
});

test('on loopback, where there is no https, cookies are taken without it', async (t) => {
  const [auth, site] = await freePorts(2);
  const given = await cookies(t, {
    ...{ AUTH_URL: `http://127.0.0.1:${auth}`, SITE_URL: `http://127.0.0.1:${site}` },
    ...{ AUTH_LISTEN: '', SITE_LISTEN: '' },
  });
  for (const cookie of given) {
    assert.doesNotMatch(cookie, /; *secure/i);
    assert.match(cookie, /; *httponly/i);
  }
});
