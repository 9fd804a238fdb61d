import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientAddresses, clientNetworks } from '#http/client-address.ts';
import type { Credentials } from '#http/credentials.ts';
import { HttpError } from '#http/errors.ts';
import { beginStream } from '#http/event-stream.ts';
import { LIMITS } from '#http/limits.ts';
import type { Config } from '#platform/config/config.ts';
import type { Caller } from './callers.ts';
import { type Headers, withoutCacheControl } from './headers.ts';
import type { Cursor } from '#store/game/change-cursors.ts';
import type { ResourceKind } from '#store/game/changes.ts';

const RETRY_S = '10';

interface CallerLimit {
  subject: string;
  max: number;
}

/** The streams of this process that are open: how many each caller has, and how many it may have. */
export class OpenStreams {
  readonly #host: StreamHost;
  readonly #config: Config;
  readonly #addresses: ClientAddresses;
  readonly #counts = new Map<string, number>();
  #total = 0;
  #isStopped = false;

  constructor(host: StreamHost, config: Config, addresses: ClientAddresses) {
    this.#host = host;
    this.#config = config;
    this.#addresses = addresses;
  }

  /**
   * Begins a stream.
   * @param headers those of every response
   * @throws HttpError 429 if the caller has as many as it may have, 503 if this process has
   */
  open(
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    { headers, caller, credentials, content }: OpenedStream,
  ): void {
    const limits = this.#limitsOf(request, caller);
    if (this.#isStopped || this.#total >= LIMITS.openStreamAnywhere.max.process) throw unavailable();
    const left = Math.min(...limits.map(({ subject, max }) => max - (this.#counts.get(subject) ?? 0)));
    const { max, subject } = limits[0]!;
    if (left <= 0) throw tooManyStreams(max);
    const isHead = request.method === 'HEAD';
    const own = ['x-stream-limit', `${max}`, 'x-stream-remaining', `${left - (isHead ? 0 : 1)}`];
    const wantsEvents = beginStream(response, [...withoutCacheControl(headers), ...own]);
    if (!wantsEvents) return;
    const application = caller.kind === 'server' ? undefined : caller.application.key;
    this.#add(limits, 1);
    const order: StreamOrder = { ...content, credentials, subject, application };
    void this.#host.follow(response, order).finally(() => this.#add(limits, -1));
  }

  #add(limits: readonly CallerLimit[], change: 1 | -1): void {
    this.#total += change;
    for (const { subject } of limits) {
      const count = (this.#counts.get(subject) ?? 0) + change;
      if (count === 0) this.#counts.delete(subject);
      else this.#counts.set(subject, count);
    }
  }

  #limitsOf(request: IncomingMessage, caller: Caller): CallerLimit[] {
    const { application, applicationAccount, server, network } = LIMITS.openStream.max;
    if (caller.kind === 'server') return [{ subject: `server:${caller.serverKey}`, max: server }];
    const { client_id: id } = caller.application;
    if (caller.kind === 'application') return [{ subject: `application:${id}`, max: this.#config[application] }];
    if (caller.kind === 'user') return [{ subject: `user:${caller.accountId}:${id}`, max: applicationAccount }];
    const networks = clientNetworks(this.#addresses.of(request));
    return networks.map(({ name, factor }) => ({ subject: `address:${name}`, max: network * factor }));
  }

  /** Ends all streams and refuses further ones. */
  stop(): void {
    this.#isStopped = true;
    this.#host.stop();
  }
}

interface OpenedStream {
  headers: Headers;
  caller: Caller;
  credentials: Credentials;
  content: StreamContent;
}

function tooManyStreams(max: number): HttpError {
  const sentence = `At most ${max} streams may be open at a time. Close one first.`;
  const headers = { 'retry-after': RETRY_S, 'x-stream-limit': `${max}`, 'x-stream-remaining': '0' };
  return new HttpError(429, 'rate_limit', sentence, headers);
}

function unavailable(): HttpError {
  const sentence = 'No further stream can be opened at present. Please try again later.';
  return new HttpError(503, 'temporarily_unavailable', sentence, { 'retry-after': RETRY_S });
}

/** What a stream sends. */
export interface StreamContent {
  /** The place after which it begins. */
  from: Cursor;
  /** The number of the newest change when it was requested. */
  head: number;
  /** The kinds of resources; removals of the others are sent as well. */
  kinds: readonly ResourceKind[];
  /** Whether it also sends the presence on servers and running matches. */
  presence: boolean;
}

/** A stream that was authorized. Plain data: a process can send it to another. */
export interface StreamOrder extends StreamContent {
  /** Checked again as long as the stream is open. */
  credentials: Credentials;
  /** Who reads the past one stream after the other. */
  subject: string;
  /** The key of the application; undefined for a game server. */
  application: number | undefined;
}

/** The result of an endpoint that begins a stream. */
export class StreamStart {
  readonly content: StreamContent;

  constructor(content: StreamContent) {
    this.content = content;
  }
}

/** Sends the events of streams, in this thread or in another process. */
export interface StreamHost {
  /** Takes over a response whose headers are sent. Resolves when the stream has ended, also if it fails. */
  follow(response: ServerResponse, order: StreamOrder): Promise<void>;
  /** Ends all streams. */
  stop(): void;
}
