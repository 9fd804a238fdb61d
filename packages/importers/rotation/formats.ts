import { LineCounter, parseDocument } from 'yaml';
import { ImportRefusal } from '../finding.ts';
import { parseLenientJson } from '../lenient-json.ts';
import { fit, oneLine } from '../../text/line.ts';
import { inOrder, jsonPools, record, type Pool, type Value, yamlPools } from './pools.ts';

/** The rotation of one server in a file. `server` is undefined if the file does not name it. */
export interface Rotation {
  server?: string;
  entries: Entry[];
  notes: { place: string; note: string }[];
}

export interface Entry {
  place: string;
  /** The name of the map as written in the file. */
  map: string;
}

/** Reads rotations in any supported format. `extension` is in lower case, without the dot. @throws ImportRefusal */
export function readRotations(text: string, extension: string): Rotation[] {
  const form = extension === 'json' || extension === 'yml' || extension === 'yaml' ? extension : detectForm(text);
  if (form === 'json') return fromJson(text);
  return form === 'text' ? [fromText(text)] : fromYaml(text);
}

/** Detects the format of a file without a known extension. Text may look like JSON: a map may be called `[2v2] Keep`. */
function detectForm(text: string): 'json' | 'yaml' | 'text' {
  if (/^(pools|rotations):\s*$/m.test(text)) return 'yaml';
  try {
    return typeof parseLenientJson(text) === 'object' ? 'json' : 'text';
  } catch {
    return 'text';
  }
}

/**
 * One map per line. Lines that begin with # are included; the caller drops them as comments unless a map has that name.
 */
function fromText(text: string): Rotation {
  const entries = text.split(/\r\n|\n|\r/).map((map, index) => ({ place: `line ${index + 1}`, map }));
  return { entries: entries.filter(({ map }) => oneLine(map) !== ''), notes: [] };
}

/** Every scalar is text, because a map may be called 2014 or Yes; `<<` merges, as in Bukkit and PGM. */
function fromYaml(text: string): Rotation[] {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    merge: true,
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ImportRefusal(`is not YAML: ${oneLine(error.message)}`, `line ${line}, column ${col}`);
  }
  const value = expanded(() => document.toJS({ maxAliasCount: 100 }) as Value);
  const pools = yamlPools(value);
  return pools ? [ofPools(pools)] : plain(value);
}

function fromJson(text: string): Rotation[] {
  const value = parseLenientJson(text) as Value;
  const pools = jsonPools(value) ?? yamlPools(value);
  return pools ? [ofPools(pools)] : plain(value);
}

function expanded(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new ImportRefusal(`cannot be read: ${oneLine((error as Error).message)}`);
  }
}

/** First the maps of pools that the server activates by itself, then those chosen by hand; each map once. */
function ofPools(pools: Pool[]): Rotation {
  const entries = new Map<string, Entry>();
  for (const { name, maps } of inOrder(pools))
    for (const map of maps)
      if (!entries.has(oneLine(map).toLowerCase()))
        entries.set(oneLine(map).toLowerCase(), { place: `pool ${name}`, map });
  const off = pools
    .filter(({ enabled }) => !enabled)
    .map(({ name }) => ({ place: `pool ${name}`, note: 'is disabled and left out' }));
  const notes = pools.flatMap(({ name, notes }) => notes.map((note) => ({ place: `pool ${name}`, note })));
  return { entries: [...entries.values()], notes: [...off, ...notes] };
}

/** A list of names, `maps` with such a list, or a list for each server. */
function plain(value: Value): Rotation[] {
  const lists = record(value);
  const one = lists?.['maps'] ?? value;
  if (Array.isArray(one)) return [{ entries: listed(one, ''), notes: [] }];
  if (!lists || Object.keys(lists).length === 0 || !Object.values(lists).every(Array.isArray))
    throw new ImportRefusal(EXPECTED);
  return Object.entries(lists).map(([server, maps]) => ({
    server,
    entries: listed(maps as Value[], `${server}, `),
    notes: [],
  }));
}

const EXPECTED =
  'contains no rotation: expected a list of map names, PGM map pools, TGM rotations, or a list for each server';

function listed(values: Value[], before: string): Entry[] {
  return values.map((map, index) => {
    const place = `${before}entry ${index + 1}`;
    if (typeof map !== 'string' && typeof map !== 'number')
      throw new ImportRefusal(`is not the name of a map${adviceOn(map)}`, place);
    return { place, map: String(map) };
  });
}

/** YAML splits an unquoted map name at its colon into a key and a value; the message advises to quote it. */
function adviceOn(value: Value): string {
  const [[key, rest] = []] = Object.entries(record(value) ?? {});
  if (key === undefined || typeof rest !== 'string') return '';
  return `; a name that contains a colon must be quoted: "${fit(`${key}: ${rest}`, 64)}"`;
}
