import assert from 'node:assert/strict';
import { generateKeyPairSync, hash } from 'node:crypto';
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
  readSecretHashes,
} from '#store/applications/applications.ts';
import { addOwner, ownersOf } from '#store/applications/owners.ts';
import { listAudit } from '#store/audit/audit.ts';
import { serverByKey, serverByName } from '#store/game/servers.ts';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { idOf } from '#platform/ids.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openSecret } from '#store/game/watches/managed-servers.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
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
    ['- { name: A }', /s\.yml, server 1: `region` is missing: it must be a text\.\n$/],
    [
      '- { name: A, regoin: eu }',
      /server 1: `region` is missing: .* `regoin` is not a member of this object; check the spelling\.\n$/,
    ],
    ['- A', /s\.yml, server 1: must be an object\.\n$/],
    ['- { name: A, region: eu }\n- { name: a, region: eu }', /s\.yml, server 2 has the name of server 1\.\n$/],
    [
      '- { name: A, region: eu, colour: red }',
      /s\.yml, server 1: `colour` is not a member of this object; check the spelling\.\n$/,
    ],
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
  assert.match((await scorehall({ DATABASE_URL }, 'server', 'create')).err, /--name is missing\./);
  assert.throws(() => statSync(DATABASE_URL), 'nothing was created');
});

