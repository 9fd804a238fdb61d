import { createReadStream } from 'node:fs';
import { UsageError } from '#platform/errors.ts';
import type { AppContext } from '#context/context.ts';
import { importEvents } from '#importers/events.ts';
import type { NetworkLookup } from '#importers/network-lookup.ts';
import type { Finding } from '#importers/finding.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { databaseLookup } from '#importers/database-lookup.ts';
import { importPgmMaps } from '#importers/pgm-map.ts';
import { reasonOf } from '#importers/read-file.ts';
import { importRotations } from '#importers/rotation.ts';
import { runImport, tryImport } from '#importers/run.ts';
import { type Command, type Input, JSON_OPTION, optional, type CommandOption, withAppContext } from './command.ts';
import { ImportReport } from './import-report.ts';

const OPTIONS: Record<string, CommandOption> = {
  'dry-run': { type: 'boolean', help: 'Check everything and change nothing; writers wait meanwhile' },
  json: JSON_OPTION,
};

const SERVER = (help: string): CommandOption => ({ type: 'string', value: 'NAME', help });

type Importer = (path: string, facts: NetworkLookup, server?: string) => AsyncIterable<Finding>;

export const commands: Command[] = [
  {
    words: 'import events',
    summary: "Take Scorehall's own events from a file of one JSON object a line, or from standard input",
    operands: 'FILE|-',
    options: OPTIONS,
    run: (input) => importFrom(input, (path) => eventsOf(path)),
  },
  {
    words: 'import pgm-maps',
    summary: 'Take the maps of a folder of PGM maps, with the pictures beside them',
    operands: 'DIR',
    options: OPTIONS,
    run: (input) => importFrom(input, importPgmMaps),
  },
  {
    words: 'import rotations',
    summary: 'Take what servers play: a map name a line, PGM map pools (YAML) or JSON',
    operands: 'FILE|DIR',
    options: { ...OPTIONS, server: SERVER('Whose rotation it is; left out: the server of the name of the file') },
    run: (input) => importFrom(input, importRotations),
  },
  {
    words: 'import minecraft',
    summary: "Take a Minecraft server's banned-players.json, usercache.json and stats/*.json",
    operands: 'DIR',
    options: { ...OPTIONS, server: SERVER('Which server the bans are of; left out: of the network') },
    run: (input) => importFrom(input, importMinecraft),
  },
];

async function importFrom(input: Input, importer: Importer): Promise<void> {
  const path = onlyOperand(input);
  const report = new ImportReport(input);
  await withAppContext(async ({ db, clock }: AppContext) => {
    const items = importer(path, databaseLookup(db, clock), optional(input, 'server'));
    const take = input.values['dry-run'] === true ? tryImport : runImport;
    report.end(await take(db, clock, items, report));
  });
}

function onlyOperand({ positionals }: Input): string {
  if (positionals.length === 1 && positionals[0] !== '') return positionals[0]!;
  throw new UsageError(
    positionals.length === 0 ? 'What to import is missing; see --help.' : 'One thing is imported at a time.',
  );
}

async function* eventsOf(path: string): AsyncGenerator<Finding> {
  const [bytes, file] = path === '-' ? [process.stdin, 'standard input'] : [createReadStream(path), path];
  yield* importEvents(readable(bytes, file), file);
}

/** The bytes of a file. Where the system does not let us read them, that is said of the file. */
async function* readable(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw new UsageError(`${file} ${reasonOf(error)}.`);
  }
}
