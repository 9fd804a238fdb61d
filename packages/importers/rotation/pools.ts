import { ImportRefusal } from '../finding.ts';
import { fit, oneLine } from '../../text/line.ts';

/** The deepest nesting of sections in a pool. */
const MAX_DEPTH = 100;

/** A value of JSON or of YAML's failsafe schema, in which all scalars are text. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** A pool of maps in a file. */
export interface Pool {
  name: string;
  enabled: boolean;
  /** Whether the server activates the pool by itself, depending on the number of players. */
  dynamic: boolean;
  players: number;
  /** In the order of play, or by descending weight if the pool has no order. */
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
  const notes = 'variants' in pool ? ['plays variants of its maps; the rotation lists the maps themselves'] : [];
  const reading: Reading = { pool: name, notes };
  const entries = readEntries(pool['maps'] ?? null, numberIn(pool, 'weight', 1, reading), reading);
  const ordered = !['voted', 'shuffled', 'random'].includes(scalarText(pool['type']).toLowerCase());
  return {
    name,
    enabled: !isNo(pool['enabled']),
    dynamic: !isNo(pool['dynamic']),
    players: numberIn(pool, 'players', 0, reading),
    maps: played(ordered ? entries : entries.toSorted((a, b) => b.weight - a.weight), reading),
    notes,
  };
}

/** The pool that is being read, with its notes so far. */
interface Reading {
  pool: string;
  notes: string[];
}

interface Entry {
  map: string;
  weight: number;
}

/** Maps may be listed in nested sections with a weight; a section without a weight inherits that of its parent. */
function readEntries(value: Value, weight: number, reading: Reading, depth = 0): Entry[] {
  if (depth > MAX_DEPTH) throw new ImportRefusal(`nests lists deeper than ${MAX_DEPTH}`, `pool ${reading.pool}`);
  if (Array.isArray(value)) return value.flatMap((item) => readEntries(item, weight, reading, depth + 1));
  const section = record(value);
  if (!section) return oneLine(scalarText(value)) === '' ? [] : [{ map: scalarText(value), weight }];
  const own = numberIn(section, 'weight', weight, reading);
  const listed = ['maps', 'map', 'name'].find((key) => key in section);
  if (listed !== undefined) return readEntries(section[listed]!, own, reading, depth + 1);
  return Object.entries(section)
    .filter(([key]) => key !== 'weight')
    .flatMap(([key, inner]) => readMember(key, inner, own, reading, depth + 1));
}

/**
 * The value under a key: a section, the weight of the map that the key names, or the rest of an unquoted map name, which
 * YAML splits at its colon.
 */
function readMember(key: string, value: Value, weight: number, reading: Reading, depth: number): Entry[] {
  if (typeof value === 'object' && value !== null) return readEntries(value, weight, reading, depth);
  const text = oneLine(scalarText(value));
  if (text === '') {
    reading.notes.push(`"${fit(key, 64)}" is empty and is left out`);
    return [];
  }
  return [Number.isFinite(Number(text)) ? { map: key, weight: Number(text) } : { map: `${key}: ${text}`, weight }];
}

function played(entries: readonly Entry[], { notes }: Reading): string[] {
  for (const { map, weight } of entries)
    if (weight <= 0) notes.push(`"${fit(map, 64)}" has weight ${weight} and is left out`);
  return entries.filter(({ weight }) => weight > 0).map(({ map }) => map);
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
    const name = oneLine(scalarText(pool['name'])) || String(index + 1);
    const reading: Reading = { pool: name, notes: [] };
    return {
      name,
      enabled: true,
      dynamic: pool['default'] === true,
      players: numberIn(record(pool['requirements']) ?? {}, 'min', 0, reading),
      maps: played(readEntries(pool['maps']!, 1, reading), reading),
      notes: reading.notes,
    };
  });
}

/** Enabled pools by ascending number of players; pools that are only chosen by hand are last. */
export function inOrder(pools: readonly Pool[]): Pool[] {
  return pools
    .filter(({ enabled }) => enabled)
    .toSorted((a, b) => Number(b.dynamic) - Number(a.dynamic) || a.players - b.players);
}

export function record(value: Value | undefined): Record<string, Value> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function scalarText(value: Value | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isNo(value: Value | undefined): boolean {
  return ['false', 'no', 'off'].includes(scalarText(value).trim().toLowerCase());
}

function numberIn(section: Record<string, Value>, name: string, otherwise: number, { notes }: Reading): number {
  const value = section[name] ?? '';
  const text = scalarText(value).trim();
  if (text !== '' && Number.isFinite(Number(text))) return Number(text);
  const shown = text === '' ? name : `${name} "${fit(text, 64)}"`;
  if (value !== '') notes.push(`${shown} is not a number; ${otherwise} is used instead`);
  return otherwise;
}
