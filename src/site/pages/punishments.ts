import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { COLON } from '#http/languages.ts';
import { appealContact, contactHtml } from '#http/contact.ts';
import type { Html } from '#http/page.ts';
import { pager } from '#http/pager.ts';
import { ACTIVE, listPunishments, punishmentByKey, EXPIRED } from '#store/game/punishments.ts';
import type { Punishment, Revocation } from '#store/game/punishments.ts';
import { byKey, PAGE_SIZE, table } from '#site/components/table.ts';
import { playerLink } from '#site/components/links.ts';
import { timestamp, ago } from '#site/components/labels.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';
import { punishmentTypeName } from '#http/game-texts/en.ts';

/** `/punishments` */
export async function punishmentsPage(request: PageRequest): Promise<PageContent> {
  const { text } = request;
  const { items, next } = byKey(await listPunishments(request.db, request.beforeKey, PAGE_SIZE + 1, request.now));
  return {
    title: text.sections.punishments,
    description: text.punishment.listDescription(request.deps.config.NETWORK_NAME),
    path: '/punishments',
    section: 'punishments',
    noIndex: request.query('max_id') !== undefined,
    feeds: [{ path: '/punishments.atom', title: text.feeds.punishments }],
    main: html`<div class="heading">
        <h1>${text.sections.punishments}</h1>
        <a class="feed" href="/punishments.atom">${text.feeds.punishments}</a>
      </div>
      ${punishmentTable(request, items, { withPlayer: true })}${pager(request.url, text.pager, next, 'max_id')}`,
  };
}

/** `/punishments/:id` */
export async function punishmentPage(request: PageRequest): Promise<PageContent> {
  const punishment = await request.named((key) => punishmentByKey(request.db, key, request.now));
  const { text } = request;
  const title = text.punishment.title(typeName(request, punishment.type), punishment.punished.name);
  return {
    title,
    description: punishment.reason === '' ? title : `${title}: ${punishment.reason}`,
    path: `/punishments/${idOf(punishment.key)}`,
    section: 'punishments',
    kind: 'punishment',
    main: html`<h1><bdi>${typeName(request, punishment.type)}</bdi></h1>
      <div class="card narrowish">
        <p class="punished">${playerLink(request, punishment.punished, 48)} ${stateChip(request, punishment)}</p>
        ${punishment.reason === '' ? '' : html`<blockquote><bdi>${punishment.reason}</bdi></blockquote>`}
        <dl class="facts">${facts(request, punishment)}</dl>
        ${punishment.state === ACTIVE ? appeal(request) : ''}
      </div>`,
  };
}

function facts(request: PageRequest, punishment: Punishment): Html {
  const { punisher, automatic, time, expires, server, level, revocation } = punishment;
  const { text, formats } = request;
  const { punishment: words } = text;
  const by = punisher === null ? html`${automatic ? words.automatic : words.team}` : playerLink(request, punisher);
  return html`${fact(words.by, by)}${fact(words.since, timestamp(request, time))}
  ${fact(words.until, expires === null ? html`${words.forever}` : timestamp(request, expires))}
  ${server === '' ? '' : fact(words.server, html`<bdi>${server}</bdi>`)}${fact(words.level, html`${formats.number(level)}`)}
  ${revocation === null ? '' : revocationFacts(request, revocation)}`;
}

function revocationFacts(request: PageRequest, { time, by, server, reason }: Revocation): Html {
  const { punishment, punishmentStates } = request.text;
  const { revokedBy, revokedWhy, team } = punishment;
  const who = by === null ? (server === '' ? html`${team}` : html`<bdi>${server}</bdi>`) : playerLink(request, by);
  return html`${fact(punishmentStates.revoked, timestamp(request, time))}${fact(revokedBy, who)}
  ${reason === '' ? '' : fact(revokedWhy, html`<bdi>${reason}</bdi>`)}`;
}

/** How the punished person objects, if the operator says so. */
function appeal({ text, language, deps }: PageRequest): Html {
  const contact = appealContact(deps.config);
  return contact === '' ? html`` : html`<p>${text.punishment.appeal}${COLON[language]}${contactHtml(contact)}</p>`;
}

const fact = (name: string, value: Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** The name of a punishment type in the reader's language; a custom type as the server reported it. */
export const typeName = ({ text }: PageRequest, type: string): string => punishmentTypeName(text.punishmentTypes, type);

export function stateChip({ text }: PageRequest, { state }: Punishment): Html {
  const name = state === ACTIVE ? 'active' : state === EXPIRED ? 'expired' : 'revoked';
  return html`<span class="state ${name}">${text.punishmentStates[name]}</span>`;
}

export function punishmentTable(
  request: PageRequest,
  items: readonly Punishment[],
  { withPlayer }: { withPlayer: boolean },
): Html {
  const { text } = request;
  const { columns } = text;
  if (items.length === 0) return html`<p class="soft">${text.punishment.none}</p>`;
  const names = [columns.type, ...(withPlayer ? [columns.player] : []), columns.reason, columns.state, columns.when];
  return table({
    label: text.sections.punishments,
    kind: 'punishments',
    head: html`${names.map((name) => html`<th scope="col">${name}</th> `)}`,
    rows: items.map(
      (item) =>
        html`<tr>
          <th scope="row">
            <a href="/punishments/${idOf(item.key)}"><bdi>${typeName(request, item.type)}</bdi></a>
          </th>
          ${withPlayer ? html`<td>${playerLink(request, item.punished)}</td>` : ''}
          <td class="reason"><bdi>${item.reason}</bdi></td>
          <td>${stateChip(request, item)}</td>
          <td class="soft small">${ago(request, item.time)}</td>
        </tr> `,
    ),
  });
}
