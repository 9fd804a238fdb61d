import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MAIN, scorehall, serve } from '../cli/scorehall.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { configured, match, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, TestClock } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';
import { openDb } from '#db/open.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { COMMIT, VERSION } from '#platform/version.ts';

interface Ready {
  ready: boolean;
  version: string;
  commit: string;
  checks: Record<string, string>;
  mail: string;
}

/** The level of log entries about something that has failed for good. */
const FATAL = 60;

/** The value of a metric whose labels include the given ones; undefined if there is none. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const found = lines.find((line) =>
    Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)),
  );
  return found === undefined ? undefined : Number(found.split(' ').at(-1));
}

const status = async (address: string, method = 'GET'): Promise<number> => (await fetch(address, { method })).status;

/** The metrics that a file mentions, without the suffixes of histograms. */
function namesIn(path: string): Set<string> {
  const names = readFileSync(path, 'utf8').match(/\b(scorehall|process)_[a-z_]+/g) ?? [];
  return new Set(names.map((name) => name.replace(/_(bucket|count)$/, '')).filter((name) => name !== 'scorehall_http'));
}

const scrape = async (internal: string): Promise<string> => await (await fetch(`${internal}/metrics`)).text();

type Counted = [service: string, route: string, status: number];
const requestsOf = (metrics: string, [service, route, code]: Counted): number | undefined =>
  valueOf(metrics, 'scorehall_http_request_duration_seconds_count', { service, route, status: String(code) });

/** Scrapes until requests are counted: a thread counts a response when it has left, which its client may see first. */
async function metricsWith(internal: string, requests: readonly Counted[]): Promise<string> {
  for (;;) {
    const metrics = await scrape(internal);
    if (requests.every((one) => requestsOf(metrics, one) !== undefined)) return metrics;
    await pause(20);
  }
}

/** A link in a new folder. */
function linkTo(file: string): string {
  const link = join(mkdtempSync(join(tmpdir(), 'link-')), 'linked.db');
  symlinkSync(file, link);
  return link;
}

const MATCHES = 10;

/** What the test sends. A path that does not exist is no label, and the ingest runs in a separate thread. */
const REQUESTS: readonly Counted[] = [
  ['api', '/v1/matches/:id', 401],
  ['api', 'none', 401],
  ['site', '/maps/:id', 404],
  ['site', 'none', 404],
  ['auth', '/oauth/jwks', 200],
  ['ingest', '/events', 401],
];

const halfOfThem = () => Array.from({ length: MATCHES / 2 }, () => match());

/** Stores matches over two minutes: their keys, which grow by the time, are far apart. */
async function storeMatches(url: string): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const clock = new TestClock();
  await sendEvents({ db, clock }, configured('Alpha'), ...halfOfThem());
  clock.advance(120_000);
  await sendEvents({ db, clock }, ...halfOfThem());
}

