import type { OpenDoor } from '#app.ts';
import type { Hall } from '#hall.ts';

export async function openApi(_hall: Hall): Promise<OpenDoor> {
  return { listener: (_request, response) => response.end() };
}
