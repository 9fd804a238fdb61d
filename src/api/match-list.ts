import { hash } from 'node:crypto';
import type { Config } from '#platform/config/config.ts';
import { idOf } from '#platform/ids.ts';
import type { MatchHead } from '#store/game/matches.ts';
import type { WriteTimestamp } from './timestamps.ts';

/** Increase this whenever the JSON of a match changes: it invalidates the entity tags that clients have stored. */
const RENDERING = 3;

/** Identifies how matches are rendered under these settings; part of every entity tag of a match. */
export function renderVersionOf({ TIME_ZONE, SITE_URL }: Pick<Config, 'TIME_ZONE' | 'SITE_URL'>): string {
  return hash('sha256', JSON.stringify([RENDERING, TIME_ZONE, SITE_URL]), 'base64url').slice(0, 10);
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
