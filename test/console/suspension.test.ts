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
  const house = await openTestConsole(t, url, { INTROSPECTORS: 'watcher' });
  const { db, clock } = house.hall;
  const app = await application(house.hall, { name: 'Board', redirect_uris: [CALLBACK] });
  const [ann, bob] = [await makeAccount(house, 'Ann'), await makeAccount(house, 'Bob')];
  await makeOperator(house, 'Olga');
  await addOwner(db, clock.now(), app.key, ann.id);
  const { console: desk } = await enter(house, 'Olga');
  const own = await serviceToken(house.hall, app.client_id);
  const back = await authorize(
    house.auth,
    `/oauth/authorize?${new URLSearchParams(queryOf(app.client_id)).toString()}`,
    'Bob',
  );
  const redeemed = { grant_type: 'authorization_code', code: back.searchParams.get('code')!, redirect_uri: CALLBACK };
  const client = { client_id: app.client_id, client_secret: app.secret! };
  const bobs = (await post(house, '/oauth/token', { ...client, ...redeemed })).body['access_token']!;
  const stopped = async () => (await applicationByClientId(db, app.client_id))!.suspended;
  const change = async (what: string): Promise<void> => {
    await desk.open(`/console/operator/accounts/${ann.id}`);
    await desk.post(`/console/operator/accounts/${ann.id}`, { form_token: tokenOn(desk.page.html), change: what });
  };
  return { house, app, client, ann, bob, desk, own, bobs, stopped, change };
}

type Answer = { status: number; body: Record<string, string> };

async function post(house: TestConsole, path: string, fields: Record<string, string>): Promise<Answer> {
  const response = await fetch(house.auth + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

onEachDatabase(
  'while an owner is disabled the application stops, and says so; with the owner it goes on',
  async (t, url) => {
    const { house, app, own, bobs, stopped, change } = await open(t, url);
    const client = { client_id: app.client_id, client_secret: app.secret! };
    const grant = () => post(house, '/oauth/token', { grant_type: 'client_credentials', ...client });
    const userinfo = async (): Promise<number> =>
      (await fetch(`${house.auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${bobs}` } })).status;
    const query = queryOf(app.client_id);
    const visitor = new Person(house.auth);
    const begin = () => visitor.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    const works = async (): Promise<void> => {
      for (const token of [own, bobs]) assert.equal(await statusWithinASecond(house.api, token, 200), 200);
      assert.equal((await grant()).status, 200);
      assert.equal(await userinfo(), 200);
      assert.match((await begin()).html, /name="password"/);
    };
    await works();

    await change('disable');
    assert.equal(await stopped(), 'disabled');
    for (const token of [own, bobs]) {
      assert.equal(await statusWithinASecond(house.api, token, 403), 403);
      const answer = await fetch(`${house.api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
      const body = (await answer.json()) as Answer['body'];
      assert.equal(body['error'], 'access_not_approved');
      assert.match(body['error_description']!, WHY);
      assert.ok(answer.headers.has('x-ratelimit-limit'));
    }
    assert.equal((await fetch(`${house.api}/v1/servers?client_id=${app.client_id}`)).status, 403);
    for (const more of [{}, { scope: 'openid' }] as Record<string, string>[]) {
      const { status, body } = await post(house, '/oauth/token', {
        grant_type: 'client_credentials',
        ...client,
        ...more,
      });
      assert.deepEqual([status, body['error']], [400, 'unauthorized_client']);
      assert.match(body['error_description']!, WHY);
    }
    assert.equal(await userinfo(), 400);
    assert.equal((await post(house, '/oauth/par', { ...client, ...query })).body['error'], 'unauthorized_client');
    await begin();
    assert.match(visitor.text, /is suspended: nobody answers for it/);
    assert.ok(visitor.page.url.startsWith(house.auth), 'nobody is sent to it');
    assert.equal((await post(house, '/oauth/revoke', { ...client, token: 'none' })).status, 200);

    await change('enable');
    assert.equal(await stopped(), null);
    await works();
  },
);

onEachDatabase('a stopped application goes on with another owner, or when an operator says so', async (t, url) => {
  const { house, app, ann, bob, desk, own, stopped, change } = await open(t, url);
  const { db, clock } = house.hall;
  await change('disable');
  assert.equal(await stopped(), 'disabled');
  await addOwner(db, clock.now(), app.key, bob.id);
  assert.equal(await stopped(), null);
  assert.equal(await statusWithinASecond(house.api, own, 200), 200);
  await change('disable');
  assert.equal(await stopped(), null, 'Bob answers for it');
  await removeOwner(db, app.key, bob.id);
  assert.equal(await stopped(), 'disabled', 'with the last open account it stops');

  await desk.open('/console/operator');
  assert.match(desk.text, /Suspended applications Board/);
  await desk.open(`/console/applications/${app.client_id}/access`);
  assert.match(desk.text, /accounts of all its owners are disabled/);
  const start = desk.forms().find(({ fields }) => 'start' in fields)!;
  await desk.post(start.action, start.fields);
  assert.equal(await stopped(), null);
  assert.equal(await statusWithinASecond(house.api, own, 200), 200);
  assert.doesNotMatch(desk.text, /Start it again|are disabled/);

  const both = [setDisabled(db, ann.id, null), addOwner(db, clock.now(), app.key, bob.id)];
  await Promise.all([...both, setDisabled(db, ann.id, 1)]);
  assert.equal(await stopped(), null, 'whatever came first');
});

onEachDatabase(
  'when its last owner deletes the account the application stops, and the operator sees it',
  async (t, url) => {
    const { house, app, desk, own, stopped } = await open(t, url);
    const person = new Person(house.auth);
    await person.open('/sign-in');
    await person.submit({ login: 'Ann', password: PASSWORD });
    await person.open('/account/delete');
    assert.match(person.text, /Nobody else owns these applications of yours; they stop at once.*: Board\./);
    await person.submit({ current: PASSWORD });
    assert.equal(await stopped(), 'deleted');
    assert.equal(await statusWithinASecond(house.api, own, 403), 403);
    await desk.open('/console/operator');
    assert.match(desk.text, /Suspended applications Board Suspended: its last owner has deleted the account/);
    await desk.open('/console/operator/applications');
    assert.match(desk.text, /Board .*suspended/);
    await addOwner(house.hall.db, house.hall.clock.now(), app.key, (await makeAccount(house, 'Cleo')).id);
    assert.equal(await statusWithinASecond(house.api, own, 200), 200);
  },
);
