import { readFile, stat } from 'node:fs/promises';
import { ImportRefusal } from './finding.ts';

/** Thrown where the system does not let us read a file, whatever is in it. */
export class Unreadable extends ImportRefusal {}

/** The bytes of a file of bounded size. Throws `Refused` where they cannot be taken. */
export async function readBytes(path: string, max: number): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > max) throw new ImportRefusal(`is larger than ${megabytes(max)}`);
    return await readFile(path);
  } catch (error) {
    throw error instanceof ImportRefusal ? error : new Unreadable(reasonOf(error));
  }
}

/** The text of a UTF-8 file of bounded size, without its byte order mark. */
export async function readText(path: string, max: number): Promise<string> {
  const bytes = await readBytes(path, max);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ImportRefusal('is not UTF-8 text');
  }
}

/** When a file was written last, in whole milliseconds; 0 where nobody can tell. */
export async function writtenAt(path: string): Promise<number> {
  try {
    return Math.max(0, Math.floor((await stat(path)).mtimeMs));
  } catch {
    return 0;
  }
}

function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read: permission denied',
  EPERM: 'may not be read: permission denied',
  EISDIR: 'is a folder',
  ELOOP: 'is a circle of links',
};

/** Why the system would not let us read. */
export function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return REASONS[code] ?? `cannot be read (${code || String(error)})`;
}
