/** What a measured process tells of itself when it is asked: CPU seconds used so far, and its memory in MB. */
export interface Use {
  cpu: number;
  rss: number;
}

export function use(): Use {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() / 2 ** 20 };
}
