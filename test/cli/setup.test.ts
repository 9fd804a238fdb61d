import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { openDb } from '#db/open.ts';
import { readConfig } from '#platform/config/config.ts';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import { accountByName, listAccounts, passwordOf } from '#store/accounts/accounts.ts';
import { useFactorCode } from '#store/accounts/factor-codes.ts';
import { listAudit } from '#store/audit/audit.ts';
import { run } from '#cli/dispatch.ts';
import { proxyFile } from '#cli/proxy-file.ts';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { captured } from '#test/support/captured.ts';
import { createEmptyDatabase, onEachEmptyDatabase } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { freePorts } from '#test/support/ports.ts';
import type { Ran } from './scorehall.ts';

/** Runs `scorehall setup` in a folder, with an internal listener where no service is. */
async function setup(folder: string, stdin: string, args: string[], variables: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const [port] = await freePorts(1);
  const environment = { INTERNAL_LISTEN: `127.0.0.1:${port}`, REVOCATION_LOG: 'off', ...variables };
  const { result, out, err } = await captured({ environment, stdin, folder }, () => run(['setup', ...args]));
  return { status: result, out, err };
}

const PERSON = ['--operator', 'Ann', '--email', 'ann@moor.example'];
const YES = ['--yes', '--start', 'no'];

onEachEmptyDatabase('a network begins with questions, and a second run keeps what exists', async (t, url) => {
  await using folder = await folderOf({});
  const mailbox = await Mailbox.open(t);
  const [port] = await freePorts(1);
  const answers = [
    ...['', 'Moor Net', 'moor', 'moor.example', `smtp://127.0.0.1:${port}`, mailbox.url, '', url],
    ...['An', 'Ann', 'ann@', 'ann@moor.example', 'apache', '', 'no'],
  ];
  const first = await setup(folder.path, answers.join('\n'), []);
  assert.equal(first.status, 0, first.err);
  const wrong = first.err.match(/^.*It (must|cannot).*$/gm)!.map((line) => line.replace(/^.*?It /, ''));
  assert.deepEqual(
    wrong.map((line) => line.slice(0, 24)),
    [
      'must not be empty.',
      'must be a domain like ex',
      'cannot be used: 127.0.0.',
      'must be 3 to 16 letters,',
      'must be an address like ',
      'must be one of caddy, ng',
    ],
  );
  const path = join(folder.path, '.env');
  const text = readFileSync(path, 'utf8');
  assert.deepEqual(
    { ...parseEnv(text) },
    {
      NETWORK_NAME: 'Moor Net',
      DOMAIN: 'moor.example',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'no-reply@moor.example',
      DATABASE_URL: url,
      TRUSTED_PROXIES: '127.0.0.1,::1',
    },
  );
  assert.equal((statSync(path).mode & 0o777).toString(8), '600');
  for (const name of ['api', 'auth', 'www', 'ingest'])
    assert.match(first.out, new RegExp(`^  ${name}\\.moor\\.example\\.  A+  .+$`, 'm'));
  assert.ok(first.out.includes(proxyFile('caddy', readConfig({ DOMAIN: 'moor.example' }))), 'the whole file');
  assert.match(
    first.out,
    /^Open:\n {2}https:\/\/www\.moor\.example\n {2}https:\/\/auth\.moor\.example\/account\/security /m,
  );
  assert.match(first.out, /^Keep a copy of .*secret\.key, apart/m);
  assert.match(first.out, /^Start it: scorehall serve\n$/m);

  await using db = await openDb(url);
  const account = (await accountByName(db, 'Ann'))!;
  assert.deepEqual([account.role, account.email_verified], ['operator', true]);
  const [, password = ''] = /^ {2}password {2}(\S+)$/m.exec(first.out)!;
  assert.ok(await passwordMatches(password, await passwordOf(db, account.id)));
  const [, code = ''] = /^ {2}code +(\S+) /m.exec(first.out)!;
  assert.ok(await useFactorCode(db, Date.now(), account.id, code));
  const actions = (await listAudit(db, {}, 10)).map(({ action, subject }) => [action, subject]);
  assert.deepEqual(actions, [
    ['account.factor_code', account.id],
    ['account.create', account.id],
  ]);

  const second = await setup(folder.path, '', YES);
  assert.deepEqual([second.status, second.err], [0, '']);
  assert.match(second.out, /^Settings: .*\.env exists; kept: .*NETWORK_NAME.*\.$/m);
  assert.match(
    second.out,
    /^Operator: Ann exists and is kept\. Another code: scorehall account factor-code --account Ann$/m,
  );
  assert.equal(readFileSync(path, 'utf8'), text);
  assert.equal((await listAccounts(db)).length, 1);
  const other = await setup(folder.path, '', [...YES, '--domain', 'other.example']);
  assert.match(other.err, /\.env has another DOMAIN, which is kept: change it there\.\n$/);
});

