import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { LIMITS } from '#http/limits.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type Fields, post, requestFor } from './flow.ts';
import { Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD, type TestAuth } from './support.ts';

/** Requests sent concurrently. */
const PER_BATCH = 25;
const MINUTE_MS = 60_000;

async function openRows({ context }: TestAuth): Promise<Record<string, number>> {
  const rows = await context.db.all<{ kind: string; count: number }>(
    sql`select kind, count(*) as count from tokens group by kind`,
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

/** Copies the newest open request of a kind, which is cheaper than sending as many. */
async function copyNewest({ context: { db } }: TestAuth, kind: string, count: number): Promise<void> {
  const newest = sql`
    select kind, payload, client_id, expires, opener from tokens where kind = ${kind} order by expires desc limit 1`;
  const copies = Array.from(
    { length: count },
    (_, number) => sql`
    insert into tokens (kind, payload, client_id, expires, opener, hash)
    select found.*, ${`copy ${number}`} from (${newest}) found`,
  );
  await db.runAll(copies);
}

async function repeatedly(times: number, work: () => Promise<number>, expected: number): Promise<void> {
  for (let left = times; left > 0; left -= PER_BATCH) {
    const statuses = await Promise.all(Array.from({ length: Math.min(left, PER_BATCH) }, work));
    assert.deepEqual(new Set(statuses), new Set([expected]));
  }
}

onEachDatabase(
  'a network and an application have a bounded number of open requests; the newest stay',
  async (t, url) => {
    const services = await openTestAuth(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
    const { clock } = services.context;
    const { application: web } = await makeApplication(services, 'web');
    const { application: service, secret } = await makeApplication(services, 'service');
    await makeAccount(services, 'Ann');
    const { openSignIn, openPushedRequest } = LIMITS;
    const [network, pushed] = [openSignIn.max.network, openPushedRequest.max.application];
    const start = async (address: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address };
      return (await fetch(requestFor(services, web.client_id), { redirect: 'manual', headers })).status;
    };
    const fields = { response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    const push = async (client: Fields, address: string) =>
      await post(services, '/oauth/par', { ...fields, ...client }, { 'x-forwarded-for': address });

    assert.equal(await start('192.0.2.2'), 303);
    clock.advance(1_000);
    await repeatedly(1, () => start('192.0.2.1'), 303);
    await copyNewest(services, 'Interaction', network - PER_BATCH);
    await repeatedly(2 * PER_BATCH, () => start('192.0.2.1'), 303);
    assert.deepEqual(await openRows(services), { Interaction: network + 1 }, 'other networks keep theirs');

    const browser = new Person(services.auth, { 'x-forwarded-for': '192.0.2.1' });
    await browser.open(requestFor(services, web.client_id));
    await browser.submit({ login: 'Ann', password: PASSWORD });
    if (browser.page.html.includes('/consent"')) await browser.submit({}, '/consent');
    assert.match(browser.page.url, /callback\?code=/, 'the newest sign-in works');

    const ofService: Fields = { client_id: service.client_id, client_secret: secret! };
    const ofBrowser: Fields = { client_id: web.client_id };
    const statusOf = (client: Fields, address: string) => async () => (await push(client, address)).status;
    await repeatedly(1, statusOf(ofService, '192.0.2.9'), 201);
    await copyNewest(services, 'PushedAuthorizationRequest', pushed - PER_BATCH);
    await repeatedly(2 * PER_BATCH, statusOf(ofService, '192.0.2.9'), 201);
    assert.equal((await openRows(services))['PushedAuthorizationRequest'], pushed);
    await repeatedly(PER_BATCH, statusOf(ofBrowser, '192.0.2.1'), 201);
    const rows = await openRows(services);
    const [ofOther, finished] = [1, 1];
    const ofNetwork = rows['Interaction']! - ofOther - finished + rows['PushedAuthorizationRequest']! - pushed;
    assert.equal(ofNetwork, network, 'requests of a public application count by their network');
    assert.equal(await start('192.0.2.1'), 303);
  },
);

onEachDatabase('sign-outs without a session leave a bounded number of rows, for an hour', async (t, url) => {
  const network = LIMITS.openSignIn.max.network;
  const settings = { TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_LIMIT: String(network + PER_BATCH) };
  const services = await openTestAuth(t, url, settings);
  const { context, auth } = services;
  const { application } = await makeApplication(services, 'web');
  const get = async (path: string, headers: Fields = {}): Promise<Response> =>
    await fetch(new URL(path, auth), { redirect: 'manual', headers });

  const stale = { cookie: 'scorehall_session=a-session-that-has-expired' };
  assert.equal((await get(requestFor(services, application.client_id), stale)).status, 303);
  assert.deepEqual(await openRows(services), { Interaction: 1 }, 'an old cookie leaves no session');

  const signOut = async (): Promise<Response> =>
    await get('/oauth/logout?state=anything', { 'x-forwarded-for': '192.0.2.1', accept: 'text/html' });
  const signedOut = new Person(auth, { 'x-forwarded-for': '192.0.2.1' });
  await signedOut.open('/oauth/logout');
  await repeatedly(network - 1 + PER_BATCH, async () => (await signOut()).status, 200);
  assert.equal((await openRows(services))['Session'], network);
  const refused = await signOut();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600']);
  assert.match(await refused.text(), /<h1>/);
  const other = new Person(auth, { 'x-forwarded-for': '192.0.2.2' });
  await other.open('/oauth/logout');
  await other.submit({}, '/confirm');
  assert.match(other.page.url, /logout\/success/);
  await runJobsOnce(context);
  context.clock.advance(60 * MINUTE_MS);
  await runJobsOnce(context, MINUTE_MS);
  assert.deepEqual(await openRows(services), {});
});

onEachDatabase(
  'a sign-in in a browser that has a sign-out to confirm does not count as an open request',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    await makeAccount(services, 'Ann');
    const { application } = await makeApplication(services, 'web');
    const browser = new Person(services.auth);
    await browser.open('/oauth/logout');
    await browser.open(requestFor(services, application.client_id));
    await browser.submit({ login: 'Ann', password: PASSWORD });
    const sessions = await services.context.db.tuples(
      sql`select account_id is null, opener from tokens where kind = 'Session'`,
    );
    assert.deepEqual(
      sessions.map(([isAnonymous, opener]) => [Boolean(isAnonymous), opener]),
      [[false, null]],
    );
  },
);

onEachDatabase('expired requests are purged each minute, but not while the clock is suspect', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { context } = services;
  const { application, secret } = await makeApplication(services, 'service');
  const client = { client_id: application.client_id, client_secret: secret! };
  const fields = { ...client, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const push = async (): Promise<void> => assert.equal((await post(services, '/oauth/par', fields)).status, 201);
  await runJobsOnce(context);
  await push();
  context.clock.advance(59_000);
  await push();
  await runJobsOnce(context, MINUTE_MS);
  assert.deepEqual(await openRows(services), { PushedAuthorizationRequest: 2 });
  context.clock.advance(2_000);
  await runJobsOnce(context, MINUTE_MS);
  assert.deepEqual(await openRows(services), { PushedAuthorizationRequest: 1 });
  context.clock.advance(25 * 60 * MINUTE_MS);
  await runJobsOnce(context, MINUTE_MS);
  assert.deepEqual(await openRows(services), { PushedAuthorizationRequest: 1 });
});

onEachDatabase(
  'a browser or proxy that lost the answer of a finished step can repeat it for ten seconds',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { application } = await makeApplication(services, 'web');
    await makeAccount(services, 'Ann');
    const browser = new Person(services.auth);
    await browser.open(requestFor(services, application.client_id));
    const atPassword = browser.copy();
    await browser.submit({ login: 'Ann', password: PASSWORD });
    await atPassword.open(`/oauth/authorize/${atPassword.cookie('scorehall_resume')!}`);
    const atConsent = browser.copy();
    await browser.submit({}, '/consent');
    assert.match(browser.page.url, /callback\?code=/);
    const repeat = async (): Promise<Person> => {
      const copy = atConsent.copy();
      await copy.open(`/oauth/authorize/${atConsent.cookie('scorehall_resume')!}`);
      return copy;
    };
    await browser.open(`/oauth/authorize/${atConsent.cookie('scorehall_resume')!}`);
    assert.equal(browser.page.status, 400, 'the answer has deleted the cookie');

    assert.match(atPassword.page.html, /\/consent"/, 'the repeated step leads on');
    await atPassword.submit({}, '/consent');
    assert.match(atPassword.page.url, /callback\?code=/);
    const repeated = await repeat();
    assert.deepEqual(
      repeated.forms()[0]!.fields['login'],
      '',
      'the session is another one, so the request begins again',
    );
    await repeated.submit({ login: 'Ann', password: PASSWORD });
    assert.match(repeated.page.url, /callback\?code=/);
    services.context.clock.advance(10_000);
    assert.equal((await repeat()).page.status, 400);
  },
);
