import { UsageError } from '#platform/errors.ts';
import type { AppContext } from '#context/context.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { type Aggregate, AGGREGATES, type Counter, counterByKey, listCounters } from '#store/game/counters/counters.ts';
import { type Group, GROUP_NAMES } from '#store/game/statistics-groups.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  print,
  printTable,
  required,
  withAppContext,
} from './command/command.ts';

type Declaration = Extract<WireEvent, { type: 'counter.declared' }>['data'];

const KEY: NonNullable<Command['options']> = {
  key: {
    type: 'string',
    required: true,
    help: 'The key of the counter in events and in the data API, like best_streak',
  },
  json: JSON_OPTION,
};

export const commands: Command[] = [
  { words: 'counter list', summary: "List the network's own counters", options: { json: JSON_OPTION }, run: listAll },
  {
    words: 'counter set',
    audit: { action: 'counter.set', about: 'key' },
    summary: 'Declare or change a counter; one that counts in another way then is counted again',
    options: {
      ...KEY,
      label: { type: 'string', value: 'TEXT', help: 'The name that players read, in English' },
      'label-ja': { type: 'string', value: 'TEXT', help: 'The name in Japanese (default: the English one)' },
      aggregate: {
        type: 'string',
        value: AGGREGATES.join('|'),
        help: 'sum (the default) adds values up; max keeps the largest one',
      },
      modes: {
        type: 'string',
        value: 'LIST',
        help: `The field groups for whose gamemodes it counts, with commas, or all (the default): ${GROUP_NAMES.join(', ')}`,
      },
      most: { type: 'string', value: 'N', help: 'The largest value that is plausible in one event (default: 1000000)' },
      order: { type: 'string', value: 'N', help: 'The position in lists (default: 0)' },
    },
    run: set,
  },
  {
    words: 'counter presets',
    audit: { action: 'counter.set', about: 'keys' },
    summary: "Declare PGM's usual counters: assists, wools, cores, flags, monuments, damage, streaks",
    options: {
      only: {
        type: 'string',
        value: 'LIST',
        help: 'Only these keys, with commas (default: all that are not declared yet)',
      },
      json: JSON_OPTION,
    },
    run: declarePresets,
  },
  {
    words: 'counter delete',
    audit: { action: 'counter.delete', about: 'key' },
    summary: 'Remove a counter; what servers reported stays stored, and declaring it again counts it again',
    options: KEY,
    run: remove,
  },
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

async function listAll(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => printTable(input, (await listCounters(db)).map(wire)));
}

async function set(input: Input): Promise<void> {
  const key = required(input, 'key');
  await withAppContext(input, async (context) => {
    const before = await counterByKey(context.db, key);
    const preset = PGM_COUNTERS.find((one) => one.key === key);
    await declare(context, { ...settingsIn(input, before ?? preset), key });
    print(input, wire((await counterByKey(context.db, key))!));
  });
}

function settingsIn(input: Input, before: Counter | Declaration | undefined): Omit<Declaration, 'key'> {
  const [en, ja] = [
    optional(input, 'label') ?? before?.label.en,
    optional(input, 'label-ja') ?? before?.label.ja ?? '',
  ];
  if (en === undefined) throw new UsageError('--label is missing: the counter is new.');
  return {
    label: { en, ja },
    aggregate: (optional(input, 'aggregate') as Aggregate | undefined) ?? before?.aggregate ?? 'sum',
    modes: modesIn(input) ?? before?.modes ?? [],
    most: wholeNumber(input, 'most') ?? before?.most,
    order: wholeNumber(input, 'order') ?? before?.order,
  };
}

function modesIn(input: Input): Group[] | undefined {
  const text = optional(input, 'modes');
  if (text === undefined || text === 'all') return text === undefined ? undefined : [];
  return namesIn(text) as Group[];
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function wholeNumber(input: Input, name: string): number | undefined {
  const text = optional(input, name);
  if (text !== undefined && !/^-?\d{1,10}$/.test(text)) throw new UsageError(`--${name} must be a whole number.`);
  return text === undefined ? undefined : Number(text);
}

/** @throws UsageError that names the option that is wrong */
async function declare({ db, clock }: AppContext, data: Declaration): Promise<void> {
  const receipt = await reportAsOperator(db, clock, { type: 'counter.declared', data });
  if (receipt.status !== 'rejected') return;
  const option = receipt.place
    .replace(/^data\./, '')
    .replace(/^label\.en$/, 'label')
    .replace(/^label\.ja$/, 'label-ja')
    .replace(/^modes\..*$/, 'modes');
  throw new UsageError(reasonAbout(`--${option}`, receipt));
}

async function declarePresets(input: Input): Promise<void> {
  const only = optional(input, 'only');
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
    print(input, { keys: added.map(({ key }) => key).join(', ') });
  });
}

async function remove(input: Input): Promise<void> {
  const key = required(input, 'key');
  await withAppContext(input, async ({ db, clock }) => {
    if ((await counterByKey(db, key)) === undefined) throw new UsageError(`There is no counter ${key}.`);
    await reportAsOperator(db, clock, { type: 'counter.removed', data: { key } });
    print(input, { key, deleted: true });
  });
}
