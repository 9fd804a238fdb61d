import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import type { Input } from './command.ts';

/** The file that the operand `FILE|-` of a command names; `-`, the default, is standard output. */
export function outputFile({ positionals: [file = '-', ...others] }: Input): string {
  if (others.length > 0) throw new UsageError('Name a single file, or - for standard output.');
  return file;
}

/** Writes pieces of text to a file or, for `-`, to standard output. */
export async function writeOutput(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const text = Readable.from(pieces, { highWaterMark: 64 });
  try {
    if (file === '-') await pipeline(text, output(), { end: false });
    else await writeTo(file, text);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // Failures of the standard output are reported by `output`.
    if (file !== '-') throw new UsageError(`${file} cannot be written: ${error.message}`);
  }
}

/** Errors of the file system have a `syscall`; errors of the database have none. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

async function writeTo(file: string, text: Readable): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) await replace(file, 0o600, text);
  else if (found.isFile()) await replace(await realpath(file), found.mode, text);
  // A device or a pipe cannot be replaced by a rename.
  else await pipeline(text, createWriteStream(file));
}

/** Writes to `FILE.PID.part`, flushes, then renames: a failed export leaves an earlier file as it was. */
async function replace(file: string, mode: number, text: Readable): Promise<void> {
  const partial = `${file}.${process.pid}.part`;
  try {
    await rm(partial, { force: true });
    await pipeline(text, createWriteStream(partial, { flags: 'wx', mode, flush: true }));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
