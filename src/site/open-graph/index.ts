import { inkOn, mix, readableOn } from '#platform/colours.ts';
import { uuidOf } from '#platform/text.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { playerByUuid } from '#store/game/players.ts';
import { isBanned } from '#store/game/punishments.ts';
import { type MatchView, matchViewOf } from '../match.ts';
import { COLOURS, hueColours, hueClass } from '#site/components/colours.ts';
import { identiconCells } from '#site/components/player-link.ts';
import { totalOf } from '#site/components/stats-table.ts';
import { stopwatch } from '#site/components/timestamps.ts';
import { PageRequest } from '../page-request.ts';
import { Canvas } from './canvas.ts';
import { drawable } from './glyphs.ts';

/** Open Graph images of matches and players. Their texts are English because the bitmap font has only Latin letters. */

const BACKGROUND = '#151925';
const SOFT = '#a9b2c1';
const FOREGROUND = '#f4f1ea';
const MARGIN = 16;

/** `/cards/matches/:id` with the suffix `.png` */
export async function matchImage(request: PageRequest): Promise<Response> {
  const english = englishRequest(request);
  const view = await matchViewOf(english);
  const canvas = frame(english);
  const { facts, match } = view;
  const title = drawable(facts.map) ?? facts.gamemode.toUpperCase();
  canvas.write(drawable(title) ?? 'Match', MARGIN, 42, Canvas.widthOf(title, 4) > 368 ? 3 : 4, FOREGROUND, 368);
  const winner = drawable(facts.win);
  const outcome = facts.win === '' ? 'Nobody won' : winner === undefined ? 'Decided' : `${winner} won`;
  canvas.write(outcome, MARGIN, 80, 2, winnerColour(view), 368);
  scores(canvas, view);
  const server = drawable(facts.server);
  const parts = [drawable(facts.gamemode)?.toUpperCase(), server, stopwatch(match.finished - match.started)];
  canvas.write(parts.filter((part) => part !== undefined).join(' · '), MARGIN, 188, 1, SOFT, 368);
  return await send(canvas);
}

function winnerColour({ facts, colours }: MatchView): string {
  const colour = colours.get(facts.win);
  return colour === undefined ? SOFT : readableOn([BACKGROUND], COLOURS[colour]);
}

/** One block per team with its score; the winner's block is higher. */
function scores(canvas: Canvas, { teams, colours, facts }: MatchView): void {
  const shown = teams.slice(0, 6);
  if (shown.length === 0) return;
  const width = Math.floor((canvas.width - 2 * MARGIN - 4 * (shown.length - 1)) / shown.length);
  shown.forEach(({ name, score }, index) => {
    const colour = COLOURS[colours.get(name)!];
    const [left, rise] = [MARGIN + index * (width + 4), name === facts.win ? 8 : 0];
    canvas.fill(left, 116 - rise, width, 62 + rise, colour);
    canvas.fill(left, 172, width, 6, mix(colour, '#000000', 0.25));
    const textColour = inkOn(colour);
    const value = String(score);
    const size = Canvas.widthOf(value, 4) > width - 12 ? (Canvas.widthOf(value, 2) > width - 12 ? 1 : 2) : 4;
    canvas.write(value, left + 6, 122 - rise, size, textColour, width - 8);
    canvas.write(drawable(name) ?? '', left + 6, 160, 1, textColour, width - 8);
  });
}

/** `/cards/players/:id` with the suffix `.png` */
export async function playerImage(request: PageRequest): Promise<Response> {
  const english = englishRequest(request);
  const uuid = uuidOf(english.params['id'] ?? '');
  const player = uuid === undefined ? undefined : await playerByUuid(request.db, uuid);
  if (player === undefined) throw request.notFound();
  const { play, win, kill, death, time } = totalOf(await statsOf(request.db, player.key));
  const canvas = frame(english);
  drawIdenticon(canvas, player.uuid, MARGIN, 48, 12);
  const name = drawable(player.name) ?? 'Player';
  canvas.write(
    name,
    140,
    54,
    Canvas.widthOf(name, 4) > 244 ? (Canvas.widthOf(name, 3) > 244 ? 2 : 3) : 4,
    FOREGROUND,
    244,
  );
  const banned = await isBanned(request.db, player.key, request.now);
  canvas.write(
    banned ? 'Banned' : `${english.formats.number(Math.floor(time / 3600))} h played`,
    140,
    96,
    2,
    banned ? '#ff8f80' : SOFT,
    244,
  );
  const ratio = (kill / Math.max(1, death)).toFixed(2);
  const figures = [['Matches', play], ['Won', win], ['Kills', kill], ['K/D', ratio]] as const; // prettier-ignore
  figures.forEach(([label, value], index) => {
    const left = 140 + (index % 2) * 124;
    const top = 122 + Math.floor(index / 2) * 32;
    canvas.write(typeof value === 'number' ? english.formats.number(value) : value, left, top, 2, FOREGROUND, 120);
    canvas.write(label, left, top + 18, 1, SOFT, 120);
  });
  return await send(canvas);
}

function drawIdenticon(canvas: Canvas, uuid: string, left: number, top: number, side: number): void {
  const { front, behind } = hueColours(hueClass(uuid));
  canvas.fill(left, top, 9 * side, 9 * side, behind);
  for (const [column, row] of identiconCells(uuid)) {
    canvas.fill(left + (column + 1) * side, top + (row + 1) * side, side, side, front);
  }
}

/** An empty image with the network's name and a border in its accent colour. */
function frame({ deps: { config } }: PageRequest): Canvas {
  const canvas = new Canvas(BACKGROUND);
  const accent = readableOn([BACKGROUND], config.ACCENT_COLOR);
  for (let column = 0; column < canvas.width; column += 10) {
    canvas.fill(column, 0, 10, 5, (column / 10) % 2 === 0 ? accent : mix(accent, BACKGROUND, 0.35));
    canvas.fill(column, 5, 10, 5, (column / 10) % 2 === 1 ? accent : mix(accent, BACKGROUND, 0.6));
  }
  canvas.write(drawable(config.NETWORK_NAME) ?? 'Scorehall', MARGIN, 20, 2, accent, 368);
  return canvas;
}

/**
 * The request in English, with the id instead of the file name.
 * @throws HttpError 404 without the suffix `.png`
 */
function englishRequest(request: PageRequest): PageRequest {
  const id = request.params['id'] ?? '';
  if (!id.endsWith('.png')) throw request.notFound();
  return new PageRequest(request.deps, 'en', request.url, { id: id.slice(0, -4) });
}

async function send(canvas: Canvas): Promise<Response> {
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, max-age=3600' };
  return new Response(await canvas.png(), { headers });
}
