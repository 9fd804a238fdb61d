import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { uuidOf } from '#base/text.ts';
import type { WireEvent } from '#records/events.ts';
import type { Facts } from './facts.ts';
import { Refused, type Item } from './item.ts';
import { type Ban, banEvent, readBan } from './minecraft/bans.ts';
import { readEntries, readJson } from './minecraft/entries.ts';
import { type Named, namedEvent, Names, readNamed } from './minecraft/names.ts';
import { type Counters, readStats } from './minecraft/stats.ts';
import { walk } from './walk.ts';

interface Work {
  folder: string;
  facts: Facts;
  /** What usercache.json says, and what the bans say of those who are not in it. */
  names: Names;
  banned: Names;
  server: string | undefined;
}

/**
 * What a Minecraft server's folder knows of players: names of usercache.json, bans of banned-players.json (as of
 * `server`, where it is given), and the counters of stats/*.json, which are kept but stand outside all field groups.
 */
export async function* importMinecraft(folder: string, facts: Facts, server?: string): AsyncGenerator<Item> {
  const { files, passed } = await walk(folder, (name) => name.endsWith('.json'));
  for (const { path, reason } of passed) yield { file: path, place: '', note: reason };
  const work: Work = { folder, facts, names: new Names(), banned: new Names(), server };
  const named = (name: string) => files.filter((file) => basename(file) === name);
  for (const file of named('usercache.json')) yield* importNames(file, work);
  for (const file of named('banned-players.json')) yield* importBans(file, work);
  for (const file of files.filter((file) => basename(dirname(file)) === 'stats')) yield* importStats(file, work);
}

async function* importNames(file: string, { folder, names }: Work): AsyncGenerator<Item> {
  const read: Placed<Named>[] = [];
  yield* readEach(file, join(folder, file), readNamed, read);
  for (const { entry } of read) names.add(entry);
  for (const { place, entry } of read.toSorted((a, b) => a.entry.seen - b.entry.seen))
    yield { file, place, event: namedEvent(entry) };
}

async function* importBans(file: string, work: Work): AsyncGenerator<Item> {
  const read: Placed<Ban>[] = [];
  yield* readEach(file, join(work.folder, file), readBan, read);
  for (const { entry } of read) if (entry.name !== '') work.banned.add({ ...entry, seen: entry.created });
  for (const { place, entry } of read.toSorted((a, b) => a.entry.created - b.entry.created))
    yield* ban(file, place, entry, work);
}

async function* ban(file: string, place: string, entry: Ban, { names, facts, server }: Work): AsyncGenerator<Item> {
  const name = entry.name || (names.nameOf(entry.uuid) ?? (await facts.nameOf(entry.uuid)));
  if (name === undefined)
    return yield { file, place: `${place}, name`, refusal: 'is empty, and no name is known for the UUID' };
  const uuid = entry.source === '' ? undefined : (names.uuidOf(entry.source) ?? (await facts.uuidNamed(entry.source)));
  if (entry.source !== '' && uuid === undefined)
    yield {
      file,
      place: `${place}, source`,
      note: `"${entry.source}" has no known UUID; the ban is taken without a punisher`,
    };
  const punisher = uuid === undefined ? null : { uuid, name: entry.source };
  yield { file, place, event: banEvent(entry, name, punisher, server) };
}

async function* importStats(file: string, { folder, names, banned, facts }: Work): AsyncGenerator<Item> {
  try {
    const uuid = uuidOf(basename(file, '.json'));
    if (uuid === undefined) throw new Refused('is not named by a UUID');
    const counters = readStats(await readJson(join(folder, file)));
    const name = names.nameOf(uuid) ?? (await facts.nameOf(uuid)) ?? banned.nameOf(uuid);
    if (name === undefined) throw new Refused('no name is known for the UUID; put usercache.json beside it');
    const written = (await stat(join(folder, file))).mtimeMs;
    yield { file, place: '', event: statsEvent({ uuid, name }, counters, Math.min(written, facts.now())) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
}

function statsEvent(player: { uuid: string; name: string }, counters: Counters, written: number): WireEvent {
  const content = hash('sha256', JSON.stringify(counters), 'base64url').slice(0, 27);
  const id = `minecraft-stats:${player.uuid}:${content}`;
  const time = new Date(written).toISOString();
  return { version: 1, id, type: 'player.statistics', time, data: { player, gamemode: 'vanilla', ...counters } };
}

interface Placed<T> {
  place: string;
  entry: T;
}

/** Reads every entry of a file into a list; those that cannot be read are refused one by one. */
async function* readEach<T>(
  file: string,
  path: string,
  read: (value: unknown) => T,
  into: Placed<T>[],
): AsyncGenerator<Item> {
  let entries: unknown[] = [];
  try {
    entries = await readEntries(path);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
  for (const [index, value] of entries.entries()) {
    const place = `entry ${index + 1}`;
    try {
      into.push({ place, entry: read(value) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      yield { file, place: [place, error.place].filter(Boolean).join(', '), refusal: error.message };
    }
  }
}
