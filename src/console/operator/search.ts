import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { eventsByKeys } from '#events/ledger/server-events.ts';
import { COLON } from '#http/languages.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { requestById } from '#store/applications/access-requests.ts';
import { changeById } from '#store/applications/application-changes.ts';
import { type Application, managedApplication } from '#store/applications/applications.ts';
import { webhookById } from '#store/applications/webhooks/webhooks.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { factsOf, matchHeadByKey } from '#store/game/matches.ts';
import { type Player, playerByKey } from '#store/game/players.ts';
import { listPunishmentsOf, type Punishment, punishmentByKey } from '#store/game/punishments.ts';
import { serverOfKey } from '#store/game/server-keys.ts';
import { serverByKey } from '#store/game/servers.ts';
import { jobByKey } from '#store/jobs.ts';
import { findByWord, type SearchKind } from '#store/search-terms.ts';
import { textOf, timestamp } from '../components.ts';
import { type ConsoleRequest, moderatorPage, type Route } from '../routes.ts';
import { inOperator } from './layout.ts';
import { nothingFound, searchForm } from '../lists.ts';
import { stateBadge, typeName } from './punishment-labels.ts';
import { recordOf } from './server-key.ts';

const ROOT = '/console/operator';
const NO_KEY = -1;
const MAX_FOUND = 20;
/** Punishments are those of the players found. */
const MAX_PUNISHED = 5;

interface Found {
  /** Undefined if the hint has the link. */
  href?: string;
  label: string;
  hint?: Html | string | undefined;
}

/** Everything with a name, an address or a UUID of which a word begins with the text, and what has the text as its id. */
async function searchPage(request: ConsoleRequest) {
  const { c, deps, person, texts } = request;
  const { operator: t, search: s } = texts;
  const query = textOf(c.req.query('q'), 64);
  const sections: [title: string, found: Found[]][] = [];
  if (query !== undefined) {
    sections.push([s.by_id, await findById(request, query)]);
    const find = async <Row>(kind: SearchKind, read: (ref: string) => Promise<Row | undefined>) => {
      const refs = await findByWord(deps.db, kind, query, MAX_FOUND);
      return (await Promise.all(refs.map(read))).filter((row) => row !== undefined);
    };
    const players = await find('player', (ref) => playerByKey(deps.db, Number(ref)));
    sections.push([t.sections['/players'], players.map((player) => foundPlayer(request, player))]);
    sections.push([t.sections['/punishments'], await punishmentsOf(request, players.slice(0, MAX_PUNISHED))]);
    if (person.isOperator) {
      const accounts = await find('account', (ref) => accountById(deps.db, ref));
      const applications = await find('application', (ref) => managedApplication(deps.db, ref));
      const servers = await find('server', (ref) => serverByKey(deps.db, Number(ref), 0));
      const maps = await find('map', (ref) => mapByKey(deps.db, Number(ref)));
      sections.push(
        [t.sections['/accounts'], accounts.map(({ id, name, email }) => at(`/accounts/${id}`, name, email))],
        [t.sections['/applications'], applications.map((one) => foundApplication(one, one.client_id))],
        [t.sections['/servers'], servers.map(({ key, name }) => at(`/servers/${idOf(key)}`, name))],
        [s.maps, maps.map(({ key, name }) => ({ href: `/maps/${idOf(key)}`, label: name }))],
      );
    }
  }
  const shown = sections.filter(([, found]) => found.length > 0);
  const inner = html`<section class="card">
      ${searchForm(request, s.label, query)}
      ${query === undefined || shown.length > 0 ? '' : isRequestId(query) ? html`<p class="soft">${s.request_id(query)}</p>` : await nothingFound(request, query)}
    </section>
    ${shown.map(([title, found], index) => foundCard(title, found, `found-${index}`))}`;
  return inOperator(request, undefined, s.title, inner);
}

function foundCard(title: string, found: readonly Found[], id: string): Html {
  const content = html`<ul class="rows">
    ${found.map(({ href, label, hint }) =>
      rowItem(href === undefined ? html`<code>${label}</code>` : html`<a href="${href}"><bdi>${label}</bdi></a>`, hint),
    )}
  </ul>`;
  return section(id, title, content);
}

