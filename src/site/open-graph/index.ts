import { html } from 'hono/html';
import { inkOn, mix, readableOn } from '#platform/text/colours.ts';
import { uuidOf } from '#text/text.ts';
import { LANGUAGES } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { playerByUuid } from '#store/game/players.ts';
import { isPrivate } from '#store/game/private-players.ts';
import { isBanned } from '#store/game/punishments.ts';
import { COLOURS } from '#site/components/colours.ts';
import { modeName, stopwatch } from '#site/components/labels.ts';
import { isFreeForAll } from '#site/components/match-list.ts';
import { totalOf } from '#site/components/stats-table.ts';
import { type MatchView, readMatchView } from '#site/pages/match.ts';
import { PageRequest } from '../page-request.ts';
import { BACKGROUND, box, FOREGROUND, frame, identiconOn, INNER_WIDTH, line, MARGIN, SOFT } from './drawing.ts';

/** Share cards (Open Graph images) of matches, players, maps and the site, in the language of `?lang=`. */

const TITLE_SIZES = [96, 80, 64, 48];
const TITLE = { x: MARGIN, y: 216, width: INNER_WIDTH, colour: FOREGROUND, sizes: TITLE_SIZES };
const FOOT = { x: MARGIN, y: 590, width: INNER_WIDTH, colour: SOFT, sizes: [32] };
const SHOWN_TEAMS = 6;
const SHOWN_PLAYERS = 3;
/** The block of a player who plays alone: colours mean teams. */
const NEUTRAL = '#39435a';
/** Other caches ask each time, because the profile may be private or erased since. */
const MAX_AGE_OF_PERSON = 0;

/** `/cards/matches/:id` with the suffix `.png` */
export async function matchImage(request: PageRequest): Promise<Response> {
  const card = cardRequest(request);
  const view = await readMatchView(card);
  const { facts, match, winners } = view;
  const { text } = card;
  const outcome = winners.length === 0 ? text.match.draw : text.match.wonBy(winners.join(', '));
  const about = [modeName(card, facts.gamemode), facts.server, stopwatch(match.finished - match.started)];
  return await send(
    card,
    html`${line(facts.map, TITLE)}
    ${line(outcome, { x: MARGIN, y: 288, width: INNER_WIDTH, colour: winnerColour(view), sizes: [48, 32] })}
    ${scores(card, view)} ${line(about.filter(Boolean).join(' · '), FOOT)}`,
  );
}

function winnerColour({ facts, colours, teams }: MatchView): string {
  const colour = isFreeForAll(teams) ? undefined : colours.get(facts.win);
  return colour === undefined ? SOFT : readableOn([BACKGROUND], COLOURS[colour]);
}

/** One block per team with its score; the winner's block is higher. */
function scores({ formats }: PageRequest, { teams, colours, winners }: MatchView): Html {
  const isAlone = isFreeForAll(teams);
  const best = [...teams].sort(
    (a, b) => Number(winners.includes(b.name)) - Number(winners.includes(a.name)) || b.score - a.score,
  );
  const shown = (isAlone ? best : teams).slice(0, isAlone ? SHOWN_PLAYERS : SHOWN_TEAMS);
  const width = Math.floor((INNER_WIDTH - 12 * (shown.length - 1)) / Math.max(1, shown.length));
  return html`${shown.map(({ name, score }, index) => {
    const colour = isAlone ? NEUTRAL : COLOURS[colours.get(name)!];
    const [left, rise] = [MARGIN + index * (width + 12), winners.includes(name) ? 24 : 0];
    const place = { x: left + 18, width: width - 36, colour: inkOn(colour) };
    return html`${box(left, 348 - rise, width, 184 + rise, colour)}${box(left, 516, width, 16, mix(colour, '#000000', 0.25))}
    ${line(formats.number(score), { ...place, y: 444 - rise, sizes: [96, 64, 48, 32] })}
    ${line(name, { ...place, y: 500, sizes: [32] })}`;
  })}`;
}

/** `/cards/players/:id` with the suffix `.png` */
export async function playerImage(request: PageRequest): Promise<Response> {
  const card = cardRequest(request);
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
    html`${identiconOn(player.uuid, MARGIN, 156, 36)} ${line(player.name, { ...TITLE, x: left, width })}
    ${line(state, { x: left, y: 288, width, colour: banned ? '#ff8f80' : SOFT, sizes: [48, 32] })}
    ${figures.map(([label, value], index) => {
      const [x, y] = [left + (index % 2) * 372, 392 + Math.floor(index / 2) * 128];
      return html`${line(value, { x, y, width: 360, colour: FOREGROUND, sizes: [64, 48, 32] })}
      ${line(label, { x, y: y + 44, width: 360, colour: SOFT, sizes: [32] })}`;
    })}`,
    MAX_AGE_OF_PERSON,
  );
}

/** `/cards/maps/:id` with the suffix `.png` */
export async function mapCard(request: PageRequest): Promise<Response> {
  const card = cardRequest(request);
  const map = await card.named((key) => mapByKey(card.db, key));
  const modes = map.gamemodes.slice(0, 4).map((gamemode) => modeName(card, gamemode));
  const authors = map.authors.map(({ name }) => name).filter(Boolean);
  return await send(
    card,
    html`${line(map.name, TITLE)}
    ${line(modes.join(' · '), { x: MARGIN, y: 288, width: INNER_WIDTH, colour: SOFT, sizes: [48, 32] })}
    ${line(map.objective, { x: MARGIN, y: 400, width: INNER_WIDTH, colour: FOREGROUND, sizes: [48, 32] })}
    ${line(card.text.map.describe(map.name, authors), FOOT)}`,
  );
}

/** `/cards/site.png`: for all pages without their own card */
export async function siteCard(request: PageRequest): Promise<Response> {
  const card = new PageRequest(request.deps, addressLanguage(request), request.url, {}, request);
  const { sections } = card.text;
  const parts = [sections.matches, sections.maps, sections.leaderboards, sections.players].join(' · ');
  const { host } = new URL(card.deps.config.SITE_URL);
  return await card.deps.cards.response(
    await frame(
      card,
      html`${line(card.deps.config.NETWORK_NAME, { ...TITLE, y: 330, sizes: [128, ...TITLE_SIZES] })}
      ${line(parts, { x: MARGIN, y: 420, width: INNER_WIDTH, colour: SOFT, sizes: [48, 32] })} ${line(host, FOOT)}`,
      false,
    ),
    card.ifNoneMatch,
  );
}

/** Caches ignore the reader's languages here, so only the address decides. */
function addressLanguage({ url }: PageRequest): PageRequest['language'] {
  return LANGUAGES.find((language) => language === url.searchParams.get('lang')) ?? 'en';
}

/**
 * The request in the language of the card, with the id instead of the file name.
 * @throws HttpError 404 without the suffix `.png`
 */
function cardRequest(request: PageRequest): PageRequest {
  const id = request.params['id'] ?? '';
  if (!id.endsWith('.png')) throw request.notFound();
  const params = { id: id.slice(0, -4) };
  return new PageRequest(request.deps, addressLanguage(request), request.url, params, request);
}

async function send(card: PageRequest, content: Html, maxAge?: number): Promise<Response> {
  return await card.deps.cards.response(await frame(card, content), card.ifNoneMatch, maxAge);
}
