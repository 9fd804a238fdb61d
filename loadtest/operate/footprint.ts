import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../report.ts';
import { freeAddresses, serveInstallation } from './installation.ts';

const SETTLE_MS = 120_000;
const STARTS = 5;
const MEGABYTE = 1e6;

/** Measures the memory two minutes after the start, and the start on an existing database, without a target. */
export async function testFootprint(report: Report): Promise<void> {
  if (process.platform !== 'linux') return report.note('footprint', 'not measured: it is read from /proc');
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-footprint-'));
  try {
    const environment = {
      ...(await freeAddresses()),
      DATABASE_URL: join(folder, 'scorehall.db'),
      INTERNAL_LISTEN: '127.0.0.1:0',
      LOG_LEVEL: 'warn',
    };
    await (await serveInstallation(environment)).stop();
    const starts: number[] = [];
    for (let count = 0; count < STARTS; count++) {
      const service = await serveInstallation(environment);
      starts.push(service.startMs);
      await service.stop();
    }
    report.note('footprint: start on an existing database, best of 5', `${Math.round(Math.min(...starts))} ms`);
    await using service = await serveInstallation(environment);
    await pause(SETTLE_MS);
    const { total, anonymous, file } = residentBytes(service.child.pid!);
    const parts = `${mb(anonymous)} MB of its own, ${mb(file)} MB program files`;
    report.note('footprint: resident two minutes after the start', `${mb(total)} MB (${parts})`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const mb = (bytes: number): number => Math.round(bytes / MEGABYTE);

function residentBytes(pid: number): { total: number; anonymous: number; file: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { total: bytes('VmRSS'), anonymous: bytes('RssAnon'), file: bytes('RssFile') };
}
