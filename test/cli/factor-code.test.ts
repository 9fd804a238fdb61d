import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '#db/sql.ts';
import { setDisabled, setRole } from '#store/accounts/account-changes.ts';
import { beginSession } from '#store/accounts/account-sessions.ts';
import { listAudit } from '#store/audit/audit.ts';
import { FACTOR_CODE_MS, useFactorCode } from '#store/accounts/factor-codes.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { account, giveApp } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

interface Made {
  code: string;
  expires: string;
  enter_at: string;
}

onEachDatabase(
  'a code for a second factor is made by command, for staff alone, and works once within the hour',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db } = context;
    const folder = mkdtempSync(join(tmpdir(), 'factor-code-'));
    const environment = { DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY, DATA_FOLDER: folder };
    const run = (...args: string[]) => scorehall(environment, 'account', 'factor-code', '--account', ...args);
    const make = async (name: string): Promise<Made> => {
      const { status, out, err } = await run(name, '--yes', '--json');
      assert.equal(status, 0, err);
      return JSON.parse(out) as Made;
    };
    const codes = () => db.all<{ account_id: string; hash: string }>(sql`select account_id, hash from factor_codes`);
    const olga = await account(context, 'Olga');
    const max = await account(context, 'Max');
    const use = (code: string, at: number, { id } = olga): Promise<boolean> => useFactorCode(db, at, id, code);

    assert.match(
      (await run('Olga', '--yes')).err,
      /Olga is neither an operator nor a moderator.*account role.*reset-factors/,
    );
    await setRole(db, olga.id, 'operator');
    await setRole(db, max.id, 'moderator');
    const asked = await run('Olga');
    assert.equal(asked.status, 2);
    assert.match(asked.err, /This makes a code with which Olga \(operator\) adds a second factor.*Add --yes/);
    const dry = JSON.parse((await run('Olga', '--dry-run', '--json')).out) as Record<string, unknown>;
    assert.deepEqual(dry, {
      ...{ id: olga.id, name: 'Olga', role: 'operator' },
      ...{ passkeys: 0, authenticator_app: false, recovery_codes: 0, dry_run: true },
    });
    assert.deepEqual(await codes(), []);

    const first = await make('Olga');
    const { code, expires, enter_at } = await make('Olga');
    assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    assert.equal(enter_at, 'http://127.0.0.1:7401/account/security');
    const end = Date.parse(expires);
    assert.ok(Math.abs(end - Date.now() - FACTOR_CODE_MS) < 60_000);
    assert.ok(!JSON.stringify(await codes()).includes(code.replaceAll('-', '')), 'only a hash is stored');
    assert.equal(await use(first.code, end - 1), false, 'a new code voids the old one');
    assert.equal(await use(code, end - 1, max), false, 'it is for one account');
    assert.equal(await use(code, end), false, 'it expires');
    const uses = await Promise.all(
      Array.from({ length: 8 }, () => use(code.toLowerCase().replaceAll('-', ' '), end - 1)),
    );
    assert.equal(uses.filter(Boolean).length, 1, 'of concurrent requests one succeeds');
    assert.equal(await use(code, end - 1), false);

    const entries = await listAudit(db, {}, 10);
    assert.deepEqual(
      entries.map(({ action, subject, label, via }) => [action, subject, label, via]),
      [1, 2].map(() => ['account.factor_code', olga.id, 'Olga', 'command']),
    );
    const mails = readdirSync(join(folder, 'mail')).map((file) => readFileSync(join(folder, 'mail', file), 'utf8'));
    assert.equal(mails.length, 2);
    for (const mail of mails) {
      assert.match(mail, /To: olga@example\.org/i);
      assert.match(mail, /A code for your second factor was made/);
    }
    const written = [...mails, JSON.stringify(entries)].join('\n');
    for (const secret of [first.code, code]) assert.ok(!written.includes(secret.slice(0, 9)), 'without the code');

    const void1 = await make('Max');
    await setRole(db, max.id, 'user');
    await setRole(db, max.id, 'moderator');
    assert.equal(await use(void1.code, context.clock.now(), max), false, 'the end of a role voids it');
    await setDisabled(db, max.id, context.clock.now());
    assert.match((await run('Max', '--yes')).err, /Max is disabled/);
  },
);

onEachDatabase('only the command resets the second factors of staff, and signs them out', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const now = clock.now();
  const environment = {
    DATABASE_URL: url,
    SECRET_KEY: context.config.SECRET_KEY,
    DATA_FOLDER: mkdtempSync(join(tmpdir(), 'factor-code-')),
  };
  const run = (...args: string[]) => scorehall(environment, 'account', ...args);
  const olga = await account(context, 'Olga');
  await setRole(db, olga.id, 'operator');
  await giveApp(context, olga.id);
  await renewRecoveryCodes(db, now, olga.id);
  await db.run(beginSession('session', olga.id, now, { address: '192.0.2.1', agent: 'Firefox' }));
  const left = async () => {
    const { totp, recovery_codes } = await factorsOf(db, olga.id);
    const sessions = await db.all(sql`select uid_hash from account_sessions where account_id = ${olga.id}`);
    return [totp !== undefined, recovery_codes, sessions.length];
  };

  assert.match(
    (await run('reset-factors', '--account', 'Olga', '--yes')).err,
    /Olga is an operator; use: .*account factor-code --account Olga/,
  );
  assert.match(
    (await run('factor-code', '--account', 'Olga')).err,
    /removes 0 passkeys, the authenticator app and 10 recovery codes of Olga, signs Olga out everywhere, and makes a code/,
  );
  assert.deepEqual(await left(), [true, 10, 1]);
  const { status, err } = await run('factor-code', '--account', 'Olga', '--yes');
  assert.equal(status, 0, err);
  assert.deepEqual(await left(), [false, 0, 0]);
});
