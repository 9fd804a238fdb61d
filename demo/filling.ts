import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Config } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import type { DemoState } from './folder.ts';

/** The message to the process that fills the database. */
export interface FillOrder {
  config: Config;
  /** The path of the demo's folder. */
  folder: string;
  wanted: Omit<DemoState, 'filled'>;
}

/** A message from it: the number of ingested matches, or why it refuses the database. */
export type FromFilling = { matches: number } | { refused: string };

/**
 * Fills the database if it is not complete yet, and brings the leaderboards and the chart of online players up to date. A
 * separate process does it and ends before the demo serves, because generating takes more memory than serving.
 * @throws UsageError when the database contains something else
 */
export async function fillInProcess(
  order: FillOrder,
  onProgress: (matches: number) => void,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return;
  const child = fork(new URL('./fill-process.ts', import.meta.url), { serialization: 'advanced' });
  stop.addEventListener('abort', () => child.connected && child.disconnect());
  let refused: string | undefined;
  child.on('message', (message: FromFilling) => {
    if ('refused' in message) refused = message.refused;
    else onProgress(message.matches);
  });
  child.send(order);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (refused !== undefined) throw new UsageError(refused);
  if (code !== 0) throw new Error('The process that fills the database has failed.');
}
