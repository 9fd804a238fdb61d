import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import type { Html } from '#http/page.ts';
import { keyOf } from '#platform/ids.ts';
import { type Counter, countsIn, labelIn } from '#store/game/counters/counters.ts';
import {
  type LeaderboardEntry,
  type LeaderboardMode,
  type Metric,
  METRICS,
  MODES,
} from '#store/game/leaderboards/leaderboards.ts';
import type { Group } from '#store/game/statistics-groups.ts';
import { type Period, PERIODS } from '#store/game/time-buckets.ts';
import type { PageRequest } from '../page-request.ts';
import { choices } from './pager.ts';

/** The filters that leaderboards of fixed counters share with those of the network's own counters. */

/** `behind`: the value, id and rank of the last player on the previous page. */
export function boardStart(request: PageRequest): { entry: LeaderboardEntry; rank: number } | undefined {
  const text = request.query('behind');
  if (text === undefined) return undefined;
  const [, value, id, rank] = /^(\d{1,15})\.([0-9a-z]{11})\.(\d{1,9})$/.exec(text) ?? [];
  const key = id === undefined ? undefined : keyOf(id);
  if (key === undefined) throw new HttpError(400, 'behind', request.text.error.parameter('behind'));
  return { entry: { value: Number(value), key }, rank: Number(rank) };
}

const ALL_TIME = { period: 'all', ago: undefined };

interface Filters {
  mode: LeaderboardMode;
  period: Period;
  /** A metric, or the key of a counter. */
  metric: string;
  declared: readonly Counter[];
}

/** Counters have boards of all time only: their links choose that period, and the links of other periods another order. */
export function boardFilters(request: PageRequest, { mode, period, metric, declared }: Filters): Html {
  const { boards, filters: words } = request.text;
  const counter = declared.find(({ key }) => key === metric);
  const shown = MODES.filter(
    (value) => counter === undefined || value === 'total' || countsIn(counter, value as Group),
  );
  const modes = shown.map((value) => ({ value, label: boards.modes[value] }));
  const periods = PERIODS.map((value) => ({ value, label: boards.periods[value] }));
  const metrics = METRICS.map((value) => ({ value, label: boards.metrics[value] }));
  const own = declared.map((one) => ({ value: one.key, label: labelIn(one, request.language) }));
  const ofPeriod = { ago: undefined, ...(counter === undefined ? {} : { by: undefined }) };
  const chosen = counter === undefined ? boards.metrics[metric as Metric] : labelIn(counter, request.language);
  return html`<div class="filters">
    <details>
      <summary>
        ${words.open} <strong>${boards.modes[mode]} · ${boards.periods[period]} · <bdi>${chosen}</bdi></strong>
      </summary>
      <div class="filters">
        ${choices(request, words.gamemode, 'mode', modes, mode)}
        ${choices(request, words.period, 'period', periods, period, ofPeriod)}
        ${choices(request, words.order, 'by', metrics, metric)}
        ${own.length === 0 ? '' : choices(request, boards.counters, 'by', own, metric, ALL_TIME)}
      </div>
    </details>
  </div>`;
}
