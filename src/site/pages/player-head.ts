import { findPlayer } from '#store/game/players.ts';
import { playerHeadImage } from './head-image.ts';
import type { PageRequest } from '#site/page-request.ts';

/** `/players/:id/head`: the picture to which `head_url` of the data API points. */
export async function playerHead(request: PageRequest): Promise<Response> {
  const text = request.params['id'] ?? '';
  const player = text.length > 64 ? undefined : await findPlayer(request.db, text, 'shown');
  if (player === undefined) throw request.notFound();
  return await playerHeadImage(request, player.uuid);
}
