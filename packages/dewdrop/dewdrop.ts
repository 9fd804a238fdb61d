import type { IncomingMessage } from 'node:http';
import { hash } from 'node:crypto';
import { uuidOf } from '../text/text.ts';
import { mapSlug } from '../text/map-slug.ts';
import type { DewdropCore, DewdropRequest, SluggedMap } from './core.ts';
import { gamemodeFromTags } from './gamemode.ts';
import { COUNTERS, matchEvent } from './match-event.ts';
import { createShapes, type Shapes } from './shapes.ts';

interface Deps {
  core: DewdropCore;
  shapes: Shapes;
}

/**
 * The protocol of Dewdrop, the plugin with which servers of PGM report to the API of the Overcast Community. Its client is
 * generated from a document that is not public: paths and answers follow from the plugin's source.
 */
export function dewdrop(core: DewdropCore) {
  const deps = { core, shapes: createShapes(core.members) };
  const handler = (handle: (deps: Deps, request: DewdropRequest) => Promise<unknown>) => (request: DewdropRequest) =>
    handle(deps, request);
  return {
    readKey: keyIn,
    /** By path and method; `longest` is the maximum number of characters of the part that varies. */
    routes: {
      '/matches': { methods: { POST: handler(createMatch) } },
      '/matches/:id': { longest: 64, methods: { GET: handler(getMatch) } },
      '/maps/:slug': { longest: 384, methods: { PUT: handler(putMap) } },
      '/users/:uuid': { longest: 64, methods: { PUT: handler(putUser) } },
      '/users/:uuid/stats': { longest: 64, methods: { GET: handler(getStats) } },
    },
  };
}

/** The key, from any of the headers that generated clients use for one. */
function keyIn({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  const named = headers['x-api-key'] ?? headers['api-key'];
  if (authorization === undefined) return typeof named === 'string' ? named.trim() : undefined;
  return authorization.replace(/^(Bearer|ApiKey|Api-Key) +/i, '').trim();
}

async function createMatch({ core, shapes }: Deps, { body, accept }: DewdropRequest): Promise<unknown> {
  const match = core.read(shapes.match, await body());
  const players = [...(match.teams ?? []).flatMap((team) => team.participations), ...(match.participations ?? [])];
  const names = await core.namesOf([...new Set(players.map(({ userUuid }) => userUuid))]);
  const { name: map, gamemode } = (await core.sentMap(match.mapSlug)) ?? (await mapBySlug(core, match.mapSlug));
  return matchAnswer(await accept(matchEvent(match, { map, gamemode, names })), match);
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

async function getMatch({ core }: Deps, { parameter }: DewdropRequest): Promise<unknown> {
  const match = await core.matchOf(parameter);
  if (match === undefined) throw core.refusal(404, 'There is no match with this id.');
  const { id, startedAt, endedAt, server, map } = match;
  return matchAnswer(id, { startedAt, endedAt, serverName: server, mapSlug: mapSlug(map) });
}

async function putMap({ core, shapes }: Deps, { parameter: slug, body, dryRun }: DewdropRequest): Promise<unknown> {
  const { name, mapSlug, mapTags, ...more } = core.read(shapes.map, await body());
  if (decoded(core, slug) !== mapSlug) throw core.refusal(400, 'mapSlug must be the one of the path.');
  const map = { name, gamemode: gamemodeFromTags(mapTags ?? [], core.gamemodesWithGroup) };
  if (!dryRun && !(await core.saveMap(mapSlug, map)))
    throw core.refusal(422, 'Too many maps are stored to add another one.');
  return { ...more, name, mapSlug, mapTags };
}

/** The player is about to join, and may be refused: it is a name, not a login. */
async function putUser({ core, shapes }: Deps, { parameter: uuid, body, accept }: DewdropRequest): Promise<unknown> {
  const { userUuid, username } = core.read(shapes.user, await body());
  if (uuidOf(uuid) !== userUuid) throw core.refusal(400, 'userUuid must be the one of the path.');
  const now = core.now();
  // Once an hour is enough to say that the player still has the name.
  const digest = hash('sha256', `${userUuid} ${username}`, 'base64url').slice(0, 22);
  await accept({
    version: 1,
    id: `dewdrop:name:${digest}:${Math.floor(now / 3_600_000)}`,
    type: 'player.named',
    time: new Date(now).toISOString(),
    data: { player: { uuid: userUuid, name: username } },
  });
  return { userUuid, username };
}

async function getStats({ core }: Deps, { parameter: uuid }: DewdropRequest): Promise<unknown> {
  const read = uuidOf(uuid);
  if (read === undefined) throw core.refusal(400, 'The path must have the UUID of a player.');
  return await profileStats(core, read);
}

/** The totals of a player as Dewdrop's `/stats` reads them; zeros for a player who is not known. */
async function profileStats(core: DewdropCore, uuid: string): Promise<Record<string, number>> {
  const { totals = {}, counters } = (await core.statisticsOf(uuid, Object.keys(COUNTERS))) ?? {};
  const { kill = 0, death = 0, shot = 0, hit = 0, play = 0, win = 0, lose = 0 } = totals;
  const named = Object.entries(COUNTERS).map(([key, name]) => [name, counters?.get(key) ?? 0] as const);
  return {
    ...Object.fromEntries(named),
    ...{ kills: kill, deaths: death, arrowsShot: shot, arrowsHit: hit },
    ...{ matches: play, wins: win, losses: lose, ties: Math.max(0, play - win - lose) },
  };
}

/** A map that this server has not sent: one whose name gives the slug in the way of PGM, else the slug itself. */
async function mapBySlug(core: DewdropCore, slug: string): Promise<SluggedMap> {
  const name = (await core.mapNamed(slug)) ?? slug;
  return { name, gamemode: gamemodeFromTags([], core.gamemodesWithGroup) };
}

function decoded(core: DewdropCore, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw core.refusal(400, 'The path is not valid percent-encoding.');
  }
}
