import { HttpError } from '#http/errors.ts';
import { errorPage } from '#http/error-page.ts';
import { EventBytes, type EventStream, eventText, sendToAll, type StreamEvent } from '#http/event-stream.ts';
import { renderParts, type LiveParts, type RenderedParts } from '../live-parts.ts';
import type { PageRequest } from '../page-request.ts';
import type { Observation } from './observer.ts';

/** A page that browsers can follow. */
export interface LivePage {
  /** Whether the page shows something of what has changed. */
  concerns: (seen: Observation) => boolean;
  /** @throws HttpError 404 if the page no longer exists */
  read: (request: PageRequest) => Promise<LiveParts>;
}

/** At most one update a second. */
const UPDATE_MS = 1_000;

/** A page in one language, which is rendered once for all its streams. */
export class Channel {
  readonly name: string;
  readonly streams = new Set<EventStream>();
  /** Open streams, and those that wait for the first rendering. */
  users = 0;
  /** Whether something that the page shows may have changed since it was rendered. */
  isStale = false;
  readonly #page: LivePage;
  readonly #request: () => PageRequest;
  #rendered: Promise<RenderedParts> | undefined;
  #renderedAt = 0;

  constructor(name: string, page: LivePage, request: () => PageRequest) {
    this.name = name;
    this.#page = page;
    this.#request = request;
  }

  observe(seen: Observation): void {
    this.isStale ||= this.#page.concerns(seen);
  }

  get isDue(): boolean {
    return this.isStale && performance.now() - this.#renderedAt >= UPDATE_MS;
  }

  /** What the streams have sent, rendered at the first call. */
  async current(): Promise<RenderedParts> {
    const rendering = (this.#rendered ??= this.#render());
    try {
      return await rendering;
    } catch (error) {
      this.#rendered = undefined;
      throw error;
    }
  }

  async #render(): Promise<RenderedParts> {
    this.isStale = false;
    this.#renderedAt = performance.now();
    return await renderParts(await this.#page.read(this.#request()));
  }

  /** Renders the page again and sends the parts that differ. */
  async update(): Promise<void> {
    const before = await this.current();
    try {
      const after = await this.#render();
      this.#rendered = Promise.resolve(after);
      if (after.version !== before.version) await sendToAll(this.streams, new EventBytes(updateText(after, before)));
    } catch (error) {
      this.isStale = true;
      const gone = await this.goneEvent(error);
      this.#rendered = undefined;
      for (const stream of this.streams) stream.end(gone);
    }
  }

  /** What ends a stream of a page that no longer exists. Throws other errors again. */
  async goneEvent(error: unknown): Promise<StreamEvent> {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    const { heading, home } = this.#request().text.error;
    const texts = { title: heading[404], sentence: error.message, link: { href: '/', label: home } };
    const main = await errorPage({ status: error.status, ...texts });
    return { event: 'gone', data: JSON.stringify({ main: main.toString() }) };
  }
}

/** @param before what the browser has; without it all parts are sent */
export function updateText({ parts, says, version }: RenderedParts, before?: RenderedParts): string {
  const changed = Object.entries(parts).filter(([name, text]) => before?.parts[name] !== text);
  const data = JSON.stringify({ parts: Object.fromEntries(changed), says, version });
  return eventText({ event: 'update', data });
}
