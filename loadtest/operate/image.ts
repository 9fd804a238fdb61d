import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report.ts';
import { ROOT } from '../support/programs.ts';
import { buildArguments, type Engine, findEngine, type Outcome, runArguments } from './engine.ts';

const IMAGE = 'scorehall-loadtest';
const USER = '10001';
const READY_WITHIN_S = 60;
/** The compose file gives the service 30 s to end. */
const STOP_WITHIN_S = 30;
/** A secret that must not be found in the image's or the container's settings. */
const SECRET = 'smtp://user:hunter2@127.0.0.1:1';

/**
 * Builds the image and runs it as the compose file does: another user than root, a read-only root, no capabilities.
 * @param context the files to build it from, by default those of this checkout
 */
export async function testImage(report: Report, context = ROOT): Promise<void> {
  const engine = findEngine();
  if (engine === undefined)
    return report.add('image', 'no engine runs: apt-get install docker.io (or podman), and start it', false);
  const built = engine.run(buildArguments(engine, IMAGE, context));
  report.add(`image: build with ${engine.name}`, built.status === 0 ? 'done' : end(built), built.status === 0);
  if (built.status !== 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-image-'));
  const volume = `${IMAGE}-${process.pid}`;
  try {
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'smtp-url'), `${SECRET}\n`, { mode: 0o644 });
    const container = { engine, report, volume, folder };
    testContents(container);
    const check = testHealthCheckWithoutService(container);
    await testRunning(container, check);
  } finally {
    engine.run(['volume', 'rm', '--force', volume]);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Setup {
  engine: Engine;
  report: Report;
  volume: string;
  /** The folder with the files of /run/secrets. */
  folder: string;
}

const end = ({ text, errors }: Outcome): string => `${text}\n${errors}`.trim().slice(-500);

/** Files that users of the image do not need, and files that must not be published. */
const UNWANTED = String.raw`find /app /data \( -name '*.map' -o -name .npmrc -o -name '*.env' -o -name .git \
  -o -name secret.key -o -path '*/node-linux-*/include' -o -path '*/node_modules/typescript'  \
  -o -path '*/node_modules/oxlint' \) ; ls -d /app/test /app/loadtest /app/bench /app/scripts /app/deploy 2>/dev/null`;

function testContents({ engine, report }: Setup): void {
  const { text } = engine.run(['image', 'inspect', '--format={{.Size}} {{.Architecture}}', IMAGE]);
  const [size = '', architecture = ''] = text.split(' ');
  report.note('image: size, architecture', `${Math.round(Number(size) / 1e6)} MB, ${architecture}`);
  const found = engine.run(['run', '--rm', IMAGE, 'sh', '-c', UNWANTED]).text;
  report.add('image: source maps, tests, tools, secrets in it', found || 'none', found === '');
  const picture = "import('sharp').then(({ default: open }) => open(Buffer.from('<svg/>')), () => process.exit(1))";
  const { status } = engine.run(['run', '--rm', IMAGE, 'node', '-e', picture]);
  report.add('image: the binary of sharp loads', status === 0 ? 'yes' : 'no', status === 0);
}

/** Docker describes the health check below `Config`, podman beside it. */
interface ImageDescription {
  Config?: { Healthcheck?: { Test?: string[] } };
  Healthcheck?: { Test?: string[] };
}

/** @returns the command of the health check */
function testHealthCheckWithoutService({ engine, report }: Setup): string[] {
  const [image] = JSON.parse(engine.run(['image', 'inspect', IMAGE]).text) as ImageDescription[];
  const { Test: [, ...check] = [] } = image?.Config?.Healthcheck ?? image?.Healthcheck ?? {};
  // Without a command the container would serve and not end.
  if (check.length === 0) throw new Error('The image has no health check.');
  const { status } = engine.run(['run', '--rm', IMAGE, ...check]);
  report.add('image: health check without the service', `exit code ${status}`, status === 1);
  return check;
}

function start({ engine, volume, folder }: Setup): string {
  const hardened = [
    '--init',
    '--read-only',
    '--tmpfs=/tmp:mode=1777',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
  ];
  const mounts = [`--volume=${volume}:/data`, `--volume=${folder}:/run/secrets:ro`];
  const settings = ['--env=SMTP_URL_FILE=/run/secrets/smtp-url'];
  const started = engine.run(['run', '--detach', ...hardened, ...runArguments(engine), ...mounts, ...settings, IMAGE]);
  if (started.status !== 0) throw new Error(`The container does not start: ${end(started)}`);
  return started.text.split('\n').at(-1)!;
}

async function testRunning(setup: Setup, check: readonly string[]): Promise<void> {
  const { engine, report } = setup;
  const id = start(setup);
  try {
    const seconds = await secondsUntilReady(engine, id, check);
    report.add('image: seconds until the health check succeeds', seconds.toFixed(1), seconds < READY_WITHIN_S);
    if (seconds >= READY_WITHIN_S) return report.note('image: log', end(engine.run(['logs', id])));
    testIsolation(setup, id);
    testCommands(setup, id);
    testStop(setup, id);
  } finally {
    engine.run(['rm', '--force', id]);
  }
  await testSecondContainer(setup, check);
}

async function secondsUntilReady(engine: Engine, id: string, check: readonly string[]): Promise<number> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  while (seconds() < READY_WITHIN_S && engine.run(['exec', id, ...check]).status !== 0) await pause(100);
  return seconds();
}

