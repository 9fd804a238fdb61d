import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { scorehall as scorehallHere } from './scorehall.ts';

const ROOT = dirname(dirname(import.meta.dirname));

/** A copy of Scorehall with everything but the importers' package sax. */
function copyTo(folder: string): void {
  for (const path of [
    'package.json',
    'src',
    'packages/text',
    'packages/sender',
    'packages/importers',
    'packages/agent',
  ])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'sax' && !name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
}

async function scorehall(
  folder: string,
  settings: Record<string, string>,
  ...args: string[]
): Promise<[number, string]> {
  const env = { ...CHILD_ENVIRONMENT, ...settings };
  return await new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'src/main.ts'), ...args], { cwd: folder, env }, (error, _, stderr) => {
      resolve([Number(error?.code ?? 0), stderr]);
    });
  });
}

test('commands whose package is not installed say how to install it, and the others run', async () => {
  await using folder = await folderOf({ 'events.ndjson': '' });
  const { path } = folder;
  copyTo(path);
  const run = (...args: string[]) => scorehall(path, { INGEST_KEY: 'shk_a' }, ...args);
  const install = (name: string, missing: string): string =>
    `scorehall: packages/${name} is not installed (${missing} is missing): in ${path}, with all of packages/ of this version, run npm ci --omit=dev --ignore-scripts\n`;
  assert.deepEqual(await run('import', 'pgm-maps', 'maps'), [2, install('importers', 'sax')]);
  for (const name of ['importers', 'agent']) rmSync(join(path, 'packages', name), { recursive: true });
  const outcomes = await Promise.all([
    run('import', 'plan', 'database.db'),
    run('agent', '--server-dir', path),
    run('import', 'events', 'events.ndjson'),
  ]);
  assert.deepEqual(outcomes, [
    [2, install('importers', join(path, 'packages/importers/index.ts'))],
    [2, install('agent', join(path, 'packages/agent/agent.ts'))],
    [0, ''],
  ]);
});

/** Lets the connectors look as if they were not installed, also in threads. */
const WITHOUT_CONNECTORS = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (!/^#(watch|management|dewdrop)\\//.test(name)) return next(name, context);
    throw Object.assign(new Error(\`Cannot find module '\${name}' imported from a test\`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});`;

const howTo = (name: string, file: string): string =>
  `packages/${name} is not installed (#${name}/${file} is missing): in ${ROOT}, with all of packages/ of this version, run npm ci --omit=dev --ignore-scripts`;

test('serve, watch and `server watch` say which connectors are not installed', async () => {
  await using folder = await folderOf({ 'preload.mjs': WITHOUT_CONNECTORS });
  const { path } = folder;
  const listen = ['API', 'AUTH', 'SITE', 'INGEST', 'INTERNAL'].map((name) => [`${name}_LISTEN`, '127.0.0.1:0']);
  const settings = {
    ...Object.fromEntries(listen),
    DATABASE_URL: join(path, 'network.db'),
    INGEST_DIALECTS: 'dewdrop',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import=${pathToFileURL(join(path, 'preload.mjs')).href}`,
  };
  const run = (...args: string[]): Promise<[number, string]> => scorehall(ROOT, settings, ...args);
  const [code, log] = await run('serve');
  const lines = log.trimEnd().split('\n');
  assert.deepEqual([code, lines.at(-1)], [2, `scorehall: ${howTo('dewdrop', 'dewdrop.ts')}`]);
  assert.deepEqual(
    lines.slice(0, -1).map((line) => {
      const { reason, msg } = JSON.parse(line) as Record<string, unknown>;
      return [msg, reason];
    }),
    [
      ['game servers are not followed', howTo('watch', 'watcher.ts')],
      ['game servers are not followed', howTo('management', 'core.ts')],
    ],
  );
  const { status } = await scorehallHere(
    { DATABASE_URL: settings.DATABASE_URL },
    ...['server', 'create', '--name', 'Alpha', '--region', 'eu'],
  );
  assert.equal(status, 0);
  const watch = ['server', 'watch', '--name', 'Alpha', '--address', 'play.example.org'];
  assert.deepEqual(await run(...watch), [0, `${howTo('watch', 'minecraft-address.ts')}\n`]);
  assert.deepEqual(await run('watch'), [2, `scorehall: ${howTo('watch', 'watcher.ts')}\n`]);
});
