import { html } from 'hono/html';
import { inkOn, mix, readableOn } from '#platform/text/colours.ts';
import { uuidOf } from '#text/text.ts';
import { LANGUAGES } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { leaders, METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { imageOf, mapByKey } from '#store/game/maps/maps.ts';
import type { MatchTeam } from '#store/game/matches.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { playerByUuid } from '#store/game/players.ts';
import { isPrivate } from '#store/game/private-players.ts';
import { isBanned } from '#store/game/punishments.ts';
import { rivalsByKills } from '#store/game/rivals/kill-pairs.ts';
import { bestMap, recentMatches } from '#store/game/rivals/recent-matches.ts';
import { COLOURS } from '#site/components/colours.ts';
import { modeName, stopwatch } from '#site/components/labels.ts';
import { isFreeForAll } from '#site/components/match-list.ts';
import { bestPlaceWords, readPlaces } from '#site/components/places.ts';
import { totalOf } from '#site/components/stats-table.ts';
import { byFeats, featsOf, rankedPlayers } from '#site/components/match-best.ts';
import { WEEK_FIRST } from '#site/pages/leaderboards.ts';
import { type MatchView, readMatchView } from '#site/pages/match.ts';
import { PageRequest } from '../page-request.ts';
import { BACKGROUND, box, face, FOREGROUND, frame, INNER_WIDTH, isDrawable, line, MARGIN, SOFT } from './drawing.ts';

/** Share cards (Open Graph images) of matches, players, maps, leaderboards and the site, in the language of `?lang=`. */

const TITLE_SIZES = [96, 80, 64, 48];
const TITLE = { x: MARGIN, y: 192, width: INNER_WIDTH, colour: FOREGROUND, sizes: TITLE_SIZES };
const FOOT = { x: MARGIN, y: 598, width: INNER_WIDTH, colour: SOFT, sizes: [32] };
/** The line below the title. */
const LEAD = { x: MARGIN, y: 256, width: INNER_WIDTH, colour: SOFT, sizes: [48, 32] };
const SHOWN_TEAMS = 6;
const SHOWN_BEST = 3;

/** `/cards/matches/:id` with the suffix `.png` */
export async function matchImage(request: PageRequest): Promise<Response> {
  const card = cardRequest(request);
  const view = await readMatchView(card);
  const { facts, match, winners, summary } = view;
  const { text } = card;
  const outcome = winners.length === 0 ? text.match.draw : text.match.wonBy(winners.join(', '));
  const about = [modeName(card, facts.gamemode), facts.server, stopwatch(match.finished - match.started)];
  const content = html`${line(facts.map, TITLE)} ${line(outcome, { ...LEAD, colour: winnerColour(view) })}
  ${isFreeForAll(view.teams) ? await firstOfAll(card, view) : html`${scores(card, view)} ${await bestOfTeams(card, view)}`}
  ${line(about.filter(Boolean).join(' · '), FOOT)}`;
  return await send(card, content, summary?.key);
}

function winnerColour({ facts, colours, teams }: MatchView): string {
  const colour = isFreeForAll(teams) ? undefined : colours.get(facts.win);
  return colour === undefined ? SOFT : readableOn([BACKGROUND], COLOURS[colour]);
}

const SCORES = { top: 300, height: 124 };

/** One block per team with its score; the winner's block is higher. */
function scores({ formats }: PageRequest, { teams, colours, winners }: MatchView): Html {
  const shown = teams.slice(0, SHOWN_TEAMS);
  const width = Math.floor((INNER_WIDTH - 12 * (shown.length - 1)) / Math.max(1, shown.length));
  const bottom = SCORES.top + SCORES.height;
  return html`${shown.map(({ name, score }, index) => {
    const colour = COLOURS[colours.get(name)!];
    const [left, rise] = [MARGIN + index * (width + 12), winners.includes(name) ? 20 : 0];
    const place = { x: left + 18, width: width - 36, colour: inkOn(colour) };
    return html`${box(left, SCORES.top - rise, width, SCORES.height + rise, colour)}${box(left, bottom - 10, width, 10, mix(colour, '#000000', 0.25))}
    ${line(formats.number(score), { ...place, y: bottom - 56 - rise / 2, sizes: [64, 48, 32] })}
    ${line(name, { ...place, y: bottom - 22, sizes: [32] })}`;
  })}`;
}

/** The three best of all teams. */
async function bestOfTeams(card: PageRequest, { teams, objectives, match }: MatchView): Promise<Html> {
  const best = rankedPlayers(teams, objectives, match.extras).flat().sort(byFeats).slice(0, SHOWN_BEST);
  const people = best.map((player) => ({ ...player, about: featsOf(card, player)[0]! }));
  return await peopleRow(card, people, 454);
}

/** The first three of a free-for-all, whose colours mean nothing. */
async function firstOfAll(card: PageRequest, { teams, winners }: MatchView): Promise<Html> {
  const hasWon = ({ name }: MatchTeam): number => Number(winners.includes(name));
  const first = [...teams].sort((a, b) => hasWon(b) - hasWon(a) || b.score - a.score).slice(0, SHOWN_BEST);
  const people = first.flatMap(({ players, ...team }) => {
    const score = team.score > 0 ? card.text.modeCounters.score(card.formats.number(team.score)) : '';
    return players.map(({ uuid, name }) => ({
      uuid,
      name,
      about: hasWon({ players, ...team }) ? card.text.match.winner : score,
    }));
  });
  return await peopleRow(card, people, 380);
}

const FACE = 80;

/** Up to three players side by side. */
async function peopleRow(
  card: PageRequest,
  people: readonly { uuid: string; name: string; about: string }[],
  top: number,
): Promise<Html> {
  const width = Math.floor(INNER_WIDTH / SHOWN_BEST);
  const drawn = people.map(async ({ uuid, name, about }, index) => {
    const left = MARGIN + index * width;
    const place = { x: left + FACE + 16, width: width - FACE - 36 };
    return html`${await face(card, uuid, left, top, FACE)}
    ${line(name, { ...place, y: top + 34, colour: FOREGROUND, sizes: [32, 24] })}
    ${line(about, { ...place, y: top + 70, colour: SOFT, sizes: [32, 24] })}`;
  });
  return html`${await Promise.all(drawn)}`;
}

/** `/cards/players/:id` with the suffix `.png` */
export const playerImage = (request: PageRequest): Promise<Response> => drawPlayer(cardRequest(request));

/** `/players/:id/card.png`: the same under an address for pages and signatures elsewhere. */
export const playerCard = (request: PageRequest): Promise<Response> => drawPlayer(inAddressLanguage(request));

async function drawPlayer(card: PageRequest): Promise<Response> {
  const { text, formats } = card;
  const uuid = uuidOf(card.params['id'] ?? '');
  const player = uuid === undefined ? undefined : await playerByUuid(card.db, uuid);
  if (player === undefined) throw card.notFound();
  const isHidden = await isPrivate(card.db, player.uuid);
  const { play, win, kill, death, time } = totalOf(await statsOf(card.db, player.key));
  const banned = await isBanned(card.db, player.key, card.now);
  const left = 420;
  const width = 1_200 - left - MARGIN;
  const seen = isHidden ? text.player.privateProfile : `${text.columns.time} ${formats.duration(time)}`;
  const state = banned ? text.player.banned : seen;
  const figures = isHidden
    ? []
    : ([
        [text.columns.matches, formats.number(play)],
        [text.columns.wins, formats.number(win)],
        [text.columns.kills, formats.number(kill)],
        [text.columns.ratio, formats.ratio(kill / Math.max(1, death))],
      ] as const);
  return await send(
    card,
    html`${await face(card, player.uuid, MARGIN, 156, 324)} ${line(player.name, { ...TITLE, x: left, width })}
    ${line(state, { ...LEAD, x: left, width, colour: banned ? '#ff8f80' : SOFT })}
    ${figures.map(([label, value], index) => {
      const place = { x: left + (index * width) / figures.length, width: width / figures.length - 16 };
      return html`${line(value, { ...place, y: 352, colour: FOREGROUND, sizes: [64, 48, 32] })}
      ${line(label, { ...place, y: 392, colour: SOFT, sizes: [32, 24] })}`;
    })}
    ${isHidden ? '' : await bestOfPlayer(card, player.key, { left, width })}`,
  );
}

const LABEL_WIDTH = 264;

/** The best place of a player, the best map and the favourite victim. */
async function bestOfPlayer(card: PageRequest, player: number, { left, width }: { left: number; width: number }) {
  const { db, text } = card;
  const place = bestPlaceWords(card, await readPlaces(card, player));
  const map = bestMap(await recentMatches(db, player))?.map;
  const [victim] = await rivalsByKills(db, 'victims', { player, limit: 1 });
  const rows = [
    [text.rivals.bestMap, map],
    [text.rivals.victim, victim?.name],
  ].filter((row): row is [string, string] => row[1] !== undefined);
  const accent = readableOn([BACKGROUND], card.deps.config.ACCENT_COLOR);
  return html`${place === undefined ? '' : line(place, { x: left, y: 468, width, colour: accent, sizes: [48, 32, 24] })}
  ${rows.map(([label, value], index) => {
    const y = 528 + index * 52;
    return html`${line(label, { x: left, y, width: LABEL_WIDTH - 16, colour: SOFT, sizes: [24] })}
    ${line(value, { x: left + LABEL_WIDTH, y, width: width - LABEL_WIDTH, colour: FOREGROUND, sizes: [32, 24] })}`;
  })}`;
}

/** `/cards/maps/:id` with the suffix `.png` */
export async function mapCard(request: PageRequest): Promise<Response> {
  const card = cardRequest(request);
  const map = await card.named((key) => mapByKey(card.db, key));
  const modes = map.gamemodes.slice(0, 4).map((gamemode) => modeName(card, gamemode));
  const authors = map.authors.map(({ name }) => name).filter(Boolean);
  const content = html`${line(map.name, TITLE)} ${line(modes.join(' · '), LEAD)}
  ${line(map.objective, { x: MARGIN, y: 400, width: INNER_WIDTH, colour: FOREGROUND, sizes: [48, 32] })}
  ${line(card.text.map.describe(map.name, authors), FOOT)}`;
  return await send(card, content, map.key);
}

/** `/cards/leaderboards.png`: the first three of a board of the present period, chosen by the parameters of its page. */
export async function boardCard(request: PageRequest): Promise<Response> {
  const card = inAddressLanguage(request);
  const { text, formats, deps } = card;
  const [mode, period, metric] = [
    card.choice('mode', MODES),
    card.choice('period', WEEK_FIRST),
    card.choice('by', METRICS),
  ];
  const bucket = deps.bucketsAt(card.now)[period];
  const first = await leaders(card.db, { bucket, mode, metric, limit: SHOWN_BEST });
  const people = first.map((leader) => ({
    ...leader,
    about: `${formats.number(leader[metric])} ${text.boards.metrics[metric]}`,
  }));
  const content = html`${line(text.sections.leaderboards, TITLE)}
  ${line(`${text.boards.modes[mode]} · ${text.boards.periods[period]} · ${text.boards.metrics[metric]}`, LEAD)}
  ${await peopleRow(card, people, 380)} ${line(new URL(deps.config.SITE_URL).host, FOOT)}`;
  return await send(card, content);
}

/** `/cards/site.png`: for all pages without their own card */
export async function siteCard(request: PageRequest): Promise<Response> {
  const card = inAddressLanguage(request);
  const { sections } = card.text;
  const parts = [sections.matches, sections.maps, sections.leaderboards, sections.players].join(' · ');
  const { host } = new URL(card.deps.config.SITE_URL);
  return await card.deps.cards.response(
    await frame(
      card,
      html`${line(card.deps.config.NETWORK_NAME, { ...TITLE, y: 330, sizes: [128, ...TITLE_SIZES] })}
      ${line(parts, { x: MARGIN, y: 420, width: INNER_WIDTH, colour: SOFT, sizes: [48, 32] })} ${line(host, FOOT)}`,
      { withName: false },
    ),
    card.ifNoneMatch,
  );
}

/** Caches ignore the reader's languages here, so only the address decides. */
function inAddressLanguage(request: PageRequest, params = request.params): PageRequest {
  const chosen = LANGUAGES.find((language) => language === request.url.searchParams.get('lang'));
  return new PageRequest(request.deps, chosen ?? 'en', request.url, params, request);
}

/**
 * The request in the language of the card, with the id instead of the file name.
 * @throws HttpError 404 without the suffix `.png`
 */
function cardRequest(request: PageRequest): PageRequest {
  const id = request.params['id'] ?? '';
  if (!id.endsWith('.png')) throw request.notFound();
  return inAddressLanguage(request, { id: id.slice(0, -4) });
}

/** @param map whose picture is behind the content */
async function send(card: PageRequest, content: Html, map?: number): Promise<Response> {
  const image = map === undefined ? undefined : await imageOf(card.db, map);
  const behind = image !== undefined && isDrawable(image) ? image : undefined;
  return await card.deps.cards.response(await frame(card, content, { behind }), card.ifNoneMatch);
}
