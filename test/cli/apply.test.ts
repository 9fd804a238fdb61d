import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { accountByName, createAccount } from '#store/accounts/accounts.ts';
import {
  createApplication,
  listApplications,
  type NewApplication,
  secretHashesOf,
} from '#store/applications/applications.ts';
import { addOwner, ownersOf } from '#store/applications/owners.ts';
import { listAudit } from '#store/audit/audit.ts';
import { serverByKey, serverByName } from '#store/game/servers.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { folderOf } from '#test/importers/fixtures.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { type Ran, scorehall } from './scorehall.ts';

const FILE = `servers:
  - { name: Alpha, region: eu, max: 100 }
  - { name: "Bay: Lobby", region: us, order: 2 }
`;

interface Keys {
  servers: Record<string, string>;
  applications: Record<string, { client_id: string; client_secret: string }>;
}

async function addAccount(db: Db, name: string): Promise<string> {
  const made = await createAccount(db, 0, {
    name,
    email: `${name}@example.com`,
    password: 'hash',
    email_verified: true,
  });
  assert.ok(typeof made === 'object');
  return made.id;
}

const actions = (rows: Record<string, unknown>[]) => rows.map(({ name, action }) => [name, action]);

onEachDatabase(
  'servers come from a file; again, only what differs changes, and only new ones get a key',
  async (_t, url) => {
    await using folder = await folderOf({ 'servers.yml': FILE });
    const [path, keyPath] = ['servers.yml', 'keys.json'].map((name) => join(folder.path, name)) as [string, string];
    const create = async (...options: string[]): Promise<Record<string, unknown>[]> => {
      const { status, out, err } = await scorehall(
        { DATABASE_URL: url },
        'server',
        'create',
        '--from',
        path,
        '--json',
        ...options,
      );
      assert.deepEqual([status, err], [0, '']);
      return JSON.parse(out) as Record<string, unknown>[];
    };
    const created = [
      ['Alpha', 'create'],
      ['Bay: Lobby', 'create'],
    ];
    await using db = await openDb(url);

    assert.deepEqual(actions(await create('--dry-run', '--keys-to', keyPath)), created);
    assert.deepEqual(await db.all(sql`select name from servers`), [], 'a dry run changes nothing');
    assert.throws(() => statSync(keyPath));

    const rows = await create('--keys-to', keyPath);
    assert.deepEqual(actions(rows), created);
    assert.ok(!JSON.stringify(rows).includes('shk_'), 'keys are only in the file');
    assert.equal((statSync(keyPath).mode & 0o777).toString(8), '600');
    const { servers: keys } = JSON.parse(await readFile(keyPath, 'utf8')) as Keys;
    assert.deepEqual(Object.keys(keys), ['Alpha', 'Bay: Lobby']);
    const stored = await db.all<{ hash: string }>(sql`select hash from server_keys`);
    assert.deepEqual(new Set(stored.map(({ hash }) => hash)), new Set(Object.values(keys).map(secretHash)));

    const events = async (): Promise<number> => (await db.all(sql`select key from ledger`)).length;
    const before = await events();
    assert.deepEqual(actions(await create('--keys-to', keyPath)), [
      ['Alpha', 'unchanged'],
      ['Bay: Lobby', 'unchanged'],
    ]);
    assert.equal(await events(), before);

    await writeFile(path, '- { name: ALPHA, region: us }\n- { name: Cove, region: eu }\n');
    const [alpha, cove] = await create('--keys-to', keyPath);
    assert.deepEqual(alpha, { kind: 'server', name: 'Alpha', action: 'change', changes: ['region eu → us'] });
    assert.equal(cove!['action'], 'create');
    const { servers: more } = JSON.parse(await readFile(keyPath, 'utf8')) as Keys;
    assert.deepEqual({ ...more, Cove: '' }, { ...keys, Cove: '' }, 'earlier keys stay in the file');
    const server = await db.get<object>(sql`select region, max from servers where name = 'Alpha'`);
    assert.deepEqual({ ...server }, { region: 'us', max: 100 }, 'what the file leaves out stays');

    await writeFile(path, '[{ name: Dell, region: eu }]');
    const [dell] = await create();
    assert.match(String(dell!['ingest_key']), /^shk_/, 'without a file the key is printed');
  },
);

