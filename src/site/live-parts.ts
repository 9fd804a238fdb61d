import { html } from 'hono/html';
import { hash } from 'node:crypto';
import type { Html } from '#http/page.ts';

/** What a page shows of the present: `/live` sends it again when it changes, the same to all browsers of a language. */
export interface LiveParts {
  /** The content of each element with `data-part`, by that name. */
  parts: Readonly<Record<string, Html>>;
  /** A sentence that screen readers announce when it changes. */
  says: string;
}

/** `LiveParts` as text. Equal versions have equal parts. */
export interface RenderedParts {
  parts: Readonly<Record<string, string>>;
  says: string;
  version: string;
}

export async function renderParts({ parts, says }: LiveParts): Promise<RenderedParts> {
  const names = Object.keys(parts);
  const texts = await Promise.all(names.map(async (name) => (await parts[name])!.toString()));
  const rendered = Object.fromEntries(names.map((name, index) => [name, texts[index]!]));
  return { parts: rendered, says, version: hash('sha256', JSON.stringify(rendered), 'base64url').slice(0, 16) };
}

/**
 * Tells `script/live.js` which page to follow. It also announces changes.
 * @param path the path of the page with the query that its parts depend on
 */
export async function liveStatus(path: string, live: LiveParts): Promise<Html> {
  const { version } = await renderParts(live);
  return html`<p
    class="hidden"
    role="status"
    data-live="${path}"
    data-version="${version}"
    data-says="${live.says}"
  ></p>`;
}
