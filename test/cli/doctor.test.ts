import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Environment, readConfig, type ServiceName } from '#platform/config/config.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { openAppContext } from '#context/context.ts';
import { openDb } from '#db/open.ts';
import { REQUIRED } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { saveInstallation } from '#db/transfer/closing.ts';
import { closeForWrites, saveMoveMark } from '#db/transfer/closing.ts';
import { SELF_CHECK_HEADER, SELF_CHECK_PATH, selfCheckToken } from '#http/self-check.ts';
import { openServices } from '#server/listeners.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { addWebhook } from '#store/applications/webhooks/webhooks.ts';
import { readFeed, recordChanges } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import { setDisabled, setRole } from '#store/accounts/account-changes.ts';
import { account, application, giveApp } from '#test/support/builders.ts';
import { captured } from '#test/support/captured.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { freePorts } from '#test/support/ports.ts';
import { run } from '#cli/dispatch.ts';
import { checkFiles } from '#cli/doctor/files.ts';

interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'error';
  message: string;
  remedy: string | null;
}

const NAMES: readonly ServiceName[] = ['API', 'AUTH', 'SITE', 'INGEST'];
const KEY = 'a secret key that is long enough for the doctor';

/** Runs the doctor with `--json` in a new folder. */
async function doctor(environment: Environment, args: string[] = [], folder = newFolder()) {
  const { result, out, err } = await captured({ environment, folder }, () => run(['doctor', '--json', ...args]));
  assert.equal(err, '');
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  assert.equal(result, ok ? 0 : 1);
  for (const { status, remedy } of findings) assert.equal(remedy === null, status === 'ok', 'with a remedy');
  const of = (check: string): Finding[] => findings.filter((finding) => finding.check === check);
  const texts = (check: string): string => of(check).map(({ message }) => message).join('\n'); // prettier-ignore
  const errors = findings.filter(({ status }) => status === 'error').map(({ message }) => message);
  return { of, texts, errors, ok };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'doctor-'));

/** Settings whose public addresses and listeners are on different ports, as behind a proxy. */
async function settingsBehindProxy(databaseUrl: string): Promise<{ settings: Environment; ports: number[] }> {
  const ports = await freePorts(8);
  const pairs = NAMES.flatMap((name, index) => [
    [`${name}_URL`, `http://127.0.0.1:${ports[index]}`],
    [`${name}_LISTEN`, `127.0.0.1:${ports[index + 4]}`],
  ]);
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: KEY, LOG_LEVEL: 'silent', ...Object.fromEntries(pairs) };
  return { settings, ports };
}

async function startServices(t: TestContext, settings: Environment): Promise<() => Promise<void>> {
  const context = await openAppContext(readConfig(settings));
  if ((await context.db.tuple(sql`select 1 from signing_keys`)) === undefined) await shareSigningKey(context);
  const services = await openServices(context);
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await services[Symbol.asyncDispose]();
    await context[Symbol.asyncDispose]();
  };
  t.after(close);
  return close;
}

type Forward = 'overwrite' | 'append' | 'pass' | 'drop' | 'other client' | 'refuse body' | 'bad gateway';

/** A proxy in front of every service, which treats X-Forwarded-For in one of several ways. */
class Proxies {
  mode: Forward = 'overwrite';

