import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { notFound, type HttpError, invalidRequest } from '#http/errors.ts';
import { OBJECTIVE_TYPES } from '#events/schema/match-schema.ts';
import { filteredMatches, indexOf, MATCH_INDEXES, type MatchFilters } from '#store/game/match-lists.ts';
import {
  type Listed,
  listMatches,
  listMatchesWithTeams,
  listWholeMatches,
  matchByKey,
  type MatchHead,
  type MatchObjective,
  type MatchWithTeams,
} from '#store/game/matches.ts';
import { EXTRA_NAMES, extrasIn, Extras, needsExtras } from './match-extras.ts';
import { endpoint, fieldsOf, paging, RenderedBody, bitFilter, filter, timeFilter } from './endpoint.ts';
import type { Endpoint, Deps, EndpointContext } from './endpoint.ts';
import { headJson } from '#http/change-item.ts';
import { count, id, link, timestamp, person } from './schemas.ts';
import { isCleanText, nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { teamsKey } from '#store/game/own-teams.ts';
import { findPlayer } from '#store/game/players.ts';
import { isPrivate } from '#store/game/private-players.ts';
import { serverByName } from '#store/game/servers.ts';

const MatchPlayer = z
  .object({
    ...person.shape,
    score: z.int(),
    kill_count: count,
    death_count: count,
    shot_count: count,
    hit_count: count,
    paint_count: count,
  })
  .meta({ id: 'MatchPlayer' });

export const Team = z
  .object({ name: z.string(), score: z.int(), kill_count: count, death_count: count, players: z.array(MatchPlayer) })
  .meta({ id: 'Team' });

export const Objective = z
  .object({
    player: z.string().meta({ description: 'Name of the player; empty if none was reported' }),
    player_uuid: z.string().meta({ description: 'Empty if no player was reported' }),
    team: z.string(),
    type: z.enum(OBJECTIVE_TYPES),
    name: z.string(),
    color: z.string(),
    time: timestamp,
  })
  .meta({ id: 'Objective' });

export const MatchShape = z
  .object({
    id,
    map: z.string(),
    server: z.string(),
    gamemode: z.string(),
    ranked: z.boolean(),
    win: z.string().meta({
      description: 'Name of the winning team, of several the first; empty for a draw',
    }),
    kill_count: count,
    death_count: count,
    started: timestamp,
    finished: timestamp,
    permalink_url: link,
    teams: z.array(Team).optional().meta({ description: 'Always in a single match; in lists with `fields=teams`' }),
    objectives: z.array(Objective).optional().meta({ description: 'With `fields=objectives`' }),
    ...z.object(Extras).partial().shape,
  })
  .meta({ id: 'Match' });

/** The filters of `/v1/matches`. */
const matchFilters = {
  server: filter('Only matches of this server: a server id or name'),
  map: filter('Only matches on this map: a map id or name, ignoring case'),
  gamemode: filter('Only matches of this gamemode, ignoring case'),
  player: filter('Only matches of this player: a UUID, a name or a player id'),
  since: timeFilter('Only matches that ended at this time or later; sorts by the end, the last one first'),
  until: timeFilter('Only matches that ended before this time; sorts by the end, the last one first'),
  ranked: bitFilter('1: only ranked matches; 0: only others'),
  team: z
    .array(z.string().refine(isCleanText, 'must not contain control characters'))
    .length(2, 'must be the names of two teams')
    .optional()
    .meta({
      description:
        'Only matches of these two teams and no others: two names in any order, ignoring case. A team with the name of its only player is found by no name',
      ...{ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    }),
};

type Given = { [K in keyof typeof matchFilters]: ReturnType<(typeof matchFilters)[K]['parse']> };

const PAIRS = Object.keys(MATCH_INDEXES).filter((names) => names.includes(' '));
const ALLOWED = PAIRS.map((names) => names.replace(' ', ' with ').replace('time', 'since or until')).join(', ');

const fields = fieldsOf(['teams', 'objectives', ...EXTRA_NAMES]);

export const matches: Endpoint[] = [
  endpoint({
    path: '/v1/matches',
    tag: 'Match',
    summary: 'Finished matches, newest first',
    query: { ...paging, fields, ...matchFilters },
    response: z.array(MatchShape),
    cachedUnder: 'anything',
    handle: async ({ deps, about, dataVersion, query: { max_id, limit, fields: extra, ...given } }) => {
      const filters = await readFilters({ deps, about }, given);
      if (filters === undefined) return await list(deps, { before: max_id, limit }, extra, dataVersion);
      const keys = filters === 'none' ? [] : await filteredMatches(deps.db, filters, max_id, limit);
      return await list(deps, { keys }, extra, undefined);
    },
  }),
  endpoint({
    path: '/v1/matches/:id',
    tag: 'Match',
    summary: 'One match with its teams',
    id: 'A match id',
    query: { fields },
    response: MatchShape,
    cachedUnder: 'matches',
    handle: async ({ deps, id: text, dataVersion, query: { fields: extra } }) => {
      const key = keyOf(text);
      if (key === undefined) throw noMatch();
      const tag = (suffix: string): string | undefined => dataVersion && `${text}${suffix}-${dataVersion}`;
      if (needsExtras(extra) || extra.has('objectives')) return await wholeMatch(deps, key, extra, tag);
      const found = await deps.match(key);
      return matchBody(deps, found, tag('') ?? (found?.tag && `${text}-${found.tag}`));
    },
  }),
];

/**
 * @param dataVersion undefined if the list at one URL may change although its last match and its length stay the same: the
 *   entity tag is then made from its content
 */
async function list(
  deps: Deps,
  listed: Listed,
  extra: ReadonlySet<string>,
  dataVersion: string | undefined,
): Promise<RenderedBody> {
  if (extra.size === 0) return listBody(deps, await listMatches(deps.db, listed), dataVersion);
  const hasTeams = extra.has('teams');
  const version = dataVersion && `${[...extra].sort().join('-')}-${dataVersion}`;
  if (!needsExtras(extra) && !extra.has('objectives'))
    return listBody(deps, await listMatchesWithTeams(deps.db, listed), version, ({ teams }) => [TEAMS, teams]);
  const found = await listWholeMatches(deps.db, listed);
  const extras = await extrasIn(deps, found, extra);
  return listBody(deps, found, version, (match) => {
    const objectives = extra.has('objectives') ? objectivesJson(deps, match.objectives) : '';
    return [...(hasTeams ? [TEAMS, match.teams] : []), objectives + extras(match)];
  });
}

/**
 * The entity tag: the data version stays the same while matches are only added, and new matches are at the front, so that
 * within a data version the list at one URL changes only if its last match or its length changes.
 * @param rest the further members of a match as pieces of JSON: `,"objectives":[…]`
 */
function listBody<M extends MatchHead>(
  deps: Deps,
  found: readonly M[],
  version: string | undefined,
  rest: (match: M) => string[] = () => [],
): RenderedBody {
  const pieces = found.flatMap((match, index) => [
    (index === 0 ? '[' : '},') + headJson(deps, match),
    ...rest(match).filter((piece) => piece !== ''),
  ]);
  const last = found.at(-1);
  pieces.push(last === undefined ? '[]' : '}]');
  return new RenderedBody(pieces, version && `${last === undefined ? '' : idOf(last.key)}-${found.length}-${version}`);
}

const noMatch = (): HttpError => notFound('There is no match with this id.');

function matchBody(deps: Deps, match: MatchWithTeams | undefined, tag: string | undefined): RenderedBody {
  if (match === undefined) throw noMatch();
  const head = headJson(deps, match) + TEAMS;
  return new RenderedBody(`${head}${match.teams}}`, tag, Buffer.byteLength(head) + Buffer.byteLength(match.teams) + 1);
}

async function wholeMatch(
  deps: Deps,
  key: number,
  extra: ReadonlySet<string>,
  tag: (suffix: string) => string | undefined,
): Promise<RenderedBody> {
  const match = await matchByKey(deps.db, key);
  if (match === undefined) throw noMatch();
  const extras = await extrasIn(deps, [match], extra);
  const objectives = extra.has('objectives') ? objectivesJson(deps, match.objectives) : '';
  return new RenderedBody(
    `${headJson(deps, match)}${TEAMS}${match.teams}${objectives}${extras(match)}}`,
    tag(`-${[...extra].sort().join('-')}`),
  );
}

/** Matches as JSON, as `/v1/matches/:id` gives them, by key. */
export async function matchesJson(deps: Deps, keys: readonly number[]): Promise<Map<number, string>> {
  const found = await listMatchesWithTeams(deps.db, { keys });
  return new Map(found.map((match) => [match.key, `${headJson(deps, match)}${TEAMS}${match.teams}}`]));
}

const TEAMS = ',"teams":';

function objectivesJson(deps: Deps, text: string): string {
  const objectives = JSON.parse(text) as MatchObjective[];
  return `,"objectives":${JSON.stringify(objectivesWire(deps, objectives))}`;
}

export function objectivesWire(
  { timestamp: write }: Deps,
  objectives: readonly MatchObjective[],
): z.input<typeof Objective>[] {
  return objectives.map(({ player, team, type, name, color, time }) => ({
    ...{ player: player?.name ?? '', player_uuid: player?.uuid ?? '' },
    ...{ team, type: type as z.input<typeof Objective>['type'], name, color, time: write(time) },
  }));
}

/**
 * @returns undefined without a filter, `none` if a filter names nothing that has matches
 * @throws HttpError 400 for filters that cannot be combined
 */
async function readFilters(
  { deps: { db }, about }: Pick<EndpointContext, 'deps' | 'about'>,
  given: Given,
): Promise<MatchFilters | 'none' | undefined> {
  const names = (Object.keys(matchFilters) as (keyof Given)[]).filter((name) => given[name] !== undefined);
  if (names.length === 0) return undefined;
  checkCombination(names);
  const { since, until, ranked, team } = given;
  if (since !== undefined && until !== undefined && since >= until) throw invalidRequest('since must be before until.');
  const found: MatchFilters = {
    ...(given.server !== undefined && { server: await serverKey(db, given.server) }),
    ...(given.map !== undefined && { map: await mapKey(db, given.map) }),
    ...(given.player !== undefined && { player: await playerKey(db, about, given.player) }),
    ...(given.gamemode !== undefined && { gamemode: given.gamemode.toLowerCase() }),
    ...(ranked !== undefined && { ranked }),
    ...(team !== undefined && { team: teamsKey(team) }),
  };
  return Object.values(found).includes(undefined) ? 'none' : { ...found, since, until };
}

function checkCombination(names: readonly (keyof Given)[]): void {
  const kinds = new Set(names.map((name) => (name === 'since' || name === 'until' ? 'time' : name)));
  if (indexOf(kinds) !== undefined) return;
  const given = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  throw invalidRequest(`${given} must not be given together. What can be: player with any others; ${ALLOWED}.`);
}

/** A private player has none. */
async function playerKey(db: Queryable, about: Set<string>, text: string): Promise<number | undefined> {
  const player = await findPlayer(db, text, 'public');
  if (player === undefined || (await isPrivate(db, player.uuid))) return undefined;
  about.add(player.uuid);
  return player.key;
}

/** A removed server has its matches. */
const serverKey = async (db: Queryable, text: string): Promise<number | undefined> =>
  (await serverByName(db, text))?.key ?? keyOf(text.toLowerCase());

/** A map that is not published has its matches, too. */
async function mapKey(db: Queryable, text: string): Promise<string> {
  const key = keyOf(text);
  const map = key === undefined ? undefined : await mapByKey(db, key);
  return nameKey(map?.name ?? text);
}
