/** The resource usage of a process. */
export interface ProcessUsage {
  /** CPU seconds since the start of the process. */
  cpu: number;
  /** Resident memory in MB. */
  rss: number;
}

export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() / 2 ** 20 };
}
