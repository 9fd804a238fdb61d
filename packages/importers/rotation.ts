import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { reasonOf } from '../text/file-problem.ts';
import { InputError } from './finding.ts';
import { nameKey } from '../text/text.ts';
import type { Event } from '../sender/event.ts';
import type { NetworkLookup } from './core.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { readText, Unreadable } from './read-file.ts';
import { readRotations, type Entry, type Rotation } from './rotation/formats.ts';
import { checkServerChoice, serverProblem, type ServerChoice } from './server-choice.ts';
import { oneLine } from '../text/line.ts';
import { type Found, walk } from './list-files.ts';

const MAX_BYTES = 5_000_000;
const EXTENSIONS = new Set(['.txt', '.yml', '.yaml', '.json']);

interface Work {
  network: NetworkLookup;
  choice: ServerChoice;
  /** The names of known maps by their comparison key (`keyOf`). */
  names: ReadonlyMap<string, string>;
  /** The file of each server's rotation, by the key of the server's name. */
  importedFrom: Map<string, string>;
}

interface Source {
  path: string;
  file: string;
  /** Whether the operator named this file, not its folder. */
  named: boolean;
}

/**
 * Imports rotations of servers as `rotation.changed` events. A file is for the server given by `server`, else for the
 * one named in the file, else for the one with the name of the file. Map names are matched with known maps regardless
 * of case and spacing; an unknown name stays as written. Of several files for one server the first by path wins. A
 * server must be known, unless the operator asks for new ones.
 */
export async function* importRotations(
  path: string,
  network: NetworkLookup,
  choice: ServerChoice = {},
): AsyncGenerator<Finding> {
  await checkServerChoice(network, choice);
  const { files, skipped } = await findFiles(path);
  if (choice.server !== undefined && files.length > 1)
    throw new InputError(`--server names one server, but ${path} contains ${files.length} files.`);
  for (const { path, reason } of skipped) yield { file: path, place: '', note: reason };
  const work: Work = { network, choice, names: namesByKey(await network.mapNames()), importedFrom: new Map() };
  for (const file of files) yield* importFile(file, work);
}

async function findFiles(path: string): Promise<{ files: Source[]; skipped: Found['skipped'] }> {
  if (!(await isFolder(path))) return { files: [{ path, file: basename(path), named: true }], skipped: [] };
  const { files, skipped } = await walk(path, (name) => EXTENSIONS.has(extname(name).toLowerCase()));
  return { files: files.map((file) => ({ path: join(path, file), file, named: false })), skipped };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new InputError(`${path} ${reasonOf(error)}.`);
  }
}

async function* importFile({ path, file, named }: Source, work: Work): AsyncGenerator<Finding> {
  try {
    const rotations = readRotations(await readText(path, MAX_BYTES), extname(file).slice(1).toLowerCase());
    if (work.choice.server !== undefined && rotations.length > 1)
      throw new ImportRefusal(`is for ${rotations.length} servers; import it without --server`);
    for (const rotation of rotations) yield* change(file, rotation, work);
  } catch (error) {
    if (named && error instanceof Unreadable) throw new InputError(`${path} ${error.message}.`);
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
}

async function* change(file: string, rotation: Rotation, work: Work): AsyncGenerator<Finding> {
  const { network, choice, importedFrom } = work;
  const server = choice.server ?? oneLine(rotation.server ?? basename(file, extname(file)));
  const earlier = importedFrom.get(nameKey(server));
  if (earlier !== undefined)
    return yield {
      file,
      place: '',
      refusal: `is for server "${server}", whose rotation already comes from ${earlier}`,
    };
  const problem = await serverProblem(server, network, choice);
  if (problem !== undefined) return yield { file, place: '', refusal: problem };
  for (const { place, note } of rotation.notes) yield { file, place, note };
  const maps = yield* matchMaps(file, rotation.entries, work);
  if (maps.length === 0)
    return yield { file, place: '', refusal: `contains no map for server "${server}"; its rotation is unchanged` };
  importedFrom.set(nameKey(server), file);
  const current = await network.rotationOf(server);
  if (current === undefined) yield { file, place: '', note: `server "${server}" is new` };
  if (JSON.stringify(current) === JSON.stringify(maps)) yield { file, place: '', unchanged: server };
  else yield { file, place: '', event: changedEvent(server, maps, network.now()) };
}

function* matchMaps(file: string, entries: readonly Entry[], { names }: Work): Generator<Finding, string[]> {
  const maps: string[] = [];
  for (const entry of entries) {
    const known = names.get(keyOf(entry.map));
    if (known === undefined && isComment(entry)) continue;
    if (known === undefined)
      yield {
        file,
        place: entry.place,
        note: `"${oneLine(entry.map)}" is not a known map; it stays in the rotation as written`,
      };
    maps.push(known ?? oneLine(entry.map));
  }
  return maps;
}

function isComment({ place, map }: Entry): boolean {
  return place.startsWith('line ') && map.trimStart().startsWith('#');
}

/** The id contains the time, so that returning to an earlier rotation is another change. */
function changedEvent(server: string, maps: string[], now: number): Event {
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

/** Map names by their comparison key; of names that differ only in case, the first wins. */
function namesByKey(names: string[]): Map<string, string> {
  return new Map(names.toReversed().map((name) => [keyOf(name), name]));
}

/** The key for comparing map names, independent of case and spacing. */
export function keyOf(name: string): string {
  return nameKey(oneLine(name));
}
