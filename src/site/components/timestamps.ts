import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

/** A time in a list, in the network's time zone; `script/site.js` replaces it with a relative time (`5 minutes ago`). */
export function ago({ formats }: PageRequest, epochMs: number): Html {
  return html`<time datetime="${iso(epochMs)}" data-as="ago" title="${formats.exact(epochMs)}"
    >${formats.timestamp(epochMs)}</time
  >`;
}

/**
 * A prominent time in the network's time zone. `script/site.js` shows it in the reader's; the tooltip has the exact time in
 * the network's.
 */
export function timestamp({ formats }: PageRequest, epochMs: number): Html {
  return html`<time datetime="${iso(epochMs)}" data-as="local" title="${formats.exact(epochMs)}"
    >${formats.timestamp(epochMs)}</time
  >`;
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A duration in milliseconds as `12:34` or `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`;
}
