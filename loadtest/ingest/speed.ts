import type { Report } from '../report.ts';
import type { Pace } from './baseline-loop.ts';
import type { Databases } from '../support/databases.ts';
import { baselineSetup } from './baseline-setup.ts';
import { baselineLoop, GameServers } from './child-process.ts';
import { prepare } from '../support/prepare.ts';
import { cpuOf, serveProcess } from '../support/served-process.ts';

const SENDERS = 32;
/**
 * The warm-up lets the JIT compile the hot code, since a service runs for weeks. The sizes for PostgreSQL are smaller
 * because the baseline waits for each statement there, and so writes only a few hundred matches a second.
 */
const SIZES = { sqlite: { warmUp: 32_000, matches: 12_000 }, postgres: { warmUp: 3_200, matches: 1_600 } };

/** Request sizes: one match, or a batch, as packages/sender sends when events have accumulated. */
const VARIANTS = [
  { name: 'one match a request', batch: 1 },
  { name: '16 matches a request', batch: 16 },
];

/**
 * Compares durable ingest over HTTP with the baseline, in matches per second and alternating rounds. The ratio has no
 * minimum: it depends on the disk, and the baseline does not flush to it.
 */
export async function testSpeed(databases: Databases, report: Report, rounds = 3): Promise<void> {
  for (const variant of VARIANTS) {
    const speeds: Speed[] = [];
    for (let round = 0; round < rounds; round++) speeds.push(await measureRound(databases, variant.batch));
    const { service, baseline, ratio } = speeds.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(rounds / 2)]!;
    const name = `${databases.dialect}: ${SENDERS} senders, ${variant.name}`;
    report.note(
      `${name}: matches a second, service and baseline`,
      `${Math.round(service.rate)}, ${Math.round(baseline.rate)}`,
    );
    if (service.cpu !== undefined && baseline.cpu !== undefined) {
      const costs = `${Math.round(service.cpu)}, ${Math.round(baseline.cpu)}`;
      report.note(`${name}: µs of CPU time a match, service and baseline`, costs);
    }
    report.note(`${name}: ratios of the rounds`, speeds.map((speed) => speed.ratio.toFixed(2)).join(', '));
    report.note(`${name}: ratio to the baseline`, ratio.toFixed(2));
  }
}

interface Speed {
  service: Pace;
  baseline: Pace;
  ratio: number;
}

async function measureRound(databases: Databases, batch: number): Promise<Speed> {
  const [url, other] = [await databases.create(), await databases.create()];
  const keys = await prepare(url, SENDERS);
  const size = SIZES[databases.dialect];
  const service = await sendAll(url, keys, batch, size);
  const after = await baselineSetup(url, other, size.warmUp);
  const baseline = await baselineLoop({ from: url, after, to: other });
  // Unwritten pages of the baseline must not slow down the next round.
  await Promise.all([url, other].map((database) => databases.remove(database)));
  return { service, baseline, ratio: service.rate / baseline.rate };
}

interface Size {
  warmUp: number;
  matches: number;
}

async function sendAll(url: string, keys: string[], batch: number, { warmUp, matches }: Size): Promise<Pace> {
  const services = await serveProcess(url);
  using servers = new GameServers();
  const order = { ports: [services.ingest], keys, batch };
  await servers.send({ ...order, matches: warmUp });
  const spent = cpuOf(services);
  const rate = await servers.send({ ...order, matches });
  const cpu = spent === undefined ? undefined : (cpuOf(services)! - spent) / matches;
  await services.kill();
  return { rate, cpu };
}
