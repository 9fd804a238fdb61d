import { readdirSync, readFileSync } from 'node:fs';
import { gauge, type Metrics, readCounter } from '#platform/process/metrics.ts';

const started = Date.now() / 1000 - process.uptime();

/** The metrics of the process that all client libraries of Prometheus have, under their names. */
export function addProcessMetrics(metrics: Metrics): void {
  readCounter(metrics, {
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process since its start, all threads together',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  const add = (name: `process_${string}`, help: string, read: () => number): void => {
    gauge(metrics, { name, help, collect: (one) => one.set(read()) });
  };
  add('process_resident_memory_bytes', 'Memory of the process, all threads together', () => process.memoryUsage.rss());
  add('process_start_time_seconds', 'Start of the process, in seconds since 1970', () => started);
  if (process.platform !== 'linux') return;
  add(
    'process_virtual_memory_bytes',
    'Virtual memory of the process',
    () => inProc('status', /^VmSize:\s+(\d+)/m) * 1024,
  );
  add('process_open_fds', 'Open file descriptors', () => readdirSync('/proc/self/fd').length);
  add('process_max_fds', 'Maximum open file descriptors', () => inProc('limits', /^Max open files\s+(\d+)/m));
}

/** NaN if the file has no such number: a limit can be `unlimited`. */
const inProc = (file: 'status' | 'limits', pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(`/proc/self/${file}`, 'utf8'))?.[1]);
