import { identiconCells } from './components/player-link.ts';
import { hueClass, hueColours } from './components/colours.ts';
import type { PageRequest } from './page-request.ts';
import { findPlayer } from '#store/game/players.ts';

/** `/players/:id/head`: the picture to which `head_url` of the data API points, an identicon. */
export async function playerHead(request: PageRequest): Promise<Response> {
  const text = request.params['id'] ?? '';
  const player = text.length > 64 ? undefined : await findPlayer(request.db, text);
  if (player === undefined) throw request.notFound();
  return new Response(identiconSvg(player.uuid), {
    headers: {
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

function identiconSvg(uuid: string): string {
  const { front, behind } = hueColours(hueClass(uuid));
  const cells = identiconCells(uuid).map(([column, row]) => `M${column} ${row}h1v1h-1z`);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="144" height="144" viewBox="-1 -1 9 9">' +
    `<path fill="${behind}" d="M-1-1h9v9h-9z"/><path fill="${front}" d="${cells.join('')}"/></svg>`
  );
}
