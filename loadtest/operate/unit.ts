import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from '#cli/doctor/finding.ts';
import type { Report } from '../report.ts';
import { bootContainer, type Container, missingForContainer } from './container.ts';
import type { Outcome } from './engine.ts';
import { ROOT } from '../support/programs.ts';

const READY_WITHIN_S = 60;
/** Longer than RestartSec of the unit. */
const RESTART_WITHIN_MS = 4_000;
/** TimeoutStopSec of the unit. */
const STOP_WITHIN_S = 30;

/** Installs the unit as docs/operations.md says, under a separate systemd, and uses it as an operator does. */
export async function testInstalledUnit(report: Report): Promise<void> {
  const missing = missingForContainer();
  if (missing !== undefined) return report.add('unit: started by systemd', missing, false);
  await using container = await bootContainer();
  const setup = { report, container };
  if (!install(setup) || !(await addReady(setup, 'start'))) return;
  testProcess(setup);
  testWritable(setup);
  testCommands(setup);
  testBackup(setup);
  testLog(setup);
  await testCrash(setup);
  await testRestart(setup);
  await testWrongSetting(setup);
  await testRelease(setup);
  testStop(setup);
  const failed = container.run(['systemctl', '--failed', '--plain', '--no-legend']).text;
  report.add('unit: failed units', failed || 'none', failed === '');
}

interface Setup {
  report: Report;
  container: Container;
}

const end = ({ text, errors }: Outcome): string => `${text}\n${errors}`.trim().slice(-500);

function add({ report }: Setup, name: string, outcome: Outcome, isRight = outcome.status === 0): boolean {
  report.add(`unit: ${name}`, isRight ? `exit code ${outcome.status}` : end(outcome), isRight);
  return isRight;
}

/** Runs the commands from the documents, except for their first step, the installation of the program. */
function install(setup: Setup): boolean {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = text.slice(text.indexOf('### With systemd'), text.indexOf('### Check it'));
  const [, ...steps] = [...section.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, commands]) => commands!);
  if (steps.length !== 2) throw new Error('docs/operations.md has other steps for systemd than this test knows.');
  const [install, begin] = steps as [string, string];
  // In the place of a person at a terminal.
  const answers = '--yes --name Example --operator Olga --email olga@example.org';
  return (
    add(setup, 'step 2 of the documents', setup.container.shell(install)) &&
    add(setup, 'step 3 of the documents', setup.container.shell(`${begin.trim()} ${answers}`)) &&
    add(setup, 'a second setup', setup.container.shell('scorehall setup --yes'))
  );
}

const NODE = '/opt/scorehall/current/node_modules/.bin/node';
const IS_READY =
  "fetch('http://127.0.0.1:7404/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";

async function addReady({ report, container }: Setup, name: string): Promise<boolean> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  while (seconds() < READY_WITHIN_S && container.run([NODE, '-e', IS_READY]).status !== 0) await pause(100);
  const isReady = seconds() < READY_WITHIN_S;
  report.add(`unit: seconds until it is ready, ${name}`, seconds().toFixed(1), isReady);
  if (!isReady) report.note('unit: log', container.run(['journalctl', '--unit=scorehall', '--lines=20']).text);
  return isReady;
}

const property = (container: Container, name: string): string =>
  container.run(['systemctl', 'show', 'scorehall', `--property=${name}`, '--value']).text;

/** Capabilities, the ban on new ones and the filter of system calls, as the kernel applies them. */
const HARDENED = [/^CapEff:\s+0+$/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m];

function testProcess({ report, container }: Setup): void {
  const pid = property(container, 'MainPID');
  const user = container.run(['stat', '--format=%U', `/proc/${pid}`]).text;
  report.add('unit: user', user, user === 'scorehall');
  const status = container.run(['cat', `/proc/${pid}/status`]).text;
  const isHardened = HARDENED.every((pattern) => pattern.test(status));
  report.add('unit: capabilities, new privileges, system calls', isHardened ? 'refused' : status, isHardened);
}

/** Without /run, which systemd leaves writable to root but not to the user of the service. */
const FOLDERS = '/ /etc /opt/scorehall /usr /var /var/lib /home /root /boot /backups /tmp /var/tmp';
const OF_THE_SERVICE = '/backups /tmp /var/tmp /var/lib/scorehall /var/cache/scorehall';

