import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { normalise, withoutRandomUuids } from './normalise.ts';

/** A folder with one file for each thing that was observed. */
export interface Recording {
  /** Writes what was observed, with placeholders for what differs between two runs. A name may repeat: later files get a number. */
  write(path: string, text: string): Promise<void>;
  readonly written: number;
}

/** Empties the folder and records into it. */
export async function openRecording(folder: string): Promise<Recording> {
  await rm(folder, { recursive: true, force: true });
  const counts = new Map<string, number>();
  let written = 0;
  return {
    get written() {
      return written;
    },
    async write(given, text) {
      const path = withoutRandomUuids(given, 'uuid');
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      written++;
      const { dir, name, ext } = parse(path);
      const file = join(folder, dir, count === 1 ? name + ext : `${name}.${count}${ext}`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, normalise(text.endsWith('\n') ? text : `${text}\n`));
    },
  };
}

/** Text as the name of a file. */
export const fileName = (text: string): string =>
  text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 120) || 'root';
