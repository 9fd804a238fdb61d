import { hash, randomUUID } from 'node:crypto';
import type { Event } from '../sender/event.ts';
import type { OnlinePlayer } from './core.ts';
import type { Ban } from './messages.ts';

/**
 * The events of a managed server. Their ids are random, because an event and the state after it are committed in one
 * transaction, so that none is repeated.
 */

export function sessionEvent(
  type: 'player.login' | 'player.logout',
  server: string,
  time: number,
  { uuid, name }: OnlinePlayer,
): Event {
  return { ...envelope(server, time), type, data: { player: { uuid, name } } };
}

const REFERENCE = 'managed-ban:';

export const newReference = (): string => `${REFERENCE}${randomUUID()}`;

/** Whether a management connection issued the ban of a reference. */
export const isOwnReference = (reference: string): boolean => reference.startsWith(REFERENCE);

export function isAboutOwnBan({ data }: Event): boolean {
  return 'punishment' in data && isOwnReference(data.punishment ?? '');
}

export function bannedEvent(
  server: string,
  time: number,
  reference: string,
  { uuid, name, reason, expires }: Ban,
  punisher: OnlinePlayer | null,
): Event {
  const data = { punishment: reference, punished: { uuid, name }, punisher, type: 'ban', reason };
  return { ...envelope(server, time), type: 'punishment.issued', data: { ...data, expires: toTimestamp(expires) } };
}

export function banChangedEvent(server: string, time: number, punishment: string, { reason, expires }: Ban): Event {
  return {
    ...envelope(server, time),
    type: 'punishment.changed',
    data: { punishment, reason, expires: toTimestamp(expires) },
  };
}

export function unbannedEvent(server: string, time: number, punishment: string): Event {
  return { ...envelope(server, time), type: 'punishment.revoked', data: { punishment } };
}

/** A heartbeat with all players online. The prefix of its id distinguishes it from the server's own heartbeats. */
export function presenceEvent(prefix: string, server: string, time: number, players: readonly OnlinePlayer[]): Event {
  const names = players.map(({ name }) => name);
  const data = { current: names.length, players: names };
  return { ...envelope(server, time), id: `${prefix}${randomUUID()}`, type: 'server.presence', data };
}

/** Detects a changed ban without storing its text. */
export function contentOf({ reason, expires }: Ban): string {
  return hash('sha256', JSON.stringify([reason, expires]), 'base64url').slice(0, 27);
}

function envelope(server: string, time: number) {
  return { version: 1, id: `managed ${randomUUID()}`, time: toTimestamp(time)!, server } as const;
}

const toTimestamp = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
