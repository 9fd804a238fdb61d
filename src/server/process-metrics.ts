import { readdirSync, readFileSync } from 'node:fs';
import { descriptorLimit } from './descriptor-reserve.ts';
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
  add('process_virtual_memory_bytes', 'Virtual memory of the process', virtualBytes);
  add('process_open_fds', 'Open file descriptors', () => readdirSync('/proc/self/fd').length);
  add('process_max_fds', 'Maximum open file descriptors', descriptorLimit);
}

const virtualBytes = (): number =>
  Number(/^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
