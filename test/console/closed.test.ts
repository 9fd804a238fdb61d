import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { sql } from '#db/sql.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { accountById, accountByName, type Role } from '#store/accounts/accounts.ts';
import { listAudit } from '#store/audit/audit.ts';
import { newFactorMailCode } from '#store/accounts/factor-codes.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { deleteTotp } from '#store/accounts/totp.ts';
import { giveApp } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, PASSWORD } from '#test/auth/support.ts';
import { scorehallWith } from '#test/cli/scorehall.ts';
import { enter, makeOperator, openTestConsole, type TestConsole, tokenOn } from './support.ts';

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
    assert.ok(console.page.html.includes(`${auth}/account/security`));
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
  const { headers } = await console.image(`/console/logos/${application.client_id}`);
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');

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

onEachDatabase(
  'a first operator gets a code by command, adds a second factor with it, and opens the console',
  async (t, url) => {
    const services = await openTestConsole(t, url, REQUIRED);
    const { context, auth } = services;
    const { db, clock, config } = context;
    const sent: string[] = [];
    context.mail.send = ({ subject }) => void sent.push(subject);
    const environment = {
      DATABASE_URL: url,
      SECRET_KEY: config.SECRET_KEY,
      DATA_FOLDER: mkdtempSync(join(tmpdir(), 'closed-')),
      LOG_LEVEL: 'silent',
    };
    const command = (stdin: string, ...args: string[]) => scorehallWith(stdin, environment, 'account', ...args);
    const first = [
      '--name',
      'Olga',
      '--email',
      'olga@example.org',
      '--password-stdin',
      '--verified',
      '--role',
      'operator',
    ];
    assert.equal((await command(`${PASSWORD}\n`, 'create', ...first)).status, 0);
    const newCode = async (): Promise<string> => {
      const { out } = await command('', 'factor-code', '--account', 'Olga', '--yes', '--json');
      return (JSON.parse(out) as { code: string }).code;
    };
    const visitor = await enter(services, 'Olga');
    const { console, signIn } = visitor;
    assert.match(console.text, CLOSED);

    // A link by mail, which makes players wait for a day, neither helps nor hinders.
    const { id } = (await accountByName(db, 'Olga'))!;
    await db.run(sql`update accounts set password_reset = ${clock.now()} where id = ${id}`);
    await signIn.open('/account/security/app');
    assert.match(signIn.text, /You are a member of staff.*scorehall account factor-code/);
    const path = new URL(signIn.page.url).pathname + new URL(signIn.page.url).search;
    await signIn.post(path, { mail: '1' });
    assert.deepEqual([signIn.page.status, sent], [422, []], 'no code is mailed to staff');
    const confirmWith = async (code: string, password = PASSWORD): Promise<string> => {
      await signIn.open(path);
      await signIn.submit({ password, code });
      return signIn.text;
    };
    const { shown } = await mailedCode(services, id);
    assert.match(await confirmWith(shown), /The password or the code is wrong/, 'nor does the code of a mail count');
    const code = await newCode();
    assert.match(await confirmWith(code, 'another password'), /The password or the code is wrong/);
    await confirmWith(code);
    const secret = /name="secret" value="([0-9a-f]{40})"/.exec(signIn.page.html)![1]!;
    await signIn.submit({ code: totpCode(secret, totpStep(clock.now())) });
    assert.equal(await hasFactor(db, id), true, signIn.text);
    assert.equal(sent.length, 1, 'the owner is mailed');

    await signIn.open(`${auth}/account`);
    await console.open('/console/operator');
    assert.doesNotMatch(console.text, CLOSED);
    const used = await newCode();
    assert.equal(await hasFactor(db, id), false, 'the command removes what the account has');
    const thief = await enter(services, 'Olga');
    assert.match(thief.console.text, CLOSED, 'the password alone opens nothing');
    const confirmations = [visitor, thief].map(async ({ signIn: browser }) => {
      await browser.open('/account/security/app');
      if (browser.page.url.includes('/sign-in')) await browser.submit({ login: 'Olga', password: PASSWORD });
      await browser.open('/account/security/app');
      await browser.submit({ password: PASSWORD, code: used });
      return browser.page.html.includes('name="secret"');
    });
    assert.equal((await Promise.all(confirmations)).filter(Boolean).length, 1, 'a code counts in one session');
  },
);

/** The code of a mail for the newest session of an account, as a player gets it. */
async function mailedCode({ context: { db, clock } }: TestConsole, accountId: string): Promise<{ shown: string }> {
  const [session] = await db.all<{ uid_hash: string }>(sql`select uid_hash from account_sessions`);
  return { shown: await newFactorMailCode(db, clock.now(), accountId, session!.uid_hash) };
}
