import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { listAudit, recordAudit } from '#store/audit/audit.ts';
import { addOwner, invite } from '#store/applications/owners.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { issueMailToken } from '#store/accounts/mail-tokens.ts';
import { makeAccount, PASSWORD, PASSWORD_HASH } from '#test/auth/support.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { enter, openTestConsole, tokenOn } from '#test/console/support.ts';
import { account, application, configured, login, person, sendEvents } from '#test/support/builders.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { refuseAudit } from '#test/support/refused-audit.ts';
import { rowsOf, tableNames } from '#test/support/database-content.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
/** Counts of attempts, which stay. */
const COUNTS = /^(throttles|rate_limits)$/;

/** All rows but counts of attempts. */
async function rows(db: Db): Promise<string[]> {
  const tables = (await tableNames(db)).filter((name) => !COUNTS.test(name));
  return (await rowsOf(db, tables)).toSorted();
}

const SOMEBODY = { via: 'command', account_id: null, name: '', address: '' } as const;
// @ts-expect-error -- An entry is written in the transaction of its act, so a database alone does not compile.
void ((db: Db) => recordAudit(db, 0, SOMEBODY, { action: 'test' }));

onEachDatabase(
  'a command without an operation whose audit entry is refused changes and prints nothing',
  async (t, url) => {
    const context = await testContext(t, url, { SECRET_KEY });
    const { db } = context;
    const run = async (...args: string[]) => await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
    await sendEvents(context, configured('Alpha'), login('Alpha', person(1)));
    await account(context, 'Ann');
    const { id: staff } = await account(context, 'Sue');
    await setRole(db, staff, 'moderator');
    const { client_id } = await application(context, { name: 'Board' });
    await db.run(sql`insert into import_sources (key, name, imported) values (1, 'old', 1)`);
    const { out } = await run('signing-key', 'list', '--json');
    assert.equal((await run('signing-key', 'rotate')).status, 0, out);
    const [{ kid } = { kid: '' }] = JSON.parse((await run('signing-key', 'list', '--json')).out) as { kid: string }[];
    await using _ = await refuseAudit(db);
    for (const args of [
      ['account', 'create', '--name', 'Bob', '--email', 'bob@example.org'],
      ['account', 'create', '--name', 'Bob', '--email', 'bob@example.org', '--uuid', person(1).uuid],
      ['account', 'link', '--account', 'Ann', '--uuid', person(1).uuid],
      ['account', 'factor-code', '--account', 'Sue', '--yes'],
      ['app', 'create', '--name', 'Service', '--type', 'service', '--access', 'approved'],
      ['app', 'owner', 'add', '--client-id', client_id, '--account', 'Ann'],
      ['token', 'create', '--client-id', client_id],
      ['signing-key', 'rotate'],
      ['signing-key', 'withdraw', '--kid', kid, '--yes'],
      ['import', 'forget', '--source', 'old'],
      ['purge'],
    ]) {
      const before = await rows(db);
      const result = await run(...args);
      assert.deepEqual([result.status, result.out], [1, ''], args.join(' '));
      assert.match(result.err, /the audit log is full/, args.join(' '));
      assert.deepEqual(await rows(db), before, args.join(' '));
    }
  },
);

