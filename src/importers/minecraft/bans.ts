import type { WireEvent } from '#records/events.ts';
import { Refused } from '../item.ts';
import { fit, oneLine } from '../text.ts';
import { dateIn, entryOf, textIn, uuidIn } from './entries.ts';

/** An entry of banned-players.json. */
export interface Ban {
  uuid: string;
  /** Empty where the entry has none. */
  name: string;
  created: number;
  expires: number | null;
  /** Who banned, by name; empty where it was no player. */
  source: string;
  reason: string;
}

/** What servers write in place of a player: the console, a plugin, or that they do not know. */
const NOBODY = new Set(['server', 'console', '(unknown)', 'unknown', 'rcon', '@', '']);

export function readBan(value: unknown): Ban {
  const entry = entryOf(value);
  const uuid = uuidIn(entry);
  const created = dateIn(entry, 'created');
  const forever = ['forever', ''].includes(textIn(entry, 'expires').trim().toLowerCase());
  const expires = forever ? null : dateIn(entry, 'expires');
  if (expires !== null && expires < created) throw new Refused('lies before the ban was created', 'expires');
  const source = oneLine(textIn(entry, 'source'));
  return {
    uuid,
    name: fit(textIn(entry, 'name'), 64),
    created,
    expires,
    source: NOBODY.has(source.toLowerCase()) ? '' : source,
    reason: fit(textIn(entry, 'reason'), 2_000),
  };
}

/** The ban as a punishment of the server that the file belongs to, or of the network. */
export function banEvent(
  ban: Ban,
  name: string,
  punisher: { uuid: string; name: string } | null,
  server?: string,
): WireEvent {
  const { uuid, created, expires, reason } = ban;
  const id = `minecraft-ban:${uuid}:${created.toString(36)}`;
  return {
    version: 1,
    id,
    type: 'punishment.issued',
    time: new Date(created).toISOString(),
    ...(server === undefined ? {} : { server }),
    data: {
      punishment: id,
      punished: { uuid, name },
      punisher,
      type: 'ban',
      reason,
      expires: expires === null ? null : new Date(expires).toISOString(),
    },
  };
}
