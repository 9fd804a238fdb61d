import { hash } from 'node:crypto';
import type { Config } from '#base/config.ts';
import { idOf } from '#base/ids.ts';
import type { Listing } from '#records/match-pages.ts';
import type { MatchHead } from '#records/matches.ts';
import { momentsIn, type WriteMoment } from './moments.ts';

/**
 * Raise this when what is shown of a match changes, in a list or by itself: pages that are kept ready are made anew then,
 * and tags that clients have name nothing any more.
 */
const EDITION = 1;

/** How matches stand in lists under these settings. */
export function listingOf({ TIME_ZONE, SITE_URL }: Pick<Config, 'TIME_ZONE' | 'SITE_URL'>): Listing {
  const moment = momentsIn(TIME_ZONE);
  const edition = hash('sha256', JSON.stringify([EDITION, TIME_ZONE, SITE_URL]), 'base64url').slice(0, 10);
  return { edition, json: (match) => `${headJson({ moment, site: SITE_URL }, match)}}` };
}

/** The match up to before its parts: what is kept ready-made, then what settings decide. */
export function headJson(
  { moment: write, site }: { moment: WriteMoment; site: string },
  { key, head, started, finished }: MatchHead,
): string {
  return `${head},"started":"${write(started)}","finished":"${write(finished)}","permalink_url":"${site}/matches/${idOf(key)}"`;
}
