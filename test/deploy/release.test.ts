import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
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
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

const IDENTITY = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
const SYSTEMD = 'deploy/systemd';

/** What the programs of the machine do, as files in one folder; `running` is the commit that the process says. */
const PROGRAMS = {
  npm: 'note npm "$1"; if [ -e $m/npm-fails ]; then exit 1; fi; mkdir -p node_modules/.bin; ln -s $m/bin/node node_modules/.bin/node',
  systemctl: `
    case $1 in
      is-enabled) exit 0 ;;
      is-failed) test ! -s $m/running; exit ;;
      list-units) cat $m/units; exit ;;
      show) echo 0; exit ;;
    esac
    note systemctl "$*"
    case $1 in restart | start)
      commit=$(readlink $m/opt/current); commit=\${commit#releases/}
      if grep -q "$commit" $m/broken; then commit=; fi
      if [ -e $m/old-layout ]; then commit=of-the-old-layout; fi
      echo $commit | sed '/^$/d' >$m/running ;;
    esac`,
  journalctl: 'echo "scorehall: SMTP_URL must be a URL."',
  /** \`ready --wait 2 --commit COMMIT\` */
  node: `
    commit=$6
    if [ ! -s $m/running ]; then echo "scorehall: No service answers at $INTERNAL_LISTEN: ECONNREFUSED."; exit 1; fi
    if [ "$(cat $m/running)" = "$commit" ]; then exit 0; fi
    echo "scorehall: The service at $INTERNAL_LISTEN is ready, but runs $(cat $m/running), not $commit."; exit 1`,
};

/** The command \`scorehall\` of a version: \`migrate\`, or \`migrate --check\`. */
const COMMAND = `
  if [ "$2" = --check ]; then cat $m/plan || { echo "scorehall: wrong settings" >&2; exit 2; }; exit; fi
  note scorehall "$1"
  if [ -e $m/migrate-fails ]; then echo "scorehall: 7@host serves" >&2; exit 1; fi
  echo 2 >$m/applied`;

const planOf = (required: number, offline = ''): string =>
  `applied   1\nknown     2\nrequired  ${required}\nonline    \noffline   ${offline}\n`;

