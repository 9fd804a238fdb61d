import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Runs a command of package.json in a checkout without packages, with a registry that does not answer. */
async function runIn(folder: string, program: string, path = ''): Promise<{ stdout: string; stderr: string }> {
  for (const name of ['package.json', 'package-lock.json', 'scripts', 'packages', 'src/platform'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const env = {
    PATH: `${path}:${process.env['PATH']}`,
    HOME: join(folder, 'home'),
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
  };
  return await promisify(execFile)(process.execPath, ['scripts/run.mjs', program], { cwd: folder, env });
}

const UNREACHABLE =
  'npm cannot reach its registry (ECONNREFUSED), and its cache does not have all packages. Connect this machine to the network, or set the proxy (npm config set https-proxy URL), and run this again.\n';

test('without a network the first command ends with one sentence', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'scorehall-install-'));
  const { stderr } = await assertFails(runIn(folder.path, 'demo'));
  assert.equal(stderr, `Installing packages (for production) …\n${UNREACHABLE}`);
});

test('a command for production keeps the development packages of a checkout', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'scorehall-install-'));
  mkdirSync(join(folder.path, 'node_modules'));
  const packages = { 'node_modules/typescript': { version: '1.0.0', dev: true } };
  writeFileSync(join(folder.path, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  const { stderr } = await assertFails(runIn(folder.path, 'demo'));
  assert.equal(stderr, `Installing packages (including development packages) …\n${UNREACHABLE}`);
});

test('the jars of the plugins need no packages', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'scorehall-install-'));
  const jdk = join(folder.path, 'jdk');
  mkdirSync(jdk);
  for (const [name, script] of [
    ['javac', 'echo javac 17.0.1'],
    ['jar', 'while [ "$1" != --file ]; do shift; done; echo > "$2"'],
  ] as const) {
    writeFileSync(join(jdk, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(jdk, name), 0o755);
  }
  const { stdout, stderr } = await runIn(folder.path, 'plugins', jdk);
  assert.deepEqual(stdout.match(/^dist.*/gm), [
    'dist/Scorehall.jar',
    'dist/ScorehallPGM.jar',
    'dist/ScorehallVelocity.jar',
  ]);
  assert.equal(stderr, '');
});

async function assertFails(run: Promise<unknown>): Promise<{ code: number; stderr: string }> {
  const error = await run.then(
    () => assert.fail('The command did not fail.'),
    (reason: unknown) => reason as { code: number; stderr: string },
  );
  assert.equal(error.code, 1);
  return error;
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
