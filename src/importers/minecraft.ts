import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { uuidOf } from '#platform/text.ts';
import type { WireEvent } from '#events/schema.ts';
import type { NetworkLookup } from './network-lookup.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { readJson } from './minecraft/entries.ts';
import { importBans } from './minecraft/import-bans.ts';
import { type Named, namedEvent, Names, readNamed } from './minecraft/names.ts';
import { type Counters, readStats } from './minecraft/stats.ts';
import { lastSeen, type Placed, readEach, type ImportRun } from './minecraft/import-run.ts';
import { walk } from './list-files.ts';

/**
 * Imports the players of a Minecraft server's folder: names from usercache.json, bans from banned-players.json (of
 * `server`, or of the network), and counters from stats/*.json, which are stored but belong to no field group.
 */
export async function* importMinecraft(
  folder: string,
  network: NetworkLookup,
  server?: string,
): AsyncGenerator<Finding> {
  const { files, skipped } = await walk(folder, (name) => name.endsWith('.json'));
  for (const { path, reason } of skipped) yield { file: path, place: '', note: reason };
  const work: ImportRun = { folder, network, names: new Names(), banned: new Names(), server };
  const named = (name: string) => files.filter((file) => basename(file) === name);
  for (const file of named('usercache.json')) yield* importNames(file, work);
  yield* importBans(named('banned-players.json'), work);
  for (const file of files.filter((file) => basename(dirname(file)) === 'stats')) yield* importStats(file, work);
}

async function* importNames(file: string, { folder, names }: ImportRun): AsyncGenerator<Finding> {
  const read: Placed<Named>[] = [];
  yield* readEach(file, join(folder, file), readNamed, read);
  for (const { entry } of read) names.add(entry);
  for (const { place, entry } of read.toSorted((a, b) => a.entry.seen - b.entry.seen))
    yield { file, place, event: namedEvent(entry) };
}

async function* importStats(file: string, work: ImportRun): AsyncGenerator<Finding> {
  try {
    const uuid = uuidOf(basename(file, '.json'));
    if (uuid === undefined) throw new ImportRefusal('is not named after a UUID');
    const counters = readStats(await readJson(join(work.folder, file)));
    const player = await lastSeen(uuid, work);
    if (player === undefined)
      throw new ImportRefusal('no name is known for the UUID; add usercache.json to the folder');
    yield { file, place: '', event: statsEvent({ ...player, uuid }, counters) };
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
}

/**
 * The counters as an event at the time at which the player was last seen under the name. The file contains no name, and
 * a copied file has a misleading date: a later time would bring back a name that the player has given up.
 */
function statsEvent({ uuid, name, seen }: Named, counters: Counters): WireEvent {
  const content = hash('sha256', JSON.stringify(counters), 'base64url').slice(0, 27);
  const id = `minecraft-stats:${uuid}:${content}`;
  const time = new Date(seen).toISOString();
  const data = { player: { uuid, name }, gamemode: 'vanilla' as const, ...counters };
  return { version: 1, id, type: 'player.statistics', time, data };
}
