import { readFile, stat } from 'node:fs/promises';
import { reasonOf } from '../text/file-problem.ts';
import { ImportRefusal } from './finding.ts';

/** Thrown when the operating system cannot read the file. */
export class Unreadable extends ImportRefusal {}

/** The bytes of a file of at most `max` bytes. @throws ImportRefusal if it is larger or cannot be read */
export async function readBytes(path: string, max: number): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > max) throw new ImportRefusal(`is larger than ${megabytes(max)}`);
    return await readFile(path);
  } catch (error) {
    throw error instanceof ImportRefusal ? error : new Unreadable(reasonOf(error));
  }
}

/** The text of a UTF-8 file of at most `max` bytes, without its byte order mark. @throws ImportRefusal */
export async function readText(path: string, max: number): Promise<string> {
  const bytes = await readBytes(path, max);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ImportRefusal('is not UTF-8 text');
  }
}

/** The modification time of a file in epoch milliseconds; 0 if it is not available. */
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
