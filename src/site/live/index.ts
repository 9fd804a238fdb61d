import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { clientNetworks } from '#http/client-network.ts';
import { HttpError, rateLimited } from '#http/errors.ts';
import { beginStream, EventStreams } from '#http/event-stream.ts';
import { LIMITS } from '#http/limits.ts';
import { outgoingOf } from '#http/request-metrics.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { gauge, type Metrics } from '#platform/process/metrics.ts';
import { homeParts } from '../pages/home.ts';
import { matchParts } from '../pages/match.ts';
import { serverParts } from '../pages/server.ts';
import { type Deps, PageRequest } from '../page-request.ts';
import { Channel, type LivePage, updateText } from './channel.ts';
import { Observer } from './observer.ts';

/** When a browser that was refused may ask again. */
const RETRY_S = 60;

/** A page that is followed. */
interface Followed {
  page: LivePage;
  /** The same for every address of the page, with the part of the query that its content depends on. */
  path: string;
  params: Record<string, string>;
}

/** `/live`: pages follow what they show by Server-Sent Events. */
export class Live implements Disposable {
  readonly #deps: Deps;
  readonly #streams: EventStreams;
  readonly #observer: Observer;
  readonly #channels = new Map<string, Channel>();
  /** Open streams by network. */
  readonly #open = new Map<string, number>();

  constructor(deps: Deps, metrics: Metrics) {
    this.#deps = deps;
    this.#streams = new EventStreams(deps.clock);
    gauge(metrics, {
      name: 'scorehall_live_streams_open',
      help: 'Open streams of /live',
      collect: (open) => open.set(this.#streams.size),
    });
    this.#observer = new Observer(deps, async (seen) => {
      for (const channel of this.#channels.values()) if (seen !== undefined) channel.observe(seen);
      await this.#update();
    });
  }

  /**
   * Opens a stream of the page that the query names (`page`). It begins with the present state, unless the browser has it
   * (`version`).
   * @throws HttpError 404 for pages that cannot be followed, 429, 503
   */
  async follow(c: Context, request: PageRequest, address: string): Promise<Response> {
    const outgoing = outgoingOf(c);
    const followed = followedIn(request);
    if (outgoing === undefined || followed === undefined) throw request.notFound();
    const release = this.#admit(request, address);
    let isOpen = false;
    const channel = this.#join(followed, request, release);
    try {
      await this.#observer.start();
      isOpen = await this.#send(channel, outgoing, request);
      if (isOpen) outgoing.once('close', () => this.#leave(channel, release));
      return RESPONSE_ALREADY_SENT;
    } finally {
      if (!isOpen) this.#leave(channel, release);
    }
  }

  /** @returns whether the stream is open: the page exists, and the browser waits for events */
  async #send(channel: Channel, outgoing: ServerResponse, request: PageRequest): Promise<boolean> {
    const gone = await channel.current().then(
      () => undefined,
      (error: unknown) => channel.goneEvent(error),
    );
    const rendered = gone === undefined ? await channel.current() : undefined;
    if (outgoing.destroyed || !beginStream(outgoing, ['content-language', request.language])) return false;
    const stream = this.#streams.add(outgoing);
    if (rendered === undefined) {
      stream.end(gone);
      return false;
    }
    if (rendered.version !== request.query('version')) stream.send(updateText(rendered));
    channel.streams.add(stream);
    void stream.closed.then(() => channel.streams.delete(stream));
    return true;
  }

  /** Counts a stream. @returns what ends it */
  #admit({ text }: PageRequest, address: string): () => void {
    const networks = clientNetworks(address);
    for (const { name, factor } of networks) {
      if ((this.#open.get(name) ?? 0) < LIMITS.livePage.max.network * factor) continue;
      throw rateLimited(text.error.tooMany(String(RETRY_S)), RETRY_S * 1000);
    }
    if (this.#streams.size >= LIMITS.livePageAnywhere.max.process) throw busy();
    for (const { name } of networks) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return () => {
      for (const { name } of networks) {
        const left = this.#open.get(name)! - 1;
        if (left === 0) this.#open.delete(name);
        else this.#open.set(name, left);
      }
    };
  }

  #join({ page, path, params }: Followed, { language, deps }: PageRequest, release: () => void): Channel {
    const name = `${language} ${path}`;
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      if (this.#channels.size >= LIMITS.followedPage.max.process) {
        release();
        throw busy();
      }
      const url = new URL(path, deps.config.SITE_URL);
      channel = new Channel(name, page, () => new PageRequest(this.#deps, language, url, params));
      this.#channels.set(name, channel);
    }
    channel.users++;
    return channel;
  }

  #leave(channel: Channel, release: () => void): void {
    release();
    if (--channel.users === 0) this.#channels.delete(channel.name);
    if (this.#channels.size === 0) this.#observer.stop();
  }

  /** Updates the pages that show something else now, one after the other. */
  async #update(): Promise<void> {
    for (const channel of this.#channels.values()) {
      if (!channel.isDue) continue;
      try {
        await channel.update();
      } catch (error) {
        this.#deps.log.debug({ err: error, page: channel.name }, 'a page that is followed cannot be rendered');
      }
      await turn();
    }
  }

  /** Ends all streams; their browsers connect again. */
  [Symbol.dispose](): void {
    this.#observer.stop();
    this.#streams[Symbol.dispose]();
  }
}

const includes = (keys: Set<number> | 'all', key: number): boolean => keys === 'all' || keys.has(key);

/** The pages that can be followed, by the folder of their path. */
const PAGES: Record<string, (key: number) => LivePage> = {
  servers: (key) => ({ concerns: ({ servers }) => includes(servers, key), read: serverParts }),
  matches: (key) => ({ concerns: ({ matches }) => includes(matches, key), read: matchParts }),
};
const HOME: LivePage = { concerns: () => true, read: homeParts };
const PATH = /^\/(servers|matches)\/([^/?]+)(?:\?players=(\d{1,4}))?$/;

function followedIn(request: PageRequest): Followed | undefined {
  const named = request.query('page') ?? '';
  if (named === '/') return { page: HOME, path: named, params: {} };
  const [, folder = '', text = '', players] = PATH.exec(named) ?? [];
  const key = keyOf(text);
  if (key === undefined) return undefined;
  const id = idOf(key);
  return {
    page: PAGES[folder]!(key),
    path: `/${folder}/${id}${players === undefined ? '' : `?players=${players}`}`,
    params: { id },
  };
}

const busy = (): HttpError =>
  new HttpError(503, 'temporarily_unavailable', 'Too many pages are followed.', { 'retry-after': String(RETRY_S) });
