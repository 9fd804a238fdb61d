import { oneLine } from '../text.ts';

/** A value as YAML's failsafe schema and JSON have it in common: scalars may all be text. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Maps that are played together, as a file lists them. */
export interface Pool {
  name: string;
  enabled: boolean;
  /** Whether the server turns to it by itself, by the number of players. */
  dynamic: boolean;
  players: number;
  /** In the order in which they are played, or the likeliest first. */
  maps: string[];
  notes: string[];
}

/** PGM's map-pools.yml and the older rotations.yml. */
export function yamlPools(document: Value): Pool[] | undefined {
  const pools = record(document)?.['pools'] ?? record(document)?.['rotations'];
  const named = record(pools);
  return named && Object.entries(named).map(([name, pool]) => yamlPool(name, pool));
}

function yamlPool(name: string, value: Value): Pool {
  const pool = record(value) ?? { maps: value };
  const entries = entriesOf(pool['maps'] ?? null, numberOf(pool['weight'], 1));
  const ordered = !['voted', 'shuffled', 'random'].includes(textOf(pool['type']).toLowerCase());
  const notes = 'variants' in pool ? ['plays variants of its maps; the maps themselves are listed'] : [];
  return {
    name,
    enabled: !isNo(pool['enabled']),
    dynamic: !isNo(pool['dynamic']),
    players: numberOf(pool['players'], 0),
    maps: (ordered ? entries : entries.toSorted((a, b) => b.weight - a.weight))
      .filter(({ weight }) => weight > 0)
      .map(({ map }) => map),
    notes,
  };
}

interface Entry {
  map: string;
  weight: number;
}

/**
 * Maps may be listed in sections of their own weight, one inside another; a section without one has that around it.
 * A map of no weight is never played.
 */
function entriesOf(value: Value, weight: number): Entry[] {
  if (Array.isArray(value)) return value.flatMap((item) => entriesOf(item, weight));
  const section = record(value);
  if (!section) return oneLine(textOf(value)) === '' ? [] : [{ map: textOf(value), weight }];
  const own = numberOf(section['weight'], weight);
  const named = section['map'] ?? section['name'];
  if (named !== undefined) return entriesOf(named, own);
  if ('maps' in section) return entriesOf(section['maps']!, own);
  return Object.entries(section).flatMap(([key, inner]) => (key === 'weight' ? [] : entriesOf(inner, own)));
}

/** The rotation file of TGM: an array of pools, chosen by the number of players; the others are chosen by hand. */
export function jsonPools(document: Value): Pool[] | undefined {
  if (
    !Array.isArray(document) ||
    document.length === 0 ||
    !document.every((item) => record(item)?.['maps'] !== undefined)
  )
    return undefined;
  return document.map((item, index) => {
    const pool = record(item)!;
    return {
      name: oneLine(textOf(pool['name'])) || String(index + 1),
      enabled: true,
      dynamic: pool['default'] === true,
      players: numberOf(record(pool['requirements'])?.['min'], 0),
      maps: entriesOf(pool['maps']!, 1).map(({ map }) => map),
      notes: [],
    };
  });
}

/** Pools in the order in which a filling server comes to them; those that are only chosen by hand are last. */
export function inOrder(pools: readonly Pool[]): Pool[] {
  return pools
    .filter(({ enabled }) => enabled)
    .toSorted((a, b) => Number(b.dynamic) - Number(a.dynamic) || a.players - b.players);
}

export function record(value: Value | undefined): Record<string, Value> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isNo(value: Value | undefined): boolean {
  return ['false', 'no', 'off'].includes(textOf(value).trim().toLowerCase());
}

function numberOf(value: Value | undefined, otherwise: number): number {
  const text = textOf(value).trim();
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : otherwise;
}
