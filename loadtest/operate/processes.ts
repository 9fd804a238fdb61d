import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openDb } from '#db/open.ts';
import { list, sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { createApplication, setLimit } from '#store/applications/applications.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import { freePorts } from '#test/support/ports.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { createCertificates } from '../support/certificates.ts';
import { findProgram } from '../support/programs.ts';
import { Random } from '#demo/network/random.ts';
import { createDatabase } from '../support/databases.ts';
import { type ReplicatedPostgres, startReplicated } from '../support/standby.ts';
import { Cluster, MACHINES, ScalingPage } from './cluster.ts';
import { ClusterLoad, createUsers, type Users } from './cluster-load.ts';
import { ask } from './https.ts';
import { testProcessSpeed } from './processes-speed.ts';
import {
  PROXIES,
  type ProxyProgram,
  type RunningProxy,
  type Service,
  SERVICES,
  type Setup,
  startProxy,
} from './proxy.ts';
import { makeSynchronous } from './synchronous.ts';

const SECRET_KEY = 'the secret key of all processes of the network';
const LIMIT = 200;
const DAY_MS = 86_400_000;
/** Requests that have begun when a signal comes, and the start, take some seconds of these two cores. */
const PAUSE_MS = 500;

/** Runs three processes behind each proxy of docs/scaling.md, restarts and kills them under load, and measures 1, 2 and 4. */
export async function testProcesses(report: Report, { seconds, seed = 1 }: LoadTestOptions): Promise<void> {
  const openssl = findProgram('openssl');
  if (openssl === undefined) return report.add('openssl', 'is missing: apt-get install openssl', false);
  const folder = await mkdtemp(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'scorehall-processes-'));
  try {
    await chmod(folder, 0o711);
    await using postgres = await startReplicated(folder);
    await makeSynchronous(report, postgres);
    for (const program of PROXIES) {
      const path = findProgram(program.name);
      if (path === undefined) report.add(program.name, `is missing: apt-get install ${program.package}`, false);
      else await testBehind(report, { path, program, openssl, folder, postgres, seconds, random: new Random(seed) });
    }
    await testProcessSpeed(report, postgres);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Trial {
  path: string;
  program: ProxyProgram;
  openssl: string;
  folder: string;
  postgres: ReplicatedPostgres;
  seconds: number;
  random: Random;
}

/** A network behind one proxy. */
interface Network {
  name: string;
  page: ScalingPage;
  cluster: Cluster;
  proxy: RunningProxy;
  setup: Setup;
  urls: Record<Service, string>;
  users: Users;
  ca: string;
  database: string;
}

async function testBehind(report: Report, trial: Trial): Promise<void> {
  const { path, program, openssl, folder, postgres } = trial;
  const own = await mkdtemp(join(folder, program.name));
  const [inner, outer, more] = [await freePorts(5), await freePorts(SERVICES.length), await freePorts(2)];
  const page = new ScalingPage(inner);
  const setup: Setup = {
    folder: own,
    certificates: createCertificates(openssl, own),
    listen: byService(inner),
    open: byService(outer),
    http: more[0]!,
    admin: more[1]!,
    forward: (example) => page.forward(example),
  };
  const urls = byService(outer.map((port) => `https://127.0.0.1:${port}`));
  const ca = await readFile(setup.certificates.ca, 'utf8');
  setDefaultCACertificates([...getCACertificates(), ca]);
  const database = await createDatabase(postgres.primary);
  const users = await createUsers(database);
  const environment = {
    ...Object.fromEntries(SERVICES.map((service) => [`${service}_URL`, urls[service]])),
    DATABASE_URL: database,
    SECRET_KEY,
    LOG_LEVEL: 'fatal',
    REVOCATION_LOG: 'off',
    INGEST_WEIGHT_LIMIT: '0',
    NEW_PLAYERS_LIMIT: '0',
    NODE_EXTRA_CA_CERTS: setup.certificates.ca,
  };
  await using cluster = await Cluster.start((machine) => ({
    ...environment,
    ...page.settings(machine),
    DATA_FOLDER: join(own, machine),
  }));
  await using settings = new AsyncDisposableStack();
  if (program.name === 'caddy') settings.use(await migrateConnections(page, own));
  await using proxy = await startProxy(path, program, setup);
  const network = { name: program.name, page, cluster, proxy, setup, urls, users, ca, database };
  const load = new ClusterLoad(urls, users, ca);
  await testOneByOne(report, network, load);
  await testKills(report, network, load, trial);
  await load.finish();
  await testOutcome(report, network, load, postgres);
}

const MIGRATION = '/proc/sys/net/ipv4/tcp_migrate_req';

/** Runs the document's commands for the kernel, which need root; the end restores the former value. */
async function migrateConnections(page: ScalingPage, folder: string): Promise<AsyncDisposable> {
  const former = await readFile(MIGRATION);
  await runShell(page.block('sh', 'sysctl').replaceAll('/etc/sysctl.d', folder));
  return { [Symbol.asyncDispose]: () => writeFile(MIGRATION, former) };
}

function byService<T>(values: readonly T[]): Record<Service, T> {
  return Object.fromEntries(SERVICES.map((service, index) => [service, values[index]!])) as Record<Service, T>;
}

const failures = ({ failed }: ClusterLoad): number => Object.values(failed).flat().length;

/** Restarts every process as the document says: out of the proxy, restart, ready, into the proxy. */
async function testOneByOne(report: Report, network: Network, load: ClusterLoad): Promise<void> {
  const { name, cluster } = network;
  await untilAnswered(load, 5);
  const answered = { ...load.answered };
  for (const machine of MACHINES) {
    await shell(network, machine, 'before');
    await cluster.restart(machine, 'SIGTERM');
    await shell(network, machine, 'after');
  }
  const seen = Object.values(load.failed).flat();
  // A reload of Caddy ends its HTTP/2 connections with GOAWAY, and `fetch` reports that of a request.
  const isExplained = (text: string): boolean => name === 'caddy' && text.includes('GOAWAY');
  const failed = seen.filter((text) => !isExplained(text));
  const { servers, reader, person } = load.answered;
  const figure = `${servers - answered.servers} deliveries, ${reader - answered.reader} reads, ${person - answered.person} sign-ins`;
  report.add(
    `${name}: failed requests while all were restarted one by one`,
    `${failed.length} beside ${figure} ${kindsOf(failed)}`,
    failed.length === 0 && load.broken.length === 0,
  );
  if (seen.length > failed.length)
    report.note(`${name}: connections that its reloads ended`, seen.length - failed.length);
}

/** The kinds of failures, with the number of each. */
function kindsOf(failed: readonly string[]): string {
  const kinds = Map.groupBy(failed, (text) => text.slice(0, 40));
  return [...kinds].map(([kind, texts]) => `${texts.length} × ${kind}`).join('; ');
}

/** Runs the commands of the document before or after the line about the restart. */
async function shell({ page, name, proxy, setup }: Network, machine: string, part: 'before' | 'after'): Promise<void> {
  const block = page.block('sh', name === 'nginx' ? 'nginx -s reload' : 'caddy reload');
  const [before = '', after = ''] = block.split(/^# now restart.*\n/m);
  const script = (part === 'before' ? before : after)
    .replaceAll(String.raw`10\.0\.0\.12`, String.raw`127\.0\.0\.${machine}`)
    .replaceAll('127.0.0.12', `127.0.0.${machine}`)
    .replaceAll('740[0-3]', '[0-9]*')
    .replaceAll('/etc/nginx/sites-available/scorehall', proxy.file)
    .replaceAll('/etc/caddy/Caddyfile', proxy.file)
    .replaceAll('nginx -s reload', `${findProgram('nginx')} -c ${proxy.file} -e stderr -s reload`)
    .replaceAll('caddy reload', `caddy reload --adapter caddyfile --address 127.0.0.1:${setup.admin}`);
  await runShell(script);
}

async function runShell(script: string): Promise<void> {
  const child = spawn('sh', ['-ec', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`The commands of docs/scaling.md fail:\n${script}\n${errors}`);
}

async function untilAnswered(load: ClusterLoad, count: number): Promise<void> {
  while (Math.min(...Object.values(load.answered)) < count) await pause(100);
}

/** Kills and ends random processes and starts them again, while a limited application reads. */
async function testKills(report: Report, network: Network, load: ClusterLoad, trial: Trial): Promise<void> {
  const { name, cluster } = network;
  const before = { restarts: cluster.restarts, acknowledged: load.acknowledged.length, tokens: load.tokens.length };
  const interrupted = failures(load);
  const limited = countAllowed(network);
  const end = Date.now() + trial.seconds * 1000;
  while (Date.now() < end) {
    await cluster.restart(trial.random.pick(MACHINES), trial.random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM'] as const));
    await pause(trial.random.below(PAUSE_MS));
  }
  report.note(`${name}: processes killed or ended without notice`, cluster.restarts - before.restarts);
  const { servers, reader, person } = load.failed;
  report.note(
    `${name}: requests without an answer meanwhile`,
    `${failures(load) - interrupted}: deliveries ${servers.length}, reads ${reader.length}, sign-ins ${person.length}`,
  );
  report.note(`${name}: what came instead, from the start`, kindsOf([...servers, ...reader, ...person]));
  const { allowed, refused, lost } = await limited;
  const isExact = allowed <= LIMIT && allowed + lost >= LIMIT && refused > 0;
  const figure = `${allowed} of ${LIMIT}, ${refused} refused, ${lost} without an answer`;
  report.add(`${name}: allowed requests of a limited application`, figure, isExact);
  const figures = `${load.acknowledged.length - before.acknowledged} deliveries, ${load.tokens.length - before.tokens} sign-ins`;
  report.add(`${name}: done meanwhile`, figures, load.tokens.length > before.tokens);
}

interface Allowed {
  allowed: number;
  refused: number;
  lost: number;
}

/** Sends more requests than an application may, eight at a time, during the kills. */
async function countAllowed({ database, urls, ca }: Network): Promise<Allowed> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const { application } = await createApplication(db, Date.now(), {
    ...{ name: 'Limited', type: 'service', redirect_uris: [], access: 'approved' },
  });
  await setLimit(db, application.client_id, LIMIT);
  const token = await issueClientToken(db, Date.now(), application.client_id, DAY_MS);
  const options = { ca, headers: { authorization: `Bearer ${token}` } };
  const counts: Allowed = { allowed: 0, refused: 0, lost: 0 };
  const one = async (): Promise<void> => {
    const status = await ask(`${urls.API}/v1/servers`, options).then(
      (answer) => answer.status,
      () => 0,
    );
    counts[status === 200 ? 'allowed' : status === 429 ? 'refused' : 'lost']++;
  };
  const reader = async (): Promise<void> => {
    for (let count = 0; count < (LIMIT * 1.5) / 8; count++) {
      await one();
      await pause(100);
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  return counts;
}

const BATCH_SIZE = 500;
/** Fewer than LIVE_TOKEN_LIMIT, beyond which the first tokens end; those whose answer a kill has lost count too. */
const VALID_TOKENS = 100;

async function testOutcome(
  report: Report,
  { name, database, setup, users }: Network,
  { acknowledged, broken, tokens }: ClusterLoad,
  { standby }: ReplicatedPostgres,
): Promise<void> {
  const copy = new URL(standby);
  copy.pathname = new URL(database).pathname;
  for (const [where, url] of [
    ['', database],
    [' on the standby', copy.href],
  ] as const) {
    await using db = await openDb(url);
    const stored = await countStored(db, acknowledged);
    const [[matches] = []] = await db.tuples(sql`select count(*) from matches`);
    const figure = `${stored} of ${acknowledged.length}, ${String(matches)} matches`;
    const isRight = stored === acknowledged.length && Number(matches) === stored && stored > 0;
    report.add(`${name}: acknowledged matches${where}, each once`, figure, isRight);
  }
  report.add(`${name}: sign-ins that broke`, broken.slice(0, 3).join('; ') || 'none', broken.length === 0);
  const profiles = MACHINES.flatMap((machine) =>
    tokens
      .slice(-VALID_TOKENS)
      .map((token) => `http://127.0.0.${machine}:${setup.listen.AUTH}/oauth/userinfo ${token}`),
  );
  let valid = 0;
  for (const profile of profiles) {
    const [url = '', token = ''] = profile.split(' ');
    const { status } = await ask(url, { headers: { authorization: `Bearer ${token}` } });
    if (status === 200) valid++;
  }
  const figure = `${valid} of ${profiles.length}`;
  report.add(`${name}: the last tokens of ${users.account.name} at each process`, figure, valid === profiles.length);
}

async function countStored(db: Awaited<ReturnType<typeof openDb>>, ids: readonly string[]): Promise<number> {
  let found = 0;
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const some = list(ids.slice(start, start + BATCH_SIZE));
    found += Number((await db.tuple(sql`select count(*) from ledger where event_id in (${some})`))![0]);
  }
  return found;
}
