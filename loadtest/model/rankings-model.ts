import type { Board, Kill, PlayerFacts, RivalList } from './network.ts';

/** One player in one match that counts. */
export interface Part {
  id: string;
  map: string;
  group: string;
  finished: number;
  uuid: string;
  /** The place of the team in the match. */
  team: number;
  result: string;
  kill_count: number;
  death_count: number;
  score: number;
  time_played: number;
}

/** Whom lists leave out, and the names of the others. */
export interface People {
  isLeftOut: (uuid: string) => boolean;
  nameOf: (uuid: string) => string;
}

const DAY_MS = 86_400_000;
/** 1 January 1970 was a Thursday. */
const DAYS_AFTER_MONDAY = 3;
const ORDERS = { win_count: 'win', kill_count: 'kill', play_count: 'play' } as const;
const RECENT = 50;
const FORM = 10;
const LEAST_KILLS = 3;
/** The sums of a leaderboard. */
type Sums = Record<'play_count' | 'win_count' | 'kill_count' | 'death_count' | 'time_played', number>;

/** The number of a period in the calendar of UTC, so that the one before has a number less by one. */
const PERIODS: Record<string, (time: number) => number> = {
  day: (time) => Math.floor(time / DAY_MS),
  week: (time) => Math.floor((Math.floor(time / DAY_MS) + DAYS_AFTER_MONDAY) / 7),
  month: (time) => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth(),
  all: () => 0,
};

/** Places, leaderboards, rivals and form, from all matches and kills. */
export class RankingsModel {
  /** By match, then by player. */
  readonly #matches = new Map<string, Map<string, Part>>();
  readonly #now = Date.now();

  /** Several UUIDs of a player in a match are one part: the sums, in the team that won, else in the first. */
  play(part: Part): void {
    const parts = this.#matches.get(part.id) ?? new Map<string, Part>();
    this.#matches.set(part.id, parts);
    const before = parts.get(part.uuid);
    parts.set(part.uuid, before === undefined ? part : joined(before, part));
  }

