import type { NetworkLookup } from '../network-lookup.ts';
import { ImportRefusal, type Finding } from '../finding.ts';
import { readEntries } from './entries.ts';
import type { Named, Names } from './names.ts';

/** A run over the folder of a Minecraft server. */
export interface ImportRun {
  folder: string;
  facts: NetworkLookup;
  /** What usercache.json says, and what the bans say of those who are not in it. */
  names: Names;
  banned: Names;
  server: string | undefined;
}

/** Under which name a player was last seen, and when: by what the files say, and by what the network knows. */
export async function lastSeen(
  uuid: string,
  { names, banned, facts }: ImportRun,
): Promise<Omit<Named, 'uuid'> | undefined> {
  const raw = [names.named(uuid), await facts.observationOf(uuid), banned.named(uuid)];
  return raw.filter((one) => one !== undefined).toSorted((a, b) => b.seen - a.seen)[0];
}

export interface Placed<T> {
  place: string;
  entry: T;
}

/** Reads every entry of a file into a list; those that cannot be read are refused one by one. */
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
