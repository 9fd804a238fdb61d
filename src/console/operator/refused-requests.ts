import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { OTHERS, type RefusedSender, topRefusedSenders } from '#store/installation/refused-requests.ts';
import { number, timestamp } from '../components.ts';
import type { ConsoleRequest } from '../routes.ts';
import { table } from '../lists.ts';

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
  return html`<section class="card" aria-labelledby="refused">
    <h2 id="refused">${t.title}</h2>
    ${rows.length === 0 ? '' : html`<p class="soft">${t.lead}</p>`}
    ${table(t.title, [t.sender, t.kind, t.requests, t.statuses, t.since], rows, { empty: t.none })}
  </section>`;
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
