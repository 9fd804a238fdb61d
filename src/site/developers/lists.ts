import { html } from 'hono/html';
import { inline } from '#http/page.ts';
import { METRICS, MODES } from '#store/game/leaderboards/leaderboards.ts';
import { MATCH_INDEXES } from '#store/game/match-lists.ts';
import { COUNTERS } from '#store/game/statistics-groups.ts';
import { PERIODS, RETAINED_BUCKETS } from '#store/game/time-buckets.ts';
import { code, type DeveloperPage, layout, table } from './components.ts';
import type { Text } from './text/en.ts';

/** `/developers/lists`: look-ups of several players, search, filters, the lists of a player, leaderboards. */
export const lists: DeveloperPage = (_request, text, placeholders) => {
  const words = text.lists;
  return layout(
    text,
    'lists',
    words,
    html`<div class="prose">
      <p class="lead">${words.description}</p>
      <h2 id="look-up">${words.lookUp}</h2>
      ${code(text, 'look-up.sh', placeholders)}
      <p>${inline(words.lookUpText)}</p>
      ${table(words.lookUpHead, words.lookUps)}
      <h2 id="search">${words.search}</h2>
      <p>${inline(words.searchText)}</p>
      ${code(text, 'search.sh', placeholders)}
      <h2 id="filters">${words.filters}</h2>
      <p>${inline(words.filtersText)}</p>
      ${table(words.filtersHead, pairs(words))}
      <p>${inline(words.byTime)}</p>
      ${code(text, 'filters.sh', placeholders)}
      <h2 id="player">${words.ofPlayer}</h2>
      <p>${inline(words.ofPlayerText)}</p>
      ${code(text, 'player-matches.sh', placeholders)}
      <h2 id="leaderboards">${words.boards}</h2>
      <p>${inline(words.boardsText)}</p>
      ${code(text, 'leaderboard.sh', placeholders)} ${table(words.boardsHead, boardParts(words))}
    </div>`,
  );
};

/** The pairs of filters that an index serves, by their first filter. */
function pairs({ time }: Text['lists']): [string, string][] {
  const allowed = Object.keys(MATCH_INDEXES).flatMap((names) => {
    const [first, second] = names.split(' ');
    return second === undefined ? [] : [{ first: first!, second: second === 'time' ? time : `\`${second}\`` }];
  });
  const byFirst = Map.groupBy(allowed, ({ first }) => first);
  return [...byFirst].map(([first, others]) => [first, others.map(({ second }) => second).join('; ')]);
}

const listed = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

function boardParts({ boardParts: { mode, period, by }, ago }: Text['lists']): [string, string][] {
  const oldest = Object.entries(RETAINED_BUCKETS).map(([name, count]) => `\`${name}\` 0–${count - 1}`);
  return [
    [mode, listed(MODES)],
    [period, listed(PERIODS)],
    [by, listed(METRICS.map((metric) => COUNTERS[metric].wire))],
    ['ago', `${ago}: ${oldest.join(', ')}`],
  ];
}