/** A clone in the place of /opt/scorehall, on a machine whose programs write down how they are called. */
function openMachine(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const clone = join(folder, 'opt');
  const script = (text: string): string =>
    `#!/bin/sh\nm=${folder}\nnote() { echo "$* $(readlink ${clone}/current || echo nothing)" >>$m/calls; }\n${text}\n`;
  const origin = join(folder, 'origin');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: origin, encoding: 'utf8' }).trim();
  mkdirSync(origin);
  git('init', '--quiet', '--initial-branch=main');
  /** Commits a version with these files in addition. */
  const publish = (name: string, files: Record<string, string> = {}): string => {
    for (const [path, text] of Object.entries({ program: name, ...files })) put(`origin/${path}`, text);
    git('add', '.');
    git(...IDENTITY, 'commit', '--quiet', `--message=${name}`);
    return git('rev-parse', 'HEAD');
  };
  put(`origin/${SYSTEMD}/scorehall`, script(COMMAND));
  chmodSync(join(origin, SYSTEMD, 'scorehall'), 0o755);
  for (const name of ['upgrade.sh', 'scorehall-release'])
    copyFileSync(join(SYSTEMD, name), join(origin, SYSTEMD, name));
  const first = publish('first', {
    [`${SYSTEMD}/scorehall.service`]: 'ExecStart=current\n',
    'src/db/migrations/001-a.sql': '-- offline: the first.\n',
    'docs/settings.md': '| `OLD` | empty | Old |\n| `KEPT` | `1` | Kept |\n',
  });
  execFileSync('git', ['clone', '--quiet', origin, clone]);
  for (const [name, text] of Object.entries(PROGRAMS)) {
    put(`bin/${name}`, script(text));
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  put(
    'sbin/scorehall-release',
    readFileSync(`${SYSTEMD}/scorehall-release`, 'utf8').replace('/opt/scorehall\n', `${clone}\n`),
  );
  for (const name of ['units', 'broken', 'running']) put(name, '');
  put('plan', planOf(1));
  const run = (...args: string[]): { status: number | null; text: string; called: string[] } => {
    put('calls', '');
    const env = {
      ...{ ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
      ...{
        SCOREHALL_UNITS: join(folder, 'etc'),
        SCOREHALL_COMMANDS: join(folder, 'nowhere'),
        SCOREHALL_SETTINGS: folder,
      },
      SCOREHALL_READY_WITHIN: '0',
    };
    const { status, stdout, stderr } = spawnSync('sh', [join(folder, 'sbin/scorehall-release'), ...args], {
      encoding: 'utf8',
      env,
    });
    const called = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    return { status, text: `${stdout}${stderr}`, called: called.filter((line) => line !== '') };
  };
  const at = (link: string): string => readlinkSync(join(clone, link)).replace('releases/', '');
  const releases = (): string[] => readdirSync(join(clone, 'releases')).toSorted();
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  return { folder, first, publish, clone, put, run, at, releases, read };
}

const UNIT = 'scorehall.service';

test('a version is installed beside the running one, the switch restarts once, and one command goes back', (t) => {
  const { first, publish, clone, run, at, releases } = openMachine(t);
  const installed = run();
  assert.equal(installed.status, 0, installed.text);
  assert.deepEqual([at('current'), readFileSync(join(clone, 'current/COMMIT'), 'utf8')], [first, `${first}\n`]);
  assert.match(run('--back').text, /^There is no version before this one\.$/m);

  const second = publish('second');
  const upgraded = run();
  assert.deepEqual([upgraded.status, upgraded.text], [0, `${second} is ready: ${UNIT}.\nNext: scorehall doctor\n`]);
  assert.deepEqual([at('current'), at('previous')], [second, first]);
  assert.equal(readFileSync(join(clone, 'current/program'), 'utf8'), 'second');
  assert.ok(existsSync(join(clone, 'previous/node_modules')), 'the modules of the running version stay');
  assert.deepEqual(upgraded.called, [`npm ci releases/${first}`, `systemctl restart ${UNIT} releases/${second}`]);

  const back = run('--back');
  assert.deepEqual([back.status, at('current'), at('previous')], [0, first, second], back.text);
  assert.deepEqual(back.called, [`systemctl restart ${UNIT} releases/${first}`], 'nothing is installed');
  run('--back');
  assert.deepEqual([at('current'), at('previous')], [second, first], 'and forward again');

  const again = run();
  assert.deepEqual([again.status, again.called], [0, []]);
  assert.match(again.text, new RegExp(`^${second} is installed already\\.\n${second} is ready`));
  const third = publish('third');
  assert.equal(run(third.slice(0, 12)).status, 0, 'a commit');
  assert.deepEqual(releases(), [second, third].toSorted(), 'the present version and the one before are kept');
});

test('a version that does not become ready is told with the reason, and the one before serves again', (t) => {
  const { first, publish, put, run, at, read } = openMachine(t);
  run();
  const second = publish('second', { 'src/db/migrations/002-b.sql': '-- online: a new table.\n' });
  put('broken', second);
  const failed = run();
  assert.equal(failed.status, 1);
  assert.match(failed.text, /scorehall\.service: No service answers at 127\.0\.0\.1:7404: ECONNREFUSED\./);
  assert.match(failed.text, /^Last line of its log: scorehall: SMTP_URL must be a URL\.$/m);
  assert.match(failed.text, new RegExp(`^Scorehall is back at ${first}, which serves\\.`, 'm'));
  assert.deepEqual([at('current'), read('running')], [first, first]);
  assert.deepEqual(
    failed.called.slice(1),
    [second, first].map((commit) => `systemctl restart ${UNIT} releases/${commit}`),
  );
  put('broken', `${first}\n${second}`);
  assert.match(run().text, new RegExp(`^Scorehall is back at ${first}, which does not serve either\\.$`, 'm'));
  put('broken', '');
  assert.deepEqual([run().status, at('current')], [0, second], 'the next attempt is complete');
});

test('after an offline migration there is no way back by itself, and the command says how to proceed', (t) => {
  const { first, publish, put, run, at } = openMachine(t);
  run();
  const second = publish('second', { 'src/db/migrations/002-b.sql': '-- offline: drops a column.\n' });
  put('broken', second);
  put('plan', planOf(2));
  const failed = run();
  assert.deepEqual([failed.status, at('current'), at('previous')], [1, second, first]);
  assert.match(
    failed.text,
    new RegExp(
      `The database was migrated, and ${first} cannot use it any more\\. Correct the cause, then systemctl restart`,
    ),
  );

  put('broken', '');
  const back = run('--back');
  assert.deepEqual([back.status, at('current'), back.called], [1, first, [`systemctl stop ${UNIT} releases/${first}`]]);
  assert.match(back.text, /it is stopped: restore the backup from before \(docs\/backup\.md\)/);
});

test('units of an earlier layout are told, with the command that installs them', (t) => {
  const { folder, publish, put, run, at } = openMachine(t);
  put(`etc/${UNIT}`, 'ExecStart=clone\n');
  put('etc/scorehall@.service', 'ExecStart=current\n');
  put('old-layout', '');
  const { status, text } = run();
  assert.deepEqual([status, text.includes('is ready, but runs of-the-old-layout, not ')], [1, true], text);

  const second = publish('second');
  rmSync(join(folder, 'old-layout'));
  const outdated = run();
  assert.deepEqual([outdated.status, at('current')], [1, second]);
  const lines = outdated.text.split('\n');
  assert.equal(lines[0], `${second} is ready: ${UNIT}.`);
  assert.equal(lines[1], `${join(folder, 'etc', UNIT)} is not that of this version.`);
  const [command] = lines.filter((line) => line.startsWith('  install'));
  execFileSync('sh', ['-c', command!]);
  assert.equal(run().status, 0, 'after this command');
});

test('several processes are replaced one after the other, or stopped for an offline migration', (t) => {
  const { publish, put, run, at } = openMachine(t);
  run();
  const others = ['scorehall@2.service', 'scorehall@3.service'];
  put('units', others.map((unit) => `${unit} loaded active running Scorehall\n`).join(''));
  const units = [UNIT, ...others];
  const second = publish('second');
  const restarts = (commit: string): string[] => units.map((unit) => `systemctl restart ${unit} releases/${commit}`);
  assert.deepEqual(run().called.slice(1), restarts(second));

  put('plan', planOf(1, '002-b.sql'));
  const third = publish('third');
  const steps = (commit: string): string[] => [
    `systemctl stop ${units.join(' ')} releases/${commit}`,
    `scorehall migrate releases/${commit}`,
  ];
  assert.deepEqual(run().called.slice(1), [...steps(third), ...restarts(third)]);

  put('migrate-fails', '');
  const fourth = publish('fourth');
  const refused = run();
  assert.deepEqual(refused.called.slice(1), [...steps(fourth), ...restarts(third)], 'a process on another machine');
  assert.match(refused.text, /7@host serves/);
  assert.deepEqual([refused.status, at('current')], [1, third]);
});

test('a first installation whose migration is refused does not leave the service stopped', (t) => {
  const { first, put, run, at } = openMachine(t);
  put('plan', planOf(1, '002-b.sql'));
  put('migrate-fails', '');
  const refused = run();
  assert.deepEqual([refused.status, at('current')], [1, first]);
  assert.deepEqual(
    refused.called.slice(1).map((call) => call.split(' releases/')[0]),
    [`systemctl stop ${UNIT}`, 'scorehall migrate', `systemctl start ${UNIT}`],
  );
  assert.match(refused.text, new RegExp(`7@host serves\nThere is no version before ${first}: correct the cause`));
});

test('--check prints migrations, units and settings, and changes nothing', (t) => {
  const { first, publish, run, at } = openMachine(t);
  run();
  const online = publish('second', {
    'src/db/migrations/002-b.sql': '-- online: a new table.\ncreate …',
    [`${SYSTEMD}/scorehall.service`]: 'ExecStart=other\n',
    [`${SYSTEMD}/scorehall-agent.service`]: '',
    'docs/settings.md': '| `NEW` | empty | New |\n| `KEPT` | `2` | Kept \\| more |\n',
  });
  const checked = run('--check', online);
  assert.deepEqual([checked.status, checked.called, at('current')], [0, [], first]);
  assert.deepEqual(checked.text.trim().split('\n'), [
    `From ${first} to ${online}:`,
    'migration 002-b.sql: online: a new table.',
    'file deploy/systemd/scorehall-agent.service is new',
    'file deploy/systemd/scorehall.service is changed',
    'setting `NEW` is new, default empty',
    'setting `KEPT` has the default `2` instead of `1`',
    'setting `OLD` is no longer there',
    'Processes can be replaced one by one.',
  ]);
  const offline = publish('third', { 'src/db/migrations/003-c.sql': 'create …' });
  const lines = run('--check', offline).text.trim().split('\n');
  assert.equal(lines[2], 'migration 003-c.sql: offline');
  assert.match(lines.at(-1)!, /^Processes cannot be replaced one by one: stop all of them/);
  run();
  assert.match(run('--check', first).text, /^migration 003-c\.sql is not part of it: offline$/m);
});

test('an installation that fails, an unknown version and wrong settings change nothing', (t) => {
  const { folder, first, publish, clone, put, run, at } = openMachine(t);
  run();
  const second = publish('second');
  put('npm-fails', '');
  const failed = run();
  assert.notEqual(failed.status, 0);
  assert.deepEqual([at('current'), failed.called], [first, [`npm ci releases/${first}`]]);
  const unknown = run('v9');
  assert.deepEqual([unknown.status, unknown.text, at('current')], [1, 'There is no version v9.\n', first]);
  rmSync(join(folder, 'npm-fails'));
  rmSync(join(folder, 'plan'));
  const wrong = run();
  assert.deepEqual([wrong.status, at('current')], [1, first]);
  assert.match(wrong.text, /scorehall: wrong settings\nNothing has changed: /);
  put('plan', planOf(1));
  assert.equal(run().status, 0);
  assert.equal(at('current'), second);
  assert.ok(existsSync(join(clone, 'current/node_modules')));
});
