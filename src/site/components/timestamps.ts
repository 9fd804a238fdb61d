import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

/** A moment in a list: by the network's clock as written here, how long ago where the script runs. */
export function ago({ formats }: PageRequest, epochMs: number): Html {
  return html`<time datetime="${iso(epochMs)}" data-as="ago" title="${formats.exact(epochMs)}"
    >${formats.timestamp(epochMs)}</time
  >`;
}

/** A moment that matters: in the reader's zone where the script runs, and the exact one by the network's clock beside. */
export function timestamp({ formats }: PageRequest, epochMs: number): Html {
  return html`<span class="moment"
    ><time datetime="${iso(epochMs)}" data-as="local">${formats.timestamp(epochMs)}</time>
    <span class="soft small" data-exact>${formats.exact(epochMs)}</span></span
  >`;
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const two = (value: number): string => String(value).padStart(2, '0');

/** Milliseconds between two moments as a stopwatch shows them: `12:34`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
