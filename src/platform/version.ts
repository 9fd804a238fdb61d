import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;

/** The commit of the program; empty if this copy does not say it. */
export const COMMIT: string = commitIn(fileURLToPath(new URL('../../', import.meta.url)));

/** A release or an image has the file COMMIT, a clone has the folder .git. */
export function commitIn(folder: string): string {
  const head = read(`${folder}/COMMIT`) || read(`${folder}/.git/HEAD`);
  const [, branch] = /^ref: (.*)$/.exec(head) ?? [];
  if (branch === undefined) return head;
  const packed = new RegExp(`^(\\S+) ${RegExp.escape(branch)}$`, 'm').exec(read(`${folder}/.git/packed-refs`));
  return read(`${folder}/.git/${branch}`) || (packed?.[1] ?? '');
}

/** Empty if there is no such file; in a worktree .git is a file, below which there is none. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}
