import { idOf } from '#platform/ids.ts';
import { type Change, CHANGE_TYPES, type ResourceKind } from '#store/game/changes.ts';
import type { MatchHead } from '#store/game/matches.ts';
import type { WriteTimestamp } from './timestamps.ts';

/** The path of each kind of resource below `/v1`. */
export const RESOURCE_PATHS: Record<ResourceKind, string> = {
  match: 'matches',
  map: 'maps',
  punishment: 'punishments',
  player: 'players',
  server: 'servers',
};

/** A change as the data API, its stream and webhooks give it. */
export function changeItem(
  { timestamp: write, api }: { timestamp: WriteTimestamp; api: string },
  { kind, key, type, revision, time }: Change,
) {
  const id = idOf(key);
  return {
    id,
    type: `${kind}.${type}`,
    revision,
    time: write(time),
    ...(!CHANGE_TYPES[type].removes && { url: `${api}/v1/${RESOURCE_PATHS[kind]}/${id}` }),
  };
}

/**
 * The JSON of a match without teams, objectives and the closing brace: the stored head, then the members that depend on
 * settings.
 */
export function headJson(
  { timestamp: write, site }: { timestamp: WriteTimestamp; site: string },
  { key, head, started, finished }: MatchHead,
): string {
  return `${head},"started":"${write(started)}","finished":"${write(finished)}","permalink_url":"${site}/matches/${idOf(key)}"`;
}
