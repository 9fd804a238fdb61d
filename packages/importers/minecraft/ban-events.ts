import { hash } from 'node:crypto';
import type { Event } from '../../sender/event.ts';
import type { Ban } from './bans.ts';

/** The reference of the punishment, made of the banned player and the time of the ban. */
export function referenceOf({ uuid, created }: Ban): string {
  return `minecraft-ban:${uuid}:${created.toString(36)}`;
}

/** The event that issues the ban, on `server` or on the network. */
export function banEvent(
  ban: Ban,
  name: string,
  punisher: { uuid: string; name: string } | null,
  server?: string,
): Event {
  const { uuid, issued, reason } = ban;
  const id = referenceOf(ban);
  return {
    version: 1,
    id,
    type: 'punishment.issued',
    time: new Date(issued).toISOString(),
    ...(server === undefined ? {} : { server }),
    data: {
      punishment: id,
      punished: { uuid, name },
      punisher,
      type: 'ban',
      reason,
      expires: toTimestamp(ban.expires),
    },
  };
}

/**
 * The event that changes a known ban. Its id contains the content and the modification time of the file (`written`):
 * importing a file again changes nothing, but editing it back and forth changes the ban each time. The event has the time
 * of the file, so of two files the later one wins.
 */
export function changeEvent(ban: Ban, written: number, now: number, server?: string): Event {
  const { issued, reason } = ban;
  const data = { punishment: referenceOf(ban), reason, expires: toTimestamp(ban.expires) };
  const content = hash('sha256', JSON.stringify(data), 'base64url').slice(0, 27);
  return {
    version: 1,
    id: `${data.punishment}:${content}:${written.toString(36)}`,
    type: 'punishment.changed',
    time: new Date(Math.max(issued, Math.min(written, now))).toISOString(),
    ...(server === undefined ? {} : { server }),
    data,
  };
}

function toTimestamp(expires: number | null): string | null {
  return expires === null ? null : new Date(expires).toISOString();
}
