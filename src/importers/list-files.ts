import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { reasonOf } from './read-file.ts';
import { byCodeUnits } from './text.ts';

export interface Found {
  /** Paths relative to the folder, with `/` between the parts, in the order of their code units. */
  files: string[];
  /** What could not be looked into, and why. */
  passed: { path: string; reason: string }[];
}

/**
 * The files under a folder whose names are wanted, at any depth. Names that begin with a dot stay out. Links to folders
 * are not followed: what they lead to inside is found in its own place, and what lies outside is none of ours. A link
 * to a file counts where the file lies inside under another name.
 */
export async function walk(folder: string, wanted: (name: string) => boolean): Promise<Found> {
  const root = await rootOf(folder);
  const found: Found = { files: [], passed: [] };
  const links: string[] = [];
  const open = [''];
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const entry of await entriesOf(folder, path, found)) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) open.push(inside);
      else if (entry.isSymbolicLink()) links.push(inside);
      else if (entry.isFile() && wanted(entry.name)) found.files.push(inside);
    }
  for (const link of links.toSorted(byCodeUnits)) await judgeLink(root, link, wanted, found);
  found.files.sort(byCodeUnits);
  return found;
}

async function rootOf(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if ((await stat(root)).isDirectory()) return root;
  } catch (error) {
    throw new UsageError(`${folder} ${reasonOf(error)}.`);
  }
  throw new UsageError(`${folder} is not a folder.`);
}

async function entriesOf(folder: string, path: string, found: Found): Promise<Dirent[]> {
  try {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    found.passed.push(passedOver(folder, path, error));
    return [];
  }
}

/** A folder that may not be looked into is passed over, unless it is the one that was named: then nothing is left. */
export function passedOver(folder: string, path: string, error: unknown): Found['passed'][number] {
  if (path === '') throw new UsageError(`${folder} ${reasonOf(error)}.`);
  return { path, reason: reasonOf(error) };
}

async function judgeLink(root: string, link: string, wanted: (name: string) => boolean, found: Found): Promise<void> {
  try {
    const target = await realpath(join(root, link));
    const inside = relative(root, target).split(sep).join('/');
    const kind = await stat(target);
    if (!kind.isDirectory() && !wanted(nameOf(link))) return;
    if (target !== root && !target.startsWith(root + sep))
      found.passed.push({ path: link, reason: 'is a link that leads out of the folder, and is not followed' });
    else if (kind.isFile() && !(found.files.includes(inside) && nameOf(inside) === nameOf(link)))
      found.files.push(link);
    else if (!kind.isFile() && !kind.isDirectory())
      found.passed.push({ path: link, reason: 'is a link to what is neither a file nor a folder' });
  } catch (error) {
    found.passed.push({ path: link, reason: reasonOf(error) });
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
