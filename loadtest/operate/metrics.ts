import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '#test/support/ports.ts';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from '../support/programs.ts';
import { freeAddresses, serveInstallation } from './installation.ts';

/** Checks the metrics of a running service, and the alerts of deploy/prometheus, with the tool of Prometheus. */
export async function testMetrics(report: Report): Promise<void> {
  const promtool = findProgram('promtool');
  if (promtool === undefined) return report.add('promtool', 'is missing: apt-get install prometheus', false);
  const check = (args: readonly string[], input = ''): void => {
    const options = { cwd: join(ROOT, 'deploy/prometheus'), encoding: 'utf8', input } as const;
    const { status, stdout, stderr } = spawnSync(promtool, args, options);
    report.add(`promtool ${args.join(' ')}`, status === 0 ? 'accepts' : `${stdout}${stderr}`, status === 0);
  };
  check(['check', 'metrics'], await scrape());
  check(['check', 'rules', 'alerts.yml']);
  check(['test', 'rules', 'alerts.test.yml']);
}

/** The metrics of a service on SQLite that has answered requests. */
async function scrape(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-metrics-'));
  try {
    const [[port], addresses] = [await freePorts(1), await freeAddresses()];
    await using service = await serveInstallation({
      ...addresses,
      DATABASE_URL: join(folder, 'scorehall.db'),
      INTERNAL_LISTEN: `127.0.0.1:${port}`,
      LOG_LEVEL: 'warn',
    });
    await Promise.all(Object.values(addresses).map((address) => fetch(address!)));
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    await service.stop();
    return await response.text();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
