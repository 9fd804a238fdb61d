import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { BY_MAIL, BY_PASSWORD, withCode, withPasskey } from '#auth/factors/methods.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, onSqlite, type TestAppContext } from '#test/support/context.ts';
import { insertPasskey } from '#store/accounts/passkeys.ts';
import { type Fields, requestFor } from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth } from './support.ts';

const PHR = 'phr';
const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
const PASSWORD_ONLY = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';

/** An application, and Steve, who is signed in by password. */
async function openWorld(t: Parameters<typeof openTestAuth>[0], url: string) {
  const services = await openTestAuth(t, url);
  const account = await makeAccount(services, 'Steve');
  const { application, secret } = await makeApplication(services, 'service');
  const person = new Person(services.auth);
  const request = (more: Fields = {}): string =>
    requestFor(services, application.client_id, { scope: 'openid', ...more });
  await authorize(services.auth, request(), 'Steve', person);
  const claimsOf = async (callback: URL): Promise<Record<string, unknown>> => {
    const fields = { client_id: application.client_id, client_secret: secret!, redirect_uri: CALLBACK };
    const code = callback.searchParams.get('code')!;
    const body = new URLSearchParams({ ...fields, grant_type: 'authorization_code', code });
    const response = await fetch(`${services.auth}/oauth/token`, { method: 'POST', body });
    return decodeJwt(((await response.json()) as { id_token: string }).id_token);
  };
  /** Opens a request. @returns the URL that the browser ends at */
  const open = async (more: Fields): Promise<URL> => new URL((await person.open(request(more))).url);
  return { ...services, account, person, open, claimsOf };
}

async function givePasskey({ db, clock }: TestAppContext, account_id: string): Promise<void> {
  const passkey = { id: 'AAAA', account_id, name: 'A key', public_key: 'AAAA', counter: 0, transports: ['usb'] };
  const more = { backed_up: false, user_verified: true, created: clock.now(), last_used: null };
  await db.transaction((tx) => insertPasskey(tx, { ...passkey, ...more }));
}

const essential = (acr: object): Fields => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, ...acr } } }),
});
const claimsRequest = (id_token: object): Fields => ({
  claims: JSON.stringify({ id_token, userinfo: { email: null } }),
});
const errorOf = (url: URL): string | null => url.searchParams.get('error');

onEachDatabase('acr_values refuses no sign-in, and asks once for a factor that the account has', async (t, url) => {
  const { context, account, person, open, claimsOf, auth } = await openWorld(t, url);
  const plain = await claimsOf(await open({}));
  assert.deepEqual(
    [plain['acr'], plain['amr']],
    [undefined, undefined],
    'exactly the specified claims if nothing is asked',
  );
  const received = await claimsOf(await open({ acr_values: `${PHR} ${MULTI_FACTOR} urn:unknown`, prompt: 'none' }));
  assert.deepEqual([received['acr'], received['amr']], [PASSWORD_ONLY, ['pwd']]);

  await givePasskey(context, account.id);
  assert.ok((await open({ acr_values: PHR, prompt: 'none' })).searchParams.has('code'), 'voluntary without a page too');
  assert.ok((await open({ acr_values: PASSWORD_ONLY })).searchParams.has('code'), 'it is met');
  assert.equal((await open({ acr_values: PHR })).origin, auth);
  assert.match(person.page.html, /name="password"/);
});

onSqlite('a sign-in with a passkey meets each requested acr, and tells the requested one', async (t, url) => {
  const { context, account, open, claimsOf } = await openWorld(t, url);
  await givePasskey(context, account.id);
  await context.db.run(
    sql`update tokens set payload = replace(payload, '"amr":["pwd"]', '"amr":["pwd","hwk","user","mfa"]') where kind = 'Session'`,
  );
  for (const acr of [PHR, MULTI_FACTOR, PASSWORD_ONLY]) {
    const claims = await claimsOf(await open({ acr_values: acr, prompt: 'none' }));
    assert.deepEqual([claims['acr'], claims['amr']], [acr, ['pwd', 'hwk', 'user', 'mfa']]);
    assert.equal((await claimsOf(await open(essential({ value: acr }))))['acr'], acr);
  }
  assert.equal((await claimsOf(await open({ acr_values: 'urn:unknown' })))['acr'], PHR);
});

