import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/output.ts';
import { exportEvents } from '#events/export.ts';
import { type Command, type Input, withAppContext } from './command.ts';

export const commands: Command[] = [
  {
    words: 'export events',
    summary: 'Write everything that was told back as NDJSON, which `import events` takes under the same ids',
    operands: 'FILE|-',
    run: exportAll,
  },
];

async function exportAll({ positionals: [file = '-', ...others] }: Input): Promise<void> {
  if (others.length > 0) throw new UsageError('Name one file, or - for standard output.');
  await withAppContext(async ({ db }) => {
    const lines = Readable.from(linesOf(exportEvents(db)), { highWaterMark: 64 });
    try {
      if (file === '-') await pipeline(lines, output(), { end: false });
      else await writeTo(file, lines);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      // Failures of the standard output are reported by `output`.
      if (file !== '-') throw new UsageError(`${file} cannot be written: ${error.message}`);
    }
  });
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

/** The database tells its own failures otherwise. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

async function writeTo(file: string, lines: Readable): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) await replace(file, 0o600, lines);
  else if (found.isFile()) await replace(await realpath(file), found.mode, lines);
  // A device or a pipe.
  else await pipeline(lines, createWriteStream(file));
}

/** A file gets its name when it is whole and on disk: until then the one that bears the name stays as it is. */
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
