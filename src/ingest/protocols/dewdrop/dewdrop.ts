import type { IncomingMessage } from 'node:http';
import { hash } from 'node:crypto';
import { HttpError, invalidRequest, notFound, unavailable } from '#http/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { uuidOf } from '#platform/text/text.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import { mapNameBySlug } from '#store/game/maps/map-names.ts';
import { mapSlug } from '#text/map-slug.ts';
import { sluggedMap, saveSluggedMap } from '#store/game/maps/map-slugs.ts';
import { matchByKey } from '#store/game/matches.ts';
import { namesByUuid } from '#store/game/players.ts';
import type { Protocol, ProtocolRequest } from '../protocol.ts';
import { gamemodeFromTags } from './gamemode.ts';
import { matchEvent } from './match-event.ts';
import { mapShape, matchShape, readShape, userShape } from './shapes.ts';
import { profileStats } from './stats.ts';

/**
 * The protocol of Dewdrop, the plugin with which servers of PGM report to the API of the Overcast Community. Its client is
 * generated from a document that is not public: paths and answers follow from the plugin's source.
 */
export const dewdrop: Protocol = {
  readKey: keyIn,
  routes: {
    '/matches': { methods: { POST: createMatch } },
    '/matches/:id': { longest: 64, methods: { GET: getMatch } },
    '/maps/:slug': { longest: 384, methods: { PUT: putMap } },
    '/users/:uuid': { longest: 64, methods: { PUT: putUser } },
    '/users/:uuid/stats': { longest: 64, methods: { GET: getStats } },
  },
};

/** The key, from any of the headers that generated clients use for one. */
function keyIn({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  const named = headers['x-api-key'] ?? headers['api-key'];
  if (authorization === undefined) return typeof named === 'string' ? named.trim() : undefined;
  return authorization.replace(/^(Bearer|ApiKey|Api-Key) +/i, '').trim();
}

async function createMatch({ context, body, accept }: ProtocolRequest): Promise<unknown> {
  const match = readShape(matchShape, await body());
  const { db } = context;
  const players = [...(match.teams ?? []).flatMap((team) => team.participations), ...(match.participations ?? [])];
  const names = await namesByUuid(db, [...new Set(players.map(({ userUuid }) => userUuid))]);
  const { name: map, gamemode } = (await sluggedMap(db, match.mapSlug)) ?? (await mapBySlug(context, match.mapSlug));
  const receipt = await accept(matchEvent(match, { map, gamemode, names }));
  return matchAnswer(acceptedId(receipt), match);
}

/** A match that is stored already has its id, even if its players have other names by now. @throws HttpError 422, 503 */
function acceptedId(receipt: Receipt): string {
  if (receipt.receipt !== undefined) return receipt.receipt;
  if (receipt.status !== 'rejected') throw unavailable();
  if (receipt.retry === true) throw new HttpError(503, 'unavailable', receipt.reason);
  throw new HttpError(422, 'invalid_request', receipt.reason);
}

interface Ended {
  startedAt: number;
  endedAt: number;
  serverName?: string | null | undefined;
  mapSlug: string;
}

function matchAnswer(matchId: string, { startedAt, endedAt, serverName, mapSlug }: Ended): Record<string, unknown> {
  const [started, ended] = [startedAt, endedAt].map((time) => new Date(time).toISOString());
  return { matchId, status: 'ENDED', createdAt: ended, startedAt: started, endedAt: ended, serverName, mapSlug };
}

async function getMatch({ context, parameter: id }: ProtocolRequest): Promise<unknown> {
  const match = await matchByKey(context.db, keyOf(id) ?? 0);
  if (match === undefined) throw notFound('There is no match with this id.');
  const { server, map } = JSON.parse(`${match.head}}`) as { server: string; map: string };
  const { key, started, finished } = match;
  return matchAnswer(idOf(key), {
    startedAt: started,
    endedAt: finished,
    serverName: server,
    mapSlug: mapSlug(map),
  });
}

async function putMap({ context, parameter: slug, body, dryRun }: ProtocolRequest): Promise<unknown> {
  const { name, mapSlug, mapTags, ...more } = readShape(mapShape, await body());
  if (decoded(slug) !== mapSlug) throw invalidRequest('mapSlug must be the one of the path.');
  const map = { name, gamemode: gamemodeFromTags(mapTags ?? []) };
  if (!dryRun && !(await saveSluggedMap(context.db, mapSlug, map)))
    throw new HttpError(422, 'invalid_request', 'Too many maps are stored to add another one.');
  return { ...more, name, mapSlug, mapTags };
}

/** The player is about to join, and may be refused: it is a name, not a login. */
async function putUser({ context, parameter: uuid, body, accept }: ProtocolRequest): Promise<unknown> {
  const { userUuid, username } = readShape(userShape, await body());
  if (uuidOf(uuid) !== userUuid) throw invalidRequest('userUuid must be the one of the path.');
  const now = context.clock.now();
  // Once an hour is enough to say that the player still has the name.
  const digest = hash('sha256', `${userUuid} ${username}`, 'base64url').slice(0, 22);
  const receipt = await accept({
    version: 1,
    id: `dewdrop:name:${digest}:${Math.floor(now / 3_600_000)}`,
    type: 'player.named',
    time: new Date(now).toISOString(),
    data: { player: { uuid: userUuid, name: username } },
  });
  acceptedId(receipt);
  return { userUuid, username };
}

async function getStats({ context, parameter: uuid }: ProtocolRequest): Promise<unknown> {
  const read = uuidOf(uuid);
  if (read === undefined) throw invalidRequest('The path must have the UUID of a player.');
  return await profileStats(context.db, read);
}

/** A map that this server has not sent: one whose name gives the slug in the way of PGM, else the slug itself. */
async function mapBySlug({ db, clock }: ProtocolRequest['context'], slug: string) {
  const known = await mapNameBySlug(db, clock.now(), slug);
  return { name: known ?? slug, gamemode: gamemodeFromTags([]) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest('The path is not valid percent-encoding.');
  }
}