onEachDatabase(
  'a form without an operation whose audit entry is refused changes nothing and sends no mail',
  async (t, url) => {
    const services = await openTestConsole(t, url, { SECRET_KEY });
    const { context } = services;
    const { db, clock } = context;
    const now = clock.now();
    const mails: string[] = [];
    context.mail.send = ({ subject }) => void mails.push(subject);
    const [ann, bob] = [await makeAccount(services, 'Ann'), await makeAccount(services, 'Bob', person(1))];
    const app = await application(context, { name: 'Board', redirect_uris: ['https://board.example/a'] });
    await makeAccount(services, 'Cid');
    await addOwner(db, now, app.key, ann.id);
    await invite(db, now, { applicationKey: app.key, accountId: bob.id, invitedBy: ann.id });
    const { console: anns } = await enter(services, 'Ann');
    const { console: bobs, signIn: atSignIn } = await enter(services, bob.email);
    await db.run(sql`update console_sessions set authenticated = ${now}`);
    const settings = { name: 'Bord', redirect_uris: 'https://board.example/b', type: 'web' };
    const request = { kind: 'limit', purpose: 'A board of scores', volume: '100' };
    const data = {
      name: 'Eve',
      email: 'eve@example.org',
      password: PASSWORD_HASH,
      locale: 'en',
      flow: '',
      browser: '',
    };
    const registering = { kind: 'register', account_id: null, data } as const;
    const token = await db.transaction((tx) => issueMailToken(tx, now + 60_000, registering, data.email));
    const resetting = { kind: 'reset', account_id: bob.id, data: {} } as const;
    const reset = await db.transaction((tx) => issueMailToken(tx, now + 60_000, resetting, bob.email));
    const current = { current: PASSWORD };
    const at = `/console/applications/${app.client_id}`;
    const tokens = new Map<object, string>();
    for (const one of [anns, bobs]) {
      await one.open('/console');
      tokens.set(one, tokenOn(one.page.html));
    }
    mails.length = 0;
    await using _ = await refuseAudit(db);
    for (const [who, path, form] of [
      [anns, '/console/applications', { name: 'New', type: 'service' }],
      [anns, `${at}/settings`, settings],
      [anns, `${at}/logo/remove`, {}],
      [anns, `${at}/access`, request],
      [anns, `${at}/owners`, { owner: 'Cid' }],
      [anns, `${at}/owners/uninvite`, { account_id: bob.id }],
      [bobs, `/console/invitations/${app.client_id}`, { answer: 'accept' }],
      [bobs, `/console/invitations/${app.client_id}`, { answer: 'decline' }],
      [bobs, '/console/sign-out', {}],
      [atSignIn, '/account/sign-out', {}],
      [atSignIn, '/account/sessions/end', {}],
      [atSignIn, '/account/password', { ...current, password: 'a new and better password' }],
      [atSignIn, '/account/unlink', current],
      [atSignIn, '/account/delete', current],
      [atSignIn, '/register/confirm', { token, password: 'a new and better password' }],
      [atSignIn, '/reset', { token: reset, password: 'a new and better password' }],
    ] as const) {
      const before = await rows(db);
      const { status, html } = await who.post(path, { ...form, form_token: tokens.get(who) });
      assert.equal(status, 500, `${path} ${html}`);
      assert.deepEqual(await rows(db), before, path);
      assert.deepEqual(mails, [], path);
    }
  },
);

onEachDatabase('guesses count although the transaction after them fails', async (t, url) => {
  const services = await openTestConsole(t, url, { SECRET_KEY });
  const { context } = services;
  await makeAccount(services, 'Ann');
  const { signIn } = await enter(services, 'Ann');
  await using _ = await refuseAudit(context.db);
  const used = async () => await context.db.tuples(sql`select used from throttles where subject like 'email %'`);
  const change = { current: PASSWORD, email: `${randomUUID()}@example.org` };
  assert.equal((await signIn.post('/account/email', change)).status, 500);
  // By the account, the address of the browser and its network.
  assert.deepEqual(await used(), [[1], [1], [1]]);
});

onEachDatabase('a process that is killed before the commit has done and recorded nothing', async (t, url) => {
  const context = await testContext(t, url, { SECRET_KEY });
  const { db } = context;
  await account(context, 'Ann');
  const before = await rows(db);
  const env = { ...CHILD_ENVIRONMENT, DATABASE_URL: url, SECRET_KEY, REVOCATION_LOG: 'off' };
  const child = spawnSync(process.execPath, [join(import.meta.dirname, 'killed-command.ts')], { env });
  assert.equal(child.signal, 'SIGKILL', child.stderr.toString());
  assert.deepEqual(await rows(db), before);
  const { status } = await scorehall({ DATABASE_URL: url, SECRET_KEY }, 'account', 'disable', '--account', 'Ann');
  assert.equal(status, 0);
  assert.deepEqual(
    (await listAudit(db, {}, 9)).map(({ action }) => action),
    ['account.disable'],
  );
});
