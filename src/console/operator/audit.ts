import { html } from 'hono/html';
import { readTime } from '#text/time.ts';
import { field, select } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { type AuditEntry, type AuditFilter, listAudit, type Outcome, OUTCOMES } from '#store/audit/audit.ts';
import { timestamp, textOf } from '../components.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { inOperator } from './layout.ts';
import { type Cell, nothingFound, olderPager, PAGE_SIZE, table } from '../lists.ts';

const DAY_MS = 86_400_000;
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
  const found = await listAudit(deps.db, filterOf(request), PAGE_SIZE + 1);
  const { items, next } = listed(found, PAGE_SIZE, ({ id }) => id);
  const rows = items.map((entry) => entryRow(request, entry));
  const headings = [t.when, t.who, t.what, t.about, t.from_where, t.outcome];
  const inner = html`<section class="card">
    ${filters(request, c.req.query())}
    ${table(t.sections['/audit'], headings, rows, { first: 'td', empty: await nothingFound(request, c.req.query('subject')) })}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/audit', t.sections['/audit'], inner);
}

function filterOf({ c }: ConsoleRequest): AuditFilter {
  const [since, until] = [dayOf(c.req.query('since')), dayOf(c.req.query('until'))];
  return {
    actor: textOf(c.req.query('actor'), 64),
    action: textOf(c.req.query('action'), 64),
    subject: textOf(c.req.query('subject'), 128),
    address: textOf(c.req.query('address'), 64),
    outcome: OUTCOMES.find((outcome) => outcome === c.req.query('outcome')),
    since,
    until: until === undefined ? undefined : until + DAY_MS,
    before: textOf(c.req.query('before'), 32),
  };
}

/** The start of a day (midnight UTC) from the value of a date field. */
function dayOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  return readTime(`${text}T00:00Z`);
}

function filters({ texts: { operator: t } }: ConsoleRequest, submitted: Record<string, string>): Html {
  const filter = (name: string, label: string, type: 'text' | 'date' = 'text'): Html =>
    field({ name, label, type, value: submitted[name], optional: true, maxlength: 128 });
  const actions = ['', ...ACTION_PREFIXES].map((value) => ({ value, label: value === '' ? t.everything : value }));
  const outcomes = (['', ...OUTCOMES] as const).map((value) => ({ value, label: t.outcomes[value] }));
  return html`<form class="filters" action="/console/operator/audit" role="search" aria-label="${t.find}">
    ${filter('actor', t.who)} ${select('action', t.what, actions, submitted['action'] ?? '')}
    ${filter('subject', t.about_id)} ${filter('address', t.from_where)}
    ${select('outcome', t.outcome, outcomes, submitted['outcome'] ?? '')} ${filter('since', t.since, 'date')}
    ${filter('until', t.until, 'date')}
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
