import { z } from 'zod';
import { countersOfMatches, type MatchCounters } from '#store/game/counters/counter-reports.ts';
import { type Counter, countsIn, listCounters } from '#store/game/counters/counters.ts';
import { parseExtras, factsOf, type MatchTeam, type WholeMatch, winnersOf } from '#store/game/matches.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import type { Deps } from './endpoint.ts';
import { person } from './schemas.ts';
import { values } from './counters.ts';

/** Members of a match beyond its specified form, which `fields` selects. */

const PlayerCounters = z
  .looseObject({ ...person.shape, team: z.string(), counters: values })
  .meta({ id: 'MatchCounters', description: 'What a player did for a team. Members may be added' });

const TeamColor = z
  .looseObject({ team: z.string(), color: z.string().meta({ description: 'A colour name or #RRGGBB' }) })
  .meta({ id: 'TeamColor', description: 'Members may be added' });

export const Extras = {
  counters: z.array(PlayerCounters).meta({
    description:
      "With `fields=counters`: the values of the network's own counters (`/v1/counters`) that are not zero. A player in two teams has two items; the one of the team that decides the result counts for the player",
  }),
  winners: z
    .array(z.string())
    .meta({ description: 'With `fields=winners`: the names of all winning teams; empty for a draw' }),
  team_colors: z
    .array(TeamColor)
    .meta({ description: 'With `fields=team_colors`: the colours that the server reported of the teams' }),
};

export type ExtraName = keyof typeof Extras;
export const EXTRA_NAMES = Object.keys(Extras) as [ExtraName, ...ExtraName[]];

type Requested = ReadonlySet<string>;

/** Whether a request needs members of `match_details` other than the teams. */
export const needsExtras = (fields: Requested): boolean => EXTRA_NAMES.some((name) => fields.has(name));

/** Returns a function that renders the requested members of a match as JSON: `,"counters":[…]`. */
export async function extrasIn(
  { db }: Pick<Deps, 'db'>,
  matches: readonly WholeMatch[],
  fields: Requested,
): Promise<(match: WholeMatch) => string> {
  if (!needsExtras(fields)) return () => '';
  const keys = fields.has('counters') ? matches.map(({ key }) => key) : [];
  const found = await countersOfMatches(db, keys);
  const declared = found.size === 0 ? [] : await listCounters(db);
  return (match) => {
    const members: string[] = [];
    if (fields.has('counters'))
      members.push(`,"counters":${countersJson(match, found.get(match.key) ?? [], declared)}`);
    if (fields.has('winners')) members.push(`,"winners":${JSON.stringify(winnersOf(match))}`);
    if (fields.has('team_colors')) members.push(`,"team_colors":${JSON.stringify(teamColors(match))}`);
    return members.join('');
  };
}

function countersJson({ head }: WholeMatch, counters: readonly MatchCounters[], declared: readonly Counter[]): string {
  const group = groupOf(factsOf(head).gamemode);
  const shown = new Set(declared.filter((counter) => countsIn(counter, group)).map(({ key }) => key));
  const items = counters.flatMap(({ team, uuid, name, counters: reported }) => {
    const known = Object.entries(reported).filter(([key]) => shown.has(key));
    return known.length === 0 ? [] : [{ uuid, name, team, counters: Object.fromEntries(known) }];
  });
  return JSON.stringify(items);
}

function teamColors({ teams, extras }: WholeMatch): z.input<typeof TeamColor>[] {
  const { colors } = parseExtras(extras);
  if (colors === undefined) return [];
  const names = (JSON.parse(teams) as MatchTeam[]).map(({ name }) => name);
  return names.flatMap((team, place) => (colors[place] ? [{ team, color: colors[place] }] : []));
}
