import type { Event } from '../../sender/event.ts';
import { oneLine } from '../../text/line.ts';
import { monthBefore } from './date.ts';
import { dateIn, entryOf, textIn, uuidIn } from './entries.ts';
import { ImportRefusal } from '../finding.ts';

/** The names of players by UUID, and the UUIDs by name; the newest entry wins. */
export class Names {
  #byUuid = new Map<string, Named>();
  #byName = new Map<string, { uuid: string; seen: number }>();

  add({ uuid, name, seen }: Named): void {
    if (seen >= (this.#byUuid.get(uuid)?.seen ?? 0)) this.#byUuid.set(uuid, { uuid, name, seen });
    if (seen >= (this.#byName.get(name.toLowerCase())?.seen ?? 0)) this.#byName.set(name.toLowerCase(), { uuid, seen });
  }

  named(uuid: string): Named | undefined {
    return this.#byUuid.get(uuid);
  }

  uuidOf(name: string): string | undefined {
    return this.#byName.get(name.toLowerCase())?.uuid;
  }
}

export interface Named {
  uuid: string;
  name: string;
  /** When the server saw the player under the name. */
  seen: number;
}

/** Reads an entry of usercache.json, which expires one month after the server saw the player. @throws ImportRefusal */
export function readNamed(value: unknown): Named {
  const entry = entryOf(value);
  const uuid = uuidIn(entry);
  const name = oneLine(textIn(entry, 'name'));
  if (name === '') throw new ImportRefusal('has no name', 'name');
  return { uuid, name, seen: monthBefore(dateIn(entry, 'expiresOn')) };
}

export function namedEvent({ uuid, name, seen }: Named): Event {
  const id = `minecraft-name:${uuid}:${name}:${seen.toString(36)}`.slice(0, 128);
  return { version: 1, id, type: 'player.named', time: new Date(seen).toISOString(), data: { player: { uuid, name } } };
}
