import type { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { deleteCounter, setCounter } from '#admin/counters.ts';
import type { AppContext } from '#context/context.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { DEFAULT_MOST } from '#events/schema/counters.ts';
import { type Aggregate, type Counter, counterByKey, listCounters } from '#store/game/counters/counters.ts';
import { type Group } from '#store/game/statistics-groups.ts';
import {
  type Command,
  inContext,
  type Input,
  JSON_OPTION,
  option,
  reading,
  withAppContext,
} from './command/command.ts';
import { command, fieldOptions, optional, performOrThrow } from './command/operation-command.ts';

type Declaration = z.output<typeof setCounter.fields>;

const { key: KEY, label: LABEL, ...REST } = fieldOptions(setCounter);

export const commands: Command[] = [
  reading('counter list', "List the network's own counters", async ({ db }) => (await listCounters(db)).map(wire)),
  {
    words: 'counter set',
    operations: [setCounter],
    summary: setCounter.summary,
    options: {
      ...{ key: KEY!, json: JSON_OPTION, label: optional(LABEL!) },
      'label-ja': option('TEXT', 'The name in Japanese (default: the English one)'),
      ...REST,
    },
    run: inContext(set),
  },
  {
    words: 'counter presets',
    operations: [setCounter],
    summary: "Declare PGM's usual counters: assists, wools, cores, flags, monuments, damage, streaks",
    options: {
      only: option('LIST', 'Only these keys, with commas (default: all that are not declared yet)'),
      json: JSON_OPTION,
    },
    run: declarePresets,
  },
  command(deleteCounter, 'counter delete', {
    confirm: ({ key, label }) => ({
      act: `This removes the counter ${key} (${label.en}) from all answers, pages and boards.`,
      impact: { key, label: label.en },
    }),
    result: (_, { key }) => ({ key, deleted: true }),
  }),
];

const wire = ({ key, label, aggregate, modes, most, order, id, counted }: Counter) => ({
  key,
  label: label.en,
  label_ja: label.ja,
  aggregate,
  modes: modes.length === 0 ? 'all' : modes.join(','),
  most,
  order,
  state: counted >= id ? 'counted' : 'counting',
});

async function set(context: AppContext, input: Input) {
  const key = input.required('key');
  const before = await counterByKey(context.db, key);
  const preset = PGM_COUNTERS.find((one) => one.key === key);
  await declare(context, { key, ...settingsIn(input, before ?? preset) });
  return wire((await counterByKey(context.db, key))!);
}

function settingsIn(input: Input, before: Counter | Declaration | undefined): Omit<Declaration, 'key'> {
  const [en, ja] = [input.optional('label') ?? before?.label.en, input.optional('label-ja') ?? before?.label.ja ?? ''];
  if (en === undefined) throw new UsageError('--label is missing: the counter is new.');
  return {
    label: { en, ja },
    aggregate: (input.optional('aggregate') as Aggregate | undefined) ?? before?.aggregate ?? 'sum',
    modes: modesIn(input) ?? before?.modes ?? [],
    most: wholeNumber(input, 'most') ?? before?.most ?? DEFAULT_MOST,
    order: wholeNumber(input, 'order') ?? before?.order ?? 0,
  };
}

function modesIn(input: Input): Group[] | undefined {
  const text = input.optional('modes');
  if (text === undefined || text === 'all') return text === undefined ? undefined : [];
  return namesIn(text) as Group[];
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function wholeNumber(input: Input, name: string): number | undefined {
  const text = input.optional(name);
  if (text !== undefined && !/^-?\d{1,10}$/.test(text)) throw new UsageError(`--${name} must be a whole number.`);
  return text === undefined ? undefined : Number(text);
}

const optionAbout = (place: string): string =>
  place
    .replace(/^label\.en$/, 'label')
    .replace(/^label\.ja$/, 'label-ja')
    .replace(/^modes\..*$/, 'modes');

const declare = (context: AppContext, data: Declaration) =>
  performOrThrow(setCounter, context, undefined, data, optionAbout);

async function declarePresets(input: Input): Promise<void> {
  const only = input.optional('only');
  const wanted = only === undefined ? undefined : namesIn(only);
  const unknown = wanted?.find((name) => !PGM_COUNTERS.some(({ key }) => key === name));
  if (unknown !== undefined) {
    const known = PGM_COUNTERS.map(({ key }) => key).join(', ');
    throw new UsageError(`--only ${unknown} is no preset. There are: ${known}.`);
  }
  await withAppContext(input, async (context) => {
    const declared = new Set((await listCounters(context.db)).map(({ key }) => key));
    const added = PGM_COUNTERS.filter(({ key }) => !declared.has(key) && (wanted?.includes(key) ?? true));
    for (const one of added) await declare(context, one);
    input.print({ keys: added.map(({ key }) => key).join(', ') });
  });
}
