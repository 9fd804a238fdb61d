import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { notice } from '#http/fields.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { type Health, healthOf } from '#store/installation/health.ts';
import { activeOperators } from '#store/accounts/accounts.ts';
import { factsList, timestamp, number } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';

/** Health of the service: the figures to look at first when something seems wrong. */
export async function healthCard(request: ConsoleRequest): Promise<Html> {
  const { deps, now, texts } = request;
  const { health: t } = texts;
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  const health = await healthOf(deps.db, { now, since, mailServer: mailServerOf(deps.config) });
  const when = (ms: number | null): Html | string => (ms === null ? t.never : timestamp(request, ms));
  const rows: [string, Html | string][] = [
    [t.database, `${t.databases[health.database]}, ${health.answer_ms.toFixed(1)} ms`],
    [
      texts.operator.sections['/servers'],
      t.reporting(number(request, health.servers.heard), number(request, health.servers.known)),
    ],
    [t.online, number(request, health.online)],
    [t.last_event, when(health.last_event)],
    [t.last_match, when(health.last_match)],
    [t.mail, await mailState(request, health)],
    [t.last_purge, when(health.purge.last)],
    [t.process, t.running(duration(request, health.uptime_s), number(request, health.memory_mb))],
  ];
  return html`<section class="card" aria-labelledby="health">
    <h2 id="health">${t.title}</h2>
    ${health.purge.paused ? notice(t.purge_paused, 'bad') : ''}
    ${health.mail_failure === null ? '' : notice(t.mail_fails, 'bad')} ${factsList(rows)}
  </section>`;
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
