const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Ctrl-C may arrive twice: from the terminal, which signals the whole process group, and forwarded by npm. */
const SAME_SIGNAL_MS = 1_500;

/** Settles at the first SIGINT or SIGTERM. A further signal during the shutdown ends the process immediately. */
export function untilSignalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      resolve();
    } else if (performance.now() - first > SAME_SIGNAL_MS) {
      for (const name of STOP_SIGNALS) process.off(name, stop);
      process.kill(process.pid, signal);
    }
  };
  for (const name of STOP_SIGNALS) process.on(name, stop);
  return promise;
}
