import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import { readConfig } from '#platform/config/config.ts';
import { unavailable } from '#http/errors.ts';
import { SELF_CHECK_HEADER, SELF_CHECK_PATH, type SelfCheck, selfCheckToken } from '#http/self-check.ts';
import { freePorts } from '#test/support/ports.ts';
import type { Report } from '../report.ts';
import { createCertificates } from '../support/certificates.ts';
import { type HttpResponse, ask } from './https.ts';
import { findProgram } from '../support/programs.ts';
import { PROXIES, type ProxyProgram, type Service, SERVICES, type Setup, startProxy } from './proxy.ts';
import { runCommand, serveInstallation } from './installation.ts';

/** Runs the proxies that Debian packages in front of all services, with the configuration of deploy/. */
export async function testProxies(report: Report): Promise<void> {
  const openssl = findProgram('openssl');
  if (openssl === undefined) return report.add('openssl', 'is missing: apt-get install openssl', false);
  for (const program of PROXIES) {
    const path = findProgram(program.name);
    if (path === undefined) report.add(program.name, `is missing: apt-get install ${program.package}`, false);
    else await testProxy(report, path, openssl, program);
  }
}

/** One proxy in front of one installation. */
interface Installed {
  name: string;
  setup: Setup;
  environment: NodeJS.ProcessEnv;
  urls: Record<Service, string>;
  ca: string;
}