/** As root in the namespace of the service, so that the mounts decide and not the modes of the folders. */
function testWritable({ report, container }: Setup): void {
  const script = `for f in ${FOLDERS} /var/lib/scorehall /var/cache/scorehall; do
    touch $f/.w 2>/dev/null && echo $f && rm $f/.w; done; true`;
  const inside = ['nsenter', `--target=${property(container, 'MainPID')}`, '--mount', 'sh', '-c', script];
  const writable = container.run(inside).text.split('\n').join(' ');
  report.add('unit: writable folders', writable, writable === OF_THE_SERVICE);
}

function testCommands(setup: Setup): void {
  const { report, container } = setup;
  const person = '--name You --email you@example.org --password-stdin --verified --role operator';
  add(setup, 'account create', container.shell(`scorehall account create ${person}`, 'a good long password\n'));
  const secret = 'printf "%s\\n" smtp://you:hunter2@127.0.0.1:1';
  const file = '/etc/scorehall/smtp-url';
  add(setup, 'a secret as a file', container.shell(`${secret} | install -o scorehall -m 0400 /dev/stdin ${file}`));
  container.shell(`echo SMTP_URL_FILE=${file} >> /etc/scorehall/scorehall.env`);
  const { text } = container.run(['scorehall', 'doctor', '--json']);
  const { findings } = JSON.parse(text) as { findings: Pick<Finding, 'check' | 'status' | 'message'>[] };
  // Neither the names of the example nor a mail server nor a clock exist in the container.
  const unexpected = findings.filter(
    ({ check, status }) => status === 'error' && check !== 'mail' && !check.startsWith('address'),
  );
  const shown = unexpected.map(({ check, message }) => `${check}: ${message}`).join('; ');
  report.add('unit: errors of the doctor beside addresses and mail', shown || 'none', unexpected.length === 0);
  const mail = findings.find(({ check }) => check === 'mail')?.message ?? '';
  report.add('unit: the doctor reads the secret file', mail, mail.startsWith('127.0.0.1:1 refuses'));
}

function testBackup(setup: Setup): void {
  const { report, container } = setup;
  const timers = container.run(['systemctl', 'list-timers', '--no-legend', 'scorehall-backup.timer']).text;
  report.add('unit: next backup', timers.slice(0, 28), timers.includes('scorehall-backup'));
  add(setup, 'backup of the timer', container.shell('systemctl start scorehall-backup.service'));
  add(setup, 'check of that backup', container.shell('scorehall backup --check /backups/*.backup'));
}

function testLog({ report, container }: Setup): void {
  const { text } = container.run(['journalctl', '--unit=scorehall', '--identifier=scorehall', '--output=cat']);
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  const isRead = lines.length >= 5 && lines.every((line) => 'msg' in (JSON.parse(line) as object));
  report.add('unit: lines of JSON in the journal', String(lines.length), isRead);
  report.add('unit: secrets in the journal', text.includes('hunter2') ? 'found' : 'none', !text.includes('hunter2'));
}

function addAccount({ report, container }: Setup, when: string): void {
  const { text } = container.run(['scorehall', 'account', 'list']);
  const isThere = text.includes('you@example.org');
  report.add(`unit: data ${when}`, isThere ? 'complete' : text.slice(-300), isThere);
}

async function testCrash(setup: Setup): Promise<void> {
  const { report, container } = setup;
  const pid = property(container, 'MainPID');
  add(setup, 'SIGKILL', container.run(['systemctl', 'kill', '--kill-who=main', '--signal=SIGKILL', 'scorehall']));
  await addReady(setup, 'after SIGKILL');
  const restarts = property(container, 'NRestarts');
  report.add('unit: restarts after SIGKILL', restarts, restarts === '1' && property(container, 'MainPID') !== pid);
  addAccount(setup, 'after SIGKILL');
}

async function testRestart(setup: Setup): Promise<void> {
  add(setup, 'systemctl restart', setup.container.run(['systemctl', 'restart', 'scorehall']));
  await addReady(setup, 'after a restart');
  addAccount(setup, 'after a restart');
}

