import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { uuidOf } from '#text/text.ts';
import { erasePlayer, removePlayerName } from '#admin/players.ts';
import { field, select } from '#http/fields.ts';
import { COLON } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { accountsOfPlayer } from '#store/accounts/accounts.ts';
import { isErased } from '#store/accounts/deleted-players.ts';
import { isPseudonym, punishmentsKeepingName } from '#store/accounts/player-erasure.ts';
import { eventsOfPlayer, type PlayerEvent } from '#store/game/player-events.ts';
import { namesOf, readAliases, type Player, playerByUuid } from '#store/game/players.ts';
import { privacyOf, SWITCHES } from '#store/game/private-players.ts';
import { isBanned, listPunishmentsOf, type Punishment, REVOKED } from '#store/game/punishments.ts';
import { type Fact, factsList, formTo, timestamp } from '../components.ts';
import { ASKED_BY_FORM, isTyped, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { hiddenHeading, keyBefore, nothingFound, olderPager, PAGE_SIZE, table } from '../lists.ts';
import { namesSeen } from './names.ts';
import { stateBadge, typeName } from './punishment-labels.ts';

const MAX_PUNISHMENTS = 10;
const MAX_ALIASES = 20;

async function requirePlayer({ c, deps }: ConsoleRequest): Promise<Player> {
  const uuid = uuidOf(c.req.param('uuid') ?? '');
  const player = uuid === undefined ? undefined : await playerByUuid(deps.db, uuid);
  if (player === undefined) throw notFound();
  return player;
}

/** Everything about one player: accounts, names, punishments and events. */
async function playerPage(request: ConsoleRequest, problem?: string) {
  const { c, deps, now } = request;
  const named = c.req.param('uuid') ?? '';
  if (await isErased(deps.db, named))
    return inOperator(
      request,
      '/players',
      named,
      html`<section class="card">${await nothingFound(request, named)}</section>`,
    );
  const player = await requirePlayer(request);
  const { key, uuid, name } = player;
  const punishments = await listPunishmentsOf(deps.db, key, Number.MAX_SAFE_INTEGER, MAX_PUNISHMENTS, now);
  const events = await eventsOfPlayer(deps.db, key, keyBefore(request), PAGE_SIZE + 1);
  const inner = html`<section class="card">
      ${factsList(await factsOf(request, player))}
      <p><a href="/console/operator/audit?subject=${uuid}">${request.texts.player_page.in_audit}</a></p>
    </section>
    ${await namesCard(request, player)} ${punishmentsCard(request, uuid, punishments)} ${eventsCard(request, events)}
    ${await eraseCard(request, player, problem)}`;
  return inOperator(request, '/players', name, inner, problem === undefined ? 200 : 422);
}

async function factsOf(request: ConsoleRequest, player: Player): Promise<(Fact | false)[]> {
  const { deps, now, texts } = request;
  const { player_page: t } = texts;
  const { key, uuid, last_login, last_login_server: server, last_logout } = player;
  const accounts = await accountsOfPlayer(deps.db, uuid);
  const aliases = await readAliases(deps.db, uuid, MAX_ALIASES);
  const privacy = await privacyOf(deps.db, uuid);
  const withheld = SWITCHES.filter((name) => privacy[name]).map((name) => t.privacy[name]);
  return [
    ['UUID', html`<code>${uuid}</code>`],
    ['ID', html`<code>${idOf(key)}</code>`],
    [t.public_page, html`<a href="/players/${uuid}">/players/${uuid}</a>`],
    [
      t.account,
      accounts.length === 0
        ? t.no_account
        : html`${accounts.map((account) => html`<a href="/console/operator/accounts/${account.id}">${account.name}</a> `)}`,
    ],
    [
      t.last_login,
      last_login === null
        ? '–'
        : html`${timestamp(request, last_login)} ${server === '' ? '' : t.last_login_at(server)}`,
    ],
    [t.last_logout, last_logout === null ? '–' : timestamp(request, last_logout)],
    aliases.length > 0 && [t.aliases, html`${aliases.map((alias) => html`<code class="line">${alias}</code>`)}`],
    withheld.length > 0 && [t.private, new Intl.ListFormat(texts.lang).format(withheld)],
    (await isBanned(deps.db, key, now)) && [texts.operator.state, html`<span class="badge bad">${t.banned}</span>`],
  ];
}

async function namesCard(request: ConsoleRequest, { key, uuid, name: present }: Player): Promise<Html> {
  const { player_page: t } = request.texts;
  const rows = await namesSeen(request, key);
  const former = (await namesOf(request.deps.db, key))
    .filter(({ name }) => name !== present)
    .map(({ name }) => ({ value: name, label: name }));
  return html`<section class="card" aria-labelledby="names">
    <h2 id="names">${t.names}</h2>
    ${table(t.names, [request.texts.application.name, t.first_seen, t.last_seen], rows)}
    ${
      former.length === 0
        ? ''
        : html`<p>${t.remove_name_hint}</p>
            ${formTo(
              request,
              `/operator/players/${uuid}/name`,
              html`${select('name', t.former_name, former, '')}<button class="danger">${t.remove_name}</button>`,
            )}`
    }
  </section>`;
}

function punishmentsCard(request: ConsoleRequest, uuid: string, punishments: readonly Punishment[]): Html {
  const { player_page: t, operator: o } = request.texts;
  const rows = punishments.map((punishment) => {
    const [id, type] = [idOf(punishment.key), typeName(request, punishment.type)];
    const path = `/console/operator/punishments/${id}`;
    const about = `${o.revoke}${COLON[request.texts.lang]}${type} ${id}`;
    return [
      html`<a href="${path}">${type}</a>`,
      punishment.reason,
      stateBadge(request, punishment),
      timestamp(request, punishment.time),
      punishment.state === REVOKED ? '' : html`<a href="${path}#revoke" aria-label="${about}">${t.revoke}</a>`,
    ];
  });
  const headings = [o.kind, o.reason, o.state, o.when, hiddenHeading(t.revoke)];
  return html`<section class="card" aria-labelledby="punishments">
    <div class="heading">
      <h2 id="punishments">${o.sections['/punishments']}</h2>
      <a class="button quiet" href="/console/operator/punishments/new?player=${uuid}">${o.issue}</a>
    </div>
    ${table(o.sections['/punishments'], headings, rows, { empty: t.no_punishments })}
    ${
      rows.length < MAX_PUNISHMENTS
        ? ''
        : html`<p><a href="/console/operator/punishments?q=${uuid}">${t.all_punishments}</a></p>`
    }
  </section>`;
}

function eventsCard(request: ConsoleRequest, events: readonly PlayerEvent[]): Html {
  const { player_page: t, operator: o } = request.texts;
  const { items, next } = listed(events, PAGE_SIZE, keyCursor);
  const rows = items.map((event) => [
    timestamp(request, event.time),
    eventName(request, event),
    event.server ?? t.operator,
  ]);
  return html`<section class="card" aria-labelledby="events">
    <h2 id="events">${t.events}</h2>
    ${table(t.events, [o.when, t.event, t.from], rows, { first: 'td', empty: t.no_events })}
    ${olderPager(request, next)}
  </section>`;
}

/** A match by its map and the player's result; another event by its type and id. */
function eventName({ texts }: ConsoleRequest, { key, type, match }: PlayerEvent): Html {
  const id = idOf(key);
  if (match !== null)
    return html`<a href="/matches/${id}"><bdi>${match.map}</bdi></a>
      <span class="hint">${texts.player_page.results[match.result]}</span>`;
  const name = html`<code>${type}</code>`;
  const linked = type === 'punishment.issued' ? html`<a href="/console/operator/punishments/${id}">${name}</a>` : name;
  return html`${linked} <span class="hint">${id}</span>`;
}

async function eraseCard(request: ConsoleRequest, { uuid, name }: Player, problem: string | undefined): Promise<Html> {
  const { player_page: t } = request.texts;
  const { db } = request.deps;
  if (await isPseudonym(db, uuid)) return html``;
  const hasAccount = (await accountsOfPlayer(db, uuid)).length > 0;
  const keeping = hasAccount ? [] : await punishmentsKeepingName(db, uuid);
  return html`<section class="card form" aria-labelledby="erase">
    <h2 id="erase">${t.erase}</h2>
    <p>${hasAccount ? t.erase_account : t.erase_hint}</p>
    ${
      keeping.length === 0
        ? ''
        : html`<p>${t.erase_keeps_name}</p>
            <ul>
              ${keeping.map(({ key, reason }) => html`<li><a href="/console/operator/punishments/${idOf(key)}">${reason}</a></li>`)}
            </ul>`
    }
    ${
      hasAccount
        ? ''
        : formTo(
            request,
            `/operator/players/${uuid}/erase`,
            html`${field({ name: 'name', label: request.texts.application.delete_confirm(name), error: problem })}
              <button class="danger">${t.erase}</button>`,
          )
    }
  </section>`;
}

export const playerRoutes: readonly Route[] = [
  operatorPage('/operator/players/:uuid', (request) => playerPage(request)),
  operationForm('/operator/players/:uuid/erase', erasePlayer, {
    find: requirePlayer,
    instead: async (request) => {
      const { name } = await requirePlayer(request);
      return isTyped(request, name) ? undefined : await playerPage(request, request.texts.player_page.erase_wrong);
    },
    at: ({ uuid }) => `/operator/players/${uuid}`,
    confirm: ASKED_BY_FORM,
    refused: { 'no player': 'gone', 'has an account': 'gone', 'erased already': 'gone' },
    done: (_, __, { uuid }) => `/operator/players/${uuid}?done=erased`,
  }),
  operationForm('/operator/players/:uuid/name', removePlayerName, {
    find: requirePlayer,
    at: ({ uuid }) => `/operator/players/${uuid}`,
    confirm: ASKED_BY_FORM,
    refused: { no_player: 'gone', no_such_name: 'gone', present_name: 'gone' },
    done: 'name_removed',
  }),
];