test('setup with --yes needs no terminal, names all that is missing, and writes nothing before all is right', async (t) => {
  await using folder = await folderOf({});
  const path = join(folder.path, '.env');
  const refused = async (args: string[], stdin = ''): Promise<string> => {
    const { status, err } = await setup(folder.path, stdin, args);
    assert.equal(status, 2, err);
    assert.equal(existsSync(path), false);
    return err;
  };
  assert.equal(await refused(YES), 'scorehall: --name and --operator and --email are missing.\n');
  const complete = [...YES, '--name', 'Moor', ...PERSON];
  const [port] = await freePorts(1);
  const database = `postgres://me:hunter2@127.0.0.1:${port}/x`;
  const unreachable = await refused([...complete, '--database', database]);
  assert.match(
    unreachable,
    /^scorehall: --database cannot be used: postgres:\/\/me:\*\*\*@.* cannot be opened: .*ECONNREFUSED/,
  );
  assert.match(
    await refused([...complete, '--smtp', `smtp://127.0.0.1:${port}`]),
    /--smtp cannot be used: .*ECONNREFUSED/,
  );
  assert.match(await refused([...complete, '--proxy', 'apache']), /--proxy must be one of caddy, nginx, none\./);
  assert.match(await refused([...complete, '--password-stdin'], 'short\n'), /The password is too short/);
  assert.match(await refused(['--name', 'Moor']), /The questions were cancelled\. Answers can also be options/);
  const weak = await roleWithoutRights(t);
  const rights = await refused([...complete, '--database', weak]);
  assert.match(
    rights,
    /--database cannot be used: .*permission denied for schema public\. The role of DATABASE_URL has to own/,
  );
  const quotes = await refused([...complete.map((arg) => (arg === 'Moor' ? `"'` : arg))]);
  assert.match(quotes, /^scorehall: NETWORK_NAME can be in the file of settings without line breaks/);

  const local = await setup(folder.path, 'a good long password\n', [...complete, '--password-stdin']);
  assert.deepEqual([local.status, local.err], [0, '']);
  assert.ok(existsSync(join(folder.path, 'data/secret.key')));
  assert.doesNotMatch(local.out, /DNS|password/, 'on this machine alone, and the password is known');
  assert.match(local.out, /^Open:\n {2}http:\/\/127\.0\.0\.1:7402\n/m);
  assert.match(readFileSync(path, 'utf8'), /^NETWORK_NAME=Moor\n$/m);
});

/** The address of a database with a role that may connect to it alone. */
async function roleWithoutRights(t: TestContext): Promise<string> {
  const database = await createEmptyDatabase('postgres');
  const client = new pg.Client(database.url);
  await client.connect();
  const name = `weak_${process.pid}`;
  await client.query(`create role ${name} login password 'x'`);
  t.after(() => client.query(`drop role ${name}`));
  t.after(() => client.end());
  t.after(() => database.drop());
  const url = new URL(database.url);
  [url.username, url.password] = [name, 'x'];
  return url.href;
}

test('setup fills in a file of examples, in the quotes that every reader of it understands', async () => {
  await using folder = await folderOf({ 'scorehall.env': '# My notes\n#NETWORK_NAME=Example\nTIME_ZONE=Asia/Tokyo' });
  const path = join(folder.path, 'scorehall.env');
  const args = [...YES, '--settings', path, '--name', `Bob's #1 "net"`.replaceAll('"', ''), ...PERSON];
  const { status, out, err } = await setup(folder.path, '', [...args, '--domain', 'bob.example', '--proxy', 'none']);
  assert.equal(status, 0, err);
  const text = readFileSync(path, 'utf8');
  assert.ok(text.startsWith('# My notes\n#NETWORK_NAME=Example\nTIME_ZONE=Asia/Tokyo\n'), text);
  assert.match(text, /^NETWORK_NAME="Bob's #1 net"\nDOMAIN=bob\.example\n/m);
  assert.equal(parseEnv(text)['NETWORK_NAME'], `Bob's #1 net`);
  assert.match(out, /DNS records:[^]*Operator:/);
  assert.doesNotMatch(out, /reverse_proxy/);
});