const NETWORK = `servers:
  - { name: Alpha, region: eu, punishments: own }
applications:
  - name: Board
    type: service
    redirect_uris: [https://board.example/cb]
    post_logout_redirect_uris: [https://board.example/bye]
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
  assert.deepEqual(await readSecretHashes(context.db, board!.key), [
    secretHash(keys.applications['Board']!.client_secret),
  ]);
  assert.equal(rows[2]!['client_id'], widget!.client_id, 'a Client ID is no secret and is printed');
  assert.ok(!/sh[ks]_/.test(JSON.stringify(rows)), 'secrets are only in the file');
  assert.deepEqual(board!.post_logout_redirect_uris, ['https://board.example/bye']);
  assert.deepEqual([board!.access, board!.hourly_limit, widget!.access], ['approved', 5000, 'none']);
  assert.deepEqual(
    (await ownersOf(context.db, board!.key)).map(({ name }) => name),
    ['Mira'],
  );
  assert.equal((await accountByName(context.db, 'Noor'))!.role, 'moderator');
  assert.equal((await serverByKey(context.db, (await serverByName(context.db, 'Alpha'))!.key, 0))!.punishments, 'own');
  const audited = await listAudit(context.db, {}, 10);
  assert.deepEqual(audited.map(({ action, subject }) => [action, subject]).reverse(), [
    ['server.create', idOf((await serverByName(context.db, 'Alpha'))!.key)],
    ['application.create', board!.client_id],
    ['access.limit', board!.client_id],
    ['application.owner.add', board!.client_id],
    ['application.create', widget!.client_id],
    ['account.role', (await accountByName(context.db, 'Noor'))!.id],
  ]);

  const stored = await readFile(keyPath, 'utf8');
  assert.deepEqual(new Set((await apply()).map(({ action }) => action)), new Set(['unchanged']));
  assert.equal((await listAudit(context.db, {}, 10)).length, audited.length);
  assert.equal(await readFile(keyPath, 'utf8'), stored);

  await writeFile(
    path,
    NETWORK.replace('approved', 'revoked')
      .replace('5000', 'default')
      .replace('[Mira]', '[Noor, Mira]')
      .replace('/bye', '/'),
  );
  assert.match((await ran()).err, /Board loses its access to the data API\. Add --yes/);
  const [, changed] = await apply('--yes');
  assert.deepEqual(changed!['changes'], [
    'post_logout_redirect_uris [https://board.example/bye] → [https://board.example/]',
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
    'post_logout_redirect_uris [https://board.example/] → [https://board.example/bye]',
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

const MANAGED = '{ url: "ws://127.0.0.1:25585", secret_file: alpha.secret }';
const fileOf = (manage: string): string => `servers: [{ name: Alpha, region: eu, manage: ${manage} }]`;

onEachDatabase('a management connection comes from a file, its secret from another', async (t, url) => {
  const SECRET_KEY = 'a secret that is long enough for tests';
  const context = await testContext(t, url, { SECRET_KEY });
  const { db } = context;
  const [first, second] = [
    'aVerySecretManagementSecretOf40Letters00',
    'anotherManagementSecretOf40LettersInAll1',
  ] as const;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ca = selfSignedCertificate(privateKey, 'localhost', new Date(0));
  await using folder = await folderOf({ 'n.yml': fileOf(MANAGED), 'alpha.secret': `${first}\n`, 'ca.pem': ca });
  const printed: string[] = [];
  const apply = async (...options: string[]): Promise<Record<string, unknown>> => {
    const { status, out, err } = await scorehall(
      { DATABASE_URL: url, SECRET_KEY },
      'apply',
      join(folder.path, 'n.yml'),
      '--json',
      ...options,
    );
    assert.deepEqual([status, err], [0, '']);
    printed.push(out);
    return (JSON.parse(out) as Record<string, unknown>[])[0]!;
  };
  /** The stored connection; `revision` grows if the connection starts again. */
  const stored = async () => {
    const held = await db.get<{ url: string; ca: string; revision: number; sealed_secret: string }>(
      sql`select url, ca, revision, sealed_secret from managed_servers`,
    );
    const secret = held && openSecret(openSecretKey(context.config), { sealedSecret: held.sealed_secret });
    return held && [held.url, held.ca, held.revision, secret];
  };
  const changes = async (...options: string[]) => (await apply(...options))['changes'];

  assert.equal((await apply('--dry-run'))['action'], 'create');
  assert.equal(await stored(), undefined);
  assert.equal((await apply())['action'], 'create');
  assert.deepEqual(await stored(), ['ws://127.0.0.1:25585', '', 1, first]);
  assert.equal((await apply())['action'], 'unchanged');
  await writeFile(join(folder.path, 'n.yml'), fileOf(MANAGED).replace('eu', 'us'));
  assert.deepEqual(await changes(), ['region eu → us']);
  assert.deepEqual(await stored(), ['ws://127.0.0.1:25585', '', 1, first], 'the connection stays');

  await writeFile(join(folder.path, 'alpha.secret'), second);
  assert.deepEqual(await changes('--dry-run'), ['manage secret changed']);
  assert.deepEqual(await changes(), ['manage secret changed']);
  assert.deepEqual(await stored(), ['ws://127.0.0.1:25585', '', 2, second]);
  const secure = '{ url: "wss://a.example:1", secret_file: alpha.secret, ca_file: ca.pem }';
  await writeFile(join(folder.path, 'n.yml'), fileOf(secure).replace('eu', 'us'));
  const own = `wss://a.example:1 (own CA ${hash('sha256', ca.trim()).slice(0, 8)})`;
  assert.deepEqual(await changes(), [`manage ws://127.0.0.1:25585 → ${own}`]);
  assert.deepEqual(await stored(), ['wss://a.example:1', ca.trim(), 3, second]);
  await writeFile(join(folder.path, 'n.yml'), 'servers: [{ name: Alpha, region: us }]');
  assert.equal((await apply())['action'], 'unchanged', 'what the file leaves out stays');
  await writeFile(join(folder.path, 'n.yml'), fileOf('null').replace('eu', 'us'));
  assert.deepEqual(await changes(), [`manage ${own} → none`]);
  assert.equal(await stored(), undefined);
  assert.equal((await apply())['action'], 'unchanged');
  const audited = JSON.stringify(await listAudit(db, {}, 20));
  assert.match(audited, /wss:\/\/a\.example:1/);
  for (const text of [audited, ...printed]) assert.ok(!text.includes(first) && !text.includes(second), text);

  const wrong: [string, RegExp][] = [
    ['{ url: "ws://127.0.0.1:1" }', /server 1: `manage\.secret_file` is missing: .*\.\n$/],
    [
      '{ url: "ws://127.0.0.1:1", secret_file: s, secret: Oth3rSecret }',
      /server 1: `manage\.secret` is not a member of this object; check the spelling\.\n$/,
    ],
    [
      '{ url: "ws://a.example:1", secret_file: alpha.secret }',
      /server 1: manage\.url must be wss:\/\/HOST:PORT, or .*\.\n$/,
    ],
    [
      '{ url: "ws://127.0.0.1:1", secret_file: none }',
      /manage\.secret_file names a file that cannot be read \(ENOENT\)\.\n$/,
    ],
    ['{ url: "ws://127.0.0.1:1", secret_file: n.yml }', /manage\.secret_file must have the secret alone, .*\.\n$/],
    [
      '{ url: "wss://a:1", secret_file: alpha.secret, ca_file: alpha.secret }',
      /manage\.ca_file must have certificates in PEM, .*\.\n$/,
    ],
  ];
  for (const [manage, message] of wrong) {
    await writeFile(join(folder.path, 'n.yml'), fileOf(manage));
    const { status, err } = await scorehall(
      { DATABASE_URL: url, SECRET_KEY },
      'apply',
      join(folder.path, 'n.yml'),
      '--dry-run',
    );
    assert.equal(status, 2, manage);
    assert.match(err, message);
    assert.ok(!err.includes(second), 'no error repeats a secret');
  }
});