test('a wrong file of servers is refused as a whole, before anything changes', async () => {
  await using folder = await folderOf({ 'keys.json': '[1]' });
  const DATABASE_URL = join(folder.path, 'x.db');
  const path = join(folder.path, 's.yml');
  const create = (...options: string[]): Promise<Ran> =>
    scorehall({ DATABASE_URL }, 'server', 'create', '--from', path, ...options);
  const wrong: [string, RegExp][] = [
    ['servers: 3', /s\.yml must be a list of servers with name and region\.\n$/],
    ['- { name: A }', /s\.yml, server 1, region: .*\.\n$/],
    ['- { name: A, region: eu }\n- { name: a, region: eu }', /s\.yml, server 2 has the name of server 1\.\n$/],
    ['- { name: A, region: eu, colour: red }', /s\.yml, server 1: Unrecognized key: "colour"\.\n$/],
    ['- { name: A, region: eu, max: -1 }', /s\.yml, server 1: max .*\.\n$/],
    ['- { name: A, region: "e', /s\.yml cannot be read: .*\.\n$/],
  ];
  for (const [content, message] of wrong) {
    await writeFile(path, content);
    const { status, err } = await create();
    assert.equal(status, 2, content);
    assert.match(err, message);
  }
  await writeFile(path, '- { name: A, region: eu }');
  assert.match((await create('--keys-to', join(folder.path, 'keys.json'))).err, /keys\.json is not a file of keys\./);
  assert.match((await create('--keys-to', join(folder.path, 'none/keys'))).err, /cannot be written \(ENOENT\)\./);
  assert.match((await create('--region', 'eu')).err, /Give --from or --region, not both\./);
  const without = await scorehall({ DATABASE_URL }, 'server', 'create', '--name', 'A', '--region', 'eu', '--dry-run');
  assert.match(without.err, /--dry-run belongs to --from, which is missing\./);
  assert.match((await scorehall({ DATABASE_URL }, 'server', 'create')).err, /--name and --region are missing\./);
  assert.throws(() => statSync(DATABASE_URL), 'nothing was created');
});

const NETWORK = `servers:
  - { name: Alpha, region: eu, punishments: own }
applications:
  - name: Board
    type: service
    redirect_uris: [https://board.example/cb]
    access: approved
    hourly_limit: 5000
    owners: [Mira]
  - { name: Widget, type: web }
accounts:
  - { name: Noor, role: moderator }
`;

onEachDatabase('a whole network comes from a file; again, nothing changes', async (t, url) => {
  const context = await testContext(t, url);
  for (const name of ['Mira', 'Noor', 'Stranger']) await addAccount(context.db, name);
  await using folder = await folderOf({ 'network.yml': NETWORK });
  const [path, keyPath] = ['network.yml', 'keys.json'].map((name) => join(folder.path, name)) as [string, string];
  const ran = (...options: string[]): Promise<Ran> =>
    scorehall({ DATABASE_URL: url }, 'apply', path, '--keys-to', keyPath, ...options);
  const apply = async (...options: string[]): Promise<Record<string, unknown>[]> => {
    const { status, out, err } = await ran('--json', ...options);
    assert.deepEqual([status, err.replaceAll(/^(mail to .* now an owner of .*|  http.*)\n/gm, '')], [0, '']);
    return JSON.parse(out) as Record<string, unknown>[];
  };
  const all = [
    ['Alpha', 'create'],
    ['Board', 'create'],
    ['Widget', 'create'],
    ['Noor', 'change'],
  ];

  const unconfirmed = await ran();
  assert.equal(
    unconfirmed.err,
    'scorehall: Noor becomes moderator instead of user. Add --yes to do it, or --dry-run to see what it would change.\n',
  );
  assert.deepEqual(actions(await apply('--dry-run')), all);
  assert.deepEqual(await listApplications(context.db), [], 'neither a refusal nor a dry run changes anything');

  const rows = await apply('--yes');
  assert.deepEqual(actions(rows), all);
  const keys = JSON.parse(await readFile(keyPath, 'utf8')) as Keys;
  const [board, widget] = await listApplications(context.db);
  assert.deepEqual(Object.keys(keys.servers), ['Alpha']);
  assert.equal(keys.applications['Board']!.client_id, board!.client_id);
  assert.deepEqual(await secretHashesOf(context.db, board!.key), [
    secretHash(keys.applications['Board']!.client_secret),
  ]);
  assert.equal(rows[2]!['client_id'], widget!.client_id, 'a Client ID is no secret and is printed');
  assert.ok(!/sh[ks]_/.test(JSON.stringify(rows)), 'secrets are only in the file');
  assert.deepEqual([board!.access, board!.hourly_limit, widget!.access], ['approved', 5000, 'none']);
  assert.deepEqual(
    (await ownersOf(context.db, board!.key)).map(({ name }) => name),
    ['Mira'],
  );
  assert.equal((await accountByName(context.db, 'Noor'))!.role, 'moderator');
  assert.equal((await serverByKey(context.db, (await serverByName(context.db, 'Alpha'))!.key, 0))!.punishments, 'own');
  const audited = await listAudit(context.db, {}, 10);
  assert.deepEqual(audited.map(({ action, subject }) => [action, subject]).reverse(), [
    ['server.create', 'Alpha'],
    ['application.create', board!.client_id],
    ['application.create', widget!.client_id],
    ['account.role', (await accountByName(context.db, 'Noor'))!.id],
  ]);

  const stored = await readFile(keyPath, 'utf8');
  assert.deepEqual(new Set((await apply()).map(({ action }) => action)), new Set(['unchanged']));
  assert.equal((await listAudit(context.db, {}, 10)).length, audited.length);
  assert.equal(await readFile(keyPath, 'utf8'), stored);

  await writeFile(
    path,
    NETWORK.replace('approved', 'revoked').replace('5000', 'default').replace('[Mira]', '[Noor, Mira]'),
  );
  assert.match((await ran()).err, /Board loses its access to the data API\. Add --yes/);
  const [, changed] = await apply('--yes');
  assert.deepEqual(changed!['changes'], [
    'access approved → revoked',
    'hourly_limit 5000 → default',
    'owners [Mira] → [Mira, Noor]',
  ]);
  await writeFile(
    path,
    NETWORK.replace('[Mira]', '[Noor]').replace('name: Board', `name: Score board\n    client_id: ${board!.client_id}`),
  );
  const [, renamed] = await apply('--yes');
  assert.deepEqual(renamed!['changes'], [
    'name Board → Score board',
    'access revoked → approved',
    'hourly_limit default → 5000',
    'owners [Mira, Noor] → [Noor]',
  ]);
  assert.deepEqual(
    (await ownersOf(context.db, board!.key)).map(({ name }) => name),
    ['Noor'],
  );
});