test('the files of the proxies are the examples with the names and ports of the settings', async (t) => {
  await using folder = await folderOf({});
  const settings = { DOMAIN: 'moor.example', SITE_URL: 'https://moor.example', SITE_LISTEN: '127.0.0.1:8080' };
  for (const [name, example] of [
    ['caddy', 'deploy/caddy/Caddyfile'],
    ['nginx', 'deploy/nginx/scorehall.conf'],
  ] as const) {
    const { out } = await captured({ environment: settings, folder: folder.path }, () =>
      run(['config', '--proxy', name]),
    );
    const back = out
      .replaceAll(/(?<!\.)\bmoor\.example/g, 'www.example.org')
      .replaceAll('.moor.example', '.example.org')
      .replaceAll(':8080', ':7402');
    assert.equal(back, readFileSync(example, 'utf8'), name);
    const problem = validate(name, folder.path, out);
    if (problem !== undefined) t.diagnostic(problem);
  }
  const { err } = await captured({ environment: {}, folder: folder.path }, () => run(['config', '--proxy', 'caddy']));
  assert.equal(err, 'scorehall: A proxy needs https addresses: set DOMAIN (API_URL is http://127.0.0.1:7400).\n');
});

/** Lets the program check its file, if it is installed. @returns why it did not */
function validate(name: 'caddy' | 'nginx', folder: string, text: string): string | undefined {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = selfSignedCertificate(privateKey, 'moor.example', new Date());
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const files = { certificate, key, caddy: text, nginx: '' };
  const own = text.replaceAll(/\/etc\/ssl\/scorehall\/(fullchain|privkey)\.pem/g, (_, file: string) =>
    join(folder, file === 'fullchain' ? 'certificate' : 'key'),
  );
  files.nginx = `pid ${folder}/pid; events {} http { access_log off;\n${own}}`;
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  const args = {
    caddy: ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'caddy')],
    nginx: ['-t', '-e', 'stderr', '-c', join(folder, 'nginx')],
  }[name];
  const { error, status, stderr } = spawnSync(name, args, { encoding: 'utf8', env: { ...process.env, HOME: folder } });
  if (error !== undefined) return `${name} is not installed`;
  assert.equal(status, 0, stderr);
  return undefined;
}

test('setup does not take the service of another network for its own', async (t) => {
  await using folder = await folderOf({});
  const server = createServer(({ url }, response) => response.writeHead(url === '/readyz' ? 200 : 404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const variables = { INTERNAL_LISTEN: address, API_LISTEN: address };
  const { status, out, err } = await setup(folder.path, '', [...YES, '--name', 'Moor', ...PERSON], variables);
  assert.equal(status, 0, err);
  assert.doesNotMatch(out, /runs already/);
  assert.match(out, /^Start it: scorehall serve$/m);
});

test('with a unit of systemd, setup starts it, waits for /readyz, and restarts it only for new settings', async (t) => {
  await using folder = await folderOf({});
  const calls = join(folder.path, 'calls');
  writeFileSync(join(folder.path, 'systemctl'), `#!/bin/sh\necho "$*" >>${calls}\n[ "$1" != is-failed ]\n`, {
    mode: 0o755,
  });
  let asked = 0;
  const server = createServer(({ url }, response) =>
    response.writeHead(url === '/readyz' && asked++ > 1 ? 200 : 503).end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const variables = {
    INTERNAL_LISTEN: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    PATH: `${folder.path}:${process.env['PATH']}`,
  };
  const start = async (...args: string[]): Promise<string[]> => {
    writeFileSync(calls, '');
    const { status, out, err } = await setup(folder.path, '', ['--yes', '--unit', 'scorehall', ...args], variables);
    assert.equal(status, 0, err);
    assert.match(out, /^Service: the unit scorehall is ready\.\nOperator: [^]*\/console\nKeep .*\nCheck .*doctor\n$/m);
    return readFileSync(calls, 'utf8').trim().split('\n');
  };
  const shown = ['show --property=User --value scorehall', 'show --property=Group --value scorehall'];
  const failed = 'is-failed --quiet scorehall';
  const first = await start('--name', 'Moor', ...PERSON);
  assert.deepEqual(first, ['enable --quiet scorehall', 'restart scorehall', failed, failed, ...shown]);
  assert.deepEqual(await start(), ['enable --quiet scorehall', 'start scorehall', ...shown]);
  writeFileSync(join(folder.path, 'systemctl'), '#!/bin/sh\nexit 0\n');
  asked = -1000;
  const down = await setup(folder.path, '', ['--yes', '--unit', 'scorehall'], variables);
  assert.equal(down.status, 1);
  assert.match(
    down.err,
    /^scorehall: The unit scorehall does not become ready\. Its log: journalctl -u scorehall -n 20\n$/,
  );
});
