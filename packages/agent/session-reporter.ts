import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TimedLine } from './log-reader.ts';

const FOLDER = 'plugins/Scorehall';
/** A plugin that wrote nothing for so long before a login was removed. */
const REMOVED_MS = 86_400_000;
/** How long a login waits for a plugin that wrote nothing for a day: there may have been no player. */
const PLUGIN_WAIT_MS = 5_000;

/**
 * When the plugin for Bukkit last wrote its outbox; undefined without one. It also renames the file, and keeps the
 * position of what it has sent beside it.
 */
export async function newestOutboxWrite(serverFolder: string): Promise<number | undefined> {
  const folder = join(serverFolder, FOLDER);
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.startsWith('outbox.'));
  const found = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const times = found.flatMap((file) => (file?.isFile() ? [file.mtimeMs] : []));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Who reports a login or logout: the plugin for Bukkit sees more than the log, and reports them itself. */
export function sessionReporter(
  { line, time }: TimedLine,
  pluginWrote: number | undefined,
  now: number,
): 'agent' | 'plugin' | 'undecided' {
  if (pluginWrote === undefined) return 'agent';
  if (pluginWrote >= time - REMOVED_MS) return 'plugin';
  const isSession = line.kind === 'login' || line.kind === 'logout';
  return isSession && now - time < PLUGIN_WAIT_MS ? 'undecided' : 'agent';
}
