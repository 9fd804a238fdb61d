import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { UsageError } from '#base/errors.ts';
import { nameKey } from '#base/text.ts';
import type { WireEvent } from '#records/events.ts';
import type { Facts } from './facts.ts';
import { Refused, type Item } from './item.ts';
import { readText, reasonOf } from './read-file.ts';
import { readRotations, type Entry, type Rotation } from './rotation/formats.ts';
import { oneLine } from './text.ts';
import { walk } from './walk.ts';

const MAX_BYTES = 5_000_000;
const EXTENSIONS = new Set(['.txt', '.yml', '.yaml', '.json']);

/**
 * What servers play, a `rotation.changed` event each. A file says it for the server of its name, unless `server` or the
 * file itself names another. Names match known maps whatever their case and blanks, and are written as the map is
 * called; a name that matches none stays as it is.
 */
export async function* importRotations(path: string, facts: Facts, server?: string): AsyncGenerator<Item> {
  const files = await filesOf(path);
  if (server !== undefined && files.length > 1)
    throw new UsageError(`--server names one server, but ${path} holds ${files.length} files.`);
  const names = namesByKey(await facts.mapNames());
  for (const { path, file } of files)
    try {
      const rotations = readRotations(await readText(path, MAX_BYTES), extname(file).slice(1).toLowerCase());
      if (server !== undefined && rotations.length > 1)
        throw new Refused(`is for ${rotations.length} servers; import it without --server`);
      for (const rotation of rotations)
        yield* change(file, server ?? rotation.server ?? serverOf(file), rotation, names, facts);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      yield { file, place: error.place, refusal: error.message };
    }
}

async function filesOf(path: string): Promise<{ path: string; file: string }[]> {
  if (!(await isFolder(path))) return [{ path, file: basename(path) }];
  const { files } = await walk(path, (name) => EXTENSIONS.has(extname(name).toLowerCase()));
  return files.map((file) => ({ path: join(path, file), file }));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new UsageError(`${path} ${reasonOf(error)}.`);
  }
}

function serverOf(file: string): string {
  return basename(file, extname(file));
}

async function* change(
  file: string,
  server: string,
  rotation: Rotation,
  names: Map<string, string>,
  facts: Facts,
): AsyncGenerator<Item> {
  for (const { place, note } of rotation.notes) yield { file, place, note };
  const maps: string[] = [];
  for (const entry of rotation.entries) {
    const known = names.get(keyOf(entry.map));
    if (known === undefined && isComment(entry)) continue;
    if (known === undefined)
      yield { file, place: entry.place, note: `"${oneLine(entry.map)}" is no map that is known; it stays as it is` };
    maps.push(known ?? oneLine(entry.map));
  }
  if (maps.length === 0) throw new Refused(`holds no map for server "${server}"; its rotation stays`);
  const present = await facts.rotationOf(server);
  if (present === undefined) yield { file, place: '', note: `server "${server}" is new` };
  if (JSON.stringify(present) === JSON.stringify(maps)) yield { file, place: '', unchanged: server };
  else yield { file, place: '', event: changed(server, maps, facts.now()) };
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