/** A wrong setting fails once; after its correction a restart is enough. */
async function testWrongSetting(setup: Setup): Promise<void> {
  const { report, container } = setup;
  container.shell(
    'cp -p /etc/scorehall/scorehall.env /tmp/right.env; echo API_URL=nowhere >> /etc/scorehall/scorehall.env',
  );
  container.run(['systemctl', 'restart', 'scorehall']);
  const until = Date.now() + READY_WITHIN_S * 1000;
  while (Date.now() < until && property(container, 'ActiveState') !== 'failed') await pause(100);
  await pause(RESTART_WITHIN_MS);
  const state = ['ActiveState', 'ExecMainStatus', 'NRestarts'].map((name) => property(container, name)).join(' ');
  report.add('unit: a wrong setting: state, exit code, restarts', state, state === 'failed 2 0');
  container.shell('cp -p /tmp/right.env /etc/scorehall/scorehall.env');
  add(setup, 'systemctl restart after the correction', container.run(['systemctl', 'restart', 'scorehall']));
  await addReady(setup, 'after the correction');
}

const SECOND = `
  for service in API:7410 AUTH:7411 SITE:7412 INGEST:7413 INTERNAL:7414; do
    echo "\${service%:*}_LISTEN=127.0.0.1:\${service#*:}"
  done >/etc/scorehall/scorehall-2.env
  echo REVOCATION_LOG=/var/lib/scorehall/revocations-2.log >>/etc/scorehall/scorehall-2.env
  echo COUNTERS=database >>/etc/scorehall/scorehall.env
  systemctl restart scorehall`;

/** Installs the template as docs/scaling.md says; a switch to the other version restarts both processes. */
async function testRelease(setup: Setup): Promise<void> {
  const { report, container } = setup;
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
  const template = /^ {4}install .*scorehall@\.service\n.*$/m.exec(text)![0];
  add(setup, 'settings of a second process', container.shell(SECOND));
  add(setup, 'a second process', container.shell(template));
  const processes = (): string[] =>
    ['scorehall', 'scorehall@2'].map(
      (unit) => container.run(['systemctl', 'show', unit, '--property=MainPID', '--value']).text,
    );
  const before = processes();
  const release = '/opt/scorehall/current/deploy/systemd/scorehall-release';
  add(
    setup,
    'scorehall-release',
    container.shell(`ln -sfn releases/tested /opt/scorehall/previous; ${release} --back`),
  );
  await addReady(setup, 'after the switch');
  const states = container.run(['systemctl', 'is-active', 'scorehall', 'scorehall@2']).text.replace('\n', ', ');
  const isRestarted = processes().every((pid, index) => pid !== '0' && pid !== before[index]);
  report.add('unit: both processes after the switch', states, states === 'active, active' && isRestarted);
  const broken = `cp -a releases/tested releases/broken && ln -sfn releases/broken previous
    echo 'console.error("scorehall: A broken version."); process.exit(2)' >releases/broken/src/main.ts`;
  container.shell(`cd /opt/scorehall && ${broken}`);
  const failing = container.shell(`${release} --back`);
  const expected = ['Last line of its log: scorehall: A broken version.', 'Scorehall is back at tested, which serves.'];
  const isReported = failing.status === 1 && expected.every((text) => failing.errors.includes(text));
  add(setup, 'a version that fails goes back by itself', failing, isReported);
  container.shell('echo "# of the former layout" >>/etc/systemd/system/scorehall-backup.service');
  const outdated = container.shell(`ln -sfn releases/tested /opt/scorehall/previous; ${release} --back`);
  const isOutdated = outdated.status === 1 && /scorehall-backup\.service is not that of this/.test(outdated.errors);
  add(setup, 'a unit of another version is told', outdated, isOutdated);
  add(setup, 'end of the second process', container.run(['systemctl', 'disable', '--now', 'scorehall@2']));
}

function testStop({ report, container }: Setup): void {
  const started = performance.now();
  container.run(['systemctl', 'stop', 'scorehall']);
  const seconds = (performance.now() - started) / 1000;
  const result = `${property(container, 'Result')} ${property(container, 'ExecMainStatus')}`;
  const isRight = result === 'success 0' && seconds < STOP_WITHIN_S;
  report.add('unit: end after SIGTERM', `${seconds.toFixed(1)} s, ${result}`, isRight);
}