  /** @param name mode, period, the number of periods before the present one, and the member that orders the board */
  board(name: string, { isLeftOut, nameOf }: People): Board {
    const [mode, period, ago, by] = name.split(' ') as [string, string, string, keyof typeof ORDERS];
    const numberOf = PERIODS[period]!;
    const sums = new Map<string, Sums>();
    for (const part of this.#parts()) {
      if ((mode !== 'total' && mode !== part.group) || isLeftOut(part.uuid)) continue;
      if (numberOf(part.finished) !== numberOf(this.#now) - Number(ago)) continue;
      const own = sums.get(part.uuid) ?? { play_count: 0, win_count: 0, kill_count: 0, death_count: 0, time_played: 0 };
      sums.set(part.uuid, own);
      own.play_count++;
      if (part.result === 'win') own.win_count++;
      for (const sum of ['kill_count', 'death_count', 'time_played'] as const) own[sum] += part[sum];
    }
    const listed = [...sums].filter(([, own]) => own[by] > 0);
    return Object.fromEntries(
      listed.map(([uuid, own]) => {
        const rank = 1 + listed.filter(([, other]) => other[by] > own[by]).length;
        return [uuid, { rank, name: nameOf(uuid), ...own }];
      }),
    );
  }

  /** The places of all players, by UUID. */
  places(modes: readonly string[], people: People): Map<string, PlayerFacts['places']> {
    const places = new Map<string, PlayerFacts['places']>();
    for (const mode of ['total', ...modes])
      for (const period of ['month', 'all'])
        for (const by of Object.keys(ORDERS) as (keyof typeof ORDERS)[]) {
          const entries = Object.entries(this.board(`${mode} ${period} 0 ${by}`, people));
          for (const [uuid, entry] of entries) {
            const [place, of] = [entry['rank'] as number, entries.length];
            const percentile = Math.round((10_000 * (of - place + 1)) / of) / 100;
            const own = places.get(uuid) ?? {};
            places.set(uuid, { ...own, [`${mode} ${period} ${by}`]: { place, of, percentile, value: entry[by] } });
          }
        }
    return places;
  }

  /** The member `form` of a player. */
  form(uuid: string): Record<string, unknown> {
    const all = this.#playedBy(uuid);
    const streaks = all.map((_, index) => streakOf(all.slice(0, index + 1)));
    const recent = all.slice(-RECENT).reverse();
    const maps = [...Map.groupBy(recent, ({ map }) => map)].map(([map, played]) => {
      return { map, play: played.length, win: played.filter(({ result }) => result === 'win').length };
    });
    const [best] = maps
      .filter(({ win }) => win > 0)
      .sort((a, b) => b.win - a.win || a.play - b.play || (a.map < b.map ? -1 : 1));
    const record = (member: 'kill_count' | 'score' | 'time_played', id: string): Record<string, unknown> => {
      const highest = Math.max(0, ...all.map((part) => part[member]));
      const first = all.find((part) => highest > 0 && part[member] === highest);
      return { [member]: highest, [id]: first?.id ?? '' };
    };
    return {
      results: recent.slice(0, FORM).map(({ result }) => result),
      streak: streaks.at(-1) ?? 0,
      win_streak: Math.max(0, ...streaks),
      lose_streak: Math.max(0, ...streaks.map((streak) => -streak)),
      best_map: best?.map ?? '',
      best_map_play_count: best?.play ?? 0,
      best_map_win_count: best?.win ?? 0,
      ...record('kill_count', 'kill_match_id'),
      ...record('score', 'score_match_id'),
      ...record('time_played', 'time_match_id'),
    };
  }

  rivals(uuid: string, player: PlayerFacts, { isLeftOut, nameOf }: People): PlayerFacts['rivals'] {
    const [kills, deaths] = [player.kills, player.deaths].map((all) =>
      all.filter(({ match_id }) => this.#matches.has(match_id)),
    ) as [Kill[], Kill[]];
    const victims = kills.map(({ victim_uuid }) => victim_uuid);
    const killers = deaths.map(({ killer_uuid }) => killer_uuid);
    const rival = (other: string) => {
      return { name: nameOf(other), kill_count: count(victims, other), death_count: count(killers, other) };
    };
    const list = (others: Iterable<string>, played?: (other: string) => object): RivalList => {
      const shown = [...new Set(others)].filter((other) => other !== '' && other !== uuid && !isLeftOut(other));
      return Object.fromEntries(shown.map((other) => [other, { ...rival(other), ...played?.(other) }]));
    };
    const beside = (isSameTeam: boolean): RivalList => {
      const met = this.#playedBy(uuid)
        .slice(-RECENT)
        .flatMap(({ id, team, result }) => {
          const others = [...this.#matches.get(id)!.values()].filter((other) => (other.team === team) === isSameTeam);
          return others.map((other) => ({ uuid: other.uuid, result }));
        });
      return list(
        met.map((one) => one.uuid),
        (other) => {
          const together = met.filter((one) => one.uuid === other);
          const won = together.filter(({ result }) => result === 'win');
          return { play_count: together.length, win_count: won.length };
        },
      );
    };
    return {
      ...{ victims: list(often(victims)), killers: list(often(killers)) },
      ...{ teammates: beside(true), opponents: beside(false) },
    };
  }

  #parts(): Part[] {
    return [...this.#matches.values()].flatMap((parts) => [...parts.values()]);
  }

  /** In the order of the ids. */
  #playedBy(uuid: string): Part[] {
    const own = [...this.#matches.values()].flatMap((parts) => parts.get(uuid) ?? []);
    return own.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

const count = (items: readonly string[], wanted: string): number => items.filter((one) => one === wanted).length;

const often = (others: readonly string[]): string[] => others.filter((other) => count(others, other) >= LEAST_KILLS);

function joined(one: Part, other: Part): Part {
  const [first, second] = one.team < other.team ? [one, other] : [other, one];
  const { team, result } = first.result !== 'win' && second.result === 'win' ? second : first;
  const sum = (member: 'kill_count' | 'death_count' | 'score' | 'time_played'): number => one[member] + other[member];
  const sums = { kill_count: sum('kill_count'), death_count: sum('death_count'), score: sum('score') };
  return { ...one, team, result, ...sums, time_played: sum('time_played') };
}

/** Victories at the end of matches as a positive number, defeats as a negative one. */
function streakOf(played: readonly Part[]): number {
  const last = played.at(-1)?.result;
  const before = played.findLastIndex(({ result }) => result !== last);
  const length = played.length - 1 - before;
  return last === 'win' ? length : last === 'lose' ? -length : 0;
}
