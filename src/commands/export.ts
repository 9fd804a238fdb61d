import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#base/errors.ts';
import { exportEvents } from '#records/export.ts';
import { type Command, type Input, withHall } from './command.ts';

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
  await withHall(async ({ db }) => {
    const target = file === '-' ? process.stdout : createWriteStream(file, { mode: 0o600, flush: true });
    const lines = Readable.from(linesOf(exportEvents(db)), { highWaterMark: 64 });
    await pipeline(lines, target, { end: file !== '-' }).catch((error: unknown) => {
      throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
    });
  });
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