  constructor(t: TestContext, ports: readonly number[]) {
    for (const index of NAMES.keys()) {
      const server = createServer((incoming, outgoing) => {
        const headers = { ...incoming.headers };
        const given = headers['x-forwarded-for'];
        if (/overwrite|refuse/.test(this.mode)) headers['x-forwarded-for'] = '127.0.0.1';
        if (this.mode === 'append') headers['x-forwarded-for'] = `${String(given)}, 127.0.0.1`;
        if (this.mode === 'other client') headers['x-forwarded-for'] = `${String(given)}, 198.51.100.7`;
        if (this.mode === 'drop') delete headers['x-forwarded-for'];
        if (this.mode === 'refuse body' && incoming.method === 'POST') return void outgoing.writeHead(413).end();
        if (this.mode === 'bad gateway') return void outgoing.writeHead(502).end();
        const { url: path, method } = incoming;
        const forwarded = httpRequest(
          { host: '127.0.0.1', port: ports[index + 4], path, method, headers },
          (answer) => {
            outgoing.writeHead(answer.statusCode!, answer.headers);
            answer.pipe(outgoing);
          },
        );
        incoming.pipe(forwarded).on('error', () => outgoing.destroy());
      }).listen(ports[index], '127.0.0.1');
      t.after(() => server.close());
    }
  }
}

onEachDatabase('the doctor sees the services through a proxy, and what is wrong with it', async (t, url) => {
  const { settings, ports } = await settingsBehindProxy(url);
  const proxies = new Proxies(t, ports);
  const trusting = { ...settings, TRUSTED_PROXIES: '127.0.0.1' };
  const addresses = NAMES.map((name) => `address ${name}`);
  const expectEach = async (mode: Forward, message: RegExp, environment: Environment = trusting): Promise<void> => {
    proxies.mode = mode;
    const { of } = await doctor(environment);
    for (const check of addresses) assert.match(of(check)[0]!.message, message, `${mode}: ${check}`);
  };

  await expectEach('bad gateway', /does not reach the service \(status 502\)/);
  const stop = await startServices(t, trusting);
  proxies.mode = 'overwrite';
  const { ok, errors, texts } = await doctor(trusting);
  assert.deepEqual([ok, errors], [true, []]);
  assert.match(texts('database'), /(SQLite|PostgreSQL) answers in [\d.]+ ms; the schema is up to date/);
  assert.match(texts('secret key'), /belongs to this database/);

  await expectEach('overwrite', /is this installation, behind proxy 127\.0\.0\.1; it sees the doctor as 127\.0\.0\.1/);
  await expectEach('append', /is this installation, behind proxy/);
  await expectEach('pass', /anybody can claim any address/);
  await expectEach('drop', /sends no X-Forwarded-For/);
  await expectEach('overwrite', /status 404|status 401|not as service/, { ...trusting, SECRET_KEY: `another ${KEY}` });
  proxies.mode = 'refuse body';
  const { errors: refusals } = await doctor(trusting);
  assert.equal(refusals.length, 1);
  assert.match(refusals[0]!, new RegExp(`^The proxy of ${settings['INGEST_URL']} refuses a body of 8 MB`));
  await stop();

  const stopUntrusting = await startServices(t, settings);
  await expectEach('overwrite', /its proxy 127\.0\.0\.1 is not trusted/);
  await stopUntrusting();

  await startServices(t, { ...settings, TRUSTED_PROXIES: '0.0.0.0/0' });
  await expectEach('other client', /TRUSTED_PROXIES contains 198\.51\.100\.7, which is no proxy/);
});

test('the path of the doctor exists for nobody else', async () => {
  const { settings } = await settingsBehindProxy(join(newFolder(), 'x.db'));
  await using context = await openAppContext(readConfig(settings));
  await using services = await openServices(context, ['API', 'SITE']);
  const status = async (service: 'API' | 'SITE', header?: string): Promise<number> => {
    const headers: Record<string, string> = header === undefined ? {} : { [SELF_CHECK_HEADER]: header };
    return (await fetch(services.addresses[service]! + SELF_CHECK_PATH, { headers })).status;
  };
  const now = context.clock.now();
  const token = selfCheckToken(context.db, 'SITE', now);
  assert.equal(await status('SITE', token), 200);
  assert.equal(await status('SITE', selfCheckToken(context.db, 'SITE', now - 61_000)), 404, 'too old');
  assert.equal(await status('SITE', selfCheckToken(context.db, 'SITE', now + 120_000)), 404, 'of the future');
  for (const header of [undefined, '', 'x', `${now}.`, `${now}.x`, `${token}x`, selfCheckToken(context.db, 'API', now)])
    assert.equal(await status('SITE', header), 404, String(header));
  assert.equal(await status('API', token), 401, 'a token is for one service');
});

