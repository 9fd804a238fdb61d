import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { run } from '#cli/dispatch.ts';
import { captured } from '#test/support/captured.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { MAIN, type Ran } from './scorehall.ts';

async function scorehall(folder: string, args: string[], stdin = ''): Promise<Ran> {
  const environment = { ...CHILD_ENVIRONMENT, DATABASE_URL: join(folder, 'scorehall.db') };
  const { result: status, out, err } = await captured({ environment, stdin, folder }, () => run(['import', ...args]));
  return { status, out, err };
}

test('an import reports refusals and totals, and continues after a bad file', async () => {
  await using folder = await folderOf({
    'maps/a/map.xml': '<map><name>A</name><version>1</version></map>',
    'maps/b/map.xml': '<map>',
  });
  const { status, out, err } = await scorehall(folder.path, ['pgm-maps', 'maps']);
  assert.equal(
    out,
    `note     a/map.xml: has no <objective>; a stored objective is kept
refused  b/map.xml, line 1, column 5: is not well-formed XML: Unclosed root tag
taken      1
unchanged  0
refused    1
`,
  );
  assert.deepEqual([status, err], [0, '']);
  assert.match(
    (await scorehall(folder.path, ['pgm-maps', 'maps', '--dry-run'])).out,
    /unchanged  1\nrefused    1\nA dry run: nothing was changed\.\n$/,
  );
});

test('with --json it prints one object; when everything is refused it ends with an error code', async () => {
  await using folder = await folderOf({ 'README.md': 'Some text' });
  assert.equal((await scorehall(folder.path, ['events', '-', '--dry-run'])).status, 2, 'a dry run creates no database');
  assert.equal((await scorehall(folder.path, ['events', '-'])).status, 0);
  const { status, out, err } = await scorehall(folder.path, ['events', '-', '--json', '--dry-run'], 'nope\n');
  assert.deepEqual(
    [status, err],
    [2, 'scorehall: Nothing was imported from -: everything was refused (1), see above.\n'],
  );
  const { refusals, ...rest } = JSON.parse(out) as { refusals: { file: string; place: string }[] };
  assert.deepEqual(rest, { taken: 0, unchanged: 0, refused: 1, notes: [], dry_run: true });
  assert.deepEqual([refusals[0]!.file, refusals[0]!.place], ['standard input', 'line 1']);
  const invented = await scorehall(folder.path, ['rotations', 'README.md']);
  assert.equal(invented.status, 2);
  assert.match(invented.out, /^refused {2}README\.md: there is no server "README"\. Use --server NAME/);
  assert.equal((await scorehall(folder.path, ['rotations', 'README.md', '--create'])).status, 0);
  assert.equal((await scorehall(folder.path, ['events', '-'], '')).status, 0, 'an export of an empty network is empty');
});

test('an unreadable path or wrong operands end with exit code 2', async () => {
  await using folder = await folderOf({ file: '' });
  const mistakes: [string[], RegExp][] = [
    [['events', 'none.ndjson'], /^scorehall: none\.ndjson does not exist\.\n$/],
    [['events', '.'], /^scorehall: \. is a folder\.\n$/],
    [['pgm-maps', 'file'], /^scorehall: file is not a folder\.\n$/],
    [['pgm-maps', '.'], /^scorehall: \. has no map\.xml, also in the folders below it\.\n$/],
    [['minecraft', '.'], /^scorehall: \. has no usercache\.json, banned-players\.json or stats\/UUID\.json/],
    [['minecraft'], /^scorehall: Name the file or folder to import; see --help\.\n$/],
    [['rotations', 'a', 'b'], /^scorehall: Import one file or folder at a time\.\n$/],
  ];
  for (const [args, message] of mistakes) {
    const { status, out, err } = await scorehall(folder.path, args);
    assert.deepEqual([status, out], [2, '']);
    assert.match(err, message);
  }
});

test('an event file that cannot be opened or read ends with exit code 2', async () => {
  await using folder = await folderOf({});
  // A socket, because root may read a file of any mode.
  const server = createServer().listen(join(folder.path, 'socket'));
  await once(server, 'listening');
  const { status, out, err } = await scorehall(folder.path, ['events', 'socket']);
  server.close();
  assert.deepEqual([status, out], [2, '']);
  assert.match(err, /^scorehall: socket cannot be read \(\w+\)\.\n$/);
  const piped = spawnSync('sh', ['-c', '"$@" 0> unread', 'sh', process.execPath, MAIN, 'import', 'events', '-'], {
    cwd: folder.path,
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: join(folder.path, 'scorehall.db') },
    encoding: 'utf8',
  });
  assert.deepEqual([piped.status, piped.stderr], [2, 'scorehall: standard input cannot be read (EBADF).\n']);
});