onSqlite('two factors are the password with another one, or a passkey that has verified the person', async (t, url) => {
  const { context, open, claimsOf } = await openWorld(t, url);
  const [verified, present] = [true, false].map((user_verified) => ({ passkey: { backed_up: false }, user_verified }));
  for (const [methods, acr, isTwo] of [
    [BY_MAIL, undefined, false],
    [withCode(BY_MAIL), undefined, false],
    [withPasskey(BY_MAIL, present!), PHR, false],
    [withPasskey(BY_MAIL, verified!), PHR, true],
    [withPasskey([], verified!), PHR, true],
    [withCode(BY_PASSWORD), MULTI_FACTOR, true],
    [withPasskey(BY_PASSWORD, present!), PHR, true],
  ] as const) {
    const amr = JSON.stringify(methods);
    await context.db.run(sql`
      update tokens set payload = json_set(payload, '$.amr', json(${amr})) where kind = 'Session'`);
    assert.equal(methods.includes('mfa'), isTwo, amr);
    const claims = await claimsOf(await open({ acr_values: MULTI_FACTOR, prompt: 'none' }));
    assert.deepEqual([claims['acr'], claims['amr']], [isTwo ? MULTI_FACTOR : acr, methods]);
    const strongest = await claimsOf(await open({ acr_values: 'urn:unknown', prompt: 'none' }));
    assert.equal(strongest['acr'], acr, amr);
    const ended = await open(essential({ value: MULTI_FACTOR }));
    assert.equal(errorOf(ended), isTwo ? null : 'unmet_authentication_requirements', amr);
  }
});

onSqlite('an essential acr that is not met is an error of the sign-in', async (t, url) => {
  const { context, account, open, claimsOf, auth } = await openWorld(t, url);
  const unmet = 'unmet_authentication_requirements';
  for (const acr of [{ value: PHR }, { values: [PHR, MULTI_FACTOR] }, { value: 'urn:unknown' }])
    assert.equal(errorOf(await open(essential(acr))), unmet, JSON.stringify(acr));
  assert.equal((await claimsOf(await open(essential({ values: [PHR, PASSWORD_ONLY] }))))['acr'], PASSWORD_ONLY);

  await givePasskey(context, account.id);
  assert.equal(errorOf(await open({ ...essential({ value: PHR }), prompt: 'none' })), unmet);
  assert.equal(
    (await open(essential({ value: PHR }))).origin,
    auth,
    'the account has a passkey, so the person is asked',
  );
});

onSqlite('claims requests acr, amr and auth_time alone, and a malformed one is an error', async (t, url) => {
  const { open, claimsOf } = await openWorld(t, url);
  const received = await claimsOf(await open(claimsRequest({ amr: null, acr: { essential: true }, email: null })));
  assert.deepEqual([received['acr'], received['amr'], received['email']], [PASSWORD_ONLY, ['pwd'], undefined]);
  for (const wrong of [
    { acr: 5 },
    { acr: { values: 'x' } },
    { acr: { values: [1] } },
    { sub: 'x' },
    { amr: { essential: 1 } },
  ])
    assert.equal(errorOf(await open(claimsRequest(wrong))), 'invalid_request', JSON.stringify(wrong));
  for (const text of ['', 'x', '[]', '{}', 'null', '{"id_token":1}', '{"id_token":[]}', '{"userinfo":"x"}'])
    assert.match(
      String(errorOf(await open({ claims: text }))),
      text === '' ? /null|invalid_request/ : /invalid_request/,
      text,
    );
});