test('another client at the path of the doctor makes no service read the secret key', async () => {
  const folder = newFolder();
  const settings = { DATABASE_URL: join(folder, 'x.db'), SITE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' };
  await using context = await openAppContext(readConfig(settings));
  await using services = await openServices(context, ['SITE']);
  rmSync(join(folder, 'secret.key'));
  mkdirSync(join(folder, 'secret.key'));
  const headers = { [SELF_CHECK_HEADER]: `${context.clock.now()}.x` };
  assert.equal((await fetch(services.addresses.SITE! + SELF_CHECK_PATH, { headers })).status, 404);
});

test('the doctor changes nothing: it creates neither database nor key', async () => {
  const folder = newFolder();
  const { texts, ok } = await doctor({ DATABASE_URL: 'data/x.db' }, [], folder);
  assert.ok(ok);
  assert.match(texts('database'), /There is no database at data\/x\.db yet/);
  assert.match(texts('addresses'), /not checked/);
  assert.ok(!existsSync(join(folder, 'data')));
});

onEachDatabase('the doctor finds a schema of another version and a wrong secret key', async (_, url) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent' };
  await using context = await openAppContext(readConfig(settings));
  await (await openServices(context, []))[Symbol.asyncDispose]();
  const changed = await doctor({ ...settings, SECRET_KEY: `another ${KEY}` });
  assert.match(changed.texts('secret key'), /not the key that this database was used with/);
  await context.db.run(sql`update change_feed set filling = ''`);
  assert.match((await doctor(settings)).texts('database'), /feed of changes does not have all/);
  await context.db.run(sql`insert into migrations (number, name) values (998, '998-future.sql')`);
  const newer = /A newer version has used the database: it is at migration 998, this version knows \d+/;
  const online = (await doctor(settings)).of('database').find(({ message }) => newer.test(message));
  assert.deepEqual([online?.status, online?.message.includes('may use it')], ['warning', true]);
  await saveInstallation(context.db, { [REQUIRED]: '998' });
  const offline = (await doctor(settings)).of('database').find(({ message }) => newer.test(message));
  assert.deepEqual([offline?.status, offline?.message.includes('may use it')], ['error', false]);
  await saveInstallation(context.db, { [REQUIRED]: '1' });
  await context.db.run(sql`delete from migrations where number > 1`);
  const { of } = await doctor(settings);
  assert.equal(of('database')[0]!.status, 'warning');
});

