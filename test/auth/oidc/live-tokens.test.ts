import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type Fields, post, requestFor, STEVE, type TokenResponse } from '../flow.ts';
import { Person } from '../person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from '../support.ts';

const DAY_MS = 86_400_000;

async function service(services: TestAuth): Promise<Fields> {
  const { application, secret } = await makeApplication(services, 'service');
  return { client_id: application.client_id, client_secret: secret! };
}

async function tokenOf(services: TestAuth, credentials: Fields): Promise<string> {
  const answer = await post(services, '/oauth/token', { ...credentials, grant_type: 'client_credentials' });
  assert.equal(answer.status, 200);
  return answer.body['access_token'] as string;
}

async function apiStatus({ api }: TestAuth, token: string): Promise<number> {
  return (await fetch(`${api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } })).status;
}

async function countOf({ context }: TestAuth, { client_id }: Fields, kind: string): Promise<number> {
  const rows = await context.db.tuple(
    sql`select count(*) from tokens where client_id = ${client_id!} and kind = ${kind}`,
  );
  return Number(rows![0]);
}

onEachDatabase('an application has LIVE_TOKEN_LIMIT own tokens; a further one ends the oldest', async (t, url) => {
  const services = await openTestAuth(t, url, { LIVE_TOKEN_LIMIT: '3' });
  const { db, clock } = services.context;
  const [mine, other] = [await service(services), await service(services)];
  const others = await tokenOf(services, other);
  const tokens: string[] = [];
  const take = async (count: number): Promise<void> => {
    for (; count > 0; count--) {
      clock.advance(1_000);
      tokens.push(await tokenOf(services, mine));
    }
  };
  const statuses = () => Promise.all(tokens.slice(-4).map((token) => apiStatus(services, token)));
  await take(3);
  assert.deepEqual(await statuses(), [200, 200, 200]);
  await take(1);
  assert.deepEqual(await statuses(), [401, 200, 200, 200]);
  await take(4);
  assert.deepEqual(await statuses(), [401, 200, 200, 200]);
  assert.equal(await countOf(services, mine, 'ClientCredentials'), 3);
  assert.equal(await apiStatus(services, others), 200, 'other applications keep theirs');

  const issue = () => issueClientToken(db, clock.now(), mine['client_id']!, DAY_MS);
  const byOperator = await issue();
  await take(4);
  assert.equal(await apiStatus(services, byOperator), 200, 'a token that lives longer stays');
  assert.deepEqual((await statuses()).slice(-3), [401, 200, 200]);
  for (let n = 0; n < 4; n++) await issue();
  await take(1);
  assert.equal((await statuses()).at(-1), 200, 'the newest stays, although all others live longer');
  assert.equal(await countOf(services, mine, 'ClientCredentials'), 3);
});

onEachDatabase('concurrent requests at two processes do not exceed LIVE_TOKEN_LIMIT', async (t, url) => {
  const settings = { LIVE_TOKEN_LIMIT: '4' };
  const services = [await openTestAuth(t, url, settings), await openTestAuth(t, url, settings)];
  const [one, two] = [await service(services[0]!), await service(services[0]!)];
  await Promise.all(Array.from({ length: 24 }, (_, n) => tokenOf(services[n % 2]!, n % 4 < 2 ? one : two)));
  for (const each of [one, two]) assert.equal(await countOf(services[0]!, each, 'ClientCredentials'), 4);
});

onEachDatabase('an account has LIVE_TOKEN_LIMIT sign-ins; a further one ends the one used first', async (t, url) => {
  const services = await openTestAuth(t, url, { LIVE_TOKEN_LIMIT: '2' });
  const { clock } = services.context;
  await makeAccount(services, 'Someone', STEVE);
  await makeAccount(services, 'Robin');
  const mine = await service(services);
  const browsers: Person[] = [];
  const signIn = async (login: string): Promise<Fields> => {
    clock.advance(1_000);
    const browser = new Person(services.auth);
    browsers.push(browser);
    const callback = await authorize(services.auth, requestFor(services, mine['client_id']!), login, browser);
    const code = callback.searchParams.get('code')!;
    const grant = { ...mine, grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    return (await post(services, '/oauth/token', grant)).body as Fields;
  };
  const refresh = ({ refresh_token }: Fields): Promise<TokenResponse> => {
    clock.advance(1_000);
    return post(services, '/oauth/token', { ...mine, grant_type: 'refresh_token', refresh_token: refresh_token! });
  };
  const [robin, first, second] = [await signIn('Robin'), await signIn('Steve'), await signIn('Steve')];
  assert.deepEqual([(await refresh(second)).status, (await refresh(first)).status], [200, 200]);
  const third = await signIn('Steve');
  const ended = await refresh(second);
  assert.deepEqual([ended.status, ended.body['error']], [400, 'invalid_grant'], 'used before the first');
  assert.equal(await apiStatus(services, second['access_token']!), 401, 'a sign-in ends with its access tokens');
  for (const tokens of [first, third, robin]) assert.equal((await refresh(tokens)).status, 200);
  for (const kind of ['Grant', 'RefreshToken', 'AccessToken']) {
    const count = await countOf(services, mine, kind);
    assert.ok(count <= 4, `${kind}: ${count} of two accounts`);
  }
  const paths: string[] = [];
  for (const browser of browsers) paths.push(new URL((await browser.open('/account')).url).pathname);
  assert.deepEqual(paths, ['/account', '/sign-in', '/account', '/account'], 'sessions have the same limit');
});
