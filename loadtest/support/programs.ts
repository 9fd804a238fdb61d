import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** On Debian the servers are in folders that only root's PATH contains, and games in one that root's lacks. */
const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/usr/games',
];

export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Runs a program to its end. @throws Error with its output if it fails */
export function runProgram(path: string, args: readonly string[], options: { cwd?: string } = {}): string {
  const { status, stdout, stderr, error } = spawnSync(path, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw error ?? new Error(`${path} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}
