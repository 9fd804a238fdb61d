import { UsageError } from '#platform/errors.ts';
import { readOptions, runCommand } from './command.ts';
import { DEFAULT_SEED, generateDatabase } from './generated.ts';

const USAGE = `Generates a large database for measurements.

  npm run generate -- --matches 1000000 [--database FILE|postgres://…] [--seed S]`;

async function main(args: string[]): Promise<void> {
  const { matches, database, seed } = read(args);
  const started = performance.now();
  const { url, reused } = await generateDatabase({ matches, database, seed }, (done) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${done} of ${matches} matches `);
  });
  if (process.stdout.isTTY) process.stdout.write('\n');
  const time = ((performance.now() - started) / 1000).toFixed(1);
  console.log(reused ? `${redacted(url)} exists already` : `${redacted(url)}: ${matches} matches in ${time} s`);
}

function read(args: string[]): { matches: number; database: string | undefined; seed: string } {
  const options = { matches: { type: 'string' }, database: { type: 'string' }, seed: { type: 'string' } } as const;
  const { values } = readOptions(USAGE, { args, options });
  if (!/^[1-9]\d{0,7}$/.test(values.matches ?? ''))
    throw new UsageError(`--matches must be a whole number from 1 to 99999999.\n\n${USAGE}`);
  return { matches: Number(values.matches), database: values.database, seed: values.seed ?? DEFAULT_SEED };
}

/** The URL without its password. */
function redacted(url: string): string {
  return url.replace(/(\/\/[^:/@]*:)[^@/]*@/, '$1***@');
}

await runCommand(USAGE, main);
