import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { addOwner, removeOwner } from '#store/applications/owners.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { application, serviceToken } from '#test/support/builders.ts';
import { Person } from '#test/auth/person.ts';
import { authorize, CALLBACK, makeAccount, PASSWORD, statusWithinASecond } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn, type TestConsole } from './support.ts';

const WHY = /^The application is suspended: the accounts of its owners are disabled\./;

const queryOf = (client_id: string) => ({ client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK });

/** Ann's application, which Bob has signed in to, and an operator. */
async function open(t: TestContext, url: string) {
  const services = await openTestConsole(t, url, { INTROSPECTORS: 'watcher' });
  const { db, clock } = services.context;
  const app = await application(services.context, { name: 'Board', redirect_uris: [CALLBACK] });
  const [ann, bob] = [await makeAccount(services, 'Ann'), await makeAccount(services, 'Bob')];
  await makeOperator(services, 'Olga');
  await addOwner(db, clock.now(), app.key, ann.id);
  const { console } = await enter(services, 'Olga');
  const own = await serviceToken(services.context, app.client_id);
  const back = await authorize(
    services.auth,
    `/oauth/authorize?${new URLSearchParams(queryOf(app.client_id)).toString()}`,
    'Bob',
  );
  const redeemed = { grant_type: 'authorization_code', code: back.searchParams.get('code')!, redirect_uri: CALLBACK };
  const client = { client_id: app.client_id, client_secret: app.secret! };
  const bobs = (await post(services, '/oauth/token', { ...client, ...redeemed })).body['access_token']!;
  const suspended = async () => (await applicationByClientId(db, app.client_id))!.suspended;
  const change = async (what: string): Promise<void> => {
    await console.open(`/console/operator/accounts/${ann.id}`);
    await console.post(`/console/operator/accounts/${ann.id}`, {
      form_token: tokenOn(console.page.html),
      change: what,
    });
  };
  return { services, app, client, ann, bob, console, own, bobs, stopped: suspended, change };
}

type TokenResponse = { status: number; body: Record<string, string> };

async function post(services: TestConsole, path: string, fields: Record<string, string>): Promise<TokenResponse> {
  const response = await fetch(services.auth + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

onEachDatabase(
  'while an owner is disabled the application stops, and says so; with the owner it goes on',
  async (t, url) => {
    const { services, app, own, bobs, stopped: suspended, change } = await open(t, url);
    const client = { client_id: app.client_id, client_secret: app.secret! };
    const grant = () => post(services, '/oauth/token', { grant_type: 'client_credentials', ...client });
    const userinfo = async (): Promise<number> =>
      (await fetch(`${services.auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${bobs}` } })).status;
    const query = queryOf(app.client_id);
    const visitor = new Person(services.auth);
    const begin = () => visitor.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    const works = async (): Promise<void> => {
      for (const token of [own, bobs]) assert.equal(await statusWithinASecond(services.api, token, 200), 200);
      assert.equal((await grant()).status, 200);
      assert.equal(await userinfo(), 200);
      assert.match((await begin()).html, /name="password"/);
    };
    await works();

    await change('disable');
    assert.equal(await suspended(), 'disabled');
    for (const token of [own, bobs]) {
      assert.equal(await statusWithinASecond(services.api, token, 403), 403);
      const answer = await fetch(`${services.api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
      const body = (await answer.json()) as TokenResponse['body'];
      assert.equal(body['error'], 'access_not_approved');
      assert.match(body['error_description']!, WHY);
      assert.ok(answer.headers.has('x-ratelimit-limit'));
    }
    assert.equal((await fetch(`${services.api}/v1/servers?client_id=${app.client_id}`)).status, 403);
    for (const more of [{}, { scope: 'openid' }] as Record<string, string>[]) {
      const { status, body } = await post(services, '/oauth/token', {
        grant_type: 'client_credentials',
        ...client,
        ...more,
      });
      assert.deepEqual([status, body['error']], [400, 'unauthorized_client']);
      assert.match(body['error_description']!, WHY);
    }
    assert.equal(await userinfo(), 400);
    assert.equal((await post(services, '/oauth/par', { ...client, ...query })).body['error'], 'unauthorized_client');
    await begin();
    assert.match(visitor.text, /is suspended, because nobody is responsible for it/);
    assert.ok(visitor.page.url.startsWith(services.auth), 'nobody is sent to it');
    assert.equal((await post(services, '/oauth/revoke', { ...client, token: 'none' })).status, 200);

    await change('enable');
    assert.equal(await suspended(), null);
    await works();
  },
);

onEachDatabase('a stopped application goes on with another owner, or when an operator says so', async (t, url) => {
  const { services, app, ann, bob, console, own, stopped: suspended, change } = await open(t, url);
  const { db, clock } = services.context;
  await change('disable');
  assert.equal(await suspended(), 'disabled');
  await addOwner(db, clock.now(), app.key, bob.id);
  assert.equal(await suspended(), null);
  assert.equal(await statusWithinASecond(services.api, own, 200), 200);
  await change('disable');
  assert.equal(await suspended(), null, 'Bob answers for it');
  await removeOwner(db, app.key, bob.id);
  assert.equal(await suspended(), 'disabled', 'with the last open account it stops');

  await console.open('/console/operator');
  assert.match(console.text, /Suspended applications Board/);
  await console.open(`/console/applications/${app.client_id}/access`);
  assert.match(console.text, /accounts of all its owners are disabled/);
  const start = console.forms().find(({ fields }) => 'start' in fields)!;
  await console.post(start.action, start.fields);
  assert.equal(await suspended(), null);
  assert.equal(await statusWithinASecond(services.api, own, 200), 200);
  assert.doesNotMatch(console.text, /Start it again|are disabled/);

  const both = [setDisabled(db, ann.id, null), addOwner(db, clock.now(), app.key, bob.id)];
  await Promise.all([...both, setDisabled(db, ann.id, 1)]);
  assert.equal(await suspended(), null, 'whatever came first');
});

onEachDatabase(
  'when its last owner deletes the account the application stops, and the operator sees it',
  async (t, url) => {
    const { services, app, console, own, stopped: suspended } = await open(t, url);
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
    assert.match(console.text, /Suspended applications Board Suspended: its last owner has deleted the account/);
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
