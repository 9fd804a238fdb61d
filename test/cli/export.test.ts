import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { login, person, sendEvents } from '#test/support/builders.ts';
import { run as runCommand } from '#cli/dispatch.ts';
import { captured } from '#test/support/captured.ts';
import { createTestDatabase, testContext } from '#test/support/context.ts';
import type { TestDatabase } from '#test/support/postgres.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { MAIN, type Ran } from './scorehall.ts';

const LOGINS = 1500;

interface Exporting extends AsyncDisposable {
  path: string;
  /** Runs a shell script in which `"$@"` is the export command. */
  sh: (script: string, ...args: string[]) => Ran;
  /** Exports to a file in this process. */
  run: (file: string) => Promise<Ran>;
}

let network: TestDatabase;

/** A network whose export has some 300 kB, more than the buffer of a pipe. */
async function fillNetwork(): Promise<void> {
  network = await createTestDatabase('sqlite');
  await using stack = new AsyncDisposableStack();
  const context = await testContext({ after: (close) => stack.defer(close) }, network.url);
  await sendEvents(context, ...Array.from({ length: LOGINS }, (_, number) => login('Alpha', person(number))));
}

/** A folder for the exports of the network. */
async function exporting(): Promise<Exporting> {
  const folder = await folderOf({});
  const env = { ...CHILD_ENVIRONMENT, DATABASE_URL: network.url };
  const sh = (script: string, ...args: string[]): Ran => {
    const words = ['-c', script, 'sh', process.execPath, MAIN, 'export', 'events', ...args];
    const { status, stdout, stderr } = spawnSync('sh', words, { cwd: folder.path, env, encoding: 'utf8' });
    return { status, out: stdout, err: stderr };
  };
  const run = async (file: string): Promise<Ran> => {
    const environment = { DATABASE_URL: network.url };
    const work = () => runCommand(['export', 'events', file]);
    const { result, out, err } = await captured({ environment, folder: folder.path }, work);
    return { status: result, out, err };
  };
  return Object.assign(folder, { sh, run });
}

const countOf = (text: string): number => text.split('\n').filter((line) => line.endsWith('}')).length;
const contentOf = (path: string, file: string): string => readFileSync(join(path, file), 'utf8');

describe('events are exported', () => {
  before(fillNetwork);
  after(() => network.drop());

  test('an export replaces a file as a whole, keeps its mode and follows a link', async () => {
    await using folder = await exporting();
    const { path, run } = folder;
    writeFileSync(join(path, 'file'), 'old');
    chmodSync(join(path, 'file'), 0o640);
    symlinkSync('file', join(path, 'link'));
    for (const name of ['new', 'link']) assert.deepEqual(await run(name), { status: 0, out: '', err: '' });
    for (const name of ['new', 'file']) assert.equal(countOf(contentOf(path, name)), LOGINS);
    const modes = ['new', 'file'].map((name) => statSync(join(path, name)).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o640]);
    assert.deepEqual(readdirSync(path), ['file', 'link', 'new']);
  });

  test('a failed export leaves the earlier file as it was, and no temporary file', async () => {
    await using folder = await exporting();
    const { path, sh } = folder;
    writeFileSync(join(path, 'file'), 'old');
    const { status, err } = sh('trap "" XFSZ; ulimit -f 200; exec "$@"', 'file');
    assert.equal(status, 2);
    assert.match(err, /^scorehall: file cannot be written: EFBIG: .*\n$/);
    assert.equal(contentOf(path, 'file').slice(0, 10), 'old');
    assert.deepEqual(readdirSync(path), ['file']);
  });

  test('an export writes to a pipe or a device directly', async () => {
    await using folder = await exporting();
    const { path, sh, run } = folder;
    const { out, err } = sh('"$@" | cat', '/dev/stdout');
    assert.deepEqual([countOf(out), err], [LOGINS, '']);
    const piped = sh('mkfifo pipe; cat pipe & "$@" && wait', 'pipe');
    assert.deepEqual([countOf(piped.out), piped.err, piped.status], [LOGINS, '', 0]);
    // The reader sleeps after the first byte, so that the output fills up however long the command takes to start.
    const slow = sh('{ cat pipe & "$@" && wait; } | { head -c 1; sleep 1; exec cat; }', 'pipe');
    assert.deepEqual(
      [countOf(slow.out), slow.err],
      [LOGINS, ''],
      'a full output that another process shares loses nothing',
    );
    assert.deepEqual(readdirSync(path), ['pipe']);
    assert.match((await run('.')).err, /^scorehall: \. cannot be written: EISDIR: .*\n$/);
    assert.match((await run('none/file')).err, /^scorehall: none\/file cannot be written: ENOENT: .*\n$/);
  });

  test('a reader that closes the pipe early does not make the export fail', async () => {
    await using folder = await exporting();
    for (const args of [[], ['-']]) {
      const { out, err } = folder.sh('{ "$@"; echo "$?" >&2; } | head -1', ...args);
      assert.deepEqual([countOf(out), err], [1, '0\n']);
    }
  });

  test('an unwritable standard output ends with one sentence and exit code 2', async () => {
    await using folder = await exporting();
    writeFileSync(join(folder.path, 'locked'), '');
    const player = { uuid: '8667ba71-b85a-4004-af54-457a9734eed7', name: 'Ann' };
    const event = { version: 1, id: 'a', type: 'player.named', time: '2026-01-01T00:00:00Z', data: { player } };
    writeFileSync(join(folder.path, 'events'), `${JSON.stringify(event)}\nx\n`);
    for (const script of ['exec "$@" 1<locked', 'exec "$1" "$2" import events events 1<locked']) {
      const { status, err } = folder.sh(script);
      assert.equal(status, 2);
      assert.match(err, /^scorehall: Cannot write to standard output: EBADF: .*\n$/);
    }
  });
});
