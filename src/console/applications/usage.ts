import { html } from 'hono/html';
import { COLON, LOCALES } from '#http/languages.ts';
import { type Html, section } from '#http/page.ts';
import { countOpenStreams } from '#store/applications/open-streams.ts';
import { HOUR_MS, readLastUse, type Sum, sumUsage, type Usage, usageSince } from '#store/applications/usage.ts';
import { inApplication } from './layout.ts';
import { number, timestamp } from '../components.ts';
import { type ConsoleRequest, ownedPage, type OwnedRequest, type Route } from '../routes.ts';

const HOURS = 7 * 24;
const COUNTERS = ['requests', 'client_errors', 'limited', 'server_errors'] as const;
const MAX_CHARTS = 12;

/** Use of the data API in the last seven days, in total and by endpoint. */
async function usage(request: OwnedRequest) {
  const { application, texts, deps, now } = request;
  const { usage: t } = texts;
  const first = now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS;
  const counts = await usageSince(deps.db, application.key, first);
  const last = await readLastUse(deps.db, application.key);
  const streams = await countOpenStreams(deps.db, now, application.key);
  const byEndpoint = [...Map.groupBy(counts, ({ endpoint }) => endpoint)].sort(
    ([, a], [, b]) => sumUsage(b).requests - sumUsage(a).requests,
  );
  const charted = byEndpoint.slice(0, MAX_CHARTS);
  const charts = charted.map(([endpoint, rows]) => endpointPart(request, endpoint, rows, first));
  const inner = html`<section class="card" aria-labelledby="all">
      <h2 id="all">${t.title}</h2>
      <p class="soft">
        ${last === undefined ? t.never : html`${texts.applications.last_used} ${timestamp(request, last)}`}<br />
        ${t.streams}${COLON[texts.lang]}${number(request, streams)}
      </p>
      ${figures(request, sumUsage(counts))} ${counts.length === 0 ? '' : chartOf(request, counts, first, t.title)}
      ${legend(request)}
    </section>
    ${byEndpoint.length === 0 ? '' : section('endpoints', t.endpoints, html`${charts}`)}
    ${counts.length === 0 ? '' : tableOf(request, byEndpoint)}`;
  return await inApplication(request, '/usage', texts.tabs['/usage'], inner);
}

function figures(request: ConsoleRequest, sum: Sum): Html {
  const { usage: t } = request.texts;
  return html`<dl class="figures">
    ${COUNTERS.map(
      (name) =>
        html`<div>
          <dt>${t.counters[name]}</dt>
          <dd>${number(request, sum[name])}</dd>
        </div>`,
    )}
  </dl>`;
}

function legend({ texts: { usage: t } }: ConsoleRequest): Html {
  return html`<p class="legend small">
    <span class="key good">${t.served}</span> <span class="key bad">${t.refused}</span>
    <span class="key limited">${t.over}</span>
  </p>`;
}

function endpointPart(request: OwnedRequest, endpoint: string, rows: readonly Usage[], first: number): Html {
  const name = endpoint === '' ? request.texts.usage.unknown : endpoint;
  return html`<figure class="endpoint">
    <figcaption><code>${name}</code> <span class="soft">${words(request, sumUsage(rows))}</span></figcaption>
    ${chartOf(request, rows, first, name)}
  </figure>`;
}

function words(request: ConsoleRequest, { requests, client_errors, limited }: Sum): string {
  return request.texts.usage.words(number(request, requests), number(request, client_errors), number(request, limited));
}

