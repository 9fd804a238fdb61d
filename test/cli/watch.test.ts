import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { listAudit } from '#store/audit/audit.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { minecraftResponder, pgmStatus } from '#test/packages/watch/responder.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { MAIN, scorehall } from './scorehall.ts';

const runner =
  (url: string) =>
  async (...args: string[]): Promise<unknown> => {
    const { status, out, err } = await scorehall({ DATABASE_URL: url }, ...args, '--json');
    assert.deepEqual([status, err], [0, ''], args.join(' '));
    return JSON.parse(out) as unknown;
  };

onEachDatabase('servers are watched by command and by file, with audit entries', async (_t, url) => {
  const run = runner(url);
  await run('server', 'create', '--name', 'Alpha', '--region', 'eu');
  const refusal = async (...args: string[]): Promise<string> =>
    (await scorehall({ DATABASE_URL: url }, 'server', 'watch', ...args)).err;
  assert.match(await refusal('--name', 'Alpha'), /--address is missing/);
  assert.match(await refusal('--name', 'Nope', '--address', 'a.example'), /There is no server Nope/);
  assert.match(
    await refusal('--name', 'Alpha', '--address', 'a:99999'),
    /must be HOST, HOST:PORT .* \(it is "a:99999"\)/,
  );
  assert.match(
    await refusal('--name', 'Alpha', '--address', 'a.example', '--protocol', 'valve'),
    /needs the query port/,
  );
  assert.match(
    await refusal('--name', 'Alpha', '--address', 'a.example', '--protocol', 'http'),
    /must be one of minecraft,/,
  );
  assert.match(await refusal('remove', '--name', 'Alpha'), /Alpha is not watched/);

  const nothing = { last_success: null, error: null, player_count: 0, max: 0 };
  const watched = { name: 'Alpha', address: 'localhost', protocol: 'minecraft', ...nothing };
  assert.deepEqual(await run('server', 'watch', '--name', 'alpha', '--address', 'LocalHost.'), watched);
  assert.deepEqual(await run('server', 'watch', 'list'), [watched]);
  const noted = async (address: string) => await refusal('--name', 'Alpha', '--address', address);
  assert.match(
    await noted('nowhere.invalid:25565'),
    /^The host nowhere\.invalid does not resolve now: [^\n]*spelt right\?\n$/,
  );
  assert.deepEqual([await noted('localhost'), await noted('10.0.0.1'), await noted('[::1]:7')], ['', '', '']);
  await noted('localhost');

  const file = [
    { name: 'Alpha', region: 'eu', watch: { address: '10.0.0.1:27015', protocol: 'valve' } },
    { name: 'Beta', region: 'eu', watch: { address: 'b.example' } },
  ];
  await using folder = await folderOf({ 'servers.yml': JSON.stringify(file) });
  const path = join(folder.path, 'servers.yml');
  const [alpha, beta] = (await run('server', 'create', '--from', path)) as Record<string, unknown>[];
  assert.deepEqual(alpha!['changes'], ['watch minecraft localhost → valve 10.0.0.1:27015']);
  assert.equal(beta!['action'], 'create');
  const again = (await run('server', 'create', '--from', path)) as Record<string, unknown>[];
  assert.deepEqual(
    again.map(({ action }) => action),
    ['unchanged', 'unchanged'],
  );
  await writeFile(path, JSON.stringify([{ name: 'Beta', region: 'eu', watch: null }]));
  await run('server', 'create', '--from', path);
  const left = (await run('server', 'watch', 'list')) as Record<string, unknown>[];
  assert.deepEqual(
    left.map(({ name }) => name),
    ['Alpha'],
  );
  await writeFile(path, JSON.stringify([{ name: 'Beta', region: 'eu', watch: { address: 'a b' } }]));
  const wrong = await scorehall({ DATABASE_URL: url }, 'server', 'create', '--from', path);
  assert.match(wrong.err, /server 1: watch\.address must be HOST/);
  await run('server', 'watch', 'remove', '--name', 'Alpha');
  assert.deepEqual(await run('server', 'watch', 'list'), []);

  const manage = ['server', 'manage', '--name', 'Alpha', '--url'];
  const secretFile = join(folder.path, 'secret');
  await writeFile(secretFile, 'S3cret-of-the-game\n');
  const manageRefusal = async (...args: string[]): Promise<string> =>
    (await scorehall({ DATABASE_URL: url }, ...manage, ...args)).err;
  const short = await manageRefusal('wss://a.example:1', '--secret-file', secretFile);
  assert.match(short, /must have the secret alone, of 40 letters and digits/, 'Minecraft does not start with another');
  await writeFile(secretFile, 'aVerySecretManagementSecretOf40Letters00\n');
  assert.match(await manageRefusal('ws://a.example:1', '--secret-file', secretFile), /--url must be wss:/);
  assert.match(await manageRefusal('wss://a.example:1', '--secret-file', path), /must have the secret alone/);
  assert.match(await manageRefusal('wss://a:1', '--secret-file', secretFile, '--ca-file', path), /certificates in PEM/);
  const managed = { name: 'Alpha', url: 'wss://a.example:1', own_ca: false, state: null, last_contact: null };
  const { out, err } = await scorehall(
    { DATABASE_URL: url },
    ...manage,
    ...['wss://a.example:1', '--secret-file', secretFile, '--json'],
  );
  assert.deepEqual(JSON.parse(out), managed);
  assert.match(err, /\n\nmanagement-server-enabled=true\nmanagement-server-host=a\.example\n[^]*tls-enabled=true\n/);
  assert.deepEqual(await run('server', 'manage', 'list'), [managed]);
  await run('server', 'manage', 'remove', '--name', 'Alpha');
  assert.deepEqual(await run('server', 'manage', 'list'), []);

  await using db = await openDb(url);
  const actions = (await listAudit(db, {}, 20)).map(({ action }) => action);
  assert.ok(actions.includes('server.manage.set') && actions.includes('server.manage.remove'), actions.join());
  assert.ok(actions.includes('server.watch.set') && actions.includes('server.watch.remove'), actions.join());
});

onSqlite('`scorehall watch` polls in its own process', async (t, url) => {
  const run = runner(url);
  const responder = await minecraftResponder(t, () => pgmStatus(3, ['Ada'], 'Harbour', ''));
  await run('server', 'create', '--name', 'Alpha', '--region', 'eu');
  await run('server', 'watch', '--name', 'Alpha', '--address', responder.address);
  const env = { ...CHILD_ENVIRONMENT, DATABASE_URL: url };
  const child = spawn(process.execPath, [MAIN, 'watch'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  assert.equal(String(printed), 'ready\n1 server is watched.\n');
  const rows = async () => (await run('server', 'watch', 'list')) as { player_count: number }[];
  // Commands on SQLite do not yield to the event loop, on which the responder answers.
  while ((await rows())[0]!.player_count !== 3) {
    assert.equal(child.exitCode, null, 'it runs until it is signalled');
    await pause(50);
  }
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
