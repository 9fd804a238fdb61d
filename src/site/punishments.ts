import { html } from 'hono/html';
import { idOf, keyOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { listPunishments, type Punishment, punishmentByKey } from '#records/punishments.ts';
import { listed, PAGE, pager } from './parts/pager.ts';
import { player } from './parts/people.ts';
import { punishmentTable, stateChip, typeName } from './parts/punishment-table.ts';
import { moment } from './parts/times.ts';
import type { PageContent, Visit } from './visit.ts';

/** `/punishments` */
export async function punishments(visit: Visit): Promise<PageContent> {
  const { text } = visit;
  const { items, next } = listed(await listPunishments(visit.db, visit.before, PAGE + 1, visit.now));
  return {
    title: text.punishment.list,
    description: text.punishment.listDescription(visit.kit.config.NETWORK_NAME),
    path: '/punishments',
    part: 'punishments',
    unlisted: visit.query('max_id') !== undefined,
    feed: { path: '/punishments.atom', title: text.punishment.list },
    main: html`<div class="heading">
        <h1>${text.punishment.list}</h1>
        <a class="feed" href="/punishments.atom">Atom</a>
      </div>
      ${punishmentTable(visit, items, { withPlayer: true })}${pager(visit, next)}`,
  };
}

/** `/punishments/:id`: what the data API says of it, too. */
export async function punishment(visit: Visit): Promise<PageContent> {
  const key = keyOf(visit.params['id'] ?? '');
  const found = key === undefined ? undefined : await punishmentByKey(visit.db, key, visit.now);
  if (found === undefined) throw visit.missing();
  const { text } = visit;
  const title = text.punishment.title(typeName(visit, found.type), found.punished.name);
  return {
    title,
    description: found.reason === '' ? title : `${title}: ${found.reason}`,
    path: `/punishments/${idOf(found.key)}`,
    part: 'punishments',
    kind: 'punishment',
    main: html`<h1><bdi>${typeName(visit, found.type)}</bdi></h1>
      <div class="card narrowish">
        <p class="punished">${player(found.punished, 48)} ${stateChip(visit, found)}</p>
        ${found.reason === '' ? '' : html`<blockquote><bdi>${found.reason}</bdi></blockquote>`}
        <dl class="facts">${facts(visit, found)}</dl>
      </div>`,
  };
}

function facts(visit: Visit, { punisher, automatic, time, expires, server, level }: Punishment): Html {
  const { text, formats } = visit;
  const { punishment: words } = text;
  const by = punisher === null ? html`${automatic ? words.automatic : words.team}` : player(punisher);
  return html`${fact(words.by, by)}${fact(words.since, moment(visit, time))}
  ${fact(words.until, expires === null ? html`${words.forever}` : moment(visit, expires))}
  ${server === '' ? '' : fact(words.server, html`<bdi>${server}</bdi>`)}${fact(words.level, html`${formats.number(level)}`)}`;
}

const fact = (name: string, value: Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
