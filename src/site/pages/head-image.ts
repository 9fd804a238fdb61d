import { IMAGE_HEADERS, imageResponse } from '#http/image-response.ts';
import { uuidOf } from '#text/text.ts';
import { findPlayer, playerByUuid } from '#store/game/players.ts';
import { hueClass, hueColours } from '#site/components/colours.ts';
import { identiconCells } from '#site/components/links.ts';
import type { PageRequest } from '#site/page-request.ts';

/**
 * `/heads/:uuid`: the head of a player who is known here, so that requests for arbitrary UUIDs are not passed on; the
 * identicon if there is no head.
 */
export async function headImage(request: PageRequest): Promise<Response> {
  const uuid = request.params['uuid'] ?? '';
  if (request.deps.config.HEADS_URL === '' || uuidOf(uuid) !== uuid) throw request.notFound();
  if ((await playerByUuid(request.db, uuid)) === undefined) throw request.notFound();
  return await playerHeadImage(request, uuid);
}

/** `/players/:id/head`: the picture to which `head_url` of the data API points. */
export async function playerHead(request: PageRequest): Promise<Response> {
  const text = request.params['id'] ?? '';
  const player = text.length > 64 ? undefined : await findPlayer(request.db, text, 'public');
  if (player === undefined) throw request.notFound();
  return await playerHeadImage(request, player.uuid);
}

/** The head from `HEADS_URL`, or without one an identicon. */
async function playerHeadImage(request: PageRequest, uuid: string): Promise<Response> {
  const isFetched = request.deps.config.HEADS_URL !== '';
  const head = isFetched ? await request.deps.heads.of(uuid) : undefined;
  if (head === undefined)
    return new Response(identiconFile(uuid), { headers: { ...IMAGE_HEADERS, 'content-type': 'image/svg+xml' } });
  const { body, status, headers } = imageResponse(head, request.ifNoneMatch);
  return new Response(body, { status, headers: { ...headers, 'cache-control': 'public, max-age=86400' } });
}

function identiconFile(uuid: string): string {
  const { front, behind } = hueColours(hueClass(uuid));
  const path = identiconCells(uuid).map(([column, row]) => `M${column} ${row}h1v1h-1z`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 9 9" shape-rendering="crispEdges"><path fill="${behind}" d="M-1-1h9v9h-9z"/><path fill="${front}" d="${path.join('')}"/></svg>`;
}