function chartOf(request: OwnedRequest, rows: readonly Usage[], first: number, name: string): Html {
  const { lang, usage: t } = request.texts;
  const timeZone = request.deps.config.TIME_ZONE;
  const hourFormat = new Intl.DateTimeFormat(LOCALES[lang], {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  const dayFormat = new Intl.DateTimeFormat(LOCALES[lang], { month: 'short', day: 'numeric', timeZone });
  const byHour = Map.groupBy(rows, ({ hour }) => hour);
  const hours: Column[] = Array.from({ length: HOURS }, (_, index) => {
    const hour = first + index * HOUR_MS;
    const sum = sumUsage(byHour.get(hour) ?? []);
    const { requests, client_errors: bad, limited, server_errors } = sum;
    const title = `${hourFormat.format(hour)}${COLON[lang]}${words(request, sum)}`;
    return { title, good: requests - bad - limited - server_errors, bad: bad + server_errors, limited };
  });
  const busiest = hours.reduce((best, column) => (total(column) > total(best) ? column : best), hours[0]!);
  const marks = Array.from({ length: 7 }, (_, day) => ({
    at: day * 24,
    text: dayFormat.format(first + (day * 24 + 12) * HOUR_MS),
  }));
  return columnChart(
    hours,
    `${name}${COLON[lang]}${words(request, sumUsage(rows))}. ${t.busiest} ${busiest.title}`,
    marks,
  );
}

const total = ({ good, bad, limited }: Column): number => good + bad + limited;

/** The sums by endpoint as a table, for readers who cannot see the charts. */
function tableOf(request: ConsoleRequest, byEndpoint: readonly [string, Usage[]][]): Html {
  const { usage: t } = request.texts;
  const cell = (value: number, label: string): Html =>
    html`<td class="n" data-label="${label}">${number(request, value)}</td>`;
  const content = html`<div class="scroll" tabindex="0" role="group" aria-labelledby="numbers">
    <table class="lines">
      <thead>
        <tr>
          <th scope="col">${t.endpoint}</th>
          ${COUNTERS.map((name) => html`<th scope="col" class="n">${t.counters[name]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${byEndpoint.map(([endpoint, rows]) => {
          const sum = sumUsage(rows);
          return html`<tr>
            <th scope="row"><code>${endpoint === '' ? t.unknown : endpoint}</code></th>
            ${COUNTERS.map((name) => cell(sum[name], t.counters[name]))}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
  return section('numbers', t.numbers, content);
}

export const usageRoutes: readonly Route[] = [ownedPage('/applications/:client_id/usage', usage)];

/** One column of a chart; its parts are stacked from the bottom. */
interface Column {
  /** Tooltip. */
  title: string;
  good: number;
  bad: number;
  limited: number;
}

const [STEP, HEIGHT, TOP] = [4, 120, 6];
const PARTS = ['good', 'bad', 'limited'] as const;

/**
 * A column chart over time as SVG. It has no inline styles, which the content security policy forbids.
 * @param label the same information in words, for screen readers
 * @param marks labels below the chart, each at the index of a column
 */
function columnChart(columns: readonly Column[], label: string, marks: readonly { at: number; text: string }[]): Html {
  const max = Math.max(1, ...columns.map(total));
  const width = columns.length * STEP;
  const gridLines = marks.map(({ at }) => `M${at * STEP} 0V${HEIGHT}`).join('');
  return html`<div class="chart-box">
    <span class="chart-most" aria-hidden="true">${max.toLocaleString('en')}</span>
    <svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
      <path class="grid" d="M0 ${HEIGHT - 0.5}H${width}M0 ${TOP}H${width}${gridLines}" />
      ${columns.map((column, index) => columnAt(column, index, max))}
    </svg>
    <div class="chart-days" aria-hidden="true">${marks.map(({ text }) => html`<span>${text}</span>`)}</div>
  </div>`;
}

function columnAt(column: Column, index: number, max: number): Html | string {
  if (total(column) === 0) return '';
  let y = HEIGHT;
  const parts = PARTS.filter((part) => column[part] > 0).map((part) => {
    const height = Math.max(1.5, (column[part] / max) * (HEIGHT - TOP));
    y -= height;
    return html`<rect
      class="${part}"
      x="${index * STEP}"
      y="${y.toFixed(1)}"
      width="${STEP - 0.6}"
      height="${height.toFixed(1)}"
    />`;
  });
  return html`<g><title>${column.title}</title>${parts}</g>`;
}
