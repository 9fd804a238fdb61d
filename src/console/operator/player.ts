import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { uuidOf } from '#text/text.ts';
import { erasePlayer, removePlayerName } from '#admin/players.ts';
import { field, select } from '#http/fields.ts';
import { type Html, section } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { accountsOfPlayer } from '#store/accounts/accounts.ts';
import { isErased, isPseudonym, punishmentsKeepingName } from '#store/accounts/deleted-players.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { factsOf as matchFacts } from '#store/game/matches.ts';
import { eventsOfPlayer, type PlayerEvent } from '#store/game/player-events.ts';
import { hasPseudonym, namesOf, readAliases, type Player, playerByUuid, type PlayerName } from '#store/game/players.ts';
import { privacyOf, SWITCHES } from '#store/game/private-players.ts';
import { type Fact, formTo, timestamp } from '../components.ts';
import { ASKED_BY_FORM, isTyped, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { keyBefore, nothingFound, olderPager, PAGE_SIZE, table } from '../lists.ts';
import { headCard, namesCard, punishmentsCard } from './player-cards.ts';

const MATCHES = 10;
const MAX_ALIASES = 20;

async function findPlayer({ c, deps }: ConsoleRequest): Promise<Player | undefined> {
  const uuid = uuidOf(c.req.param('uuid') ?? '');
  return uuid === undefined ? undefined : await playerByUuid(deps.db, uuid);
}

/** The player of a form. One who was erased since the page was opened has a page that says so. */
async function playerOfForm(request: ConsoleRequest): Promise<Pick<Player, 'uuid'>> {
  const uuid = uuidOf(request.c.req.param('uuid') ?? '');
  if (uuid !== undefined && (await isErased(request.deps.db, uuid))) return { uuid };
  return orNotFound(await findPlayer(request));
}

const pathOf = ({ uuid }: Pick<Player, 'uuid'>): string => `/operator/players/${uuid}`;

/** Everything about one player: state, acts, matches, punishments, names and other events. */
async function playerPage(request: ConsoleRequest, problem?: string) {
  const { c, deps } = request;
  const named = c.req.param('uuid') ?? '';
  if (await isErased(deps.db, named))
    return inOperator(
      request,
      '/players',
      named,
      html`<section class="card">${await nothingFound(request, named)}</section>`,
    );
  const player = orNotFound(await findPlayer(request));
  const names = await namesOf(deps.db, player.key);
  const former = hasPseudonym(player) ? [] : names.filter(({ name }) => name !== player.name);
  const head = { facts: await factsOf(request, player), acts: actsOf(request, player, former.length > 0) };
  const inner = html`${await headCard(request, player, head)} ${await matchesCard(request, player)}
  ${await punishmentsCard(request, player)}
  ${namesCard(request, names, former.length === 0 ? html`` : removal(request, player, former))}
  ${await eventsCard(request, player)} ${await eraseCard(request, player, problem)}`;
  return inOperator(request, '/players', player.name, inner);
}

async function factsOf(request: ConsoleRequest, player: Player): Promise<(Fact | false)[]> {
  const { deps, texts } = request;
  const { player_page: t } = texts;
  const { key, uuid, last_login, last_login_server: server, last_logout } = player;
  const accounts = await accountsOfPlayer(deps.db, uuid);
  const aliases = await readAliases(deps.db, uuid, MAX_ALIASES);
  const privacy = await privacyOf(deps.db, uuid);
  const withheld = SWITCHES.filter((name) => privacy[name]).map((name) => t.privacy[name]);
  return [
    [
      t.account,
      accounts.length === 0
        ? t.no_account
        : html`${accounts.map((account) => html`<a href="/console/operator/accounts/${account.id}">${account.name}</a> `)}`,
    ],
    withheld.length > 0 && [t.private, new Intl.ListFormat(texts.lang).format(withheld)],
    [
      t.last_login,
      last_login === null
        ? '–'
        : html`${timestamp(request, last_login)} ${server === '' ? '' : t.last_login_at(server)}`,
    ],
    [t.last_logout, last_logout === null ? '–' : timestamp(request, last_logout)],
    ['ID', html`<code>${idOf(key)}</code>`],
    aliases.length > 0 && [t.aliases, html`${aliases.map((alias) => html`<code class="line">${alias}</code>`)}`],
  ];
}

const act = (href: string, label: string, kind = 'quiet'): Html =>
  html`<a class="button ${kind}" href="${href}">${label}</a>`;

function actsOf({ texts }: ConsoleRequest, player: Player, hasFormerName: boolean): Html {
  const { player_page: t, operator: o } = texts;
  const { uuid } = player;
  const changes = html`${act(`/console/operator/players/merge?from=${uuid}`, t.merge)}
  ${act('/console/operator/servers#whole', o.hidden)}
  ${hasFormerName ? act('#names', t.remove_former, 'quiet danger') : ''} ${act('#erase', t.erase, 'quiet danger')}`;
  return html`${act(`/players/${uuid}`, t.public_page)}
  ${act(`/console/operator/audit?subject=${uuid}`, o.sections['/audit'])} ${hasPseudonym(player) ? '' : changes}`;
}

async function matchesCard(request: ConsoleRequest, { key, uuid }: Player): Promise<Html> {
  const { player_page: t, operator: o } = request.texts;
  const matches = await listPlayedMatches(request.deps.db, key, Number.MAX_SAFE_INTEGER, MATCHES);
  const rows = matches.map((match) => {
    const { map, server } = matchFacts(match.head);
    const about = html`<a href="/matches/${idOf(match.key)}"><bdi>${map}</bdi></a>`;
    return [about, t.results[match.result], timestamp(request, match.finished), server];
  });
  const content = html`${table(t.matches, [t.map, t.result, o.when, o.server], rows, { empty: t.no_matches })}
  ${rows.length < MATCHES ? '' : html`<p><a href="/players/${uuid}/matches">${t.all_matches}</a></p>`}`;
  return section('matches', t.matches, content);
}

function removal(request: ConsoleRequest, { uuid }: Player, former: readonly PlayerName[]): Html {
  const { player_page: t } = request.texts;
  const options = former.map(({ name }) => ({ value: name, label: name }));
  return html`<p>${t.remove_name_hint}</p>
    ${formTo(
      request,
      `/operator/players/${uuid}/name`,
      html`${select('name', t.former_name, options, '')}<button class="danger">${t.remove_name}</button>`,
    )}`;
}

async function eventsCard(request: ConsoleRequest, { key }: Player): Promise<Html> {
  const { player_page: t, operator: o } = request.texts;
  const events = await eventsOfPlayer(request.deps.db, key, keyBefore(request), PAGE_SIZE + 1, { matches: false });
  const { items, next } = listed(events, PAGE_SIZE, keyCursor);
  const rows = items.map((event) => [timestamp(request, event.time), eventName(event), event.server ?? t.operator]);
  const content = html`${table(t.events, [o.when, o.event, t.from], rows, { first: 'td', empty: t.no_events })}
  ${olderPager(request, next)}`;
  return section('events', t.events, content);
}

/** The pages of events that have one. */
const PAGES: Readonly<Record<string, string>> = {
  'match.finished': '/matches',
  'punishment.issued': '/console/operator/punishments',
};

function eventName({ key, type }: PlayerEvent): Html {
  const [id, name, path] = [idOf(key), html`<code>${type}</code>`, PAGES[type]];
  return html`${path === undefined ? name : html`<a href="${path}/${id}">${name}</a>`} <span class="hint">${id}</span>`;
}

async function eraseCard(request: ConsoleRequest, { uuid, name }: Player, problem: string | undefined): Promise<Html> {
  const { player_page: t } = request.texts;
  const { db } = request.deps;
  if (await isPseudonym(db, uuid)) return html``;
  const hasAccount = (await accountsOfPlayer(db, uuid)).length > 0;
  const keeping = hasAccount ? [] : await punishmentsKeepingName(db, uuid);
  const content = html`<p>${hasAccount ? t.erase_account : t.erase_hint}</p>
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
    }`;
  return section('erase', t.erase, content, 'card form');
}

export const playerRoutes: readonly Route[] = [
  operatorPage('/operator/players/:uuid', (request) => playerPage(request)),
  operationForm('/operator/players/:uuid/erase', erasePlayer, {
    find: playerOfForm,
    instead: async (request, row) => {
      const player = await findPlayer(request);
      if (player === undefined) return `${pathOf(row)}?done=gone`;
      return isTyped(request, player.name)
        ? undefined
        : await playerPage(request, request.texts.player_page.erase_wrong);
    },
    at: pathOf,
    confirm: ASKED_BY_FORM,
    refused: { 'no player': 'gone', 'has an account': 'gone', 'erased already': 'gone' },
    done: (_, __, { uuid }) => `/operator/players/${uuid}?done=erased`,
  }),
  operationForm('/operator/players/:uuid/name', removePlayerName, {
    find: playerOfForm,
    at: pathOf,
    confirm: ASKED_BY_FORM,
    refused: { no_player: 'gone', no_such_name: 'gone', present_name: 'gone' },
    done: 'name_removed',
  }),
];
