import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createCertificates } from '../support/certificates.ts';
import { findProgram } from '../support/programs.ts';
import { prepare } from '../support/prepare.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { AgentProcess, type AgentSettings, type Memory, memoryOfBareNode, SmallFolder } from './agent-process.ts';
import { GameDay } from './game-day.ts';
import { checkServerProperties } from './server-properties.ts';
import { TlsProxy } from './tls-proxy.ts';

const MINUTES = 1_440;
/** A day at 1,000 times its speed. */
const STEP_MS = 60;
const AT_REST_MS = 20_000;
const DELIVERY_MS = 180_000;
const MAX_MEGABYTES = 60;

/** A game server plays a day while agent and service are killed and the disk of the agent is full. */
export async function runLoadTest(_: LoadTestOptions, report: Report): Promise<void> {
  const openssl = findProgram('openssl');
  if (openssl === undefined) return report.add('openssl', 'is missing: apt-get install openssl', false);
  checkServerProperties(report);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-agent-'));
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder);
  using small = await SmallFolder.open(dataFolder);
  if (small === undefined) report.note('user namespaces are not allowed here', 'no full disk');
  const database = join(folder, 'scorehall.db');
  const [key] = (await prepare(database, 1)) as [string];
  const ports = await freeServicePorts();
  let service = await serveProcess(database, { ports });
  const certificates = createCertificates(openssl, folder);
  await using proxy = await TlsProxy.open(ports.ingest, certificates);
  const compileCache = join(folder, 'compiled');
  const settings: AgentSettings = {
    serverFolder: folder,
    dataFolder,
    url: proxy.url,
    key,
    ca: certificates.ca,
    prefix: small?.prefix ?? [],
    compileCache,
  };
  const day = new GameDay(folder, Date.now() - 2 * 86_400_000);
  // Node writes its compile cache when a process ends by itself, which the agents of the day do not.
  await (await startedAgent(settings)).kill('SIGTERM');
  let agent = await startedAgent(settings);
  await measureBareNode(report);
  await measureAtRest(agent, 'before the day', report);
  let troubles = '';
  for (let minute = 0; minute < MINUTES; minute++) {
    day.step(minute);
    if (minute % 144 === 77) {
      await agent.kill();
      troubles += agent.troubles;
      agent = new AgentProcess(settings);
    }
    if (minute % 480 === 300) await service.kill();
    if (minute % 480 === 360) service = await serveProcess(database, { ports });
    if (minute === 900) small?.fill();
    if (minute === 1_000) small?.free();
    await sleep(STEP_MS);
  }
  const counted = await delivered(database, day.count);
  for (const [type, count] of Object.entries(day.count))
    report.add(`${type}: each exactly once`, `${counted[type] ?? 0} of ${count}`, counted[type] === count);
  troubles += agent.troubles;
  report.note('last trouble of the agent', troubles.trim().split('\n').at(-1) || 'none');
  if (small !== undefined) report.add('the full disk was noticed', '', troubles.includes('ENOSPC'));
  report.add('addresses in messages', '', !troubles.includes('203.0.113.9'));
  await measureAtRest(agent, 'after the day', report);
  await agent.kill('SIGTERM');
  agent = await startedAgent(settings);
  await measureAtRest(agent, 'started anew', report);
  await agent.kill('SIGTERM');
  agent = await startedAgent({ ...settings, url: `http://127.0.0.1:${ports.ingest}` });
  await measureAtRest(agent, 'over http', report);
  await agent.kill('SIGTERM');
  await service.kill();
  await rm(folder, { recursive: true, force: true });
}

async function delivered(
  database: string,
  expected: Readonly<Record<string, number>>,
): Promise<Record<string, number>> {
  await using db = await openDb(database);
  const end = Date.now() + DELIVERY_MS;
  for (;;) {
    const rows = await db.all<{ type: string; count: number }>(
      sql`select type, count(*) as count from ledger group by type`,
    );
    const counted = Object.fromEntries(rows.map(({ type, count }) => [type, count]));
    const complete = Object.entries(expected).every(([type, count]) => (counted[type] ?? 0) >= count);
    if (complete || Date.now() > end) return counted;
    await sleep(500);
  }
}

async function startedAgent(settings: AgentSettings): Promise<AgentProcess> {
  const agent = new AgentProcess(settings);
  await agent.ready;
  return agent;
}

async function measureBareNode(report: Report): Promise<void> {
  if (process.platform !== 'linux') return;
  report.note('memory of bare Node', megabytes(await memoryOfBareNode()));
}

async function measureAtRest(agent: AgentProcess, when: string, report: Report): Promise<void> {
  if (process.platform !== 'linux') return;
  await sleep(5_000);
  const before = agent.cpuMs;
  await sleep(AT_REST_MS);
  const cpu = (100 * (agent.cpuMs - before)) / AT_REST_MS;
  report.add(`CPU of the agent, ${when}`, `${cpu.toFixed(2)} %`, cpu < 1);
  const { memory } = agent;
  report.add(`memory of the agent, ${when}`, megabytes(memory), memory.total < MAX_MEGABYTES);
}

function megabytes({ total, own, shared }: Memory): string {
  return `${total.toFixed(1)} MB (own ${own.toFixed(1)}, shared program files ${shared.toFixed(1)})`;
}
