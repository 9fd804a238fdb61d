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

onEachDatabase('refreshes do not add rows, and any replaced token of a family ends it', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { signIn, refresh, next } = await world(services);
  const bystander = (await signIn())['refresh_token']!;
  const tokens = [(await signIn())['refresh_token']!];
  const counts: number[] = [];
  for (let rotation = 0; rotation < 8; rotation++) {
    tokens.push(await next(tokens.at(-1)!));
    counts.push(await rowsOf(services));
  }
  assert.deepEqual(new Set(counts), new Set([counts[0]]));
  assert.deepEqual(new Set(tokens.map(({ length }) => length)), new Set([43]));
  assert.equal(new Set(tokens.map((token) => token.slice(22))).size, 9);
  const reused = await refresh(tokens[0]!);
  assert.deepEqual([reused.status, reused.body['error']], [400, 'invalid_grant']);
  assert.match(String(reused.body['error_description']), /used before.*revoked/);
  assert.equal((await refresh(tokens.at(-1)!)).status, 400);
  assert.equal((await refresh(bystander)).status, 200, 'another sign-in goes on');
});

onEachDatabase(
  'only the application of a family ends it; tokens of an earlier version have families too',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { client_id, signIn, refresh, next } = await world(services);
    const [replaced, old] = [(await signIn())['refresh_token']!, (await signIn())['refresh_token']!];
    const other = (await makeApplication(services, 'web')).application.client_id;
    const current = await next(replaced);
    assert.equal((await refresh(replaced, other)).status, 400);
    assert.equal((await refresh('A'.repeat(43))).status, 400);
    assert.equal((await refresh(replaced.slice(0, 21))).status, 400);
    const last = await next(current);
    assert.match(last, /^[\w-]{43}$/, 'other applications and unknown tokens end nothing');
    assert.equal((await post(services, '/oauth/revoke', { client_id, token: replaced })).status, 200);
    assert.equal((await refresh(last)).status, 400, 'revoking a replaced token revokes the sign-in');

    await services.context.db.run(sql`update tokens set family_hash = null`);
    const third = await next(await next(old));
    assert.match(third, /^[\w-]{43}$/);
    assert.match(String((await refresh(old)).body['error_description']), /used before/);
    assert.equal((await refresh(third)).status, 400);
  },
);
