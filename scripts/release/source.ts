import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { run } from './tools.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The committed files that a release is made from, so that it depends on nothing else of the checkout. */
export interface Source {
  folder: string;
  version: string;
  /** The author of package.json with the address of the commit's author, as Debian wants it. */
  maintainer: string;
  commit: string;
  /** The time of the commit in seconds since 1970, for every file of the artefacts. */
  time: number;
}

/** The present commit. @throws UsageError if the checkout has other files than it */
export async function exportSource(folder: string): Promise<Source> {
  const changed = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  if (changed !== '')
    throw new UsageError(
      `A release has the committed files alone, but these are not committed; commit or stash them:\n${changed}`,
    );
  return await exportCommit('HEAD', folder);
}

/** Writes the files of a commit into a new folder. */
export async function exportCommit(revision: string, folder: string): Promise<Source> {
  const shown = await run('git', ['log', '-1', '--format=%H %ct %ae', revision], { cwd: ROOT });
  const [commit, time, address] = shown.trim().split(' ');
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await run('git', ['archive', '--output', archive, commit!], { cwd: ROOT });
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  await rm(archive);
  // In the place of .git: `scorehall --version` and the metrics read it.
  await writeFile(join(folder, 'COMMIT'), `${commit}\n`);
  const described = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Described;
  const maintainer = `${described.author} <${address}>`;
  return { folder, version: described.version, maintainer, commit: commit!, time: Number(time) };
}

/** What this file reads of package.json. */
interface Described {
  version: string;
  author: string;
}
