import {
  type Command,
  carryOut,
  inContext,
  type Input,
  JSON_OPTION,
  mandatory,
  reading,
  timestampOf,
} from '../command/command.ts';
import { commands as databases } from './databases.ts';
import { commands as files } from './files.ts';
import { UsageError } from '#platform/errors.ts';
import { didYouMean } from '#text/suggestion.ts';
import { forgetImportSource, listImportSources } from '#store/imports.ts';
import type { AppContext } from '#context/context.ts';

export const commands: Command[] = [
  ...files,
  ...databases,
  reading('import sources', 'List the databases of other programs that were imported', list),
  {
    words: 'import forget',
    summary: 'Forget how far a database of another program was read; its next import compares everything',
    options: {
      source: mandatory('NAME', 'As `import sources` lists it'),
      json: JSON_OPTION,
    },
    audit: { action: 'import.forget', about: 'source' },
    run: inContext(forget),
  },
];

async function list({ db }: AppContext, input: Input) {
  const sources = await listImportSources(db);
  if (sources.length === 0 && !input.has('json')) return { sources: 'none' };
  return sources.map(({ name, rows, imported }) => ({ name, rows, imported: timestampOf(imported) }));
}

async function forget(context: AppContext, input: Input) {
  const name = input.required('source');
  return await carryOut(input, context, async (tx) => {
    if (await forgetImportSource(tx, name)) return { forgotten: name };
    const names = (await listImportSources(tx)).map((source) => source.name);
    throw new UsageError(`No source has the name "${name}".${didYouMean(name, names)} See: scorehall import sources`);
  });
}
