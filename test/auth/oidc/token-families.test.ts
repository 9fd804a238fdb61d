import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { codeOf, type Fields, post, STEVE, type TokenResponse } from '../flow.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from '../support.ts';

/** A public application of which each refresh replaces the token. */
async function world(services: TestAuth) {
  await makeAccount(services, 'Someone', STEVE);
  const { client_id } = (await makeApplication(services, 'web')).application;
  const signIn = async (): Promise<Fields> => {
    const grant = { client_id, grant_type: 'authorization_code', redirect_uri: CALLBACK };
    return (await post(services, '/oauth/token', { ...grant, code: await codeOf(services, client_id) })).body as Fields;
  };
  const refresh = (refresh_token: string, as = client_id): Promise<TokenResponse> =>
    post(services, '/oauth/token', { client_id: as, grant_type: 'refresh_token', refresh_token });
  const next = async (token: string): Promise<string> => String((await refresh(token)).body['refresh_token']);
  return { client_id, signIn, refresh, next };
}

async function rowsOf({ context }: TestAuth): Promise<number> {
  return Number((await context.db.tuple(sql`select count(*) from tokens where kind <> 'AccessToken'`))![0]);
}

onEachDatabase('the number of stored rows does not grow with the refreshes of a sign-in', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { signIn, next } = await world(services);
  const { refresh_token } = await signIn();
  let token = refresh_token!;
  assert.match(token, /^[\w-]{43}$/);
  const counts: number[] = [];
  for (let rotation = 0; rotation < 20; rotation++) {
    const replaced = token;
    token = await next(replaced);
    assert.match(token, /^[\w-]{43}$/);
    assert.notEqual(token.slice(22), replaced.slice(22));
    counts.push(await rowsOf(services));
  }
  assert.deepEqual(new Set(counts), new Set([counts[0]]));
});

onEachDatabase(
  'every replaced token of a family ends it, also if the other tokens were replaced since',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { client_id, signIn, refresh, next } = await world(services);
    for (const age of [1, 2, 4]) {
      const bystander = (await signIn())['refresh_token']!;
      const tokens = [(await signIn())['refresh_token']!];
      for (let rotation = 0; rotation < 4; rotation++) tokens.push(await next(tokens.at(-1)!));
      const reused = await refresh(tokens.at(-1 - age)!);
      assert.deepEqual([reused.status, reused.body['error']], [400, 'invalid_grant']);
      assert.match(String(reused.body['error_description']), /used before.*revoked/);
      const current = await refresh(tokens.at(-1)!);
      assert.equal(current.status, 400, `the token replaced ${age} times ago`);
      assert.equal((await refresh(bystander)).status, 200, 'another sign-in goes on');
    }
    const token = (await signIn())['refresh_token']!;
    const other = (await makeApplication(services, 'web')).application.client_id;
    const replaced = token;
    const current = await next(token);
    assert.equal((await refresh(replaced, other)).status, 400);
    assert.equal((await refresh('A'.repeat(43))).status, 400);
    assert.equal((await refresh(replaced.slice(0, 21))).status, 400);
    const last = await next(current);
    assert.match(last, /^[\w-]{43}$/, 'tokens of others and unknown tokens end nothing');
    const answer = await post(services, '/oauth/revoke', { client_id, token: replaced });
    assert.equal(answer.status, 200);
    assert.equal((await refresh(last)).status, 400, 'revoking a replaced token revokes the sign-in');
  },
);

onEachDatabase(
  'refresh tokens without a family, of an earlier version, work and are protected alike',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { db } = services.context;
    const { signIn, refresh, next } = await world(services);
    const old = (await signIn())['refresh_token']!;
    await db.run(sql`update tokens set family_hash = null`);
    const current = await next(await next(old));
    assert.match(current, /^[\w-]{43}$/);
    assert.match(String((await refresh(old)).body['error_description']), /used before/);
    assert.equal((await refresh(current)).status, 400);
  },
);