onEachDatabase(
  'second factor: names the staff without one as soon as an address is not on loopback',
  async (t, url) => {
    const context = await testContext(t, url, { SECRET_KEY: KEY });
    const { db, clock } = context;
    const [olga, max, gone] = [
      await account(context, 'Olga'),
      await account(context, 'Max'),
      await account(context, 'Gone'),
    ];
    await account(context, 'Ann');
    for (const { id } of [olga, gone]) await setRole(db, id, 'operator');
    await setRole(db, max.id, 'moderator');
    await setDisabled(db, gone.id, clock.now());
    const found = async (settings: Environment = {}): Promise<Finding[]> =>
      (await doctor({ DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent', ...settings })).of('second factor');
    const messages = async (settings?: Environment): Promise<string[]> =>
      (await found(settings)).map(({ message, status }) => `${status} ${message.split(':')[0]!}`);
    assert.deepEqual(await messages(), []);
    const both = ['warning Olga (operator) has none', 'warning Max (moderator) has none'];
    assert.deepEqual(await messages({ INGEST_URL: 'https://ingest.invalid' }), both);
    assert.deepEqual(await messages({ OPERATOR_SECOND_FACTOR: 'required' }), both);
    const optional = { AUTH_URL: 'https://auth.invalid', OPERATOR_SECOND_FACTOR: 'optional' };
    assert.deepEqual(await messages(optional), ['warning Operators and moderators need a password only.']);
    await giveApp(context, max.id);
    const [finding] = await found({ SITE_URL: 'https://site.invalid' });
    assert.match(finding!.remedy!, /account factor-code --account Olga$/);
    await giveApp(context, olga.id);
    assert.deepEqual(await messages({ API_URL: 'https://api.invalid' }), ['ok Every operator and moderator has one.']);
    assert.match(
      (await doctor({ OPERATOR_SECOND_FACTOR: 'yes' })).errors.join(),
      /must be required, optional or empty/,
    );
  },
);

onEachDatabase('signing keys: one that nothing has replaced at its age', async (_, url) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent' };
  await using context = await openAppContext(readConfig(settings));
  await shareSigningKey(context);
  assert.match(
    (await doctor(settings)).texts('signing keys'),
    /^The key that signs ID tokens \(\S+\) is 0 days old\.$/,
  );
  await context.db.run(sql`update signing_keys set created = created - ${92 * 86_400_000}`);
  assert.match(
    (await doctor(settings)).texts('signing keys'),
    /is 92 days old, and SIGNING_KEY_LIFETIME has not replaced it\.$/,
  );
  assert.equal((await doctor({ ...settings, SIGNING_KEY_LIFETIME: '0' })).of('signing keys')[0]!.status, 'ok');
  await context.db.run(sql`update signing_keys set created = created - ${300 * 86_400_000}`);
  const [finding] = (await doctor({ ...settings, SIGNING_KEY_LIFETIME: '0' })).of('signing keys');
  assert.deepEqual([finding!.status, finding!.remedy], ['warning', 'scorehall signing-key rotate']);
});

test('settings: a wrong value, a misspelt name, an open internal listener', async () => {
  const wrong = await doctor({ API_URL: 'nonsense' });
  assert.match(wrong.errors.join(), /^API_URL must be an address/);
  const folder = newFolder();
  writeFileSync(join(folder, '.env'), 'API_ULR=https://api.example.org\nNODE_EXTRA_CA_CERTS=/ca.pem\n');
  const misspelt = await doctor({}, [], folder);
  assert.match(misspelt.texts('settings'), /\.env, line 1: there is no setting API_ULR\. Did you mean "API_URL"\?$/);
  const { texts } = await doctor({ INTERNAL_LISTEN: '0.0.0.0:7404' });
  assert.match(texts('settings'), /internal listener is open on 0\.0\.0\.0:7404/);
  assert.doesNotMatch((await doctor({ INTERNAL_LISTEN: '10.0.0.4:7404' })).texts('settings'), /internal listener/);
});

test('settings: TRUSTED_PROXIES with a part of the internet', async () => {
  for (const proxies of ['0.0.0.0/0', '::/0', '127.0.0.1, 128.0.0.0/1', '10.0.0.0/0', '::1/0'])
    assert.match(
      (await doctor({ TRUSTED_PROXIES: proxies })).errors.join(),
      /^TRUSTED_PROXIES trusts all of [\d.:]+\/[01]: anybody there can claim/,
      proxies,
    );
  for (const proxies of ['10.0.0.0/8', 'fc00::/7', 'fe80::/10', '173.245.48.0/20, unix', '198.51.100.7'])
    assert.deepEqual((await doctor({ TRUSTED_PROXIES: proxies })).errors, [], proxies);
});

onEachDatabase('webhooks: those that do not deliver', async (_, url) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent' };
  await using context = await openAppContext(readConfig(settings));
  const { db, clock } = context;
  const checked = async () =>
    (await doctor(settings)).of('webhooks').map(({ status, message }) => `${status} ${message}`);
  assert.deepEqual(await checked(), [], 'none');
  const app = await application(context);
  const { id: feed, head } = await readFeed(db);
  const facts = { key: app.key, form: 'discord', token: 'x', kinds: ['match'], after_reset: 'head' } as const;
  for (const host of ['a', 'b', 'c', 'd']) {
    const wanted = { ...facts, url: `https://${host}.example/`, cursor: { feed, number: head } };
    await addWebhook(db, clock.now(), openSecretKey(context.config), wanted);
  }
  assert.deepEqual(await checked(), ['ok All webhooks deliver (4).']);
  const set = (host: string, state: string, reason: string, failures = 0) =>
    db.run(sql`
      update webhooks set state = ${state}, reason = ${reason}, failures = ${failures}
      where url = ${`https://${host}.example/`}`);
  await set('a', 'off', 'owner');
  await set('b', 'on', '', 2);
  assert.deepEqual(await checked(), ['ok All webhooks deliver (3).']);
  const change = (minutes: number) =>
    db.transaction(async (tx) => {
      await Keys.lock(tx);
      await recordChanges(tx, [{ kind: 'map', key: minutes, type: 'created' }], clock.now() - minutes * 60_000);
    });
  await change(14);
  assert.deepEqual(await checked(), ['ok All webhooks deliver (3).']);
  await set('a', 'off', 'failures');
  await set('b', 'on', '', 3);
  await db.run(sql`update changes set time = time - 120000`);
  assert.deepEqual(await checked(), [
    'warning 2 webhooks are on; 1 waits after failures; 1 is off after failures or without a readable secret; ' +
      'the oldest change of those that are on has waited for 16 minutes.',
  ]);
  await db.run(sql`update webhooks set place = (select last from sequence where name = 'change')`);
  assert.match((await checked())[0]!, /readable secret\.$/);
});

onEachDatabase('a database whose network has moved away', async (_, url) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent' };
  await using context = await openAppContext(readConfig(settings));
  await saveMoveMark(context.db, { state: 'moved', target: 'postgres://db.example/scorehall', since: 0 });
  await closeForWrites(context.db);
  const { errors } = await doctor(settings);
  assert.match(
    errors.join('\n'),
    /^The network of this database moved to postgres:\/\/db\.example\/scorehall at .* Set/m,
  );
});

test('database: all hosts are named and no password, in one sentence', async () => {
  const { texts } = await doctor({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1,127.0.0.1:2/x' });
  const sentence = 'postgres://me:***@127.0.0.1:1,127.0.0.1:2/x cannot be opened: connect ECONNREFUSED 127.0.0.1:2.';
  assert.equal(texts('database'), sentence);
  const wrong = await doctor({ DATABASE_URL: 'postgres://me@127.0.0.1:1/x?sslmode=verify-ca&sslrootcert=/no.pem' });
  assert.match(wrong.texts('database'), /The file of sslrootcert in DATABASE_URL cannot be read: [^.]*no\.pem'\.$/);
});

test('files: secrets and database that others may read', { skip: process.platform === 'win32' }, async () => {
  const folder = newFolder();
  const database = join(folder, 'data/x.db');
  const settings = { DATABASE_URL: database, LOG_LEVEL: 'silent' };
  await (await openAppContext(readConfig({ ...settings, SECRET_KEY: KEY })))[Symbol.asyncDispose]();
  const key = join(folder, 'data/secret.key');
  writeFileSync(key, `${KEY}\n`, { mode: 0o600 });
  chmodSync(dirname(database), 0o700);
  assert.match((await doctor(settings, [], folder)).texts('files'), /^Only user \d+ can read/);
  chmodSync(key, 0o640);
  chmodSync(dirname(database), 0o755);
  chmodSync(database, 0o644);
  writeFileSync(join(folder, '.env'), `SMTP_URL=smtp://u:p@127.0.0.1:1\n`, { mode: 0o644 });
  const { texts, of } = await doctor(settings, [], folder);
  assert.match(texts('files'), /may use the secret in .*secret\.key/);
  assert.match(texts('files'), /may use the secret in .*\.env/);
  assert.match(texts('files'), /Everybody on this machine may read .*x\.db/);
  assert.ok(of('files').some(({ remedy }) => remedy === `chmod 600 ${key}`));
  const apart = { ...settings, DATA_FOLDER: join(folder, 'private') };
  mkdirSync(apart.DATA_FOLDER, { mode: 0o700 });
  assert.match((await doctor(apart, [], folder)).texts('files'), /Everybody on this machine may read .*x\.db/);
  assert.match(texts('disk'), /GB \(\d+ %\) are free/);
});

test('files: settings of the units that everybody may read', { skip: process.platform === 'win32' }, () => {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  for (const [name, mode] of Object.entries({ 'scorehall.env': 0o644, 'scorehall-2.env': 0o604, 'agent.env': 0o640 })) {
    writeFileSync(join(folder, name), 'SMTP_URL=smtp://u:p@127.0.0.1:1\n');
    chmodSync(join(folder, name), mode);
  }
  const environment = { DATABASE_URL: join(folder, 'x.db') };
  const installation = { config: readConfig(environment), environment, db: undefined, now: 0 };
  const messages = (): string[] => checkFiles(installation, folder).map(({ message }) => message);
  assert.deepEqual(
    messages()
      .filter((message) => message.includes('Everybody'))
      .toSorted(),
    ['scorehall-2.env', 'scorehall.env'].map(
      (name) => `Everybody on this machine may read the settings in ${join(folder, name)}.`,
    ),
  );
  chmodSync(folder, 0o750);
  assert.doesNotMatch(messages().join(' '), /Everybody/, 'nobody else gets into the folder');
});

onEachDatabase('settings: several processes that count rate limits for themselves', async (_, url, dialect) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent', DATA_FOLDER: newFolder() };
  await using service = await openAppContext(readConfig(settings));
  assert.doesNotMatch((await doctor(settings)).texts('settings'), /processes/, 'a single process');
  await using other = await openDb(url, { sessionName: 'scorehall serve 44 1@elsewhere' });
  assert.ok(service.db.dialect === other.dialect);
  const { texts } = await doctor(settings);
  if (dialect === 'sqlite') return assert.doesNotMatch(texts('settings'), /processes/);
  assert.match(texts('settings'), /^2 processes serve this database with COUNTERS=memory: each counts/m);
  assert.doesNotMatch((await doctor({ ...settings, COUNTERS: 'database' })).texts('settings'), /processes/);
});

test('paths: files and folders of the settings that cannot be read or written', async () => {
  const folder = newFolder();
  const file = join(folder, 'a-file');
  writeFileSync(file, 'text');
  const settings = { DATABASE_URL: join(folder, 'data/x.db'), LOG_LEVEL: 'silent' };
  const good = { ...settings, REVOCATION_LOG: join(folder, 'new/log'), NODE_COMPILE_CACHE: join(folder, 'cache') };
  assert.match((await doctor(good, [], folder)).texts('paths'), /^This user can read and write/);
  assert.match((await doctor({ ...good, REVOCATION_LOG: file })).texts('paths'), /^This user can read and write/);
  assert.ok(!existsSync(join(folder, 'new')) && !existsSync(join(folder, 'cache')), 'nothing is created');

  const within = join(file, 'within');
  const expected: [Environment, RegExp][] = [
    [{ REVOCATION_LOG: folder }, /^REVOCATION_LOG: .* \(it is a folder\), so a restored backup brings back/],
    [{ REVOCATION_LOG: within }, /^REVOCATION_LOG: \S+within cannot be written \(\S+a-file is no folder\)/],
    [{ DATA_FOLDER: within, REVOCATION_LOG: 'off' }, /key\.\n.*mail cannot .*\n.*backups cannot/],
    [
      { DATA_FOLDER: within, REVOCATION_LOG: 'off', SECRET_KEY: KEY, MIGRATION_BACKUP: 'off' },
      /^DATA_FOLDER: \S+mail.*$/,
    ],
    [{ API_LISTEN: join(within, 'api.sock') }, /^API_LISTEN: \S+within cannot be written/],
    [{ INTERNAL_LISTEN: join(within, 'x.sock') }, /^INTERNAL_LISTEN: \S+within cannot be written/],
    [{ LOGO: join(folder, 'none.png') }, /^LOGO cannot be read: ENOENT.*The service does not start\.$/],
    [{ PRIVACY: folder }, /^PRIVACY cannot be read: EISDIR/],
  ];
  for (const [changed, message] of expected) {
    const { texts, ok } = await doctor({ ...settings, ...changed });
    assert.match(texts('paths'), message);
    assert.equal(ok, false);
  }
  const { of, ok } = await doctor({ ...settings, NODE_COMPILE_CACHE: within });
  assert.deepEqual([of('paths').map(({ status }) => status), ok], [['warning'], true], 'it only costs time');
  const off = { ...settings, DATA_FOLDER: within, REVOCATION_LOG: 'off', SECRET_KEY: KEY, MIGRATION_BACKUP: 'off' };
  assert.match((await doctor({ ...off, SMTP_URL: 'smtp://127.0.0.1:1' })).texts('paths'), /^This user can/);
});

test('the start, config --check and the doctor have the same rules', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'short'), 'short\n', { mode: 0o600 });
  mkdirSync(join(folder, 'data/secret.key'), { recursive: true });
  const settings = { DATABASE_URL: join(folder, 'x.db'), SECRET_KEY: KEY, REVOCATION_LOG: 'off' };
  const command = (environment: Environment, ...args: string[]) => captured({ environment, folder }, () => run(args));
  const fine = await command(settings, 'config', '--check');
  assert.deepEqual([fine.result, fine.err], [0, '']);
  assert.match(fine.out, /^ok +settings +All values are valid\.$/m);
  const refused: [Environment, string][] = [
    [{ TRUSTED_PROXIES: 'nope' }, 'TRUSTED_PROXIES must '],
    [{ LOGO: 'none.png' }, 'LOGO cannot be read: ENOENT'],
    [{ LOGO: 'logo.gif' }, 'LOGO must be a PNG'],
    [{ PRIVACY: folder }, 'PRIVACY cannot be read: EISDIR'],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 32 characters'],
    [{ SECRET_KEY: '', DATA_FOLDER: join(folder, 'data') }, 'The secret key '],
  ];
  for (const [changed, sentence] of refused) {
    const environment = { ...settings, ...changed };
    const started = await command(environment, 'serve');
    assert.deepEqual([started.result, started.out], [2, ''], sentence);
    assert.ok(started.err.startsWith(`scorehall: ${sentence}`), started.err);
    const { result, out } = await command(environment, 'config', '--check', '--json');
    assert.equal(result, 1, sentence);
    const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
    const found = findings.find(({ message }) => message.startsWith(sentence))!;
    assert.deepEqual([ok, found.status, /The service does not start\.$/.test(found.message)], [false, 'error', true]);
    assert.ok((await doctor(environment, [], folder)).errors.includes(found.message), sentence);
  }
  assert.ok(!existsSync(settings.DATABASE_URL), 'a refused start creates no database');
  assert.equal((await command({ ...settings, TIME_ZONE: 'x' }, 'config', '--check')).result, 2);
});

