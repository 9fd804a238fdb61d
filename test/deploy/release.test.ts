import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const IDENTITY = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];

/** A clone in the place of /opt/scorehall, with `npm` and `systemctl` that write down how they are called. */
function openMachine(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [origin, clone, programs] = ['origin', 'opt', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(programs);
  mkdirSync(origin);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: origin, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  const publish = (text: string): string => {
    writeFileSync(join(origin, 'program'), text);
    git('add', 'program');
    git(...IDENTITY, 'commit', '--quiet', `--message=${text}`);
    return git('rev-parse', 'HEAD');
  };
  const first = publish('first');
  execFileSync('git', ['clone', '--quiet', origin, clone]);
  const calls = join(folder, 'calls');
  const put = (name: string, text: string): void =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  /** With what `current` pointed to while the program ran. */
  const note = `echo "$0 $1 $(readlink ${clone}/current || echo nothing)" | sed 's|.*/bin/||' >>${calls}`;
  put('npm', `${note}; mkdir node_modules`);
  put('systemctl', note);
  const script = join(folder, 'scorehall-release');
  writeFileSync(
    script,
    readFileSync('deploy/systemd/scorehall-release', 'utf8').replace('/opt/scorehall\n', `${clone}\n`),
  );
  chmodSync(script, 0o755);
  const run = (...args: string[]): { status: number | null; text: string; called: string[] } => {
    writeFileSync(calls, '');
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    const { status, stdout, stderr } = spawnSync(script, args, { encoding: 'utf8', env });
    const called = readFileSync(calls, 'utf8').trim().split('\n');
    return { status, text: `${stdout}${stderr}`, called: called.filter((line) => line !== '') };
  };
  const at = (link: string): string => readlinkSync(join(clone, link)).replace('releases/', '');
  const releases = (): string[] => readdirSync(join(clone, 'releases')).toSorted();
  return { first, publish, clone, put, note, run, at, releases, git };
}

test('a version is installed beside the running one, the switch restarts once, and one command goes back', (t) => {
  const { first, publish, clone, run, at, releases } = openMachine(t);
  const installed = run();
  assert.equal(installed.status, 0, installed.text);
  assert.deepEqual([at('current'), readFileSync(join(clone, 'current/COMMIT'), 'utf8')], [first, `${first}\n`]);
  assert.match(run('--back').text, /^There is no version before this one\.$/m);

  const second = publish('second');
  const upgraded = run();
  assert.equal(upgraded.status, 0, upgraded.text);
  assert.deepEqual([at('current'), at('previous')], [second, first]);
  assert.equal(readFileSync(join(clone, 'current/program'), 'utf8'), 'second');
  assert.ok(existsSync(join(clone, 'previous/node_modules')), 'the modules of the running version stay');
  assert.deepEqual(upgraded.called, [
    `npm ci releases/${first}`,
    `systemctl list-units releases/${second}`,
    `systemctl is-enabled releases/${second}`,
    `systemctl restart releases/${second}`,
  ]);

  const back = run('--back');
  assert.deepEqual([back.status, at('current'), at('previous')], [0, first, second]);
  assert.deepEqual(back.called.slice(2), [`systemctl restart releases/${first}`], 'nothing is installed');
  run('--back');
  assert.deepEqual([at('current'), at('previous')], [second, first], 'and forward again');

  assert.match(run().text, new RegExp(`already at ${second}`));
  const third = publish('third');
  assert.equal(run(third.slice(0, 12)).status, 0, 'a commit');
  assert.deepEqual(releases(), [second, third].toSorted(), 'the present version and the one before are kept');
});

test('of several processes none runs while a command migrates, and all start again', (t) => {
  const { publish, note, put, run } = openMachine(t);
  run();
  const units = ['scorehall@2.service', 'scorehall@3.service'];
  const list = units.map((unit) => `echo "${unit} loaded active running Scorehall";`).join(' ');
  const noted = note.replace('$1', '$*');
  put('systemctl', `${noted}; if [ "$1" = list-units ]; then ${list} fi`);
  put('scorehall', noted);
  const steps = (commit: string): string[] =>
    [
      `systemctl stop scorehall ${units.join(' ')}`,
      'scorehall health',
      `systemctl start scorehall ${units.join(' ')}`,
    ].map((call) => `${call} releases/${commit}`);
  const second = publish('second');
  assert.deepEqual(run().called.slice(2), steps(second));
  const third = publish('third');
  put('scorehall', `${noted}; exit 1`);
  const failed = run();
  assert.notEqual(failed.status, 0);
  assert.deepEqual(failed.called.slice(2), steps(third), 'also after a failure');
});

test('an installation that fails and an unknown version change nothing, and the next attempt is complete', (t) => {
  const { first, publish, clone, put, note, run, at } = openMachine(t);
  run();
  const second = publish('second');
  put('npm', 'mkdir node_modules; exit 1');
  const failed = run();
  assert.notEqual(failed.status, 0);
  assert.deepEqual([at('current'), failed.called], [first, []]);
  const unknown = run('v9');
  assert.deepEqual([unknown.status, unknown.text, at('current')], [1, 'There is no version v9.\n', first]);
  put('npm', `${note}; mkdir node_modules`);
  assert.equal(run().status, 0);
  assert.equal(at('current'), second);
  assert.ok(existsSync(join(clone, 'current/node_modules')));
});
