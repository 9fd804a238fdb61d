import { html } from 'hono/html';
import { type Field, field, select } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { type AuditEntry, type AuditFilter, listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import { isFine, type Problems, timestamp, textOf } from '../components.ts';
import { readDay } from '../entry-fields.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { inOperator } from './layout.ts';
import { type Cell, nothingFound, olderPager, PAGE_SIZE, table } from '../lists.ts';

/** The first words of action names, which filter by all actions about one kind of thing. */
const ACTION_PREFIXES = [
  'access',
  'account',
  'application',
  'webhook',
  'console',
  'counter',
  'database',
  'grant',
  'import',
  'job',
  'match',
  'network',
  'player',
  'punishment',
  'server',
  'session',
  'signing-key',
  'token',
];

/** The audit log with its filters. */
async function auditPage(request: ConsoleRequest) {
  const { c, deps } = request;
  const { operator: t } = request.texts;
  const { filter, problems } = filterOf(request);
  const found = isFine(problems) ? await listAudit(deps.db, filter, PAGE_SIZE + 1) : [];
  const { items, next } = listed(found, PAGE_SIZE, ({ id }) => id);
  const rows = items.map((entry) => entryRow(request, entry));
  const headings = [t.when, t.who, t.what, t.about, t.from_where, t.outcome];
  const inner = html`<section class="card">
    ${filters(request, c.req.query(), problems)}
    ${table(t.sections['/audit'], headings, rows, { first: 'td', empty: await nothingFound(request, c.req.query('subject')) })}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/audit', t.sections['/audit'], inner, isFine(problems) ? 200 : 422);
}

function filterOf({ c, deps, texts }: ConsoleRequest): { filter: AuditFilter; problems: Problems } {
  const { TIME_ZONE: zone } = deps.config;
  const [from = '', to = ''] = [c.req.query('since'), c.req.query('until')];
  const [since, until] = [readDay(zone, from), readDay(zone, to, 1)];
  const filter = {
    actor: textOf(c.req.query('actor'), 64),
    action: textOf(c.req.query('action'), 64),
    subject: textOf(c.req.query('subject'), 128),
    address: textOf(c.req.query('address'), 64),
    outcome: OUTCOMES.find((outcome) => outcome === c.req.query('outcome')),
    since,
    until,
    before: textOf(c.req.query('before'), 32),
  };
  const wrong = (text: string, day: number | undefined) =>
    text === '' || day !== undefined ? undefined : texts.operator.day_wrong;
  return { filter, problems: { since: wrong(from, since), until: wrong(to, until) } };
}

function filters({ texts, deps }: ConsoleRequest, submitted: Record<string, string>, problems: Problems): Html {
  const { operator: t } = texts;
  const zone = texts.zone(deps.config.TIME_ZONE);
  const filter = (name: string, label: string, more: Partial<Field> = {}): Html =>
    field({ name, label, value: submitted[name], optional: true, maxlength: 128, error: problems[name], ...more });
  const actions = ['', ...ACTION_PREFIXES].map((value) => ({ value, label: value === '' ? t.everything : value }));
  const outcomes = (['', ...OUTCOMES] as const).map((value) => ({ value, label: t.outcomes[value] }));
  return html`<form class="filters" action="/console/operator/audit" role="search" aria-label="${t.find}">
    ${filter('actor', t.who)} ${select('action', t.what, actions, submitted['action'] ?? '')}
    ${filter('subject', t.about_id)} ${filter('address', t.from_where)}
    ${select('outcome', t.outcome, outcomes, submitted['outcome'] ?? '')}
    ${filter('since', t.since, { type: 'date', hint: zone })} ${filter('until', t.until, { type: 'date', hint: zone })}
    <button class="quiet">${t.find}</button>
  </form>`;
}

function entryRow(request: ConsoleRequest, entry: AuditEntry): Cell[] {
  const { operator: t } = request.texts;
  const detail = Object.entries(entry.detail).filter(([, value]) => value !== null && value !== '');
  const kind = { done: 'good', refused: 'warn', failed: 'bad' }[entry.outcome satisfies Outcome];
  return [
    timestamp(request, entry.time),
    html`${entry.actor === '' ? '–' : entry.actor} <span class="hint">${t.ways[entry.via]}</span>`,
    html`<code>${entry.action}</code>
      ${detail.map(([name, value]) => html`<span class="hint">${name}: ${String(value)}</span>`)}`,
    html`${entry.label} <span class="hint"><code>${entry.subject}</code></span>`,
    entry.address,
    html`<span class="badge ${kind}">${t.outcomes[entry.outcome]}</span>`,
  ];
}

export const auditRoutes: readonly Route[] = [operatorPage('/operator/audit', auditPage)];
