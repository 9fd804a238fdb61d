import { createReadStream } from 'node:fs';
import { UsageError } from '#platform/errors.ts';
import type { Finding, NetworkLookup, ServerChoice } from '#importers/index.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { reasonOf } from '#text/file-problem.ts';
import { type Command, type CommandOption, flag, type Input, option, withAppContext } from '../command/command.ts';
import { importCore } from './core.ts';
import { importEvents } from './events.ts';
import { withImporters } from './importers.ts';
import { importOnce, ONCE_OPTIONS } from './import-report.ts';

type Importer = (path: string, network: NetworkLookup, choice: ServerChoice) => AsyncIterable<Finding<WireEvent>>;
type ImporterName = 'importPgmMaps' | 'importRotations' | 'importMinecraft';

const ofServer = (help: string): Record<string, CommandOption> => ({
  server: option('NAME', help),
  create: flag('Add a server that is not known yet (default: refuse it)'),
});

export const commands: Command[] = [
  {
    words: 'import events',
    begins: true,
    summary: 'Import Scorehall events from an NDJSON file or standard input (-)',
    operands: 'FILE|-',
    options: ONCE_OPTIONS,
    run: (input) => importFrom(input, (path) => eventsOf(path)),
  },
  {
    words: 'import pgm-maps',
    begins: true,
    summary: 'Import a folder of PGM maps with their images',
    operands: 'DIR',
    options: ONCE_OPTIONS,
    run: (input) => importWith(input, 'importPgmMaps'),
  },
  {
    words: 'import rotations',
    begins: true,
    summary: 'Import server rotations: text with one map name per line, PGM map pools (YAML) or JSON',
    operands: 'FILE|DIR',
    options: { ...ONCE_OPTIONS, ...ofServer('The server that plays the rotation (default: the name of the file)') },
    run: (input) => importWith(input, 'importRotations'),
  },
  {
    words: 'import minecraft',
    begins: true,
    summary: "Import a Minecraft server's banned-players.json, usercache.json and stats/*.json",
    operands: 'DIR',
    options: { ...ONCE_OPTIONS, ...ofServer('The server that the bans apply to (default: the whole network)') },
    run: (input) => importWith(input, 'importMinecraft'),
  },
];

/** Imports what another program has written. */
async function importWith(input: Input, importer: ImporterName): Promise<void> {
  await withImporters((importers) => importFrom(input, importers[importer]));
}

async function importFrom(input: Input, importer: Importer): Promise<void> {
  const path = onlyOperand(input);
  await withAppContext(input, async (context) => {
    const choice = { server: input.optional('server'), create: input.has('create') };
    const findings = importer(path, importCore(context.db, context.clock), choice);
    await importOnce(input, context, findings, path);
  });
}

function onlyOperand({ positionals }: Input): string {
  if (positionals.length === 1 && positionals[0] !== '') return positionals[0]!;
  throw new UsageError(
    positionals.length === 0
      ? 'Name the file or folder to import; see --help.'
      : 'Import one file or folder at a time.',
  );
}

async function* eventsOf(path: string): AsyncGenerator<Finding<WireEvent>> {
  const [bytes, file] = path === '-' ? [process.stdin, 'standard input'] : [createReadStream(path), path];
  yield* importEvents(readable(bytes, file), file);
}

/** The bytes of a file; an error while reading becomes a `UsageError` that names the file. */
async function* readable(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw new UsageError(`${file} ${reasonOf(error)}.`);
  }
}
