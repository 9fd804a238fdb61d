import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { isLoopback } from '#platform/config/plain-http.ts';
import { readFirstHour } from '#store/installation/first-hour.ts';
import type { ConsoleRequest } from '../routes.ts';

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
  return html`<section class="card" aria-labelledby="first-hour">
    <h2 id="first-hour">${t.title}</h2>
    <p class="soft">${t.progress(done, steps.length)}</p>
    <ol class="rows">
      ${steps.map((step) => stepRow(request, step))}
    </ol>
  </section>`;
}

function stepRow({ texts: { first_hour: t } }: ConsoleRequest, { name, done, help }: Step): Html {
  const [title, hint] = t.steps[name];
  return html`<li>
    <span class="what"
      ><strong>${title}</strong>
      ${done && name !== 'operator' ? '' : html`<span class="hint">${hint} ${help}</span>`}</span
    >
    <span class="badge ${done ? 'good' : 'warn'}">${done ? t.done : t.open}</span>
  </li>`;
}

const link = (href: string, label: string): Html => html`<a href="${href}">${label}</a>`;

/** The settings with public addresses that only this machine can open. */
function localAddresses({ deps: { config } }: ConsoleRequest): string[] {
  return (['SITE_URL', 'AUTH_URL', 'API_URL', 'INGEST_URL'] as const).filter((name) => isLoopback(config[name]));
}
