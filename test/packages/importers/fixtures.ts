import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { NetworkLookup } from '#importers/core.ts';
import type { Finding } from '#importers/finding.ts';
import { readEvent, type Event, type WireEvent } from '#events/schema/index.ts';
import { GAMEMODES } from '#store/game/statistics-groups.ts';

/** A temporary folder with files; disposing removes it. */
export async function folderOf(
  files: Record<string, string | Uint8Array>,
): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'scorehall-import-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export const NOW = Date.UTC(2026, 0, 31, 12);

/** The lookup of an empty network, except for the given answers. */
export function networkLookup(known: Partial<NetworkLookup> = {}): NetworkLookup {
  return {
    now: () => NOW,
    gamemodes: GAMEMODES,
    nameOf: async () => undefined,
    observationOf: async () => undefined,
    uuidNamed: async () => undefined,
    punishmentOf: async () => undefined,
    punishmentsOf: async () => new Map(),
    isPublished: async () => false,
    objectiveOf: async () => undefined,
    mapNames: async () => [],
    serverNames: async () => [],
    reportsItself: async () => false,
    rotationOf: async () => undefined,
    ...known,
  };
}

export interface Reported {
  events: Event[];
  refusals: string[];
  notes: string[];
  unchanged: string[];
}

/** Everything an importer yields; events as the ingest reads them, and lines of `file, place: what`. */
export async function reportAll(findings: AsyncIterable<Finding<WireEvent>>): Promise<Reported> {
  const received: Reported = { events: [], refusals: [], notes: [], unchanged: [] };
  for await (const item of findings) {
    const where = [item.file, item.place].filter((part) => part !== '').join(', ');
    if ('refusal' in item) received.refusals.push(`${where}: ${item.refusal}`);
    else if ('note' in item) received.notes.push(`${where}: ${item.note}`);
    else if ('unchanged' in item) received.unchanged.push(`${where}: ${item.unchanged}`);
    else if ('event' in item) {
      const read = readEvent(item.event);
      if ('event' in read) received.events.push(read.event);
      else received.refusals.push(...read.problems.map(({ reason }) => `${where}: ${reason}`));
    }
  }
  return received;
}
