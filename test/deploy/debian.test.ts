import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

const UNITS = 'usr/lib/systemd/system';
const PROGRAM = 'usr/lib/scorehall';
const FORMER = 'usr/lib/scorehall.former';
/** Programs of the machine; `running` is the commit of the process. */
const PROGRAMS = {
  systemctl: `
    case $1 in
      is-enabled) exit 0 ;;
      is-failed) test ! -s $m/running; exit ;;
      list-units) exit 0 ;;
      show) echo 0 ;;
      stop) : >$m/running ;;
      start) case $2 in scorehall.service) cat $m/${PROGRAM}/COMMIT | grep -v -x -f $m/broken >$m/running ;; esac ;;
    esac`,
  journalctl: 'echo "scorehall: A broken version."',
  'systemd-sysusers': '',
  'systemd-tmpfiles': '',
};
const NODE = `if [ -s $m/running ]; then exit 0; fi; echo "scorehall: No service answers."; exit 1`;
const COMMAND = String.raw`printf 'applied 1\nknown 1\nrequired %s\n' "$(cat $m/required)"`;

/** The units of both packages, of which those of the agent belong to another one. */
const OWN = ['scorehall.service', 'scorehall@.service', 'scorehall-backup.service', 'scorehall-backup.timer'];
const OF_AGENT = 'scorehall-agent.service';

/** A machine on which a version is installed and serves, in a folder. */
function openMachine(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'debian-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = (text: string): string => `#!/bin/sh\nm=${folder}\n${text}\n`;
  /** As dpkg does: a separate file, so that links to the former one keep its content. */
  const put = (name: string, text: string): void => {
    rmSync(join(folder, name), { force: true });
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755);
  };
  const unpack = (version: string): void => {
    put(`${PROGRAM}/COMMIT`, `${version}\n`);
    for (const name of OWN) put(`${UNITS}/${name}`, version);
    put('usr/bin/scorehall', script(`${COMMAND} # ${version}`));
    put(`${PROGRAM}/node_modules/.bin/node`, script(NODE));
    put(`${PROGRAM}/src/db/migrations/001-a.sql`, '');
    mkdirSync(join(folder, PROGRAM, 'deploy/systemd'), { recursive: true });
    copyFileSync('deploy/systemd/upgrade.sh', join(folder, PROGRAM, 'deploy/systemd/upgrade.sh'));
  };
  const run = (name: string, ...args: string[]): { status: number | null; text: string } => {
    const text = readFileSync(`deploy/debian/scorehall/${name}`, 'utf8');
    const moved = text.replaceAll(/(?<![\w.])\/(usr|run|etc)\//g, `${folder}/$1/`);
    const env = {
      ...{ ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
      ...{ SCOREHALL_SETTINGS: folder, SCOREHALL_READY_WITHIN: '0' },
    };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', moved, name, ...args], { encoding: 'utf8', env });
    return { status, text: `${stdout}${stderr}` };
  };
  for (const [name, text] of Object.entries(PROGRAMS)) put(`bin/${name}`, script(text));
  mkdirSync(join(folder, 'run/systemd/system'), { recursive: true });
  put('broken', 'nothing\n');
  put('required', '1');
  put('running', 'first\n');
  put(`${UNITS}/${OF_AGENT}`, 'agent');
  unpack('first');
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  const installed = (): string[] =>
    [`${PROGRAM}/COMMIT`, ...OWN.map((name) => `${UNITS}/${name}`), 'usr/bin/scorehall'].map((name) =>
      read(name).split(/[ \n]/).at(-1)!,
    );
  return { folder, put, unpack, run, read, installed };
}

test('an upgrade of the package ends when the new version serves', (t) => {
  const { folder, unpack, run, read } = openMachine(t);
  assert.equal(run('prerm', 'upgrade', '2').status, 0);
  assert.equal(read('running'), '', 'the service has ended before its files are replaced');
  unpack('second');
  const { status, text } = run('postinst', 'configure', '1');
  assert.deepEqual([status, text], [0, 'second is ready: scorehall.service.\n']);
  assert.equal(read('running'), 'second');
  assert.ok(!existsSync(join(folder, FORMER)));
});

test('a version that does not serve goes back with units and command, beside the package of the agent', (t) => {
  const { folder, put, unpack, run, read, installed } = openMachine(t);
  run('prerm', 'upgrade', '2');
  put('broken', 'second\n');
  unpack('second');
  const { status, text } = run('postinst', 'configure', '1');
  assert.equal(status, 1);
  assert.match(text, /^Last line of its log: scorehall: A broken version\.$/m);
  assert.match(text, /^The files of the version before are back and serve \(first\), not second\.$/m);
  assert.deepEqual(
    [read('running'), ...installed()],
    Array.from({ length: 7 }, () => 'first'),
  );
  assert.equal(read(`${UNITS}/${OF_AGENT}`), 'agent');
  assert.ok(!existsSync(join(folder, FORMER)));
});

test('a version that cannot serve stays if the one before does not know its migrations', (t) => {
  const { put, unpack, run, installed } = openMachine(t);
  run('prerm', 'upgrade', '2');
  put('broken', 'second\n');
  put('required', '2');
  unpack('second');
  const { status, text } = run('postinst', 'configure', '1');
  assert.equal(status, 1);
  assert.match(text, /The version before is not known to be able to use the database\./);
  assert.deepEqual(new Set(installed()), new Set(['second']));
});
