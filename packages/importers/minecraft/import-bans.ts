import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { writtenAt } from '../read-file.ts';
import { banEvent, changeEvent, referenceOf } from './ban-events.ts';
import { type Ban, readBan } from './bans.ts';
import { lastSeen, type Placed, readEach, type ImportRun } from './import-run.ts';

/** An entry of banned-players.json with the modification time of its file. */
interface FoundBan extends Placed<Ban> {
  file: string;
  written: number;
}

/** Imports the bans of all banned-players.json files of a folder, oldest first. */
export async function* importBans(files: readonly string[], work: ImportRun): AsyncGenerator<Finding> {
  const found: FoundBan[] = [];
  for (const file of files) {
    const path = join(work.folder, file);
    const read: Placed<Ban>[] = [];
    const [written, now] = [await writtenAt(path), work.network.now()];
    yield* readEach(file, path, (value) => readBan(value, { written: written || now, now }), read);
    for (const { place, entry } of read) found.push({ file, place, entry, written });
  }
  for (const { entry } of found) if (entry.name !== '') work.banned.add({ ...entry, seen: entry.issued });
  const winners = chooseBans(found);
  for (const one of found.toSorted((a, b) => a.entry.issued - b.entry.issued)) {
    const winner = winners.get(referenceOf(one.entry))!;
    yield* winner === one ? importBan(one, work) : superseded(one, winner);
  }
}

/** Of several entries for one ban the last one in the newest file wins; the server too uses the last entry of a file. */
function chooseBans(found: readonly FoundBan[]): Map<string, FoundBan> {
  const winners = new Map<string, FoundBan>();
  for (const one of found) {
    const reference = referenceOf(one.entry);
    if (one.written >= (winners.get(reference)?.written ?? 0)) winners.set(reference, one);
  }
  return winners;
}

function* superseded({ file, place, entry }: FoundBan, winner: FoundBan): Generator<Finding> {
  if (isSame(entry, winner.entry)) yield { file, place, unchanged: entry.uuid };
  else
    yield {
      file,
      place,
      refusal: `is the same ban as ${winner.file}, ${winner.place}, but with another expiry or reason`,
    };
}

/** Issues a new ban, or changes the reason and expiry of a known one. The players of a known ban never change. */
async function* importBan({ file, place, entry, written }: FoundBan, work: ImportRun): AsyncGenerator<Finding> {
  const { network, server } = work;
  for (const { place: part, note } of entry.notes) yield { file, place: `${place}, ${part}`, note };
  const known = await network.punishmentOf(referenceOf(entry), server);
  if (known === undefined) yield* newBan(file, place, entry, work);
  else if (isSame(entry, known)) yield { file, place, unchanged: entry.uuid };
  else yield { file, place, event: changeEvent(entry, written, network.now(), server) };
}

function isSame(a: Pick<Ban, 'reason' | 'expires'>, b: Pick<Ban, 'reason' | 'expires'>): boolean {
  return a.reason === b.reason && a.expires === b.expires;
}

async function* newBan(file: string, place: string, entry: Ban, work: ImportRun): AsyncGenerator<Finding> {
  const { names, network, server } = work;
  const name = entry.name || (await lastSeen(entry.uuid, work))?.name;
  if (name === undefined)
    return yield { file, place: `${place}, name`, refusal: 'is empty, and no name is known for the UUID' };
  const uuid =
    entry.source === '' ? undefined : (names.uuidOf(entry.source) ?? (await network.uuidNamed(entry.source)));
  if (entry.source !== '' && uuid === undefined)
    yield {
      file,
      place: `${place}, source`,
      note: `"${entry.source}" has no known UUID; the ban is imported without a punisher`,
    };
  const punisher = uuid === undefined ? null : { uuid, name: entry.source };
  yield { file, place, event: banEvent(entry, name, punisher, server) };
}
