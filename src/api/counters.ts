import { z } from 'zod';
import { AGGREGATES, type Counter, countsIn, listCounters } from '#store/game/counters/counters.ts';
import {
  COUNTER_MODES,
  type CounterMode,
  type CounterValues,
  playerCounters,
} from '#store/game/counters/player-counters.ts';
import { GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { type Deps, type Endpoint, endpoint } from './endpoint.ts';
import { count } from './schemas.ts';

/** The network's own counters: their declarations, and the values of a player. */

const CounterShape = z
  .looseObject({
    key: z.string().meta({ description: 'The name of the counter in the members `counters`' }),
    label: z.object({ en: z.string(), ja: z.string() }).meta({ description: 'The name that players read' }),
    aggregate: z.enum(AGGREGATES).meta({ description: 'sum: values are added up; max: the largest one counts' }),
    modes: z.array(z.string()).meta({ description: 'The field groups for which it counts' }),
  })
  .meta({ id: 'Counter', description: "A counter of the network's own. Members may be added" });

export const counters: Endpoint[] = [
  endpoint({
    path: '/v1/counters',
    tag: 'Counter',
    summary: "The network's own counters, in the order in which the site shows them",
    query: {},
    response: z.array(CounterShape),
    handle: async ({ deps }) => (await listCounters(deps.db)).map(wire),
  }),
];

function wire({ key, label, aggregate, modes }: Counter): z.input<typeof CounterShape> {
  return {
    key,
    label: { en: label.en, ja: label.ja === '' ? label.en : label.ja },
    aggregate,
    modes: modes.length === 0 ? [...GROUP_NAMES] : modes,
  };
}

export const values = z.record(z.string(), count).meta({ description: 'Values by the key of the counter' });

export const PlayerCounters = z.record(z.string(), values).meta({
  description:
    "The network's own counters (`/v1/counters`) by field group, with all counters of the group; groups without a value are left out. `total` is all groups together",
});

/** The values of a player. */
export async function playerCountersWire(
  { db }: Pick<Deps, 'db'>,
  player: number,
): Promise<Record<string, CounterValues>> {
  const declared = await listCounters(db);
  const found = await playerCounters(db, declared, player);
  const shown = COUNTER_MODES.filter((mode) => mode === 'total' || found.has(mode));
  return Object.fromEntries(shown.map((mode) => [mode, valuesIn(declared, mode, found.get(mode))]));
}

function valuesIn(declared: readonly Counter[], mode: CounterMode, found: CounterValues = {}): CounterValues {
  const ofMode = declared.filter((counter) => mode === 'total' || countsIn(counter, mode));
  return Object.fromEntries(ofMode.map(({ key }) => [key, Object.hasOwn(found, key) ? found[key]! : 0]));
}