onEachDatabase(
  'an application of the same name that somebody else owns is never taken for the operator’s',
  async (t, url) => {
    const { db, clock } = await testContext(t, url);
    const stranger = await addAccount(db, 'Stranger');
    const wanted: NewApplication = { name: 'Board', type: 'web', redirect_uris: [], access: 'none' };
    const { application } = await createApplication(db, clock.now(), wanted);
    await addOwner(db, clock.now(), application.key, stranger);
    await using folder = await folderOf({ 'n.yml': 'applications: [{ name: Board, type: web, access: approved }]' });
    const apply = (): Promise<Ran> => scorehall({ DATABASE_URL: url }, 'apply', join(folder.path, 'n.yml'), '--json');
    const { status, err } = await apply();
    assert.equal(status, 2);
    assert.match(
      err,
      new RegExp(`an application Board \\(Client ID ${application.client_id}\\) of Stranger: add its client_id`),
    );
    const file = `applications: [{ name: Board, type: web, access: approved, client_id: ${application.client_id} }]`;
    await writeFile(join(folder.path, 'n.yml'), file);
    assert.equal((await apply()).status, 0);
    assert.equal((await listApplications(db))[0]!.access, 'approved');
    await createApplication(db, clock.now(), wanted);
    await writeFile(join(folder.path, 'n.yml'), 'applications: [{ name: Board, type: web }]');
    assert.match((await apply()).err, /several applications Board/);
  },
);

test('a wrong file of a network is refused as a whole, before anything changes', async () => {
  await using folder = await folderOf({});
  const DATABASE_URL = join(folder.path, 'x.db');
  const path = join(folder.path, 'n.yml');
  const wrong: [string, RegExp][] = [
    ['[]', /n\.yml must have the members servers, applications, accounts, or some of them\.\n$/],
    ['colour: red', /n\.yml has the member colour; there are servers, applications, accounts\.\n$/],
    ['applications: { name: A }', /n\.yml: applications must be a list\.\n$/],
    ['applications: [{ name: A }]', /application 1, type: .*\.\n$/],
    [
      'applications: [{ name: A, type: web, redirect_uris: [ftp://a] }]',
      /application 1: the redirect URI ftp:\/\/a .*\.\n$/,
    ],
    ['applications: [{ name: A, type: web, secret: x }]', /application 1: Unrecognized key: "secret"\.\n$/],
    ['accounts: [{ name: A, role: king }]', /account 1, role: .*\.\n$/],
    ['servers: [{ name: A, region: eu, punishments: all }]', /server 1, punishments: .*\.\n$/],
  ];
  for (const [content, message] of wrong) {
    await writeFile(path, content);
    const { status, err } = await scorehall({ DATABASE_URL }, 'apply', path);
    assert.equal(status, 2, content);
    assert.match(err, message);
  }
  assert.match((await scorehall({ DATABASE_URL }, 'apply')).err, /Give one FILE/);
  assert.throws(() => statSync(DATABASE_URL), 'nothing was created');
});
