import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { newTotpSecret } from '#platform/crypto/totp.ts';
import { sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { type Account, createAccount } from '#store/accounts/accounts.ts';
import {
  type Application,
  applicationByClientId,
  createApplication,
  type NewApplication,
  setLimit,
} from '#store/applications/applications.ts';
import type { Event, WireEvent } from '#events/schema/index.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { Sender } from '#events/ledger/receipts.ts';
import { createServerKey, listServerKeys } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { setTotp } from '#store/accounts/totp.ts';
import { issueClientToken } from '#store/applications/tokens.ts';

type EventType = Event['type'];
type WireOf<T extends EventType> = Extract<WireEvent, { type: T }>;
type DataOf<T extends EventType> = WireOf<T>['data'];
type Envelope = Partial<Pick<WireEvent, 'id' | 'time' | 'server' | 'receipt'>>;

const HOUR_MS = 3_600_000;

/** The initial time of a `TestClock`. */
export const BEGINNING = '2026-03-01T12:00:00.000Z';

/** The timestamp `ms` milliseconds after another, in the format of events. */
export const after = (ms: number, timestamp = BEGINNING): string => new Date(Date.parse(timestamp) + ms).toISOString();

/** A player with a UUID derived from the number. */
export function person(number: number, name = `Player${number}`): { uuid: string; name: string } {
  return { uuid: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`, name };
}

let events = 0;

/** An event with a unique id, at the start time of test clocks. */
export function event<T extends EventType>(type: T, data: DataOf<T>, envelope: Envelope = {}): WireEvent {
  return { version: 1, id: `event-${++events}`, type, time: BEGINNING, ...envelope, data } as WireEvent;
}

export const configured = (server: string, data: Partial<DataOf<'server.configured'>> = {}): WireEvent =>
  event('server.configured', { region: 'eu', ...data }, { server });

export const presence = (
  server: string,
  data: Partial<DataOf<'server.presence'>> = {},
  envelope: Envelope = {},
): WireEvent => event('server.presence', { current: 0, players: [], ...data }, { server, ...envelope });

export const login = (server: string, player: { uuid: string; name: string }, envelope: Envelope = {}): WireEvent =>
  event('player.login', { player }, { server, ...envelope });

export const logout = (server: string, player: { uuid: string; name: string }, envelope: Envelope = {}): WireEvent =>
  event('player.logout', { player }, { server, ...envelope });

/** A match on `Alpha` that finishes before the start time of test clocks, by default without players. */
export const match = (data: Partial<DataOf<'match.finished'>> = {}, envelope: Envelope = {}): WireEvent =>
  event(
    'match.finished',
    { map: 'Twin Peaks', gamemode: 'tdm', started: after(-600_000), finished: BEGINNING, teams: [], ...data },
    { server: 'Alpha', ...envelope },
  );

/** The match that `Alpha` plays, begun ten minutes before. */
export const progress = (data: Partial<DataOf<'match.progress'>> = {}, envelope: Envelope = {}): WireEvent =>
  event(
    'match.progress',
    { map: 'Twin Peaks', gamemode: 'ctw', started: after(-600_000), ...data },
    { server: 'Alpha', ...envelope },
  );

type PlayedBy = DataOf<'match.finished'>['teams'][number]['players'][number];

/** A team of a match; players are numbers of `person`, or their results. */
export function team(name: string, ...players: (number | PlayedBy)[]): DataOf<'match.finished'>['teams'][number] {
  return { name, players: players.map((player) => (typeof player === 'number' ? person(player) : player)) };
}

export const map = (name: string, data: Partial<DataOf<'map.published'>> = {}, envelope: Envelope = {}): WireEvent =>
  event('map.published', { name, version: '1.0.0', ...data }, envelope);

export const rotation = (server: string, maps: string[], envelope: Envelope = {}): WireEvent =>
  event('rotation.changed', { maps }, { server, ...envelope });

export const rating = (
  mapName: string,
  player: { uuid: string; name: string },
  rate: number,
  version?: string,
): WireEvent => event('map.rated', { map: mapName, player, rate, ...(version === undefined ? {} : { version }) });

export const punishment = (
  reference: string,
  punished: { uuid: string; name: string },
  data: Partial<DataOf<'punishment.issued'>> = {},
  envelope: Envelope = {},
): WireEvent => event('punishment.issued', { punishment: reference, punished, type: 'ban', ...data }, envelope);

/** A game server as the sender of events, with a new key. */
export async function serverSender(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  name: string,
): Promise<Extract<Sender, { kind: 'server' }>> {
  const server = (await serverByName(db, name))!;
  await createServerKey(db, clock.now(), server.key);
  const { id } = (await listServerKeys(db, server.key)).at(-1)!;
  return { kind: 'server', serverKey: server.key, serverName: server.name, credential: keyOf(id)! };
}

export const pardon = (reference: string, envelope: Envelope = {}): WireEvent =>
  event('punishment.revoked', { punishment: reference }, envelope);

export const statistics = (
  player: { uuid: string; name: string },
  data: Partial<DataOf<'player.statistics'>> = {},
  envelope: Envelope = {},
): WireEvent => event('player.statistics', { player, gamemode: 'factions', ...data }, envelope);

/**
 * Sends events as the operator and asserts that each is accepted.
 * @returns their ids
 */
export async function sendEvents(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  ...received: WireEvent[]
): Promise<string[]> {
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, received);
  return receipts.map((receipt) => {
    assert.equal(receipt.status, 'accepted', JSON.stringify(receipt));
    return (receipt as { receipt: string }).receipt;
  });
}

type ApplicationFacts = Partial<NewApplication> & { limit?: number };

/** An application, by default a service with access to the data API. */
export async function application(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  { limit, ...facts }: ApplicationFacts = {},
): Promise<Application & { secret: string | undefined }> {
  const wanted: NewApplication = { name: 'Probe', type: 'service', redirect_uris: [], access: 'approved', ...facts };
  const { application: made, secret } = await createApplication(db, clock.now(), wanted);
  if (limit !== undefined) await setLimit(db, made.client_id, limit);
  return { ...(await applicationByClientId(db, made.client_id))!, secret };
}

/** A token of an application for itself. */
export async function serviceToken(
  context: Pick<AppContext, 'db' | 'clock'>,
  clientId?: string,
  lifetimeMs = 24 * HOUR_MS,
): Promise<string> {
  const owner = clientId ?? (await application(context)).client_id;
  return await issueClientToken(context.db, context.clock.now(), owner, lifetimeMs);
}

/** Adds an authenticator app to an account. @returns its secret */
export async function giveApp(
  { db, clock, config }: Pick<AppContext, 'db' | 'clock' | 'config'>,
  accountId: string,
): Promise<string> {
  const secret = newTotpSecret();
  await setTotp(db, clock.now(), openSecretKey(config), accountId, { secret, step: 0 });
  return secret;
}

/** An account with a verified address, linked with a game account if a UUID is given. */
export async function account(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  name: string,
  uuid?: string,
): Promise<Account> {
  const email = `${name.toLowerCase()}@example.org`;
  const made = await createAccount(db, clock.now(), { name, email, password: null, email_verified: true });
  assert.ok(typeof made === 'object', `${name}: ${JSON.stringify(made)}`);
  if (uuid === undefined) return made;
  await db.run(sql`update accounts set player_uuid = ${uuid} where id = ${made.id}`);
  return { ...made, player_uuid: uuid };
}

/** A token of a user for an application, as the code grant stores it. */
export async function userToken(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  clientId: string,
  accountId: string,
  { scope = 'openid profile email', lifetimeMs = 24 * HOUR_MS }: { scope?: string; lifetimeMs?: number } = {},
): Promise<string> {
  const token = newSecret();
  const [iat, exp] = [Math.floor(clock.now() / 1000), Math.floor((clock.now() + lifetimeMs) / 1000)];
  const payload = { iat, exp, kind: 'AccessToken', clientId, accountId, scope, format: 'opaque' };
  await db.run(sql`
    insert into tokens (hash, kind, payload, client_id, account_id, expires)
    values (${secretHash(token)}, 'AccessToken', ${JSON.stringify(payload)}, ${clientId}, ${accountId}, ${exp * 1000})`);
  return token;
}
