import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import type { Html } from '#http/page.ts';
import { withoutNoncharacters } from '#text/text.ts';
import { mapSummaries } from '#store/game/maps/maps.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { factsOf } from '#store/game/matches.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { mapImagePath } from '#site/components/links.ts';
import { typeName } from '#site/pages/punishments.ts';
import { modeName } from '#site/components/labels.ts';
import type { PageRequest } from '#site/page-request.ts';

const FEED_ENTRIES = 50;

interface Entry {
  path: string;
  title: string;
  updated: number;
  content: Html;
}

/** `/matches.atom` */
export async function matchFeed(request: PageRequest): Promise<Response> {
  const matches = await listMatchesWhere(request.db, {}, Number.MAX_SAFE_INTEGER, FEED_ENTRIES);
  const facts = matches.map(({ head }) => factsOf(head));
  const summaries = await mapSummaries(
    request.db,
    facts.map(({ map }) => map),
  );
  const entries = matches.map(({ key, finished }, index): Entry => {
    const { map, server, win, gamemode } = facts[index]!;
    const picture = mapImagePath(summaries.of(map));
    const outcome = win === '' ? request.text.match.draw : request.text.match.wonBy(win);
    return {
      path: `/matches/${idOf(key)}`,
      title: request.text.match.title(map, server),
      updated: finished,
      content: html`<p>${outcome} (${modeName(request, gamemode)})</p>
        ${picture === undefined ? '' : html`<img alt="" src="${request.deps.config.SITE_URL}${picture}" />`}`,
    };
  });
  return await feed(request, '/matches', request.text.sections.matches, entries);
}

/** `/punishments.atom` */
export async function punishmentFeed(request: PageRequest): Promise<Response> {
  const punishments = await listPunishments(request.db, Number.MAX_SAFE_INTEGER, FEED_ENTRIES, request.now);
  const entries = punishments.map((punishment): Entry => ({
    path: `/punishments/${idOf(punishment.key)}`,
    title: request.text.punishment.title(typeName(request, punishment.type), punishment.punished.name),
    updated: punishment.time,
    content: html`<p>${punishment.reason}</p>`,
  }));
  return await feed(request, '/punishments', request.text.sections.punishments, entries);
}

/** An Atom feed (RFC 4287). The content of an entry is HTML within XML, so it is escaped twice. */
async function feed(request: PageRequest, path: string, title: string, entries: Entry[]): Promise<Response> {
  const { SITE_URL: site, NETWORK_NAME: network } = request.deps.config;
  const updated = new Date(entries[0]?.updated ?? 0).toISOString();
  const xmlEntries = await Promise.all(
    entries.map(async (entry) => {
      const content = String(await entry.content);
      return html`<entry
        ><id>${site}${entry.path}</id><title>${entry.title}</title><link href="${site}${entry.path}" /><updated
          >${new Date(entry.updated).toISOString()}</updated
        ><content type="html">${content}</content></entry
      > `;
    }),
  );
  const body = await html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${request.language}"
    ><id>${site}${path}.atom</id><title>${network}: ${title}</title><link rel="self" href="${site}${path}.atom" /><link
      href="${site}${path}"
    /><author><name>${network}</name></author
    ><updated>${updated}</updated> ${xmlEntries}</feed
  >`;
  const xml = `<?xml version="1.0" encoding="utf-8"?>\n${withoutNoncharacters(String(body))}`;
  const etag = `W/"${hash('sha1', xml, 'base64url')}"`;
  const headers = { 'cache-control': 'public, max-age=0, must-revalidate', etag, vary: 'Accept-Language, Cookie' };
  if (request.ifNoneMatch === etag) return new Response(null, { status: 304, headers });
  return new Response(xml, { headers: { ...headers, 'content-type': 'application/atom+xml; charset=utf-8' } });
}