onEachDatabase('operator: a network that has none yet', async (t, url) => {
  const settings = { DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'silent', DATA_FOLDER: newFolder() };
  const found = async () => (await doctor(settings)).of('operator');
  const [none] = await found();
  assert.deepEqual(
    [none!.status, none!.message],
    ['warning', 'There is no operator yet: nobody can use the console as one.'],
  );
  assert.match(none!.remedy!, /account create --name NAME --email ADDRESS --password-stdin --verified --role operator/);
  const context = await testContext(t, url);
  const { id } = await account(context, 'Ann');
  assert.equal((await found()).length, 1, 'an account alone is no operator');
  await setRole(context.db, id, 'operator');
  assert.deepEqual(await found(), []);
});

test('paths: a log and a folder without permission', { skip: process.platform === 'win32' }, async () => {
  const folder = newFolder();
  const log = join(folder, 'revocations.log');
  writeFileSync(log, '', { mode: 0o400 });
  const settings = { DATABASE_URL: join(folder, 'x.db'), REVOCATION_LOG: log };
  const expectDenied = async (setting: string): Promise<void> => {
    // The superuser may write everywhere.
    const expected = process.getuid!() === 0 ? /^This user can/ : new RegExp(`^${setting}: .*access is denied`);
    assert.match((await doctor(settings)).texts('paths'), expected);
  };
  await expectDenied('REVOCATION_LOG');
  chmodSync(log, 0o600);
  chmodSync(folder, 0o500);
  assert.doesNotMatch((await doctor(settings)).texts('paths'), /REVOCATION_LOG/, 'an existing file needs no new entry');
  await expectDenied('DATABASE_URL');
});