/** Runs the first block of commands of a document below a heading. @returns what it prints */
function runPrinted(file: string, heading: string, internal: string, settings: Record<string, string>): string {
  const [, section = ''] = readFileSync(file, 'utf8').split(`${heading}\n`);
  const [, commands = ''] = /```sh\n([^]*?)```/.exec(section)!;
  const [folder, elsewhere] = [mkdtempSync(join(tmpdir(), 'printed-')), mkdtempSync(join(tmpdir(), 'elsewhere-'))];
  const local = commands.replaceAll('http://127.0.0.1:7404', internal).replaceAll('/backups', folder);
  // As in a container and under systemd, commands have another working directory than the shell.
  const script = `scorehall() { (cd "$ELSEWHERE" && "$NODE" "$SCOREHALL_MAIN" "$@"); }\n${local}`;
  const env = { ...CHILD_ENVIRONMENT, ...settings, NODE: process.execPath, SCOREHALL_MAIN: MAIN, ELSEWHERE: elsewhere };
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

function checkPrinted(internal: string, settings: Record<string, string>): void {
  const seen = runPrinted('docs/monitoring.md', '# Monitoring', internal, settings);
  assert.match(seen, /"ready":true.*^scorehall_http_request_duration_seconds_count/ms);
  const stdout = runPrinted('docs/operations.md', '### Sizes', internal, settings);
  for (const name of ['scorehall_database_bytes', 'scorehall_database_wal_bytes', 'process_resident_memory_bytes'])
    assert.match(stdout, new RegExp(`^${name}\\{thread="main"\\} \\d+`, 'm'));
  assert.match(stdout, new RegExp(`^scorehall_matches\\{thread="main"\\} ${MATCHES}$`, 'm'));
  assert.match(stdout, /^\d{5,} bytes a match$/m);
  assert.match(stdout, /^\d{5,} bytes of \S+\/sizes\.backup/m);
}

onEachDatabase('the internal listener serves liveness, readiness and metrics of all threads', async (t, url) => {
  await storeMatches(url);
  const mailbox = await Mailbox.open(t);
  const proxy = url.startsWith('postgres') ? await DatabaseProxy.open(url) : undefined;
  t.after(() => proxy?.close());
  const settings = { DATABASE_URL: proxy?.url ?? linkTo(url), SMTP_URL: mailbox.url, DATABASE_TIMEOUT: '5s' };
  const { child, exit, addresses, log } = await serve(settings);
  t.after(() => child.kill('SIGKILL'));
  const internal = addresses['INTERNAL']!;
  assert.match(internal, /^http:\/\/127\.0\.0\.1:\d+$/);

  assert.equal(await status(`${internal}/livez`), 200);
  const ready = (await (await fetch(`${internal}/readyz`)).json()) as Ready;
  assert.deepEqual(ready, {
    ready: true,
    version: VERSION,
    commit: COMMIT,
    checks: { database: 'ok', writes: 'ok', 'thread ingest': 'ok', 'thread site': 'ok', 'thread writer': 'ok' },
    mail: 'ok',
  });
  assert.equal(await status(`${internal}/`), 404);
  assert.equal((await fetch(`${internal}/metrics`)).headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await status(`${internal}/metrics`, 'POST'), 405);

  assert.equal(await status(`${addresses['API']!}/v1/matches/00000000000`), 401);
  assert.equal(await status(`${addresses['API']!}/v1/nothing/here`), 401);
  assert.equal(await status(`${addresses['SITE']!}/maps/nowhere`), 404);
  assert.equal(await status(`${addresses['SITE']!}/nowhere/else`), 404);
  assert.equal(await status(`${addresses['AUTH']!}/oauth/jwks`), 200);
  assert.equal(await status(`${addresses['INGEST']!}/events`, 'POST'), 401);

  const metrics = await metricsWith(internal, REQUESTS);
  for (const request of REQUESTS) assert.equal(requestsOf(metrics, request), 1, request.join(' '));
  assert.equal(valueOf(metrics, 'scorehall_build_info', { version: VERSION, commit: COMMIT }), 1);
  assert.equal(valueOf(metrics, 'scorehall_event_queue_events', { thread: 'writer' }), 0);
  assert.ok(valueOf(metrics, 'scorehall_event_loop_delay_seconds', { thread: 'writer', percentile: '99' })! >= 0);
  assert.ok(valueOf(metrics, 'scorehall_database_bytes')! > 100_000);
  assert.ok(valueOf(metrics, 'scorehall_disk_free_bytes')! > 1_000_000);
  assert.equal(valueOf(metrics, 'scorehall_last_backup_timestamp_seconds'), 0);
  const backup = join(mkdtempSync(join(tmpdir(), 'backup-')), 'network.backup');
  assert.equal((await scorehall(settings, 'backup', backup)).status, 0);
  const seconds = valueOf(await scrape(internal), 'scorehall_last_backup_timestamp_seconds')!;
  assert.ok(Math.abs(seconds - statSync(backup).mtimeMs / 1000) < 60, `${seconds}`);
  // The job that counts them runs once a second.
  while (valueOf(await scrape(internal), 'scorehall_matches') !== MATCHES) await pause(200);
  if (!url.startsWith('postgres')) {
    assert.ok(valueOf(metrics, 'scorehall_database_wal_bytes')! > 0, 'the log is beside the file, not beside the link');
    checkPrinted(internal, settings);
  }
  const waiting = valueOf(metrics, 'scorehall_database_connections', { state: 'waiting' });
  assert.equal(waiting, url.startsWith('postgres') ? 0 : undefined, 'the queries of the scrape itself do not count');
  const tableBytes = valueOf(metrics, 'scorehall_table_bytes', { table: 'matches' });
  assert.ok(url.startsWith('postgres') ? tableBytes! > 0 : tableBytes === undefined);
  assert.ok(valueOf(metrics, 'process_resident_memory_bytes')! > 10_000_000);
  assert.doesNotMatch(metrics, /nowhere|00000000000/, 'labels contain no part of a request');
  const existing = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!));
  const documented = namesIn('docs/monitoring.md');
  // Before the first stream its process does not run (test/server/streams.test.ts).
  const ofStreams = [...documented].filter((name) => name.startsWith('scorehall_stream'));
  assert.equal(ofStreams.length, 3);
  const missing = [...ofStreams, ...(url.startsWith('postgres') ? ['scorehall_database_wal_bytes'] : [])];
  assert.deepEqual(documented.symmetricDifference(existing), new Set(missing), 'the documentation lists the metrics');
  for (const file of ['grafana/scorehall.json', 'prometheus/alerts.yml'])
    assert.deepEqual([...namesIn(`deploy/${file}`).difference(documented)], [], file);
  for (const address of [addresses['API'], addresses['SITE'], addresses['AUTH'], addresses['INGEST']])
    assert.notEqual(await status(`${address!}/metrics`), 200, 'a public listener serves no metrics');

  const mails = async (): Promise<[number, string, number | undefined]> => {
    const [ready, scraped] = await Promise.all(['readyz', 'metrics'].map((path) => fetch(`${internal}/${path}`)));
    const { mail } = (await ready!.json()) as Ready;
    return [ready!.status, mail, valueOf(await scraped!.text(), 'scorehall_mail_failing')];
  };
  const sendMail = async (words: string[]) => (await scorehall(settings, ...words)).out;
  mailbox.refuses = true;
  await sendMail(['mail', 'test', '--to', 'me@example.org']);
  const [readiness, failing, metric] = await mails();
  assert.deepEqual([readiness, metric], [200, 1], 'a mail that another process could not send is no reason to restart');
  assert.match(failing, /^failing since \d{4}-\S+Z with EENVELOPE 451$/);
  assert.match(await sendMail(['health']), /^mail +failing since /m);
  mailbox.refuses = false;
  assert.match(await sendMail(['doctor']), /mails have failed since \S+ \(EENVELOPE 451\)/);
  assert.equal((await mails())[2], 1, 'an answer alone delivers nothing');
  await sendMail(['doctor', '--mail', 'me@example.org']);
  assert.deepEqual(await mails(), [200, 'ok', 0]);

  if (proxy !== undefined) {
    proxy.silence();
    // A probe of an orchestrator gives up earlier than the service.
    const response = await fetch(`${internal}/readyz`, { signal: AbortSignal.timeout(4_000) });
    assert.equal(response.status, 503);
    const { ready, checks } = (await response.json()) as Ready;
    assert.equal(ready, false);
    assert.notEqual(checks['database'], 'ok');
    assert.equal(await status(`${internal}/livez`), 200, 'a restart would not bring the database back');
  } else {
    rmSync(settings.DATABASE_URL);
    assert.equal(await status(`${internal}/metrics`), 200, 'the metrics do not need the path of the database');
  }
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null], 'the internal listener, the channel of the threads and the database close');
  assert.deepEqual(
    log.filter(({ level }) => level >= FATAL),
    [],
  );
});
