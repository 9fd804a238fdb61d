import { UsageError } from '#platform/errors.ts';
import { didYouMean } from '#text/suggestion.ts';
import { forgetImportSource, listImportSources } from '#store/imports.ts';
import { carryOut, type Command, type Input, JSON_OPTION, withAppContext } from '../command/command.ts';

export const commands: Command[] = [
  {
    words: 'import sources',
    summary: 'List the databases of other programs that were imported',
    options: { json: JSON_OPTION },
    run: list,
  },
  {
    words: 'import forget',
    summary: 'Forget how far a database of another program was read; its next import compares everything',
    options: {
      source: { type: 'string', value: 'NAME', required: true, help: 'As `import sources` lists it' },
      json: JSON_OPTION,
    },
    audit: { action: 'import.forget', about: 'source' },
    run: forget,
  },
];

async function list(input: Input): Promise<void> {
  const sources = await withAppContext(input, ({ db }) => listImportSources(db));
  const shown = sources.map(({ name, rows, imported }) => ({ name, rows, imported: new Date(imported).toISOString() }));
  if (shown.length === 0 && input.values['json'] !== true) return input.print({ sources: 'none' });
  input.print(shown);
}

async function forget(input: Input): Promise<void> {
  const name = input.required('source');
  await withAppContext(input, async ({ db, clock }) => {
    const forgotten = await carryOut(input, { db, clock }, async (tx) => {
      if (await forgetImportSource(tx, name)) return { forgotten: name };
      const names = (await listImportSources(tx)).map((source) => source.name);
      throw new UsageError(`No source has the name "${name}".${didYouMean(name, names)} See: scorehall import sources`);
    });
    input.print(forgotten);
  });
}
