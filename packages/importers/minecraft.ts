import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { InputError } from './finding.ts';
import { uuidOf } from '../text/text.ts';
import type { Event } from '../sender/event.ts';
import type { NetworkLookup } from './core.ts';
import { isFuture } from './clock-difference.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { readJson } from './minecraft/entries.ts';
import { foreignProgram } from './minecraft/foreign-folder.ts';
import { importBans } from './minecraft/import-bans.ts';
import { type Named, namedEvent, Names, readNamed } from './minecraft/names.ts';
import { type Counters, readStats } from './minecraft/stats.ts';
import { lastSeen, type Placed, readEach, type ImportRun } from './minecraft/import-run.ts';
import { walk } from './list-files.ts';
import { writtenAt } from './read-file.ts';
import { checkServerChoice, type ServerChoice } from './server-choice.ts';

/**
 * Imports the players of a Minecraft server's folder: names from usercache.json, bans from banned-players.json (of
 * the chosen server, or of the network), and counters from stats/*.json, which are stored but belong to no field group.
 */
export async function* importMinecraft(
  folder: string,
  network: NetworkLookup,
  choice: ServerChoice = {},
): AsyncGenerator<Finding> {
  await checkServerChoice(network, choice);
  const { files, skipped } = await walk(folder, (name) => name.endsWith('.json'));
  for (const { path, reason } of skipped) yield { file: path, place: '', note: reason };
  const work: ImportRun = { folder, network, names: new Names(), banned: new Names(), server: choice.server };
  const named = (name: string) => files.filter((file) => basename(file) === name);
  const [caches, bans] = [named('usercache.json'), named('banned-players.json')];
  const stats = files.filter((file) => basename(dirname(file)) === 'stats');
  if (caches.length + bans.length + stats.length === 0)
    throw new InputError(
      `${folder} ${(await foreignProgram(folder)) ?? 'has no usercache.json, banned-players.json or stats/UUID.json, also in the folders below it'}.`,
    );
  for (const file of caches) yield* importNames(file, work);
  yield* importBans(bans, work);
  for (const file of stats) yield* importStats(file, work);
}

async function* importNames(file: string, { folder, names, network }: ImportRun): AsyncGenerator<Finding> {
  const read: Placed<Named>[] = [];
  const path = join(folder, file);
  // A clock that was ahead leaves entries of the future.
  const latest = Math.min((await writtenAt(path)) || Infinity, network.now());
  const readPast = (value: unknown): Named => {
    const named = readNamed(value);
    return isFuture(named.seen, network.now()) ? { ...named, seen: latest } : named;
  };
  yield* readEach(file, path, readPast, read);
  for (const { entry } of read) names.add(entry);
  for (const { place, entry } of read.toSorted((a, b) => a.entry.seen - b.entry.seen))
    yield { file, place, event: namedEvent(entry) };
}

async function* importStats(file: string, work: ImportRun): AsyncGenerator<Finding> {
  try {
    const uuid = uuidOf(basename(file, '.json'));
    if (uuid === undefined) throw new ImportRefusal('is not named after a UUID');
    const path = join(work.folder, file);
    const counters = readStats(await readJson(path));
    const seen = await lastSeen(uuid, work);
    const time = seen?.seen ?? Math.min(await writtenAt(path), work.network.now());
    yield { file, place: '', event: statsEvent({ uuid, ...(seen && { name: seen.name }) }, time, counters) };
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
}

/**
 * The counters as an event. With a name it has the time at which the player was last seen under it. The file contains
 * no name and a copied file has a misleading date, so a later time could restore a former name.
 */
function statsEvent(player: { uuid: string; name?: string }, time: number, counters: Counters): Event {
  const content = hash('sha256', JSON.stringify([player.name, counters]), 'base64url').slice(0, 27);
  return {
    version: 1,
    id: `minecraft-stats:${player.uuid}:${content}`,
    type: 'player.statistics',
    time: new Date(time).toISOString(),
    data: { player, gamemode: 'vanilla', ...counters },
  };
}
