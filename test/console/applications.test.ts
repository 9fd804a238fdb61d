import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { UsageMeter } from '#api/usage-meter.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { addOwner } from '#store/applications/owners.ts';
import { applicationByClientId, MAX_SECRETS, setAccess } from '#store/applications/applications.ts';
import { listAudit } from '#store/audit/audit.ts';
import { readLastUse, usageSince } from '#store/applications/usage.ts';
import { ask } from '#test/support/request.ts';
import { application, person, serviceToken } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { confirm, enter, makeOperator, openTestConsole, type TestConsole, tokenOn } from './support.ts';

/** Ann, signed in at the console, and her application. */
async function owner(services: TestConsole, facts: Parameters<typeof application>[1] = {}) {
  const ann = await makeAccount(services, 'Ann');
  const app = await application(services.context, { name: 'Board', ...facts });
  await addOwner(services.context.db, services.context.clock.now(), app.key, ann.id);
  const { console } = await enter(services, 'Ann');
  return { ann, app, console, at: `/console/applications/${app.client_id}` };
}

onEachDatabase('an application can have several secrets, and a withdrawn one is refused', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { app, console, at } = await owner(services);
  const add = async (name = ''): Promise<string | undefined> => {
    await console.open(at);
    await console.post(`${at}/secrets`, { form_token: tokenOn(console.page.html), name });
    return /shs_[\w-]{43}/.exec(console.text)?.[0];
  };
  const grants = async (client_secret: string): Promise<number> => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: app.client_id, client_secret });
    return (await fetch(`${services.auth}/oauth/token`, { method: 'POST', body })).status;
  };
  const [first, second] = [app.secret!, (await add('staging <1>'))!];
  assert.deepEqual([await grants(first), await grants(second)], [200, 200]);
  await console.open(at);
  const withdrawals = console.forms().filter(({ action }) => action.endsWith('/secrets/remove'));
  assert.equal(withdrawals.length, 2);
  assert.match(console.text, /shs_… Created .* staging <1> Created /, 'a name tells them apart');
  await console.post(withdrawals[0]!.action, withdrawals[0]!.fields);
  assert.match(console.text, /Withdraw a Client Secret of .*\? Created .* This cannot be undone\./);
  assert.doesNotMatch(console.text, /the last one/);
  assert.equal(await grants(first), 200, 'it asks first');
  await confirm(console);
  assert.match(console.page.url, /done=withdrawn/);
  assert.deepEqual([await grants(first), await grants(second)], [401, 200]);
  const [last] = console.forms().filter(({ action }) => action.endsWith('/secrets/remove'));
  await console.post(last!.action, last!.fields);
  assert.match(console.text, /staging <1> Created .*It is the last one: nobody can sign in/);
  await console.post(withdrawals[0]!.action, withdrawals[0]!.fields);
  assert.match(console.page.url, /done=gone/);
  await add('x'.repeat(65));
  assert.equal(console.page.status, 422);
  assert.match(console.text, /Enter a name of 1 to 64 characters/);
  const added: (string | undefined)[] = [];
  for (let count = 1; count <= MAX_SECRETS; count++) added.push(await add());
  assert.deepEqual([added.at(-2) !== undefined, added.at(-1)], [true, undefined], 'at most MAX_SECRETS');
  const entries = await listAudit(services.context.db, { subject: app.client_id, outcome: 'done' }, 20);
  const count = (action: string): number => entries.filter((entry) => entry.action === action).length;
  assert.deepEqual([count('application.secret.create'), count('application.secret.withdraw')], [5, 1]);
});

onEachDatabase('after a refusal or revocation, a request is not approved automatically', async (t, url) => {
  const services = await openTestConsole(t, url, { ACCESS_APPROVAL: 'auto' });
  const { context } = services;
  const { app, console, at } = await owner(services, { access: 'none' });
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const state = async () => (await applicationByClientId(context.db, app.client_id))!.access;
  const requestAccess = async (): Promise<string> => {
    await console.open(`${at}/access`);
    await console.submit({ purpose: 'A board.', volume: '50' }, '/access');
    return await state();
  };
  const decide = async (fields: Record<string, string>): Promise<string> => {
    await olga.open('/console/operator');
    const request = /\/console\/operator\/requests\/\w+/.exec(olga.page.html)![0];
    await olga.open(request);
    await olga.post(request, { form_token: tokenOn(olga.page.html), ...fields });
    return await state();
  };
  assert.equal(await requestAccess(), 'approved', 'the first request is approved automatically');
  await olga.open(`${at}/access`);
  await olga.post(`/console/operator/applications/${app.client_id}`, {
    form_token: tokenOn(olga.page.html),
    access: 'revoked',
  });
  await confirm(olga);
  assert.equal(await state(), 'revoked');
  assert.equal(await requestAccess(), 'waiting', 'after a revocation the operator decides');
  assert.equal(await decide({ state: 'refused', note: 'Too much.' }), 'refused');
  assert.equal(await requestAccess(), 'waiting', 'after a refusal the operator decides');
  await console.open(`${at}/access`);
  const again = { form_token: tokenOn(console.page.html), kind: 'access', purpose: 'Please.', volume: '1' };
  assert.match((await console.post(`${at}/access`, again)).url, /done=asked/);
  assert.equal(await state(), 'waiting', 'a second request while one is waiting changes nothing');
  assert.equal(await decide({ state: 'approved', note: '' }), 'approved');
  const acts = (await listAudit(context.db, { action: 'access.approve' }, 10)).map(({ detail }) => detail['automatic']);
  assert.deepEqual(acts, [undefined, true]);
  await setAccess(context.db, app.client_id, 'refused');
  assert.equal(await requestAccess(), 'waiting');
});

