import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { COLON } from '#http/languages.ts';
import { type Html, section } from '#http/page.ts';
import { isHidden } from '#store/game/hidden-lists.ts';
import { hasPseudonym, type Player, type PlayerName } from '#store/game/players.ts';
import { isBan, listPunishmentsOf, punishmentsInForce, REVOKED } from '#store/game/punishments.ts';
import { listServers } from '#store/game/servers.ts';
import { type Fact, factsList, timestamp } from '../components.ts';
import { hiddenHeading, table } from '../lists.ts';
import type { ConsoleRequest } from '../routes.ts';
import { expiryOf, stateBadge, typeName } from './punishment-labels.ts';

/** The parts of a player's page that moderators see too. */

const MAX_PUNISHMENTS = 10;

interface Head {
  /** A heading, on a page about more than the player. */
  title?: Html;
  facts?: readonly (Fact | false)[];
  acts?: Html;
}

/** The face, the state and the facts of a player, and the acts. */
export async function headCard(request: ConsoleRequest, player: Player, head: Head): Promise<Html> {
  const { uuid, name } = player;
  const { title = '', facts = [], acts = '' } = head;
  const states = await statesOf(request, player);
  return html`<section class="card person" aria-label="${name}">
    <img src="/players/${uuid}/head" alt="" width="80" height="80" />
    <div>
      ${title}
      <p class="hint"><code>${uuid}</code></p>
      ${states.map((state) => html`<p>${state}</p>`)}
    </div>
    ${facts.length === 0 ? '' : factsList(facts)}
    <div class="actions">
      <a class="button" href="/console/operator/punishments/new?player=${uuid}">${request.texts.operator.issue}</a>
      ${acts}
    </div>
  </section>`;
}

async function statesOf(request: ConsoleRequest, player: Player): Promise<Html[]> {
  const { deps, now, texts } = request;
  const { player_page: t, operator: o } = texts;
  const { key, uuid, name } = player;
  const [ban] = (await punishmentsInForce(deps.db, key, now))
    .filter(isBan)
    .toSorted((one, other) => (other.expires ?? Infinity) - (one.expires ?? Infinity));
  // Heartbeats are stored without hidden players.
  const server = (await listServers(deps.db, now - deps.config.PRESENCE_TIMEOUT * 1000)).find(({ players }) =>
    players.includes(name),
  );
  return [
    ...(hasPseudonym(player) ? [html`<span class="badge">${t.erased}</span>`] : []),
    ...(ban === undefined
      ? []
      : [html`<span class="badge bad">${t.banned}</span> ${o.expires}${COLON[texts.lang]}${expiryOf(request, ban)}`]),
    ...(server === undefined
      ? []
      : [html`<span class="badge good">${t.online}</span> <bdi>${t.last_login_at(server.name)}</bdi>`]),
    ...((await isHidden(deps.db, uuid)) ? [html`<span class="badge warn">${o.hidden}</span>`] : []),
  ];
}

/** The names that a player had, with the first and last time of each. */
export function namesCard(request: ConsoleRequest, names: readonly PlayerName[], removal: Html = html``): Html {
  const { application, player_page: t } = request.texts;
  const rows = names.map(({ name, first_seen, last_seen }) => [
    html`<bdi>${name}</bdi>`,
    timestamp(request, first_seen),
    timestamp(request, last_seen),
  ]);
  const content = html`${table(t.names, [application.name, t.first_seen, t.last_seen], rows)} ${removal}`;
  return section('names', t.names, content, 'card form');
}

export async function punishmentsCard(request: ConsoleRequest, { key, uuid }: Player): Promise<Html> {
  const { deps, now, texts } = request;
  const { player_page: t, operator: o } = texts;
  const punishments = await listPunishmentsOf(deps.db, key, Number.MAX_SAFE_INTEGER, MAX_PUNISHMENTS, now);
  const rows = punishments.map((punishment) => {
    const [id, type] = [idOf(punishment.key), typeName(request, punishment.type)];
    const path = `/console/operator/punishments/${id}`;
    const about = `${o.revoke}${COLON[texts.lang]}${type} ${id}`;
    return [
      html`<a href="${path}">${type}</a>`,
      punishment.reason,
      stateBadge(request, punishment),
      timestamp(request, punishment.time),
      expiryOf(request, punishment),
      punishment.state === REVOKED ? '' : html`<a href="${path}#revoke" aria-label="${about}">${t.revoke}</a>`,
    ];
  });
  const headings = [o.kind, o.reason, o.state, o.when, o.expires, hiddenHeading(t.revoke)];
  const content = html`${table(o.sections['/punishments'], headings, rows, { empty: t.no_punishments })}
  ${
    rows.length < MAX_PUNISHMENTS
      ? ''
      : html`<p><a href="/console/operator/punishments?q=${uuid}">${t.all_punishments}</a></p>`
  }`;
  return section('punishments', o.sections['/punishments'], content);
}