async function testProxy(report: Report, path: string, openssl: string, program: ProxyProgram): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-operate-'));
  try {
    const ports = await freePorts(9);
    const setup: Setup = {
      folder,
      certificates: createCertificates(openssl, folder),
      listen: byService((index) => ports[index]!),
      open: byService((index) => ports[index + 4]!),
      http: ports[8]!,
    };
    const urls = byService((_, service) => `https://127.0.0.1:${setup.open[service]}`);
    const environment = proxyEnvironment(setup, urls);
    const installed = { name: program.name, setup, environment, urls, ca: readFileSync(setup.certificates.ca, 'utf8') };
    await using service = await serveInstallation(environment);
    await using proxy = await startProxy(path, program, setup);
    report.note(`${program.name}: process`, proxy.child.pid!);
    await testAddresses(report, installed);
    await testBodies(report, installed);
    await testClientAddress(report, installed);
    await testDoctor(report, installed);
    await service.stop();
    await testOutage(report, installed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function byService<T>(value: (index: number, service: Service) => T): Record<Service, T> {
  return Object.fromEntries(SERVICES.map((service, index) => [service, value(index, service)])) as Record<Service, T>;
}

function proxyEnvironment({ folder, certificates, listen }: Setup, urls: Record<Service, string>): NodeJS.ProcessEnv {
  const pairs = SERVICES.flatMap((service) => [
    [`${service}_URL`, urls[service]],
    [`${service}_LISTEN`, `127.0.0.1:${listen[service]}`],
  ]);
  return {
    ...Object.fromEntries(pairs),
    DATABASE_URL: join(folder, 'data/scorehall.db'),
    INTERNAL_LISTEN: '127.0.0.1:0',
    TRUSTED_PROXIES: '127.0.0.1',
    // The stream of 61 MB weighs 240,000, and a server may send less in a minute; the weights are those of other tests.
    INGEST_WEIGHT_LIMIT: '0',
    LOG_LEVEL: 'warn',
    NODE_EXTRA_CA_CERTS: certificates.ca,
  };
}

const PATHS: Record<Service, string> = {
  API: '/v1/openapi.json',
  AUTH: '/.well-known/openid-configuration',
  SITE: '/',
  INGEST: '/openapi.json',
};

async function testAddresses(report: Report, { name, urls, ca, setup }: Installed): Promise<void> {
  for (const service of SERVICES) {
    const answer = await ask(urls[service] + PATHS[service], { ca });
    const isRight = service !== 'AUTH' || (JSON.parse(answer.body) as { issuer: string }).issuer === urls.AUTH;
    report.add(`${name}: ${service} by https`, `status ${answer.status}`, answer.status === 200 && isRight);
  }
  const refused = await ask(urls.API + PATHS.API).then(
    () => 'accepted',
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  report.add(`${name}: without the own CA`, refused, /SELF_SIGNED|UNABLE_TO/.test(refused));
  const { status } = await ask(`http://127.0.0.1:${setup.http}/`, { headers: { host: 'api.example.org' } });
  if (name === 'nginx') report.add(`${name}: http`, `status ${status}`, status === 308);
}

const EVENTS = 15_000;
const LINE_BYTES = 4_096;
/** Fewer than a server may add within an hour (NEW_PLAYERS_LIMIT). */
const PLAYERS = 5_000;

/** A stream of almost 64 MB is answered line by line while it is sent; a longer array is refused by Scorehall itself. */
async function testBodies(report: Report, { name, urls, ca, environment }: Installed): Promise<void> {
  const created = runCommand(environment, 'server', 'create', '--name', 'Alpha', '--region', 'eu', '--json').output;
  const { ingest_key: key } = JSON.parse(created) as { ingest_key: string };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const body = Buffer.from(Array.from({ length: EVENTS }, (_, index) => loginLine(index)).join(''));
  const started = performance.now();
  const answer = await ask(`${urls.INGEST}/events`, { method: 'POST', ca, headers, body }).catch(failed);
  const receipts = answer.body.split('\n').filter((line) => line.includes('"accepted"')).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const figure = `${receipts} of ${EVENTS} receipts, ${Math.round(body.length / 1e6)} MB in ${seconds} s ${answer.status}`;
  report.add(`${name}: a large stream of events`, figure, receipts === EVENTS);
  const array = { ...headers, 'content-type': 'application/json' };
  const tooLong = await ask(`${urls.INGEST}/events`, {
    ...{ method: 'POST', ca, headers: array },
    body: Buffer.alloc(5 * 1024 * 1024, ' '),
  }).catch(failed);
  report.add(`${name}: an array of more than 4 MB`, `status ${tooLong.status}`, tooLong.status === 413);
}

const failed = (error: Error): HttpResponse => ({ status: 0, headers: {}, body: error.message });

function loginLine(index: number): string {
  const number = index % PLAYERS;
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const player = { uuid, name: `Player${number}` };
  const event = {
    version: 1,
    id: `login-${index}`,
    type: 'player.login',
    time: '2026-02-28T18:00:00Z',
    data: { player },
  };
  return `${JSON.stringify(event).padEnd(LINE_BYTES - 1)}\n`;
}

/** The services count the client under its real address, not under a claimed one. */
async function testClientAddress(report: Report, { name, urls, ca, environment }: Installed): Promise<void> {
  const signer = keyedHashUnder(readConfig(environment));
  for (const service of SERVICES) {
    const headers = {
      [SELF_CHECK_HEADER]: selfCheckToken(signer, service, Date.now()),
      'x-forwarded-for': '192.0.2.66, 127.0.0.1',
    };
    const { body } = await ask(urls[service] + SELF_CHECK_PATH, { ca, headers, localAddress: '127.0.0.2' });
    const { client_address } = JSON.parse(body) as SelfCheck;
    report.add(`${name}: client of ${service}, which is 127.0.0.2`, client_address, client_address === '127.0.0.2');
  }
}

async function testDoctor(report: Report, { name, environment }: Installed): Promise<void> {
  const { status, output } = runCommand(environment, 'doctor', '--json');
  const { findings } = JSON.parse(output) as { findings: { check: string; status: string; message: string }[] };
  const addresses = findings.filter(({ check }) => check.startsWith('address'));
  const bad = findings.filter(
    (finding) => finding.status === 'error' || (addresses.includes(finding) && finding.status !== 'ok'),
  );
  const figure = bad.length === 0 ? 'green' : bad.map(({ message }) => message).join(' ');
  report.add(`${name}: doctor`, figure, status === 0 && bad.length === 0 && addresses.length === SERVICES.length);
}

const JSON_TYPE = 'application/json';
const PAGE_TYPE = 'text/html; charset=utf-8';
/** The header of a browser that opens a page, as Chromium sends it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** While Scorehall is stopped, the proxy sends our error body, and a browser that opens a page of site or sign-in gets a page. */
async function testOutage(report: Report, installed: Installed): Promise<void> {
  for (const service of SERVICES)
    await testDown(report, installed, service, '*/*', service === 'SITE' ? PAGE_TYPE : JSON_TYPE);
  for (const service of SERVICES) {
    const hasPages = service === 'SITE' || service === 'AUTH';
    await testDown(report, installed, service, BROWSER, hasPages ? PAGE_TYPE : JSON_TYPE);
  }
}

async function testDown(
  report: Report,
  { name, urls, ca }: Installed,
  service: Service,
  accept: string,
  type: string,
): Promise<void> {
  const options = { ca, headers: { accept, 'accept-language': 'ja' } };
  const { status, body, headers } = await ask(urls[service] + PATHS[service], options);
  const isOurs = type === PAGE_TYPE ? /^<!doctype html>.*<p>サービス/i.test(body) : body.trim() === unavailable().body;
  report.add(
    `${name}: ${service} while it is stopped, ${accept.split(',')[0]}`,
    `${status} ${String(headers['content-type'])}`,
    status === 502 && isOurs && headers['content-type'] === type && headers['retry-after'] === '5',
  );
}