onEachDatabase('an operator grants and removes the role of others, not their own', async (t, url) => {
  const services = await openTestConsole(t, url);
  const ann = await makeAccount(services, 'Ann');
  const operator = await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const { console: anns } = await enter(services, 'Ann');
  const form_token = tokenOn(olga.page.html);
  const change = async (id: string, name: string): Promise<void> => {
    await olga.post(`/console/operator/accounts/${id}`, { form_token, change: name });
    if (olga.page.html.includes('name="confirmed"')) await confirm(olga);
  };
  const isAdmitted = async (): Promise<boolean> => (await anns.open('/console/operator')).status === 200;
  assert.equal(await isAdmitted(), false);
  await change(ann.id, 'make_operator');
  assert.equal(await isAdmitted(), true);
  await change(ann.id, 'make_user');
  assert.equal(await isAdmitted(), false);
  for (const name of ['make_user', 'disable', 'delete', 'constructor']) await change(operator.id, name);
  assert.equal((await olga.open('/console/operator')).status, 200, 'operators cannot lock themselves out');
  await change(ann.id, 'constructor');
  await linkPlayer(services.context.db, ann.id, person(1, 'Ann'));
  await olga.post(`/console/operator/accounts/${ann.id}`, { form_token, change: 'unlink' });
  assert.match(olga.text, /Unlink the game account of Ann\?.*is then called Ann-\w+\..*Only its owner can link/);
  assert.notEqual((await accountById(services.context.db, ann.id))!.player_uuid, null, 'it asks first');
  await confirm(olga);
  assert.equal((await accountById(services.context.db, ann.id))!.player_uuid, null);
  const entries = await listAudit(services.context.db, { actor: 'Olga', action: 'account' }, 10);
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail]),
    [
      ['account.unlink', {}],
      ['account.role', { role: 'user' }],
      ['account.role', { role: 'operator' }],
    ],
  );
});

onEachDatabase('requests to the data API appear on the usage page once the counters are saved', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { app, console, at } = await owner(services);
  assert.match((await console.open(`${at}/usage`)).html, /Not used yet/);
  const apiContext = await testContext(t, url);
  apiContext.clock.advance(services.context.clock.now() - apiContext.clock.now());
  const api = await openServices(apiContext, ['API']);
  const token = await serviceToken(apiContext, app.client_id);
  const statuses: number[] = [];
  for (const path of ['/v1/servers', '/v1/servers?limit=1', '/v1/matches/none', '/v1/nothing', '/v1/servers'])
    statuses.push((await ask(api.addresses.API!, path, { token })).status);
  assert.deepEqual(statuses.slice(2), [404, 404, 200]);
  assert.equal((await usageSince(services.context.db, app.key, 0)).length, 0, 'counters are still in memory');
  await api[Symbol.asyncDispose]();
  await console.open(`${at}/usage`);
  assert.match(console.text, /Requests 5 /);
  for (const endpoint of ['/v1/servers', '/v1/matches/:id']) assert.ok(console.text.includes(endpoint), endpoint);
  assert.equal(await readLastUse(services.context.db, app.key), apiContext.clock.now());
});

test('usage counters are saved every ten seconds', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  t.mock.timers.enable({ apis: ['setInterval'] });
  const context = await testContext(t, database.url);
  const app = await application(context);
  await using meter = new UsageMeter(context, assert.ifError);
  meter.count({ kind: 'application', application: app }, '/v1/servers', 200);
  const saved = async () => (await usageSince(context.db, app.key, 0)).length;
  t.mock.timers.tick(9_999);
  assert.equal(await saved(), 0);
  t.mock.timers.tick(1);
  while ((await saved()) === 0);
  assert.equal(await readLastUse(context.db, app.key), context.clock.now());
});