onEachDatabase('hidden players come from a file, of a server and of the network', async (t, url) => {
  const SECRET_KEY = 'a secret that is long enough for tests';
  await testContext(t, url, { SECRET_KEY });
  await using folder = await folderOf({});
  const path = join(folder.path, 'n.yml');
  const ran = async (...args: string[]): Promise<Record<string, unknown>[]> => {
    const { status, out, err } = await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args, '--json');
    assert.equal(status, 0, err);
    return JSON.parse(out) as Record<string, unknown>[];
  };
  const apply = async (network: string, server: string, ...options: string[]): Promise<unknown[]> => {
    await writeFile(
      path,
      `{ network: { hidden: ${network} }, servers: [{ name: Alpha, region: eu, hidden: ${server} }] }`,
    );
    return (await ran('apply', path, ...options)).map(({ action, changes }) => [action, changes]);
  };
  const UUID = '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42';
  await ran('server', 'create', '--name', 'Alpha', '--region', 'eu');
  const wanted = ['[Wharfinger, Ada]', `[${UUID.replaceAll('-', '')}]`] as const;
  const changes = [
    ['change', ['hidden [] → [Ada, Wharfinger]']],
    ['change', [`hidden [] → [${UUID}]`]],
  ];
  assert.deepEqual(await apply(...wanted, '--dry-run'), changes);
  assert.deepEqual(await apply(...wanted), changes);
  assert.deepEqual(await apply(...wanted), [
    ['unchanged', []],
    ['unchanged', []],
  ]);
  assert.deepEqual(await ran('network', 'show'), { hidden: ['Ada', 'Wharfinger'] });
  const shown = (await ran('server', 'set', '--name', 'Alpha', '--max', '40')) as unknown as Record<string, unknown>;
  assert.deepEqual(shown['hidden'], [UUID], 'what is not given stays');
  assert.deepEqual((await apply('[]', '[]')).length, 2);
  assert.deepEqual(await ran('network', 'show'), { hidden: [] });
});

test('a wrong file of a network is refused as a whole, before anything changes', async () => {
  await using folder = await folderOf({});
  const DATABASE_URL = join(folder.path, 'x.db');
  const path = join(folder.path, 'n.yml');
  const wrong: [string, RegExp][] = [
    ['[]', /n\.yml must have the members network, servers, applications, accounts, or some of them\.\n$/],
    ['colour: red', /n\.yml has the member colour; there are network, servers, applications, accounts\.\n$/],
    ['applications: { name: A }', /n\.yml: applications must be a list\.\n$/],
    ['applications: [{ name: A }]', /application 1: `type` is missing: it must be one of installed, web, service\.\n$/],
    [
      'applications: [{ name: A, type: web, redirect_uris: [ftp://a] }]',
      /application 1: the redirect URI ftp:\/\/a .*\.\n$/,
    ],
    [
      'applications: [{ name: A, type: web, post_logout_redirect_uris: [ftp://b] }]',
      /application 1: the redirect URI ftp:\/\/b .*\.\n$/,
    ],
    [
      'applications: [{ name: A, type: web, secret: x }]',
      /application 1: `secret` is not a member of this object; check the spelling\.\n$/,
    ],
    ['accounts: [{ name: A, role: king }]', /account 1: `role` must be one of user, moderator, operator\.\n$/],
    [
      'servers: [{ name: A, region: eu, punishments: all }]',
      /server 1: `punishments` must be one of network, own\.\n$/,
    ],
    ['network: [Ada]', /n\.yml: network must have the member hidden alone, a list of texts\.\n$/],
    [
      'network: { hidden: [Ada, "Bob, Cyd"] }',
      /network\.hidden must have one name or UUID an entry \(one is "Bob, Cyd"\)/,
    ],
    [
      `servers: [{ name: A, region: eu, hidden: [${'x'.repeat(65)}] }]`,
      /server 1: hidden must have at most 200 names or UUIDs, .* each of at most 64 characters\.\n$/,
    ],
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
