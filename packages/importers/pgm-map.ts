import { hash } from 'node:crypto';
import { join, posix } from 'node:path';
import { InputError } from './finding.ts';
import type { Event } from '../sender/event.ts';
import type { NetworkLookup } from './core.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { type Author, describe, type Description } from './pgm/description.ts';
import { decodeXml } from './pgm/encoding.ts';
import { readImage } from './pgm/image.ts';
import { Includes, MAX_BYTES } from './pgm/includes.ts';
import { DEFAULT_VARIANT, preprocess, variantIds, type Notes } from './pgm/preprocess.ts';
import { Values } from './pgm/substitute.ts';
import { isNewer } from './pgm/versions.ts';
import { elementsOf, readXml, type XmlElement } from './pgm/xml.ts';
import { readBytes } from './read-file.ts';
import { walk } from './list-files.ts';

const MAX_VARIANTS = 100;

type MapData = Extract<Event, { type: 'map.published' }>['data'];

/** One map of a file: the map itself or a variant. */
interface Candidate {
  file: string;
  place: string;
  description: Description;
  /** Folders to search for map.png, nearest first. */
  folders: string[];
}

interface Reading {
  includes: Includes;
  network: NetworkLookup;
}

/**
 * Imports a folder of PGM maps as `map.published` events. A map is a folder with a map.xml, and each `<variant>` is a
 * separate map. Of several maps with one name the newest version wins, as in PGM, and of equal versions the first path.
 */
export async function* importPgmMaps(folder: string, network: NetworkLookup): AsyncGenerator<Finding> {
  const found = await walk(folder, (name) => name.endsWith('.xml') || name === 'map.png');
  for (const { path, reason } of found.skipped) yield { file: path, place: '', note: reason };
  if (!found.files.some(isMap)) throw new InputError(`${folder} has no map.xml, also in the folders below it.`);
  const includes = new Includes(
    folder,
    found.files.filter((file) => file.endsWith('.xml') && !isMap(file)),
  );
  const candidates: Candidate[] = [];
  for (const file of found.files.filter(isMap)) yield* readMapFile(folder, file, { includes, network }, candidates);
  const images = new Set(found.files.filter((file) => file.endsWith('.png')));
  const winners = chooseNewest(candidates);
  for (const candidate of candidates) {
    const winner = winners.get(candidate.description.name)!;
    if (winner === candidate) yield* publish(folder, candidate, images, network);
    else yield { file: candidate.file, place: candidate.place, refusal: supersededBy(candidate, winner) };
  }
}

function isMap(file: string): boolean {
  return posix.basename(file) === 'map.xml';
}

async function* readMapFile(
  folder: string,
  file: string,
  reading: Reading,
  candidates: Candidate[],
): AsyncGenerator<Finding> {
  const notes = new Map<string, Finding>();
  const note: Notes = (place, note) => notes.set(`${place}\n${note}`, { file, place, note });
  let refusal: Finding | undefined;
  try {
    const { text, note: encodingNote } = decodeXml(await readBytes(join(folder, file), MAX_BYTES));
    if (encodingNote !== undefined) note('', encodingNote);
    candidates.push(...(await readCandidates(readXml(text), file, reading, note)));
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    refusal = { file, place: error.place, refusal: error.message };
  }
  yield* notes.values();
  if (refusal) yield refusal;
}

async function readCandidates(
  root: XmlElement,
  file: string,
  { includes, network }: Reading,
  note: Notes,
): Promise<Candidate[]> {
  if (root.name !== 'map') throw new ImportRefusal(`is not a map: its root element is <${root.name}>, not <map>`);
  const folder = posix.dirname(file) === '.' ? '' : posix.dirname(file);
  const candidates: Candidate[] = [];
  const variants = [DEFAULT_VARIANT, ...variantIds(root)];
  if (variants.length > MAX_VARIANTS) throw new ImportRefusal(`has more than ${MAX_VARIANTS} variants`);
  for (const variant of variants) {
    const place = variant === DEFAULT_VARIANT ? '' : `variant ${variant}`;
    const values = new Values(await preprocess(root, variant, includes, folder, note), note);
    const element = elementsOf(root, 'variant').find(({ attributes }) => attributes.get('id') === variant);
    const world = element && values.attribute(element, 'world');
    const description = describe(values, variant, network.gamemodes);
    if (description.objective === '') note(place, 'has no <objective>; a stored objective is kept');
    candidates.push({
      file,
      place,
      description,
      folders: world === undefined ? [folder] : [posix.join(folder, world), folder],
    });
  }
  return candidates;
}

function chooseNewest(candidates: Candidate[]): Map<string, Candidate> {
  const winners = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { name, version } = candidate.description;
    const winner = winners.get(name);
    if (!winner || isNewer(version, winner.description.version)) winners.set(name, candidate);
  }
  return winners;
}

function supersededBy({ description: { name, version } }: Candidate, winner: Candidate): string {
  const other = winner.description.version;
  const why = isNewer(other, version) ? 'is newer' : 'comes first';
  return `"${name}" ${version} is superseded by ${other} in ${[winner.file, winner.place].filter(Boolean).join(', ')}, which ${why}`;
}

async function* publish(
  folder: string,
  candidate: Candidate,
  images: Set<string>,
  network: NetworkLookup,
): AsyncGenerator<Finding> {
  const { file, place, description, folders } = candidate;
  const { name, objective, authors } = description;
  const data: MapData = {
    ...description,
    objective: objective || ((await network.objectiveOf(name)) ?? ''),
    authors: await Promise.all(authors.map((author) => withCurrentName(author, network))),
    path: posix.dirname(file) === '.' ? '' : posix.dirname(file),
  };
  const image = folders.map((path) => posix.join(path, 'map.png')).find((path) => images.has(path));
  if (image !== undefined) yield* addImage(folder, image, data);
  const event = publishedEvent(data, network.now());
  yield { file, place, ...((await network.isPublished(event)) ? { unchanged: name } : { event }) };
}

async function* addImage(folder: string, image: string, data: MapData): AsyncGenerator<Finding> {
  try {
    data.image = await readImage(join(folder, image));
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file: image, place: '', note: `${error.message}; the map is imported without an image` };
  }
}

/** A known player gets the current name; other authors keep the name in the file. */
async function withCurrentName({ uuid, name, contribution }: Author, network: NetworkLookup): Promise<Author> {
  const current = uuid === '' ? undefined : await network.nameOf(uuid);
  return { name: current ?? name, uuid, contribution };
}

/** The id contains the time, so that returning to an earlier version publishes the map again. */
function publishedEvent(data: MapData, now: number): Event {
  const content = hash('sha256', JSON.stringify(data), 'base64url').slice(0, 27);
  const time = new Date(now).toISOString();
  return { version: 1, id: `pgm-map:${content}:${now.toString(36)}`, type: 'map.published', time, data };
}
