import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { listAudit } from '#store/audit/audit.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { addOwner, removeOwner } from '#store/applications/owners.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { application, serviceToken } from '#test/support/builders.ts';
import { Person } from '#test/auth/person.ts';
import { authorize, CALLBACK, makeAccount, PASSWORD, statusWithinASecond } from '#test/auth/support.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn, type TestConsole } from './support.ts';

const REASON = /^The application is suspended: the accounts of its owners are disabled\./;

const queryOf = (client_id: string) => ({ client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK });

/** Ann's application with a client token and a token of Bob, and a signed-in operator. */
async function open(t: TestContext, url: string) {
  const services = await openTestConsole(t, url, { INTROSPECTORS: 'a'.repeat(24) });
  const { db, clock } = services.context;
  const app = await application(services.context, { name: 'Board', redirect_uris: [CALLBACK] });
  const [ann, bob] = [await makeAccount(services, 'Ann'), await makeAccount(services, 'Bob')];
  await makeOperator(services, 'Olga');
  await addOwner(db, clock.now(), app.key, ann.id);
  const { console } = await enter(services, 'Olga');
  const own = await serviceToken(services.context, app.client_id);
  const callback = await authorize(
    services.auth,
    `/oauth/authorize?${new URLSearchParams(queryOf(app.client_id)).toString()}`,
    'Bob',
  );
  const redeemed = {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code')!,
    redirect_uri: CALLBACK,
  };
  const client = { client_id: app.client_id, client_secret: app.secret! };
  const bobs = (await post(services, '/oauth/token', { ...client, ...redeemed })).body['access_token']!;
  const suspended = async () => (await applicationByClientId(db, app.client_id))!.suspended;
  const changeAnn = async (change: string): Promise<void> => {
    const before = (await accountById(db, ann.id))!.disabled;
    await console.open(`/console/operator/accounts/${ann.id}`);
    await console.post(`/console/operator/accounts/${ann.id}`, {
      form_token: tokenOn(console.page.html),
      change,
    });
    if (change !== 'disable') return;
    assert.match(
      console.text,
      /Disable the account Ann\?.*Browsers that are signed out.*Operators can enable it again/,
    );
    assert.equal((await accountById(db, ann.id))!.disabled, before);
    await confirm(console);
  };
  return { services, app, client, ann, bob, console, own, bobs, suspended, changeAnn };
}

type TokenResponse = { status: number; body: Record<string, string> };

