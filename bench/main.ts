import { UsageError } from '#platform/errors.ts';
import { Bench } from './bench.ts';
import type { Result } from './compare.ts';
import { numberOption, readOptions, runCommand } from './command.ts';
import { openDatabases } from './databases.ts';
import { type Floors, belowFloor, floorsFrom, readFloors, saveFloors } from './floors.ts';
import { conclusion, meetsTargets } from './evening/figures.ts';
import { eveningTable, machineLine, resultTable } from './markdown.ts';

const USAGE = `Measures the data API, the sign-in and the site in turns with a baseline, a bare \`node:http\` server that sends the same
bytes and headers. The measured process runs on one core, the load on the other.

  npm run bench                            SQLite, a million matches (generated once, under data/bench)
  npm run bench -- --only site             only the cases with this text in their name
  npm run bench -- --growth                the same reads with ten thousand and with a million matches
  npm run bench -- --matches 10000         another number of matches
  npm run bench -- --database postgres     a temporary PostgreSQL
  npm run bench -- --url postgres://…      another database, filled by \`npm run generate\`
  npm run bench -- --rounds 2 --json       two rounds instead of five; the figures as JSON
  npm run bench -- --markdown              the figures as a Markdown table, with commit and machine
  npm run bench -- --set-floors            three runs on an idle machine; writes the minimum CPU ratios to bench/floors.json
  npm run bench -- --evening               a busy evening at fixed rates against the whole service, see bench/evening/plan.ts:
                                           --rate 0.5 halves them, --seconds 20 shortens it; 100,000 matches, three runs

\`ratio\` is requests per second, divided by those of the baseline; \`cpu_ratio\` is the same per second of CPU time, which
other work on the machine affects less. For \`growth of …\` both are the CPU time of a read with the large database,
divided by that with the small one; for \`token check, …\` the 10 µs that a check may take, divided by the time it takes.
Without --matches and --url it exits with 1 if a CPU ratio is below its minimum in bench/floors.json.`;

const OPTIONS = {
  database: { type: 'string', default: 'sqlite' },
  url: { type: 'string' },
  matches: { type: 'string' },
  growth: { type: 'boolean', default: false },
  'set-floors': { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  rounds: { type: 'string' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  evening: { type: 'boolean', default: false },
  rate: { type: 'string', default: '1' },
  seconds: { type: 'string', default: '60' },
} as const;

type Values = ReturnType<typeof readOptions<{ options: typeof OPTIONS }>>['values'];

/** The database of an evening is a SQLite file: the evening works on a copy, because its game servers write. */
function databaseOptions(values: Values): { database: string; url: string | undefined; matches: number | undefined } {
  const { database, url, evening } = values;
  const matches = numberOption('matches', values.matches);
  if (!evening) return { database, url, matches };
  if (database === 'sqlite' && url === undefined) return { database, url, matches: matches ?? 100_000 };
  throw new UsageError('--evening always uses a generated SQLite file: leave out --database and --url.');
}

/** Of other numbers of matches and other databases the ratios differ, so they have no floors. */
const hasFloors = ({ url, matches, evening, growth }: Values): boolean =>
  url === undefined && matches === undefined && !evening && !growth;

const RUNS_FOR_FLOORS = 3;

await runCommand(USAGE, async (args) => {
  const { values } = readOptions(USAGE, { args, options: OPTIONS });
  const options = {
    only: values.only,
    rounds: numberOption('rounds', values.rounds) ?? (values.evening ? 3 : 5),
    rate: numberOption('rate', values.rate, 'any')!,
    seconds: numberOption('seconds', values.seconds, 'any')!,
  };
  if (values['set-floors'] && !hasFloors(values))
    throw new UsageError(
      '--set-floors measures the usual cases and databases: leave out --matches, --url, --growth, --evening.',
    );
  /** Progress goes to standard error if standard output is a document. */
  const lines = values.json || values.markdown ? process.stderr : process.stdout;
  await using databases = await openDatabases(databaseOptions(values));
  const bench = new Bench(options, databases, lines);
  if (values.evening) await measureEvening(values, bench, lines);
  else if (values['set-floors']) await setFloors(values, bench, await databases.large());
  else {
    const results = values.growth ? await bench.growth() : await measureAll(values, bench, await databases.large());
    const floors = hasFloors(values) ? readFloors(values.database) : {};
    print(values, results, () => resultTable(results, floors));
    judge(results, floors);
  }
});

async function measureEvening(values: Values, bench: Bench, lines: NodeJS.WritableStream): Promise<void> {
  const evenings = await bench.evenings();
  if (!meetsTargets(evenings.at(-1)!)) process.exitCode = 1;
  lines.write(conclusion(evenings.at(-1)!));
  print(values, evenings, () => eveningTable(evenings));
}

/** Prints the last of the runs. */
async function setFloors(values: Values, bench: Bench, url: string): Promise<void> {
  const runs: Result[][] = [];
  for (let run = 0; run < RUNS_FOR_FLOORS; run++) runs.push(await measureAll(values, bench, url));
  const floors = floorsFrom(runs);
  saveFloors(values.database, floors);
  print(values, runs.at(-1)!, () => resultTable(runs.at(-1)!, floors));
}

async function measureAll({ only }: Values, bench: Bench, url: string): Promise<Result[]> {
  const results = await bench.measureAll(url);
  if (results.length === 0) throw new UsageError(`No case has "${only}" in its name.`);
  return results;
}

function judge(results: readonly Result[], floors: Floors): void {
  for (const sentence of belowFloor(results, floors)) {
    process.exitCode = 1;
    process.stderr.write(`${sentence}\n`);
  }
}

function print(values: Values, found: readonly object[], table: () => string): void {
  if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
  if (values.markdown) process.stdout.write(`${machineLine()}\n\n${table()}`);
}
