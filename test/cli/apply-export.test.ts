import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAccount, type Role } from '#store/accounts/accounts.ts';
import { createApplication } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { listAudit } from '#store/audit/audit.ts';
import type { Db } from '#db/db.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { type Ran, scorehall } from './scorehall.ts';

const SECRET = 'Z'.repeat(40);
const NETWORK = `network: { hidden: [Wharfinger] }
servers:
  - { name: Alpha, region: eu, order: 2, icon: anchor, max: 40, punishments: own, hidden: [Saltmarten] }
  - { name: Bay, region: us, watch: { address: "play.example.org", protocol: minecraft } }
  - { name: Cove, region: eu, manage: { url: "wss://cove.example.org:25585", secret_file: cove.secret } }
applications:
  - name: Board
    type: service
    redirect_uris: [https://board.example/cb]
    post_logout_redirect_uris: [https://board.example/bye]
    require_pkce: true
    rotate_refresh_tokens: true
    access: approved
    hourly_limit: 5000
    owners: [Mira, Noor]
  - { name: Widget, type: web, access: revoked }
accounts:
  - { name: Noor, role: moderator }
`;

async function account(db: Db, name: string, role: Role = 'user'): Promise<string> {
  const facts = { name, email: `${name}@example.com`, password: null, email_verified: true, role };
  const made = await createAccount(db, 0, facts);
  assert.ok(typeof made === 'object');
  return made.id;
}

onEachDatabase('an exported network is a file that changes nothing, and drift is seen', async (t, url) => {
  const { db } = await testContext(t, url);
  for (const name of ['Mira', 'Noor']) await account(db, name);
  await using folder = await folderOf({ 'network.yml': NETWORK, 'cove.secret': SECRET });
  const [source, copy] = ['network.yml', 'copy.yml'].map((name) => join(folder.path, name)) as [string, string];
  const run = (...args: string[]): Promise<Ran> =>
    scorehall({ DATABASE_URL: url, NETWORK_NAME: 'Moor' }, 'apply', ...args);
  assert.equal((await run(source, '--yes')).status, 0);
  // Anybody may register an application with a name that exists.
  const { application: namesake } = await createApplication(db, 0, {
    ...{ name: 'Board', type: 'installed', redirect_uris: [], access: 'waiting' },
  });
  await addOwner(db, 0, namesake.key, await account(db, 'Kelp'));

  const exported = await run('--export');
  assert.deepEqual([exported.status, exported.err], [0, '']);
  assert.doesNotMatch(exported.out, /Z{40}|sh[ks]_|@example\.com/, 'neither secrets nor addresses');
  assert.match(
    exported.out,
    /^# Moor as scorehall apply --export found it, .*\n# Management [^\n]*\n# {3}Cove: wss:\/\/cove/,
  );
  await writeFile(copy, exported.out);
  const compare = async (...options: string[]) => {
    const { status, out, err } = await run(copy, '--json', ...options);
    assert.equal(err, '');
    const rows = JSON.parse(out) as { name: string; action: string; changes: string[]; client_id?: string }[];
    return { status, rows: rows.filter(({ action }) => action !== 'unchanged'), count: rows.length };
  };
  const before = await listAudit(db, {}, 100);
  assert.deepEqual(await compare('--dry-run', '--exit-code'), { status: 0, rows: [], count: 8 });
  assert.deepEqual(await compare('--yes'), { status: 0, rows: [], count: 8 });
  assert.equal((await listAudit(db, {}, 100)).length, before.length);
  assert.equal((await run('--export')).out, exported.out);

  await writeFile(
    copy,
    exported.out.replace('region: us', 'region: eu').replace(/ {2}- name: Alpha\n(?: {4}.*\n)*/, ''),
  );
  await account(db, 'Olga', 'operator');
  const changed = await compare('--dry-run', '--exit-code');
  assert.equal(changed.status, 1);
  assert.deepEqual(changed.rows, [
    { kind: 'server', name: 'Bay', action: 'change', changes: ['region us → eu'] },
    { kind: 'server', name: 'Alpha', action: 'unmanaged', changes: [] },
    { kind: 'account', name: 'Olga', action: 'unmanaged', changes: [] },
  ]);
  assert.equal((await compare('--dry-run')).status, 0, 'without --exit-code');
  await writeFile(copy, 'applications:\n  - { name: Widget, type: web }\n');
  const listed = await compare('--dry-run', '--exit-code');
  assert.equal(listed.status, 0, 'what the file does not manage is no change of it');
  const boards = listed.rows.map(({ name, action, client_id }) => [name, action, client_id === namesake.client_id]);
  assert.deepEqual(boards, [
    ['Board', 'unmanaged', false],
    ['Board', 'unmanaged', true],
  ]);
});

test('--exit-code tells differences from errors, and an export creates no network', async () => {
  await using folder = await folderOf({ 'network.yml': NETWORK, 'cove.secret': SECRET, 'wrong.yml': 'servers: 3' });
  const [right, wrong] = ['network.yml', 'wrong.yml'].map((name) => join(folder.path, name)) as [string, string];
  const DATABASE_URL = join(folder.path, 'x.db');
  const [port] = await freePorts(1);
  for (const [url, args, message] of [
    [DATABASE_URL, [right, '--exit-code'], /--exit-code belongs to --dry-run, which is missing\./],
    [DATABASE_URL, [wrong, '--exit-code', '--dry-run'], /servers must be a list\./],
    [
      `postgres://me@127.0.0.1:${port}/x`,
      [right, '--exit-code', '--dry-run'],
      /^scorehall: The database cannot be reached/,
    ],
    [DATABASE_URL, ['--export'], /There is no database .*x\.db/],
    [DATABASE_URL, [right, '--export'], /--export prints the file: scorehall apply --export > network\.yml/],
  ] as const) {
    const { status, err } = await scorehall({ DATABASE_URL: url }, 'apply', ...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(err, message);
  }
  assert.equal(existsSync(DATABASE_URL), false);
  assert.equal(await readFile(right, 'utf8'), NETWORK);
});