function foundPlayer({ person }: ConsoleRequest, { uuid, name }: Player): Found {
  const page = person.isOperator ? `players/${uuid}` : `names?q=${uuid}`;
  return { href: `${ROOT}/${page}`, label: name, hint: html`<code>${uuid}</code>` };
}

async function punishmentsOf(request: ConsoleRequest, players: readonly Player[]): Promise<Found[]> {
  const { db } = request.deps;
  const before = Number.MAX_SAFE_INTEGER;
  const lists = await Promise.all(
    players.map(({ key }) => listPunishmentsOf(db, key, before, MAX_PUNISHED, request.now)),
  );
  return lists.flat().map((punishment) => foundPunishment(request, punishment));
}

function foundPunishment(request: ConsoleRequest, punishment: Punishment): Found {
  const { key, type, punished, reason, time } = punishment;
  return {
    href: `${ROOT}/punishments/${idOf(key)}`,
    label: `${typeName(request, type)}${COLON[request.texts.lang]}${punished.name}`,
    hint: html`${stateBadge(request, punishment)} ${reason} ${timestamp(request, time)}`,
  };
}

/** The form of `newRequestId`. */
const isRequestId = (text: string): boolean => /^[\da-f]{12}$/.test(text);

/**
 * What an id names that a page, a response, a receipt or a command has printed: each is a look-up by a key. Moderators find
 * players and punishments alone.
 */
async function findById(request: ConsoleRequest, text: string): Promise<Found[]> {
  const { deps, now, person } = request;
  const key = keyOf(text.toLowerCase());
  const player = key === undefined ? undefined : await playerByKey(deps.db, key);
  const punishment = key === undefined ? undefined : await punishmentByKey(deps.db, key, now);
  const found = [
    player && foundPlayer(request, player),
    punishment && foundPunishment(request, punishment),
    ...(person.isOperator ? await findForOperators(request, text, key) : []),
  ].filter((one) => one !== undefined);
  return found.length > 0 || key === undefined || !person.isOperator ? found : await findEvent(request, key);
}

const at = (path: string, label: string, hint?: Html | string): Found => ({ href: ROOT + path, label, hint });

const foundApplication = ({ client_id, name }: Application, hint: string): Found => ({
  ...{ href: `/console/applications/${client_id}`, label: name, hint },
});

async function findForOperators(request: ConsoleRequest, text: string, key = NO_KEY): Promise<(Found | undefined)[]> {
  const { db } = request.deps;
  const { sections, server, key: ofServer, request: access } = request.texts.operator;
  const [account, application] = await Promise.all([accountById(db, text), managedApplication(db, text)]);
  const [webhook, asked, change] = await Promise.all([
    webhookById(db, text),
    requestById(db, text),
    changeById(db, text),
  ]);
  const [match, map] = await Promise.all([matchHeadByKey(db, key), mapByKey(db, key)]);
  const [known, sender, job] = await Promise.all([serverByKey(db, key, 0), serverOfKey(db, key), jobByKey(db, key)]);
  const id = idOf(key);
  return [
    account && at(`/accounts/${account.id}`, account.name, sections['/accounts']),
    application && foundApplication(application, sections['/applications']),
    webhook && at('/webhooks', new URL(webhook.url).host, sections['/webhooks']),
    change && at(`/changes/${text}`, change.name, sections['/applications']),
    asked && at(`/requests/${text}`, asked.application_name, access),
    match && { href: `/matches/${id}`, label: factsOf(match.head).map, hint: request.texts.search.match },
    map && { href: `/maps/${id}`, label: map.name, hint: request.texts.search.maps },
    known && at(`/servers/${id}`, known.name, server),
    sender && at(`/servers/${idOf(sender.key)}/keys/${id}`, sender.name, ofServer),
    job && at(`/jobs/${id}`, job.kind, sections['/jobs']),
  ];
}

/** The event of a receipt that created no record of that id. */
async function findEvent(request: ConsoleRequest, key: number): Promise<Found[]> {
  const events = await eventsByKeys(request.deps.db, [key]);
  return await Promise.all(
    events.map(async (event) => ({ label: event.type, hint: html`${await recordOf(request, event)}` })),
  );
}

export const searchRoutes: readonly Route[] = [moderatorPage('/operator/search', searchPage)];
