import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { countMatch, excludeMatch } from '#admin/matches.ts';
import { type Html, inline } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { OF_THE_PRESENT } from '#events/schema/index.ts';
import { type EventWarning, listEventWarnings } from '#store/game/event-warnings.ts';
import { excludedAmong } from '#store/game/excluded-matches.ts';
import { type MatchHead, matchWithTeams } from '#store/game/matches.ts';
import { button, timestamp } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { orNotFound } from '../sign-in.ts';
import { type ConsoleRequest, operatorPage, type Route } from '../routes.ts';
import { inOperator } from './layout.ts';
import { type Cell, hiddenHeading, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';

/** Accepted events with values that are not plausible. */
async function warningsPage(request: ConsoleRequest) {
  const { operator: t } = request.texts;
  const found = await listEventWarnings(request.deps.db, { before: keyBefore(request), limit: PAGE_SIZE + 1 });
  const { items, next } = listed(found, PAGE_SIZE, ({ receipt }) => receipt);
  const title = t.sections['/warnings'];
  const excluded = await excludedAmong(
    request.deps.db,
    items.flatMap(({ receipt, type }) => (type === 'match.finished' ? [keyOf(receipt)!] : [])),
  );
  const rows = items.map((warning) => warningRow(request, warning, excluded.has(keyOf(warning.receipt)!)));
  const headings = [t.received, t.server, t.event, t.implausible, t.counting, hiddenHeading(t.withdraw)];
  const inner = html`<section class="card">
    <p>${t.warnings_lead}</p>
    ${table(title, headings, rows, { first: 'td', empty: t.no_warnings })} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/warnings', title, inner);
}

function warningRow(request: ConsoleRequest, warning: EventWarning, isExcluded: boolean): Cell[] {
  const { operator: t } = request.texts;
  const { receipt, id, type, serverKey, server, warnings, received, withdrawn } = warning;
  const root = `/operator/servers/${idOf(serverKey)}`;
  // Reports of the present are not stored, so there is nothing to withdraw.
  const isStored = serverKey !== 0 && !OF_THE_PRESENT.has(type);
  const withdraw = { kind: 'quiet small danger', fields: { receipt }, about: receipt } as const;
  const withdrawButton = isStored ? button(request, `${root}/withdraw`, t.withdraw, withdraw) : '';
  return [
    timestamp(request, received),
    serverKey === 0 ? '–' : html`<a href="/console${root}">${server}</a>`,
    html`<code>${type}</code> <span class="hint">${id}</span>`,
    html`${warnings.map(({ reason }) => html`<span class="hint">${inline(reason)}</span>`)}`,
    type === 'match.finished' && !withdrawn ? countingCell(request, receipt, isExcluded) : '',
    withdrawn ? html`<span class="badge warn">${t.receipt_states.withdrawn}</span>` : withdrawButton,
  ];
}

function countingCell(request: ConsoleRequest, match: string, isExcluded: boolean): Html {
  const { operator: t } = request.texts;
  const [state, act, label] = isExcluded
    ? ([t.excluded, 'count', t.count_match] as const)
    : ([t.counted, 'exclude', t.exclude_match] as const);
  const options = { kind: 'quiet small', fields: { match, act }, about: match } as const;
  return html`<a class="badge ${isExcluded ? 'warn' : ''}" href="/matches/${match}">${state}</a>
    ${button(request, '/operator/warnings', label, options)}`;
}

const requireMatch = async ({ deps, form }: ConsoleRequest): Promise<MatchHead> =>
  orNotFound(await matchWithTeams(deps.db, keyOf(form['match'] ?? '') ?? 0));

const onMatch = {
  find: requireMatch,
  at: () => '/operator/warnings',
  refused: { no_match: 'gone', unchanged: 'gone', busy: 'again' },
  done: 'completed',
} as const;

export const warningRoutes: readonly Route[] = [
  operatorPage('/operator/warnings', warningsPage),
  oneOfForms('act', {
    count: operationForm('/operator/warnings', countMatch, onMatch),
    exclude: operationForm('/operator/warnings', excludeMatch, onMatch),
  }),
];
