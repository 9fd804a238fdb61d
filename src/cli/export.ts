import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import { exportEvents } from '#events/export.ts';
import { type Command, type Input, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'export events',
    summary: 'Write all events as NDJSON; `import events` restores them under the same ids',
    operands: 'FILE|-',
    run: exportAll,
  },
];

async function exportAll(input: Input): Promise<void> {
  const [file = '-', ...others] = input.positionals;
  if (others.length > 0) throw new UsageError('Name a single file, or - for standard output.');
  await withAppContext(input, async ({ db }) => {
    const lines = Readable.from(linesOf(exportEvents(db)), { highWaterMark: 64 });
    try {
      if (file === '-') await pipeline(lines, output(), { end: false });
      else await writeTo(file, lines);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // Failures of the standard output are reported by `output`.
      if (file !== '-') throw new UsageError(`${file} cannot be written: ${error.message}`);
    }
  });
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

/** Errors of the file system have a `syscall`; errors of the database have none. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

async function writeTo(file: string, lines: Readable): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) await replace(file, 0o600, lines);
  else if (found.isFile()) await replace(await realpath(file), found.mode, lines);
  // A device or a pipe cannot be replaced by a rename.
  else await pipeline(lines, createWriteStream(file));
}

/** Writes to `FILE.PID.part`, flushes, then renames: a failed export leaves an earlier file as it was. */
async function replace(file: string, mode: number, lines: Readable): Promise<void> {
  const partial = `${file}.${process.pid}.part`;
  try {
    await rm(partial, { force: true });
    await pipeline(lines, createWriteStream(partial, { flags: 'wx', mode, flush: true }));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
