import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { COLON } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { managedApplication } from '#store/applications/applications.ts';
import { mapByKey } from '#store/game/maps/maps.ts';
import { type Player, playerByKey } from '#store/game/players.ts';
import { listPunishmentsOf } from '#store/game/punishments.ts';
import { serverByKey } from '#store/game/servers.ts';
import { findByWord, type SearchKind } from '#store/search-terms.ts';
import { textOf, timestamp } from '../components.ts';
import { moderatorPage, type ConsoleRequest, type Route } from '../routes.ts';
import { inOperator } from './layout.ts';
import { searchForm } from '../lists.ts';
import { stateBadge, typeName } from './punishment-labels.ts';

const MAX_FOUND = 20;
/** Punishments are those of the players found. */
const MAX_PUNISHED = 5;

interface Found {
  href: string;
  label: string;
  hint?: Html | string;
}

/** Everything with a name, an address or a UUID of which a word begins with the text. */
async function searchPage(request: ConsoleRequest) {
  const { c, deps, person, texts } = request;
  const { operator: t, search: s } = texts;
  const query = textOf(c.req.query('q'), 64);
  const sections: [title: string, found: Found[]][] = [];
  if (query !== undefined) {
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
      const root = '/console/operator';
      sections.push(
        [
          t.sections['/accounts'],
          accounts.map(({ id, name, email }) => ({ href: `${root}/accounts/${id}`, label: name, hint: email })),
        ],
        [
          t.sections['/applications'],
          applications.map(({ client_id, name }) => ({
            href: `/console/applications/${client_id}`,
            label: name,
            hint: client_id,
          })),
        ],
        [
          t.sections['/servers'],
          servers.map(({ key, name }) => ({ href: `${root}/servers/${idOf(key)}`, label: name })),
        ],
        [s.maps, maps.map(({ key, name }) => ({ href: `/maps/${idOf(key)}`, label: name }))],
      );
    }
  }
  const shown = sections.filter(([, found]) => found.length > 0);
  const inner = html`<section class="card">
      ${searchForm(request, s.label, query)}
      ${query !== undefined && shown.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : ''}
    </section>
    ${shown.map(([title, found], index) => foundCard(title, found, `found-${index}`))}`;
  return inOperator(request, undefined, s.title, inner);
}

function foundCard(title: string, found: readonly Found[], id: string): Html {
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <ul class="rows">
      ${found.map(
        ({ href, label, hint }) =>
          html`<li>
            <span class="what"
              ><a href="${href}"><bdi>${label}</bdi></a>
              ${hint === undefined ? '' : html`<span class="hint">${hint}</span>`}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

function foundPlayer({ person }: ConsoleRequest, { uuid, name }: Player): Found {
  const page = person.isOperator ? `players/${uuid}` : `names?q=${uuid}`;
  return { href: `/console/operator/${page}`, label: name, hint: html`<code>${uuid}</code>` };
}

async function punishmentsOf(request: ConsoleRequest, players: readonly Player[]): Promise<Found[]> {
  const { db } = request.deps;
  const before = Number.MAX_SAFE_INTEGER;
  const lists = await Promise.all(
    players.map(({ key }) => listPunishmentsOf(db, key, before, MAX_PUNISHED, request.now)),
  );
  return lists.flat().map((punishment) => ({
    href: `/console/operator/punishments/${idOf(punishment.key)}`,
    label: `${typeName(request, punishment.type)}${COLON[request.texts.lang]}${punishment.punished.name}`,
    hint: html`${stateBadge(request, punishment)} ${punishment.reason} ${timestamp(request, punishment.time)}`,
  }));
}

export const searchRoutes: readonly Route[] = [moderatorPage('/operator/search', searchPage)];