const WRITABLE =
  'for f in / /app /etc /usr /var /var/tmp /home /run /run/secrets /data /tmp; do touch $f/.w 2>/dev/null && echo $f && rm $f/.w; done';

function testIsolation({ engine, report }: Setup, id: string): void {
  const shell = (command: string): string => engine.run(['exec', id, 'sh', '-c', command]).text;
  const user = shell('id -u');
  report.add('image: user', user, user === USER);
  const status = shell("cat /proc/1/status | tr '\\t' ' '");
  const capabilities = /^CapEff: (\w+)/m.exec(status)?.[1] ?? '';
  report.add('image: capabilities', capabilities, /^0+$/.test(capabilities) && /^NoNewPrivs: 1$/m.test(status));
  const writable = shell(WRITABLE).split('\n').join(' ');
  report.add('image: writable folders', writable, writable === '/data /tmp');
  const kilobytes = [...shell('cat /proc/[0-9]*/status').matchAll(/^VmRSS:\s+(\d+)/gm)].map(([, size]) => Number(size));
  report.note('image: resident after the start', `${Math.round((Math.max(...kilobytes) * 1024) / 1e6)} MB`);
}

function testCommands({ engine, report }: Setup, id: string): void {
  const command = (...words: string[]): Outcome =>
    engine.run(['exec', '--interactive', id, 'scorehall', ...words], 'a good long password\n');
  const add = (name: string, outcome: Outcome, isRight: boolean): void =>
    report.add(`image: ${name}`, isRight ? `exit code ${outcome.status}` : end(outcome), isRight);
  const person = [
    '--name',
    'You',
    '--email',
    'you@example.org',
    '--password-stdin',
    '--verified',
    '--role',
    'operator',
  ];
  const created = command('account', 'create', ...person);
  add('account create', created, created.status === 0);
  const audit = command('audit');
  add('audit names the user', audit, /scorehall .*account\.create/.test(audit.text));
  const doctor = command('doctor');
  add(
    'doctor reads the secret file',
    doctor,
    /ok +database/.test(doctor.text) && /mail +127\.0\.0\.1:1 /.test(doctor.text),
  );
  const settings = engine.run(['inspect', id]).text + end(engine.run(['logs', id])) + command('config').text;
  report.add(
    'image: secret in settings or log',
    settings.includes('hunter2') ? 'found' : 'none',
    !settings.includes('hunter2'),
  );
  const backup = command('backup', '/data/test.backup');
  add('backup', backup, backup.status === 0);
  const checked = command('backup', '--check', '/data/test.backup');
  add('backup --check', checked, checked.status === 0);
}

function testStop({ engine, report }: Setup, id: string): void {
  const started = performance.now();
  engine.run(['stop', `--time=${STOP_WITHIN_S}`, id]);
  const seconds = (performance.now() - started) / 1000;
  const code = engine.run(['inspect', '--format={{.State.ExitCode}}', id]).text;
  report.add(
    'image: end after SIGTERM',
    `${seconds.toFixed(1)} s, exit code ${code}`,
    code === '0' && seconds < STOP_WITHIN_S,
  );
}

async function testSecondContainer(setup: Setup, check: readonly string[]): Promise<void> {
  const { engine, report } = setup;
  const id = start(setup);
  try {
    await secondsUntilReady(engine, id, check);
    const { text } = engine.run(['exec', id, 'scorehall', 'account', 'list']);
    const isThere = text.includes('you@example.org');
    report.add('image: data in a new container', isThere ? 'complete' : text.slice(-300), isThere);
  } finally {
    engine.run(['rm', '--force', id]);
  }
}
