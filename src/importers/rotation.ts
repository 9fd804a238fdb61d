import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { UsageError } from '#platform/errors.ts';
import { nameKey } from '#platform/text.ts';
import type { WireEvent } from '#events/schema.ts';
import type { NetworkLookup } from './network-lookup.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { readText, reasonOf, Unreadable } from './read-file.ts';
import { readRotations, type Entry, type Rotation } from './rotation/formats.ts';
import { oneLine } from './text.ts';
import { type Found, walk } from './list-files.ts';

const MAX_BYTES = 5_000_000;
const EXTENSIONS = new Set(['.txt', '.yml', '.yaml', '.json']);

interface Work {
  facts: NetworkLookup;
  server: string | undefined;
  /** Known maps by what is compared of their names. */
  names: ReadonlyMap<string, string>;
  /** Which file has said what a server plays, by the key of its name. */
  said: Map<string, string>;
}

interface Source {
  path: string;
  file: string;
  /** Whether the file itself is what was named, not the folder that it is in. */
  named: boolean;
}

/**
 * What servers play, a `rotation.changed` event each. A file says it for the server of its name, unless `server` or the
 * file itself names another. Names match known maps whatever their case and blanks, and are written as the map is
 * called; a name that matches none stays as it is. Of several files for one server the first by path is taken.
 */
export async function* importRotations(path: string, facts: NetworkLookup, server?: string): AsyncGenerator<Finding> {
  const { files, passed } = await filesOf(path);
  if (server !== undefined && files.length > 1)
    throw new UsageError(`--server names one server, but ${path} holds ${files.length} files.`);
  for (const { path, reason } of passed) yield { file: path, place: '', note: reason };
  const work: Work = { facts, server, names: namesByKey(await facts.mapNames()), said: new Map() };
  for (const file of files) yield* importFile(file, work);
}

async function filesOf(path: string): Promise<{ files: Source[]; passed: Found['passed'] }> {
  if (!(await isFolder(path))) return { files: [{ path, file: basename(path), named: true }], passed: [] };
  const { files, passed } = await walk(path, (name) => EXTENSIONS.has(extname(name).toLowerCase()));
  return { files: files.map((file) => ({ path: join(path, file), file, named: false })), passed };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new UsageError(`${path} ${reasonOf(error)}.`);
  }
}

async function* importFile({ path, file, named }: Source, work: Work): AsyncGenerator<Finding> {
  try {
    const rotations = readRotations(await readText(path, MAX_BYTES), extname(file).slice(1).toLowerCase());
    if (work.server !== undefined && rotations.length > 1)
      throw new ImportRefusal(`is for ${rotations.length} servers; import it without --server`);
    for (const rotation of rotations) yield* change(file, rotation, work);
  } catch (error) {
    if (named && error instanceof Unreadable) throw new UsageError(`${path} ${error.message}.`);
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
}

async function* change(file: string, rotation: Rotation, work: Work): AsyncGenerator<Finding> {
  const { facts, said: received } = work;
  const server = work.server ?? oneLine(rotation.server ?? basename(file, extname(file)));
  const before = received.get(nameKey(server));
  if (before !== undefined)
    return yield { file, place: '', refusal: `is for server "${server}", whose rotation ${before} says already` };
  for (const { place, note } of rotation.notes) yield { file, place, note };
  const maps = yield* mapsOf(file, rotation.entries, work);
  if (maps.length === 0)
    return yield { file, place: '', refusal: `holds no map for server "${server}"; its rotation stays` };
  received.set(nameKey(server), file);
  const present = await facts.rotationOf(server);
  if (present === undefined) yield { file, place: '', note: `server "${server}" is new` };
  if (JSON.stringify(present) === JSON.stringify(maps)) yield { file, place: '', unchanged: server };
  else yield { file, place: '', event: changed(server, maps, facts.now()) };
}

function* mapsOf(file: string, entries: readonly Entry[], { names }: Work): Generator<Finding, string[]> {
  const maps: string[] = [];
  for (const entry of entries) {
    const known = names.get(keyOf(entry.map));
    if (known === undefined && isComment(entry)) continue;
    if (known === undefined)
      yield { file, place: entry.place, note: `"${oneLine(entry.map)}" is no map that is known; it stays as it is` };
    maps.push(known ?? oneLine(entry.map));
  }
  return maps;
}

function isComment({ place, map }: Entry): boolean {
  return place.startsWith('line ') && map.trimStart().startsWith('#');
}

/** The moment is a part of the id: a server that goes back to what it once played changes once more. */
function changed(server: string, maps: string[], now: number): WireEvent {
  const content = hash('sha256', JSON.stringify([server, maps]), 'base64url').slice(0, 27);
  const time = new Date(now).toISOString();
  return {
    version: 1,
    id: `rotation:${content}:${now.toString(36)}`,
    type: 'rotation.changed',
    time,
    server,
    data: { maps },
  };
}

/** Maps by what is compared of their names; of names that differ in case only, the first. */
function namesByKey(names: string[]): Map<string, string> {
  return new Map(names.toReversed().map((name) => [keyOf(name), name]));
}

export function keyOf(name: string): string {
  return nameKey(oneLine(name));
}
