import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { isExcluded } from '#store/game/excluded-matches.ts';
import { type Climber, climbers } from '#store/game/leaderboards/leaderboards.ts';
import { largestMatch } from '#store/game/match-lists.ts';
import { matchByKey, type MatchObjective, type MatchTeam, type WholeMatch } from '#store/game/matches.ts';
import { rankedAmong } from '#store/game/unranked-players.ts';
import { back } from '#store/game/time-buckets.ts';
import { ByteCache } from '../byte-cache.ts';
import type { Deps, Highlights, PageRequest } from '../page-request.ts';
import { heading } from './labels.ts';
import { byFeats, type Feats, featsOf, rankedPlayers } from './match-best.ts';
import { isFreeForAll, matchList } from './match-list.ts';
import { nth } from './places.ts';
import { playerLink } from './links.ts';

const FRESH_MS = 60_000;
const DAY_MS = 86_400_000;

/** Finds the highlights once a minute, because that takes some milliseconds. */
export function cachedHighlights({
  db,
  clock,
  bucketsAt,
}: Pick<Deps, 'db' | 'clock' | 'bucketsAt'>): Deps['highlights'] {
  const cache = new ByteCache<Highlights & { time: number }>(1, () => 1);
  const find = async () => {
    const time = clock.now();
    const { week } = bucketsAt(time);
    const board = { bucket: week, mode: 'total', metric: 'win' } as const;
    return {
      match: await largestMatch(db, time - DAY_MS),
      climbers: await climbers(db, board, back(week, 1)),
      time,
    };
  };
  return async () => {
    const cached = cache.get('');
    const isFresh = cached !== undefined && Math.abs(clock.now() - cached.time) < FRESH_MS;
    return isFresh ? cached : await cache.make('', find);
  };
}

/** The match of the day and the climbers of the week; empty without either. */
export async function highlights(request: PageRequest): Promise<Html> {
  const { match, climbers: found } = await request.deps.highlights();
  return html`<div class="two">${await matchOfTheDay(request, match)}${await climbersOfTheWeek(request, found)}</div>`;
}

async function matchOfTheDay(request: PageRequest, key: number | undefined): Promise<Html> {
  const { db, text } = request;
  const match = key === undefined || (await isExcluded(db, key)) ? undefined : await matchByKey(db, key);
  if (match === undefined) return html``;
  const best = await bestPlayer(request, match);
  return html`<section aria-labelledby="match-of-the-day">
    ${heading('match-of-the-day', text.highlights.match)}
    <p class="soft small">${text.highlights.matchRule}</p>
    ${await matchList(request, [match])}
    ${
      best === undefined
        ? ''
        : html`<p class="best-player">
            <span class="soft">${text.highlights.bestPlayer}</span> ${playerLink(request, best, 28)}
            <span class="figures small">${featsOf(request, best).join(' · ')}</span>
          </p>`
    }
  </section>`;
}

/** Maximum players of a match of whom the best one is shown whom leaderboards do not leave out. */
const CANDIDATES = 10;

/** The best player of all teams. A free-for-all has a winner, whom its row names. */
async function bestPlayer({ db }: PageRequest, match: WholeMatch): Promise<Feats | undefined> {
  const teams = JSON.parse(match.teams) as MatchTeam[];
  if (isFreeForAll(teams)) return undefined;
  const objectives = JSON.parse(match.objectives) as MatchObjective[];
  const best = rankedPlayers(teams, objectives, match.extras).flat().sort(byFeats).slice(0, CANDIDATES);
  const uuids = best.map(({ uuid }) => uuid);
  const ranked = new Set((await rankedAmong(db, 'uuid', uuids)).map(({ uuid }) => uuid));
  return best.find(({ uuid }) => ranked.has(uuid));
}

async function climbersOfTheWeek(request: PageRequest, found: readonly Climber[]): Promise<Html> {
  const { db, text, formats } = request;
  if (found.length === 0) return html``;
  const keys = found.map(({ key }) => key);
  const players = new Map((await rankedAmong(db, 'key', keys)).map((player) => [player.key, player]));
  const shown = found.filter(({ key }) => players.has(key));
  if (shown.length === 0) return html``;
  return html`<section aria-labelledby="climbers">
    ${heading('climbers', text.highlights.climbers, { href: '/leaderboards?period=week', label: text.more })}
    <p class="soft small">${text.highlights.climbersRule}</p>
    <ol class="ranking card">
      ${shown.map(
        ({ key, place, up }) =>
          html`<li>
            ${playerLink(request, players.get(key)!, 28)}<span class="figures"
              >${text.places.visit.up(formats.number(up))}</span
            >
            <span class="soft small">${nth(request, place)}</span>
          </li>`,
      )}
    </ol>
  </section>`;
}
