import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { folderOf } from '#test/importers/fixtures.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type Ran, scorehall } from './scorehall.ts';

const FILE = `servers:
  - { name: Alpha, region: eu, max: 100 }
  - { name: "Bay: Lobby", region: us, order: 2 }
`;

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
    const keys = JSON.parse(await readFile(keyPath, 'utf8')) as Record<string, string>;
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
    assert.deepEqual(alpha, { name: 'Alpha', action: 'change', changes: ['region eu → us'] });
    assert.equal(cove!['action'], 'create');
    const more = JSON.parse(await readFile(keyPath, 'utf8')) as Record<string, string>;
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
