import { UsageError } from '#platform/errors.ts';
import { Bench } from './bench.ts';
import { numberOption, readOptions, runCommand } from './command.ts';
import { openDatabases } from './databases.ts';
import { conclusionOf, meetsTargets } from './evening/figures.ts';
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
  npm run bench -- --evening               a busy evening at fixed rates against the whole service, see bench/evening/plan.ts:
                                           --rate 0.5 halves them, --seconds 20 shortens it; 100,000 matches, three runs

\`ratio\` is requests per second, divided by those of the baseline; \`cpu_ratio\` is the same per second of CPU time, which
other work on the machine affects less. For \`growth of …\` both are the CPU time of a read with the large database,
divided by that with the small one; for \`token check, …\` the 10 µs that a check may take, divided by the time it takes.`;

const OPTIONS = {
  database: { type: 'string', default: 'sqlite' },
  url: { type: 'string' },
  matches: { type: 'string' },
  growth: { type: 'boolean', default: false },
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
function databaseOf(values: Values): { database: string; url: string | undefined; matches: number | undefined } {
  const { database, url, evening } = values;
  const matches = numberOption('matches', values.matches);
  if (!evening) return { database, url, matches };
  if (database === 'sqlite' && url === undefined) return { database, url, matches: matches ?? 100_000 };
  throw new UsageError('--evening always uses a generated SQLite file: leave out --database and --url.');
}

await runCommand(USAGE, async (args) => {
  const { values } = readOptions(USAGE, { args, options: OPTIONS });
  const options = {
    only: values.only,
    rounds: numberOption('rounds', values.rounds) ?? (values.evening ? 3 : 5),
    rate: numberOption('rate', values.rate, 'any')!,
    seconds: numberOption('seconds', values.seconds, 'any')!,
  };
  /** Progress goes to standard error if standard output is a document. */
  const lines = values.json || values.markdown ? process.stderr : process.stdout;
  await using databases = await openDatabases(databaseOf(values));
  const bench = new Bench(options, databases, lines);
  if (values.evening) {
    const evenings = await bench.evenings();
    if (!meetsTargets(evenings.at(-1)!)) process.exitCode = 1;
    lines.write(conclusionOf(evenings.at(-1)!));
    print(values, evenings, () => eveningTable(evenings));
  } else {
    const results = values.growth ? await bench.growth() : await bench.measureAll(await databases.large());
    if (results.length === 0) throw new UsageError(`No case has "${values.only}" in its name.`);
    print(values, results, () => resultTable(results));
  }
});

function print(values: Values, found: readonly object[], table: () => string): void {
  if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
  if (values.markdown) process.stdout.write(`${machineLine()}\n\n${table()}`);
}
