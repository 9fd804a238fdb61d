import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';

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

async function scorehall(folder: string, ...args: string[]): Promise<[number, string]> {
  const env = { ...CHILD_ENVIRONMENT, INGEST_KEY: 'shk_a' };
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
  const install = (name: string, missing: string): string =>
    `scorehall: packages/${name} is not installed (${missing} is missing): in ${path}, with all of packages/ of this version, run npm ci --omit=dev --ignore-scripts\n`;
  assert.deepEqual(await scorehall(path, 'import', 'pgm-maps', 'maps'), [2, install('importers', 'sax')]);
  for (const name of ['importers', 'agent']) rmSync(join(path, 'packages', name), { recursive: true });
  const outcomes = await Promise.all([
    scorehall(path, 'import', 'plan', 'database.db'),
    scorehall(path, 'agent', '--server-dir', path),
    scorehall(path, 'import', 'events', 'events.ndjson'),
  ]);
  assert.deepEqual(outcomes, [
    [2, install('importers', join(path, 'packages/importers/index.ts'))],
    [2, install('agent', join(path, 'packages/agent/agent.ts'))],
    [0, ''],
  ]);
});
