import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { InputError } from './finding.ts';
import { reasonOf } from '../text/file-problem.ts';
import { byCodeUnits } from '../text/line.ts';

export interface Found {
  /** Paths relative to the folder, with `/` between the parts, in the order of their code units. */
  files: string[];
  /** Entries that could not be read or were not followed, and why. */
  skipped: { path: string; reason: string }[];
}

/**
 * The files in a folder, at any depth, whose names are wanted. Names that begin with a dot are ignored. Links to folders
 * are not followed: a target inside the folder is found at its own path, and a target outside is never read. A link to a
 * file counts if the file is inside the folder under another name.
 * @throws InputError if the folder cannot be read
 */
export async function walk(folder: string, wanted: (name: string) => boolean): Promise<Found> {
  const root = await resolveRoot(folder);
  const found: Found = { files: [], skipped: [] };
  const links: string[] = [];
  const open = [''];
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const entry of await readEntries(folder, path, found)) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) open.push(inside);
      else if (entry.isSymbolicLink()) links.push(inside);
      else if (entry.isFile() && wanted(entry.name)) found.files.push(inside);
    }
  for (const link of links.toSorted(byCodeUnits)) await addLink(root, link, wanted, found);
  found.files.sort(byCodeUnits);
  return found;
}

async function resolveRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if ((await stat(root)).isDirectory()) return root;
  } catch (error) {
    throw new InputError(`${folder} ${reasonOf(error)}.`);
  }
  throw new InputError(`${folder} is not a folder.`);
}

async function readEntries(folder: string, path: string, found: Found): Promise<Dirent[]> {
  try {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    found.skipped.push(skippedFolder(folder, path, error));
    return [];
  }
}

/** An unreadable folder is skipped, unless it is the imported folder itself. @throws InputError for the latter */
export function skippedFolder(folder: string, path: string, error: unknown): Found['skipped'][number] {
  if (path === '') throw new InputError(`${folder} ${reasonOf(error)}.`);
  return { path, reason: reasonOf(error) };
}

async function addLink(root: string, link: string, wanted: (name: string) => boolean, found: Found): Promise<void> {
  try {
    const target = await realpath(join(root, link));
    const inside = relative(root, target).split(sep).join('/');
    const kind = await stat(target);
    if (!kind.isDirectory() && !wanted(fileName(link))) return;
    if (target !== root && !target.startsWith(root + sep))
      found.skipped.push({ path: link, reason: 'is a link that leads out of the folder; it is not followed' });
    else if (kind.isFile() && !(found.files.includes(inside) && fileName(inside) === fileName(link)))
      found.files.push(link);
    else if (!kind.isFile() && !kind.isDirectory())
      found.skipped.push({ path: link, reason: 'is a link to something other than a file or a folder' });
  } catch (error) {
    found.skipped.push({ path: link, reason: reasonOf(error) });
  }
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
