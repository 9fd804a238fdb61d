import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Runs a command of package.json in a checkout without packages, with a registry that does not answer. */
async function runIn(folder: string, program: string, path = ''): Promise<{ stdout: string; stderr: string }> {
  copyCheckout(folder);
  const env = {
    PATH: `${path}:${process.env['PATH']}`,
    HOME: join(folder, 'home'),
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
  };
  return await promisify(execFile)(process.execPath, ['scripts/run.mjs', program], { cwd: folder, env });
}

function copyCheckout(folder: string): void {
  for (const name of ['package.json', 'package-lock.json', 'scripts', 'packages', 'src/platform'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
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

/** An npm that installs all packages but those with Node, and says `view` of them; with `waits` it is interrupted in `ci`. */
const FAKE_NPM = (view: string, waits = false): string => `#!${process.execPath}
const { mkdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
const [command] = process.argv.slice(2);
if (command === 'view') ${view};
if (command === 'ci') {
  if (${waits}) process.on('SIGINT', () => process.exit(1)), setInterval(() => {}, 1000);
  console.error('npm works');
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const installed = Object.entries(packages).filter(([path]) => !/^node_modules\\/node-(bin|linux|darwin|win)/.test(path));
  mkdirSync('node_modules', { recursive: true });
  if (!${waits}) writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }));
}
`;

/** Runs a command under a Node that is too old, in a checkout without packages, with this npm. */
function startWithNpm(folder: string, npm: string) {
  copyCheckout(folder);
  const platform = join(folder, 'scripts/platform.mjs');
  writeFileSync(platform, readFileSync(platform, 'utf8').replace('const wanted = 26', 'const wanted = 99'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  return startAgain(folder);
}

function startAgain(folder: string) {
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder };
  return spawn(process.execPath, ['scripts/run.mjs', 'demo'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

test('an install without its package of Node says what happened, and is repeated', async () => {
  const cases: [view: string, sentence: RegExp][] = [
    [
      'process.exit(0)',
      /^npm left out the package \S+ \d\S+, although its registry has it: the download was interrupted\. Run this again\.$/m,
    ],
    [
      `console.error('npm error code E404'), process.exit(1)`,
      /, because its registry does not have it\. Put Node 99 or newer first in PATH/,
    ],
    [
      `console.error('npm error code ECONNREFUSED'), process.exit(1)`,
      /: the download was interrupted, and npm cannot ask its registry now\./,
    ],
  ];
  for (const [view, sentence] of cases) {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'scorehall-install-'));
    const child = startWithNpm(folder.path, FAKE_NPM(view));
    const [text, [code]] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'exit')]);
    assert.match(text.join(''), sentence);
    assert.equal(code, 1);
    if (view !== 'process.exit(0)') continue;
    const again = startAgain(folder.path);
    const [repeated] = await Promise.all([again.stderr.setEncoding('utf8').toArray(), once(again, 'exit')]);
    assert.match(repeated.join(''), /^npm works$/m, 'the next command installs again');
  }
});

test('an install that is interrupted by Ctrl-C says so', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'scorehall-install-'));
  const child = startWithNpm(folder.path, FAKE_NPM('process.exit(0)', true));
  let text = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    text += String(chunk);
    if (String(chunk).includes('npm works')) child.kill('SIGINT');
  }
  assert.match(text, /\nThe installation was interrupted \(SIGINT\)\. Run this again to repeat it\.\n$/);
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
