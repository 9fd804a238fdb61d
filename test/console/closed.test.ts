import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { accountById, type Role } from '#store/accounts/accounts.ts';
import { listAudit } from '#store/audit/audit.ts';
import { deleteTotp } from '#store/accounts/totp.ts';
import { giveApp } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const REQUIRED = { OPERATOR_SECOND_FACTOR: 'required', CONTACT: 'help@example.org' };
const CLOSED = /A second factor comes first/;

onEachDatabase('the console is closed to staff without a second factor, and nothing else is', async (t, url) => {
  const services = await openTestConsole(t, url, REQUIRED);
  const { context, auth } = services;
  const { db } = context;
  const olga = await makeAccount(services, 'Olga');
  const ann = await makeAccount(services, 'Ann');
  const { application } = await makeApplication(services, 'web');
  const visitor = await enter(services, 'Olga');
  const { console, signIn } = visitor;
  const become = (role: Role): Promise<boolean> => setRole(db, olga.id, role);
  assert.equal((await console.open('/console/applications/new')).status, 200, 'a player needs no second factor');
  const token = tokenOn(console.page.html);
  await makeOperator(services, 'Oscar');

  for (const role of ['moderator', 'operator'] as const) {
    await become(role);
    for (const path of ['', '/', '/applications', '/operator', '/operator/names', '/operator/accounts', '/nowhere']) {
      const { status, html } = await console.open(`/console${path}`);
      assert.equal(status, 403, `${role} ${path}`);
      assert.match(html, CLOSED);
    }
    assert.match(console.text, /account factor-code --account Olga.*help@example\.org/);
    assert.ok(console.page.html.includes(`${auth}/account`));
    const change = `/console/operator/accounts/${ann.id}`;
    assert.equal((await console.post(change, { form_token: token, change: 'sign_out', confirmed: 'yes' })).status, 403);
    assert.equal(
      (await console.post(`/console/operator/names/${ann.id}`, { form_token: token, name: 'Bea' })).status,
      403,
    );
  }
  assert.equal((await accountById(db, ann.id))!.name, 'Ann');
  const refusals = (await listAudit(db, {}, 20)).filter(({ detail }) => detail['reason'] === 'no second factor');
  assert.equal(refusals.length, 4);

  assert.equal((await signIn.open('/account')).status, 200, 'the account page is open');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const request = `${auth}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  const signedIn = await authorize(auth, request, 'Olga', signIn);
  assert.ok(signedIn.searchParams.has('code'), 'so is the sign-in to other applications');
  await console.image(`/console/logos/${application.client_id}`);

  await giveApp(context, olga.id);
  assert.equal((await console.open('/console/operator')).status, 200, 'the session from before counts');
  await deleteTotp(db, olga.id);
  assert.equal((await console.open('/console/operator')).status, 403);
  await db.run(sql`update accounts set role = 'user' where id = ${olga.id}`);
  assert.equal((await console.open('/console')).status, 200, 'without the role the console is open again');
  await become('operator');
  assert.match((await console.post('/console/sign-out', { form_token: token })).url, /\/oauth\/logout/);
  await console.open('/console');
  assert.doesNotMatch(console.text, CLOSED);
});

onSqlite('a password is enough on loopback, and with OPERATOR_SECOND_FACTOR=optional', async (t, url) => {
  for (const settings of [{}, { OPERATOR_SECOND_FACTOR: 'optional' }]) {
    const services = await openTestConsole(t, url, settings);
    if ((await services.context.db.all(sql`select 1 as one from accounts`)).length === 0)
      await makeOperator(services, 'Olga');
    const { console } = await enter(services, 'Olga');
    assert.equal((await console.open('/console/operator')).status, 200);
  }
});
