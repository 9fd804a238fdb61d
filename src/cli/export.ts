import { exportEvents } from '#events/export.ts';
import { type Command, type Input, withAppContext } from './command/command.ts';
import { outputFile, writeOutput } from './command/file-output.ts';

export const commands: Command[] = [
  {
    words: 'export events',
    summary: 'Write all events as NDJSON; `import events` restores them under the same ids',
    operands: 'FILE|-',
    run: exportAll,
  },
];

async function exportAll(input: Input): Promise<void> {
  const file = outputFile(input);
  await withAppContext(input, async ({ db }) => await writeOutput(file, linesOf(exportEvents(db))));
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
