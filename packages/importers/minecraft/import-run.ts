import type { NetworkLookup } from '../core.ts';
import { ImportRefusal, type Finding } from '../finding.ts';
import { readEntries } from './entries.ts';
import type { Named, Names } from './names.ts';

/** One import of the folder of a Minecraft server. */
export interface ImportRun {
  folder: string;
  network: NetworkLookup;
  /** Names from usercache.json. */
  names: Names;
  /** Names from the bans. */
  banned: Names;
  server: string | undefined;
}

/** The newest name of a player in the files and the network, and when the player was last seen under it. */
export async function lastSeen(
  uuid: string,
  { names, banned, network }: ImportRun,
): Promise<Omit<Named, 'uuid'> | undefined> {
  const observations = [names.named(uuid), await network.observationOf(uuid), banned.named(uuid)];
  return observations.filter((one) => one !== undefined).toSorted((a, b) => b.seen - a.seen)[0];
}

export interface Placed<T> {
  place: string;
  entry: T;
}

/** Reads every entry of a file into `into`; invalid entries are refused one by one. */
export async function* readEach<T>(
  file: string,
  path: string,
  read: (value: unknown) => T,
  into: Placed<T>[],
): AsyncGenerator<Finding> {
  let entries: unknown[] = [];
  try {
    entries = await readEntries(path);
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    yield { file, place: error.place, refusal: error.message };
  }
  for (const [index, value] of entries.entries()) {
    const place = `entry ${index + 1}`;
    try {
      into.push({ place, entry: read(value) });
    } catch (error) {
      if (!(error instanceof ImportRefusal)) throw error;
      yield { file, place: [place, error.place].filter(Boolean).join(', '), refusal: error.message };
    }
  }
}
