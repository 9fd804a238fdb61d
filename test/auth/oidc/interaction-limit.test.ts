import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { Person } from '../person.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD } from '../support.ts';

const LIMIT = 5;
const HOUR_MS = 3_600_000;

onEachDatabase(
  'one network can start only SIGN_IN_LIMIT sign-ins an hour, and expired ones are purged',
  async (t, url) => {
    const services = await openTestAuth(t, url, { SIGN_IN_LIMIT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1' });
    const { db, clock } = services.context;
    const { application } = await makeApplication(services, 'web');
    const rows = async (): Promise<number> => (await db.all(sql`select hash from tokens`)).length;
    const good = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    const startSignIn = async (address: string, more: Record<string, string> = {}): Promise<Response> =>
      await fetch(`${services.auth}/oauth/authorize?${new URLSearchParams({ ...good, ...more }).toString()}`, {
        redirect: 'manual',
        headers: { 'x-forwarded-for': address },
      });
    const push = async (address: string, fields: Record<string, string> = good): Promise<Response> =>
      await fetch(`${services.auth}/oauth/par`, {
        ...{ method: 'POST', body: new URLSearchParams(fields), headers: { 'x-forwarded-for': address } },
      });

    for (let wrong = 0; wrong < 3 * LIMIT; wrong++) {
      assert.equal((await startSignIn('192.0.2.1', { redirect_uri: 'https://evil.example' })).status, 400);
      assert.equal((await startSignIn('192.0.2.1', { prompt: 'none' })).status, 303);
    }
    assert.equal(await rows(), 0, 'an invalid request creates no row and does not count');

    const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, () => startSignIn('192.0.2.1')));
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    assert.deepEqual(statuses, [...Array(LIMIT).fill(303), ...Array(2 * LIMIT).fill(429)]);
    const storedRows = await rows();
    assert.ok(storedRows <= LIMIT, `${storedRows}`);
    const refused = answers.find(({ status }) => status === 429)!;
    assert.equal(refused.headers.get('retry-after'), '3600');
    assert.match(await refused.text(), /Too many people started to sign in from your network.*rate_limit/s);
    const pushed = await push('192.0.2.1');
    assert.deepEqual([pushed.status, pushed.headers.get('retry-after')], [429, '3600']);
    assert.equal(((await pushed.json()) as { error: string }).error, 'rate_limit');
    assert.equal(await rows(), storedRows);

    assert.equal((await startSignIn('192.0.2.2')).status, 303, 'other networks are not affected');
    for (let host = 1; host <= LIMIT; host++) assert.equal((await push(`2001:db8::${host}`)).status, 201);
    assert.equal((await startSignIn('2001:db8::ffff')).status, 429, 'addresses of one IPv6 network share the limit');
    for (let host = 1; host <= LIMIT; host++) assert.equal((await startSignIn('2001:db8:0:1::1')).status, 303);
    assert.equal((await startSignIn('2001:db8:0:2::1')).status, 429, 'a /56 has twice the limit of a /64');
    assert.equal((await startSignIn('2001:db8:0:100::1')).status, 303);

    clock.advance(HOUR_MS + 1);
    await runJobsOnce(services.context);
    assert.deepEqual([await rows(), (await db.all(sql`select subject from throttles`)).length], [0, 0]);
    assert.equal((await startSignIn('192.0.2.1')).status, 303);
  },
);

onEachDatabase('a service can push ten times as many requests, and a whole sign-in counts once', async (t, url) => {
  const services = await openTestAuth(t, url, { SIGN_IN_LIMIT: String(LIMIT) });
  const { application, secret } = await makeApplication(services, 'service');
  await makeAccount(services, 'Ann');
  const fields = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const push = async (client_secret: string): Promise<number> => {
    const body = new URLSearchParams({ ...fields, client_secret });
    return (await fetch(`${services.auth}/oauth/par`, { method: 'POST', body })).status;
  };
  for (let time = 0; time < 10 * LIMIT; time++) assert.equal(await push(secret!), 201);
  assert.equal(await push(secret!), 429);
  assert.equal(await push('wrong'), 401, 'a request with a wrong secret is not counted');

  for (let time = 0; time < LIMIT; time++) {
    const person = new Person(services.auth);
    await person.open(`/oauth/authorize?${new URLSearchParams(fields).toString()}`);
    await person.submit({ login: 'Ann', password: PASSWORD });
    if (person.page.html.includes('/consent"')) await person.submit({}, '/consent');
    assert.match(person.page.url, /^https:\/\/app\.example\/callback\?code=/);
  }
  const next = new Person(services.auth);
  assert.equal((await next.open(`/oauth/authorize?${new URLSearchParams(fields).toString()}`)).status, 429);
});