async function post(services: TestConsole, path: string, fields: Record<string, string>): Promise<TokenResponse> {
  const response = await fetch(services.auth + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

onEachDatabase(
  'an application is suspended while its only owner is disabled, and every refusal says why',
  async (t, url) => {
    const { services, app, own, bobs, suspended, changeAnn } = await open(t, url);
    const client = { client_id: app.client_id, client_secret: app.secret! };
    const grant = () => post(services, '/oauth/token', { grant_type: 'client_credentials', ...client });
    const userinfo = async (): Promise<number> =>
      (await fetch(`${services.auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${bobs}` } })).status;
    const query = queryOf(app.client_id);
    const visitor = new Person(services.auth);
    const startSignIn = () => visitor.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    const assertWorks = async (): Promise<void> => {
      for (const token of [own, bobs]) assert.equal(await statusWithinASecond(services.api, token, 200), 200);
      assert.equal((await grant()).status, 200);
      assert.equal(await userinfo(), 200);
      assert.match((await startSignIn()).html, /name="password"/);
    };
    await assertWorks();

    await changeAnn('disable');
    assert.equal(await suspended(), 'disabled');
    for (const token of [own, bobs]) {
      assert.equal(await statusWithinASecond(services.api, token, 403), 403);
      const answer = await fetch(`${services.api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
      const body = (await answer.json()) as TokenResponse['body'];
      assert.equal(body['error'], 'access_not_approved');
      assert.match(body['error_description']!, REASON);
      assert.ok(answer.headers.has('x-ratelimit-limit'));
    }
    assert.equal((await fetch(`${services.api}/v1/servers?client_id=${app.client_id}`)).status, 403);
    for (const extra of [{}, { scope: 'openid' }] as Record<string, string>[]) {
      const { status, body } = await post(services, '/oauth/token', {
        grant_type: 'client_credentials',
        ...client,
        ...extra,
      });
      assert.deepEqual([status, body['error']], [400, 'unauthorized_client']);
      assert.match(body['error_description']!, REASON);
    }
    assert.equal(await userinfo(), 400);
    assert.equal((await post(services, '/oauth/par', { ...client, ...query })).body['error'], 'unauthorized_client');
    await startSignIn();
    assert.match(visitor.text, /is suspended, because nobody is responsible for it/);
    assert.ok(visitor.page.url.startsWith(services.auth), 'the browser is not redirected to the application');
    assert.equal((await post(services, '/oauth/revoke', { ...client, token: 'none' })).status, 200);

    await changeAnn('enable');
    assert.equal(await suspended(), null);
    await assertWorks();
  },
);

onEachDatabase('a suspended application is resumed by another owner or by an operator', async (t, url) => {
  const { services, app, ann, bob, console, own, suspended, changeAnn } = await open(t, url);
  const { db, clock } = services.context;
  await changeAnn('disable');
  assert.equal(await suspended(), 'disabled');
  await addOwner(db, clock.now(), app.key, bob.id);
  assert.equal(await suspended(), null);
  assert.equal(await statusWithinASecond(services.api, own, 200), 200);
  await changeAnn('disable');
  assert.equal(await suspended(), null, 'Bob is still an active owner');
  await removeOwner(db, app.key, bob.id);
  assert.equal(await suspended(), 'disabled', 'suspended with the last active owner');

  await console.open('/console/operator');
  assert.match(console.text, /Suspended applications Board/);
  await console.open(`/console/applications/${app.client_id}/access`);
  assert.match(console.text, /accounts of all its owners are disabled/);
  const start = console.forms().find(({ fields }) => 'start' in fields)!;
  await console.post(start.action, start.fields);
  assert.equal(await suspended(), null);
  assert.equal(await statusWithinASecond(services.api, own, 200), 200);
  assert.doesNotMatch(console.text, /Resume the application|are disabled/);
  await console.post(start.action, start.fields);
  assert.match(console.page.url, /done=gone$/);
  assert.equal((await listAudit(db, { action: 'application.start' }, 9)).length, 1, 'it is resumed once');

  const both = [setDisabled(db, ann.id, null), addOwner(db, clock.now(), app.key, bob.id)];
  await Promise.all([...both, setDisabled(db, ann.id, 1)]);
  assert.equal(await suspended(), null, 'in every order of concurrent changes');
});

onEachDatabase(
  'an application is suspended when its last owner deletes their account, and the operator sees it',
  async (t, url) => {
    const { services, app, console, own, suspended } = await open(t, url);
    const person = new Person(services.auth);
    await person.open('/sign-in');
    await person.submit({ login: 'Ann', password: PASSWORD });
    await person.open('/account/delete');
    assert.match(
      person.text,
      /Nobody else owns these applications of yours\. They stop working immediately.*: Board\./,
    );
    await person.submit({ current: PASSWORD });
    assert.equal(await suspended(), 'deleted');
    assert.equal(await statusWithinASecond(services.api, own, 403), 403);
    await console.open('/console/operator');
    assert.match(console.text, /Suspended applications Board Suspended: its last owner deleted their account/);
    await console.open('/console/operator/applications');
    assert.match(console.text, /Board .*suspended/);
    await addOwner(
      services.context.db,
      services.context.clock.now(),
      app.key,
      (await makeAccount(services, 'Cleo')).id,
    );
    assert.equal(await statusWithinASecond(services.api, own, 200), 200);
  },
);
