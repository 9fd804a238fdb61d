import { html } from 'hono/html';
import { type Html, rowItem, section } from '#http/page.ts';
import { notice } from '#http/fields.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { type Health, healthOf } from '#store/installation/health.ts';
import { activeOperators } from '#store/accounts/accounts.ts';
import { OTHERS, type RefusedSender, topRefusedSenders } from '#store/installation/refused-requests.ts';
import { isLoopback } from '#platform/config/plain-http.ts';
import { readFirstHour } from '#store/installation/first-hour.ts';
import { factsList, number, timestamp } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';
import { table } from '../lists.ts';

/** Health of the service: the figures to look at first when something seems wrong. */
export async function healthCard(request: ConsoleRequest): Promise<Html> {
  const { deps, now, texts } = request;
  const { health: t } = texts;
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  const health = await healthOf(deps.db, { now, since, mailServer: mailServerOf(deps.config) });
  const { heard, known } = health.servers;
  const when = (ms: number | null): Html | string => (ms === null ? t.never : timestamp(request, ms));
  const rows: [string, Html | string][] = [
    [t.database, `${t.databases[health.database]}, ${health.answer_ms.toFixed(1)} ms`],
    [texts.operator.sections['/servers'], t.reporting(number(request, heard), number(request, known))],
    [t.online, number(request, health.online)],
    [t.last_event, when(health.last_event)],
    [t.last_match, when(health.last_match)],
    [t.mail, await mailState(request, health)],
    [t.last_purge, when(health.purge.last)],
    [t.process, t.running(duration(request, health.uptime_s), number(request, health.memory_mb))],
  ];
  const content = html`${health.purge.paused ? notice(t.purge_paused, 'bad') : ''}
  ${health.mail_failure === null ? '' : notice(t.mail_fails, 'bad')} ${factsList(rows)}`;
  return section('health', t.title, content);
}

async function mailState(request: ConsoleRequest, { mail_failure: failure }: Health): Promise<Html | string> {
  const { health: t } = request.texts;
  if (failure !== null)
    return html`${t.mail_failing} ${timestamp(request, failure.since)} <code>${failure.error}</code>`;
  if ((await activeOperators(request.deps.db)).length === 0) return t.mail_nobody;
  return request.deps.config.SMTP_URL === '' ? t.mail_files : t.mail_works;
}

function duration({ texts: { health: t } }: ConsoleRequest, seconds: number): string {
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60].map(Math.floor);
  return t.duration(days!, hours!, minutes!);
}

const LISTED = 5;

/** The senders with the highest counts of refused requests in the last hour, some of each kind. */
export async function refusedRequestsCard(request: ConsoleRequest): Promise<Html> {
  const { deps, now, texts } = request;
  const { refused: t } = texts;
  const senders = await topRefusedSenders(deps.db, now, LISTED);
  const rows = senders.map((one) => [
    senderOf(request, one),
    t.kinds[one.kind],
    number(request, one.requests),
    one.statuses.map(([status, count]) => `${status}: ${number(request, count)}`).join(', '),
    timestamp(request, one.since),
  ]);
  const content = html`${rows.length === 0 ? '' : html`<p class="soft">${t.lead}</p>`}
  ${table(t.title, [t.sender, t.kind, t.requests, t.statuses, t.since], rows, { empty: t.none })}`;
  return section('refused', t.title, content);
}

function senderOf({ texts: { refused: t } }: ConsoleRequest, { kind, sender, name }: RefusedSender): Html | string {
  if (sender === OTHERS) return t.others;
  if (kind === 'address') return html`<code>${sender}</code>`;
  const label = html`<bdi>${name ?? sender}</bdi>`;
  if (name === null) return label;
  if (kind === 'application') return html`<a href="/console/applications/${sender}">${label}</a>`;
  if (kind === 'account') return html`<a href="/console/operator/accounts/${sender}">${label}</a>`;
  return html`<a href="/console/operator/servers/${sender}">${label}</a>`;
}

interface Step {
  name: keyof ConsoleRequest['texts']['first_hour']['steps'];
  done: boolean;
  /** What helps with an open step: a link, a command, addresses. */
  help: Html;
}

/**
 * The first steps of a new network, as a list that the operator ticks off; empty when the network has all of them. The
 * public address alone does not keep the list: a network on one machine needs none.
 */
export async function firstHourCard(request: ConsoleRequest): Promise<Html> {
  const { deps, now, texts } = request;
  const { first_hour: t } = texts;
  const has = await readFirstHour(deps.db, now);
  if (has.server && has.event && has.maps && has.application) return html``;
  const local = localAddresses(request);
  const steps: Step[] = [
    { name: 'operator', done: true, help: html`` },
    { name: 'server', done: has.server, help: link('/console/operator/servers', texts.operator.new_server) },
    { name: 'event', done: has.event, help: html`<code>POST ${deps.config.INGEST_URL}/events</code>` },
    { name: 'maps', done: has.maps, help: html`<code>scorehall import pgm-maps DIR</code>` },
    {
      name: 'application',
      done: has.application,
      help: link('/console/applications/new', texts.applications.register),
    },
    { name: 'address', done: local.length === 0, help: html`<code>${local.join(' ')}</code>` },
  ];
  const done = steps.filter((step) => step.done).length;
  const content = html`<p class="soft">${t.progress(done, steps.length)}</p>
    <ol class="rows">
      ${steps.map((step) => stepRow(request, step))}
    </ol>`;
  return section('first-hour', t.title, content);
}

function stepRow({ texts: { first_hour: t } }: ConsoleRequest, { name, done, help }: Step): Html {
  const [title, hint] = t.steps[name];
  return rowItem(
    html`<strong>${title}</strong>`,
    done && name !== 'operator' ? '' : html`${hint} ${help}`,
    html`<span class="badge ${done ? 'good' : 'warn'}">${done ? t.done : t.open}</span>`,
  );
}

const link = (href: string, label: string): Html => html`<a href="${href}">${label}</a>`;

/** The settings with public addresses that only this machine can open. */
function localAddresses({ deps: { config } }: ConsoleRequest): string[] {
  return (['SITE_URL', 'AUTH_URL', 'API_URL', 'INGEST_URL'] as const).filter((name) => isLoopback(config[name]));
}
