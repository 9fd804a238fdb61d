import { hash } from 'node:crypto';
import type { WireEvent } from '#events/schema.ts';
import type { Ban } from './bans.ts';

/** The name that punishments have for the ban: who was banned, and when. */
export function referenceOf({ uuid, created }: Ban): string {
  return `minecraft-ban:${uuid}:${created.toString(36)}`;
}

/** The ban as a punishment of the server that the file belongs to, or of the network. */
export function banEvent(
  ban: Ban,
  name: string,
  punisher: { uuid: string; name: string } | null,
  server?: string,
): WireEvent {
  const { uuid, created, reason } = ban;
  const id = referenceOf(ban);
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
      expires: timestampOf(ban.expires),
    },
  };
}

/**
 * The ban as it stands in a file now. The id tells both what stands there and when it was written: a file says it once,
 * however often it is imported, and what is edited back and forth changes each time. Of two files the one that was
 * written later has the last word, since a change holds until a later one.
 */
export function changeEvent(ban: Ban, written: number, now: number, server?: string): WireEvent {
  const { created, reason } = ban;
  const data = { punishment: referenceOf(ban), reason, expires: timestampOf(ban.expires) };
  const content = hash('sha256', JSON.stringify(data), 'base64url').slice(0, 27);
  return {
    version: 1,
    id: `${data.punishment}:${content}:${written.toString(36)}`,
    type: 'punishment.changed',
    time: new Date(Math.max(created, Math.min(written, now))).toISOString(),
    ...(server === undefined ? {} : { server }),
    data,
  };
}

function timestampOf(expires: number | null): string | null {
  return expires === null ? null : new Date(expires).toISOString();
}
