import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { writtenAt } from '../read-file.ts';
import { banEvent, changeEvent, referenceOf } from './ban-events.ts';
import { type Ban, readBan } from './bans.ts';
import { lastSeen, type Placed, readEach, type ImportRun } from './import-run.ts';

/** An entry of banned-players.json, and when its file was written. */
interface FoundBan extends Placed<Ban> {
  file: string;
  written: number;
}

/** The bans of all banned-players.json of a folder, the oldest first. */
export async function* importBans(files: readonly string[], work: ImportRun): AsyncGenerator<Finding> {
  const found: FoundBan[] = [];
  for (const file of files) {
    const path = join(work.folder, file);
    const read: Placed<Ban>[] = [];
    yield* readEach(file, path, readBan, read);
    const written = await writtenAt(path);
    for (const { place, entry } of read) found.push({ file, place, entry, written });
  }
  for (const { entry } of found) if (entry.name !== '') work.banned.add({ ...entry, seen: entry.created });
  const winners = winnersOf(found);
  for (const one of found.toSorted((a, b) => a.entry.created - b.entry.created)) {
    const winner = winners.get(referenceOf(one.entry))!;
    yield* winner === one ? importBan(one, work) : lost(one, winner);
  }
}

/** Of several entries for one ban the one in the newest file holds, and the last in it, as the server reads it. */
function winnersOf(found: readonly FoundBan[]): Map<string, FoundBan> {
  const winners = new Map<string, FoundBan>();
  for (const one of found) {
    const reference = referenceOf(one.entry);
    if (one.written >= (winners.get(reference)?.written ?? 0)) winners.set(reference, one);
  }
  return winners;
}

function* lost({ file, place, entry }: FoundBan, winner: FoundBan): Generator<Finding> {
  if (isSame(entry, winner.entry)) yield { file, place, unchanged: entry.uuid };
  else yield { file, place, refusal: `is the ban of ${winner.file}, ${winner.place}, with another end or reason` };
}

/** A ban that is known already is changed where the file has come to say otherwise; who banned whom stays. */
async function* importBan({ file, place, entry, written }: FoundBan, work: ImportRun): AsyncGenerator<Finding> {
  const { facts, server } = work;
  for (const { place: part, note } of entry.notes) yield { file, place: `${place}, ${part}`, note };
  const known = await facts.punishmentOf(referenceOf(entry), server);
  if (known === undefined) yield* newBan(file, place, entry, work);
  else if (isSame(entry, known)) yield { file, place, unchanged: entry.uuid };
  else yield { file, place, event: changeEvent(entry, written, facts.now(), server) };
}

function isSame(a: Pick<Ban, 'reason' | 'expires'>, b: Pick<Ban, 'reason' | 'expires'>): boolean {
  return a.reason === b.reason && a.expires === b.expires;
}

async function* newBan(file: string, place: string, entry: Ban, work: ImportRun): AsyncGenerator<Finding> {
  const { names, facts, server } = work;
  const name = entry.name || (await lastSeen(entry.uuid, work))?.name;
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
