import { hash } from 'node:crypto';
import type { Config } from '#platform/config/config.ts';

/** Increase this whenever the JSON of a match changes: it invalidates the entity tags that clients have stored. */
const RENDERING = 3;

/** Identifies how matches are rendered under these settings; part of every entity tag of a match. */
export function renderVersionOf({ TIME_ZONE, SITE_URL }: Pick<Config, 'TIME_ZONE' | 'SITE_URL'>): string {
  return hash('sha256', JSON.stringify([RENDERING, TIME_ZONE, SITE_URL]), 'base64url').slice(0, 10);
}