onSqlite('event loops: the longest delay of each thread of the running service, if there is one', async (t, url) => {
  const common = (await settingsBehindProxy(url)).settings;
  const socket = { ...common, INTERNAL_LISTEN: join(newFolder(), 'internal.sock') };
  const settings = { ...common, INTERNAL_LISTEN: `127.0.0.1:${(await freePorts(1))[0]}` };
  for (const each of [socket, settings]) assert.equal((await doctor(each)).texts('event loops'), '', 'no service runs');
  const context = await openAppContext(readConfig(settings));
  t.after(() => context[Symbol.asyncDispose]());
  await using services = await openServicesInThreads(context, ['API', 'INGEST']);
  assert.ok(services.addresses.API);
  // The first scrape begins the period; a thread may take long to start.
  await doctor(settings);
  const { of } = await doctor(settings);
  assert.match(of('event loops')[0]!.message, /^The threads .*writer.* were delayed by at most \d+ ms since the last/);
  // A histogram measures nothing between a scrape and its next tick.
  const ticks = monitorEventLoopDelay({ resolution: 10 });
  ticks.enable();
  while (ticks.count < 2) await setImmediate();
  ticks.disable();
  // The service's main thread is this one.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
  const slow = await doctor(settings);
  assert.match(slow.texts('event loops'), /The thread main .*was delayed by 1\.\d s/);
  assert.ok(slow.of('event loops').every(({ status }) => status === 'warning'));
});

test('mail: no server, a refusing one, and a mail that arrives', async (t) => {
  assert.match((await doctor({})).texts('mail'), /There is no mail server/);
  const mailbox = await Mailbox.open(t);
  const SMTP_URL = mailbox.url;
  assert.match((await doctor({ SMTP_URL })).texts('mail'), /answers and accepts the password/);
  assert.equal(mailbox.count, 0, 'without --mail nothing is sent');
  const sent = await doctor({ SMTP_URL, NETWORK_NAME: 'Halyard' }, ['--mail', 'me@example.org']);
  assert.match(sent.texts('mail'), /accepted a mail from "Halyard" <no-reply@localhost> to me@example\.org/);
  assert.equal((await mailbox.next('me@example.org')).subject, 'Halyard: test mail');
  const [port] = await freePorts(1);
  const refused = await doctor({ SMTP_URL: `smtp://me:hidden@127.0.0.1:${port}` });
  assert.match(refused.texts('mail'), /^127\.0\.0\.1:\d+ refuses: .*ECONNREFUSED/);
  assert.doesNotMatch(refused.texts('mail'), /hidden/);
});
