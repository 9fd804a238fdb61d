import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '#platform/version.ts';
import { ENDPOINTS } from '#api/index.ts';
import { openapiDocument } from '#api/openapi.ts';
import { readConfig } from '#platform/config/config.ts';
import { changelogOf, type Installation } from '../../scripts/release/changelog.ts';
import { checkBinaries, machineOf } from '../../scripts/release/elf.ts';
import { versionedFiles } from '../../scripts/release/versions.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the version is in package.json alone: all other places have it from there', () => {
  for (const [path, text] of Object.entries(versionedFiles(ROOT, VERSION))) assert.equal(read(path), text, path);
  assert.equal((openapiDocument(ENDPOINTS, readConfig({})) as { info: { version: string } }).info.version, VERSION);
  const listed = ['grep', '-l', '-F', '-e', VERSION, '--', 'src', 'packages', 'deploy', 'scripts', 'demo'];
  const repeating = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(
    repeating.filter((path) => !/^packages\/[a-z]+\/package\.json$/.test(path)),
    [],
  );
});

test('another version in package.json changes each file that repeats it', () => {
  const next = versionedFiles(ROOT, '12.34.56');
  const unchanged = Object.keys(next).filter((path) => !path.startsWith('docs/') && next[path] === read(path));
  assert.deepEqual(unchanged, []);
  assert.match(next['README.md']!, /scorehall-12\.34\.56-linux-x64\.tar\.xz/);
  assert.match(next['SECURITY.md']!, /^\| 12\.34\.x /m);
  const { packages } = JSON.parse(next['package-lock.json']!) as { packages: Record<string, { version?: string }> };
  assert.equal(packages['packages/agent']!.version, '12.34.56');
  assert.equal(
    packages['node_modules/zod']!.version,
    (JSON.parse(read('package.json')) as { dependencies: Record<string, string> }).dependencies['zod'],
  );
});

const FIRST: Installation = {
  migrations: { '001-a': 'offline', '002-b': 'offline' },
  files: { 'deploy/systemd/x.service': 'aaa', 'deploy/systemd/y': 'bbb' },
  settings: { KEPT: '1', OLD: '', CHANGED: '2' },
};
const SECOND: Installation = {
  migrations: { ...FIRST.migrations, '003-c': 'online' },
  files: { 'deploy/systemd/x.service': 'changed', 'deploy/systemd/z': 'ccc' },
  settings: { KEPT: '1', CHANGED: '3', NEW: '4' },
};

test('CHANGELOG.md lists the migrations, units and settings of each version, made from the files', () => {
  const entries = '# Changelog\n\n## 1.0.0 (unreleased)\n\n### API\n\n- New.\n';
  const first = changelogOf({ text: entries, version: '1.0.0', present: FIRST, recorded: {} });
  assert.match(first, /^- New\.\n\n### Migrations, units and settings\n\n<!-- .* -->\n- Migrations: 001 to 002\.$/m);
  assert.equal(changelogOf({ text: first, version: '1.0.0', present: FIRST, recorded: {} }), first, 'and once');
  assert.notEqual(
    changelogOf({ text: first, version: '1.0.0', present: SECOND, recorded: {} }),
    first,
    'a migration lacks',
  );

  const released = first.replace('unreleased', '2026-12-01');
  const recorded = { '1.0.0': FIRST };
  assert.equal(changelogOf({ text: released, version: '1.0.0', present: FIRST, recorded }), released);
  assert.throws(
    () => changelogOf({ text: released, version: '1.0.0', present: SECOND, recorded }),
    /^Error: 1\.0\.0 is released \(2026-12-01\), but .* begin the next version/,
  );
  assert.throws(
    () => changelogOf({ text: released, version: '1.1.0', present: SECOND, recorded }),
    /The first version of CHANGELOG\.md has to be "## 1\.1\.0 \(unreleased\)"/,
  );
  const next = released.replace('## 1.0.0', '## 1.1.0 (unreleased)\n\n- Newer.\n\n## 1.0.0');
  const second = changelogOf({ text: next, version: '1.1.0', present: SECOND, recorded });
  const [, block] = /Made by .* -->\n((?:- .*\n)+)\n## 1\.0\.0/.exec(second)!;
  assert.deepEqual(block!.trim().split('\n'), [
    '- Migrations: `003-c` (online).',
    '- Units, commands and examples: `deploy/systemd/x.service` (changed), `deploy/systemd/y` (removed), `deploy/systemd/z` (new).',
    '- Settings: `CHANGED` (default `3` instead of `2`), `NEW` (new, default `4`), `OLD` (removed).',
  ]);
  assert.ok(second.endsWith(released.slice(released.indexOf('## 1.0.0'))), 'the former version stays');
});

/** The header of an ELF file up to its machine. */
function elf(machine: number, order: 'LE' | 'BE' = 'LE'): Buffer {
  const header = Buffer.alloc(20);
  header.write('\x7fELF', 'latin1');
  header[5] = order === 'BE' ? 2 : 1;
  header[`writeUInt16${order}`](machine, 18);
  return header;
}

test('the machine of a binary is read from its header, and one for another machine is refused', (t) => {
  assert.equal(
    machineOf(readFileSync(process.execPath).subarray(0, 64)),
    { x64: 62, arm64: 183 }[process.arch as 'x64'],
  );
  assert.equal(machineOf(elf(183, 'BE')), 183);
  assert.equal(machineOf(elf(62).subarray(0, 19)), undefined, 'too short');
  assert.equal(machineOf(Buffer.from('#!/bin/sh and more than twenty bytes')), undefined);
  const folder = mkdtempSync(join(tmpdir(), 'binaries-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.throws(() => checkBinaries(folder, 'arm64'), /has no binary for arm64/);
  writeFileSync(join(folder, 'a'), elf(183));
  symlinkSync('b', join(folder, 'link'));
  checkBinaries(folder, 'arm64');
  writeFileSync(join(folder, '.hidden'), elf(62));
  assert.throws(() => checkBinaries(folder, 'arm64'), /\.hidden is for machine 62, not for arm64/);
});

test('the packages of Debian take their version, maintainer and size from elsewhere', () => {
  for (const name of ['scorehall', 'scorehall-agent']) {
    const control = read(`deploy/debian/${name}/control`);
    assert.deepEqual(control.match(/@\w+@/g), ['@VERSION@', '@ARCHITECTURE@', '@MAINTAINER@', '@SIZE@'], name);
    assert.match(control, new RegExp(`^Package: ${name}$`, 'm'));
  }
});
