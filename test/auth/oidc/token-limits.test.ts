import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, type Fields, post, requestFor, serviceWithSteve, type TokenResponse } from '../flow.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { sql } from '#db/sql.ts';
import { Person } from '../person.ts';
import { makeApplication, openTestAuth, PASSWORD, type TestAuth } from '../support.ts';

const HOUR_MS = 3_600_000;

function assertLimited({ status, body, headers }: TokenResponse): void {
  assert.deepEqual([status, body['error']], [429, 'rate_limit']);
  assert.match(String(body['error_description']), /too many tokens/);
  assert.ok(Number(headers.get('retry-after')) > 3500 && Number(headers.get('retry-after')) <= 3600);
}

test('an application gets TOKEN_LIMIT tokens of its own an hour, however it asks for them', async (t) => {
  const { services, credentials } = await serviceWithSteve(t, { TOKEN_LIMIT: '3' });
  const grant = { ...credentials, grant_type: 'client_credentials' };
  const ask = async (more = {}): Promise<TokenResponse> => await post(services, '/oauth/token', { ...grant, ...more });
  assert.deepEqual(
    [(await ask()).status, (await ask({ scope: 'openid' })).status, (await ask()).status],
    [200, 200, 200],
  );
  assertLimited(await ask());
  assertLimited(await ask({ scope: 'openid' }));
  assert.equal((await ask({ client_secret: 'wrong' })).status, 401, 'a wrong secret is still a wrong secret');
  const other = await makeApplication(services, 'service');
  const own = { client_id: other.application.client_id, client_secret: other.secret! };
  assert.equal((await ask(own)).status, 200, 'other applications go on');
  services.context.clock.advance(HOUR_MS);
  assert.equal((await ask()).status, 200);
});

test('a token of client credentials is stored without a flush, a refresh token with one', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const { db } = services.context;
  const durable: boolean[] = [];
  const transaction = db.transaction.bind(db);
  db.transaction = (work, options) => {
    durable.push(options?.durable ?? true);
    return transaction(work, options) as ReturnType<typeof work>;
  };
  const form = { ...credentials, grant_type: 'client_credentials' };
  const answer = await post(services, '/oauth/token', form, { 'content-type': 'application/x-www-form-urlencoded' });
  assert.deepEqual([answer.status, durable], [200, [false]]);
  durable.length = 0;
  assert.equal((await redeem(await codeOf(services, application.client_id))).status, 200);
  assert.ok(durable.includes(true));
});

test('sign-ins and refreshes of one account at one application are limited, and nothing is used up', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(
    t,
    { TOKEN_LIMIT: '3' },
    { rotate_refresh_tokens: true },
  );
  let token = String((await redeem(await codeOf(services, application.client_id))).body['refresh_token']);
  const refresh = (): Promise<TokenResponse> =>
    post(services, '/oauth/token', { ...credentials, grant_type: 'refresh_token', refresh_token: token });
  for (let time = 0; time < 3; time++) token = String((await refresh()).body['refresh_token']);
  assertLimited(await refresh());
  await codeOf(services, application.client_id);
  await codeOf(services, application.client_id);
  const person = new Person(services.auth, { accept: 'text/html' });
  await person.open(requestFor(services, application.client_id));
  await person.submit({ login: 'Steve', password: PASSWORD });
  if (person.page.html.includes('/consent"')) await person.submit({}, '/consent');
  assert.equal(person.page.status, 429);
  assert.match(person.text, /This did not work/);
  services.context.clock.advance(HOUR_MS);
  assert.equal((await refresh()).status, 200, 'the refused refresh token has not been used up');
});

/** Requests client credentials tokens at several services at once. @returns how often each status was answered */
async function statusesOf(services: readonly TestAuth[], fields: Fields, count: number): Promise<number[]> {
  const requests = Array.from({ length: count }, (_, n) =>
    post(services[n % services.length]!, '/oauth/token', { ...fields, grant_type: 'client_credentials' }),
  );
  return (await Promise.all(requests)).map(({ status }) => status).toSorted((a, b) => a - b);
}

onEachDatabase('with COUNTERS=database all processes together give TOKEN_LIMIT tokens', async (t, url) => {
  const settings = { TOKEN_LIMIT: '5', COUNTERS: 'database' };
  const services = [await openTestAuth(t, url, settings), await openTestAuth(t, url, settings)];
  const { application, secret } = await makeApplication(services[0]!, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const statuses = await statusesOf(services, credentials, 12);
  assert.deepEqual(statuses, [...Array<number>(5).fill(200), ...Array<number>(7).fill(429)]);
  const counted = () => services[0]!.context.db.tuples(sql`select subject, used from rate_limits`);
  const before = await counted();
  await statusesOf(services, credentials, 4);
  assert.deepEqual(await counted(), before, 'further refusals write nothing');
});

onEachDatabase('with COUNTERS=memory the counts survive a restart', async (t, url) => {
  const settings = { TOKEN_LIMIT: '2' };
  const services = await openTestAuth(t, url, settings);
  const { application, secret } = await makeApplication(services, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  assert.deepEqual(await statusesOf([services], credentials, 2), [200, 200]);
  await services.stop();
  assert.deepEqual(await statusesOf([await openTestAuth(t, url, settings)], credentials, 1), [429]);
});
