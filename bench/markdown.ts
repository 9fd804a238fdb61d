import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem, type as system } from 'node:os';
import type { Result } from './compare.ts';
import type { Floors } from './floors.ts';
import { type EveningFigures, SERVICES } from './evening/figures.ts';

/** The commit and the machine of the figures, in one line. */
export function machineLine(): string {
  const commit = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).stdout?.trim();
  const memory = Math.round(totalmem() / 2 ** 30);
  const cores = `${cpus().length} cores (${cpus()[0]?.model.trim()})`;
  return `Commit ${commit || 'unknown'}; ${cores}, ${memory} GiB, ${systemName()}, Node ${process.versions.node}.`;
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? system();
  } catch {
    return system();
  }
}

export function resultTable(results: readonly Result[], floors: Floors): string {
  const rows = results.map(({ name, ratio, cpu_ratio, cpu_us, requests_per_second, p99_ms, bytes }) => [
    name,
    ratio.toFixed(2),
    cpu_ratio.toFixed(2),
    String(floors[name] ?? ''),
    cpu_us.toFixed(1),
    String(requests_per_second),
    p99_ms.toFixed(p99_ms < 0.1 ? 3 : 1),
    bytes === undefined ? '' : (bytes / 1000).toFixed(1),
  ]);
  return table(['case', 'ratio', 'CPU ratio', 'minimum', 'CPU µs', 'requests/s', 'p99 ms', 'KB'], rows);
}

export function eveningTable(evenings: readonly EveningFigures[]): string {
  const rows = evenings.map(({ rate, latency, errors, cores }) => [
    String(rate),
    ...SERVICES.map((service) => `${latency[service].p50.toFixed(1)} / ${latency[service].p99.toFixed(1)}`),
    String(errors),
    cores.service.toFixed(2),
    cores.load.toFixed(2),
  ]);
  const header = ['rate', 'API p50 / p99 ms', 'site p50 / p99 ms', 'receipts p50 / p99 ms', 'errors'];
  return table([...header, 'cores, service', 'cores, load'], rows);
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return (
    line(header) + `|${header.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}\n` + rows.map(line).join('')
  );
}
