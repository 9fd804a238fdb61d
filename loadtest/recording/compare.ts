import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const MAX_LINES = 60;
const MAX_SHOWN = 40;

/** Prints the files that differ between two recordings, each with the beginning of its unified diff. @returns their number */
export async function compareRecordings(before: string, after: string, except?: RegExp): Promise<number> {
  const [earlier, later] = [await filesIn(before), await filesIn(after)];
  const differing: string[] = [];
  for (const path of [...new Set([...earlier, ...later])].sort()) {
    if (except?.test(path) === true) continue;
    const files = [earlier, later].map((paths, side) =>
      paths.has(path) ? join(side === 0 ? before : after, path) : '/dev/null',
    );
    const [one, other] = await Promise.all(files.map((file) => readFile(file)));
    if (one!.equals(other!)) continue;
    const { stdout } = spawnSync('diff', ['-u', '--label', `before/${path}`, '--label', `after/${path}`, ...files], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    differing.push(path);
    if (differing.length > MAX_SHOWN) continue;
    const lines = stdout.split('\n');
    console.log(lines.slice(0, MAX_LINES).join('\n'));
    if (lines.length > MAX_LINES) console.log(`… ${lines.length - MAX_LINES} more lines of ${path}`);
  }
  if (differing.length > 0) console.log(`Differing files:\n${differing.map((path) => `  ${path}`).join('\n')}`);
  return differing.length;
}

async function filesIn(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}
