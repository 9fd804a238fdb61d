import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ConnectionLost, type ManageReason } from './core.ts';
import { ADD_BANS, memberOf, type Report, type Request, REQUESTS, readNotification, readResult } from './messages.ts';

export interface SocketLimits {
  /** Maximum message while a request waits: a list of some 80,000 bans. */
  maxBytes: number;
  /** Timeout of the handshake and of each answer. */
  timeoutMs: number;
  /**
   * Maximum messages, pings and pongs without a report within ten seconds. A server announces a changed allowlist
   * player by player, but a flood would block the thread.
   */
  maxIdle: number;
}

const IDLE_WINDOW_MS = 10_000;

/** Reports that wait before the socket is paused, so that further messages stay in the server's memory. */
const MAX_WAITING = 200;

/**
 * Maximum message while no request waits: a notification about one player. The library's own limit must admit lists,
 * and parsing 16 MiB would take some 250 ms.
 */
const MAX_UNREQUESTED_BYTES = 1024 * 1024;

export interface Arrived {
  report: Report;
  /** Time of arrival. */
  time: number;
}

/**
 * A connection of the Minecraft Server Management Protocol: JSON-RPC 2.0 over a WebSocket. Messages and the queue of
 * reports are bounded; reading pauses if a server sends faster than its reports are stored.
 */
export class ManagementSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  #waiting: Arrived[] = [];
  #lost: ConnectionLost | undefined;
  #wake: () => void = () => undefined;
  #lastId = 0;
  readonly #requests = new Map<number, Request | typeof ADD_BANS>();
  #deadline: NodeJS.Timeout | undefined;
  readonly #maxIdle: number;
  readonly #idle = { since: 0, count: 0 };

  private constructor(socket: WebSocket, now: () => number, { timeoutMs, maxIdle }: SocketLimits) {
    this.#socket = socket;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#maxIdle = maxIdle;
    socket.on('message', (data, isBinary) => this.#read(data as Buffer, isBinary));
    socket.on('error', (error) => this.#lose(manageReason(error)));
    socket.on('unexpected-response', (_request, response) => this.#refused(response));
    socket.on('close', () => this.#lose('closed'));
    for (const event of ['ping', 'pong']) socket.on(event, () => this.#countIdle());
    // The library ends a connection with too many unanswered pings without an error.
    socket.on('ping', () => socket.readyState === WebSocket.CLOSING && this.#lose('wrong_answer'));
    // The library's own timeout starts again with each byte of the handshake.
    this.#deadline = setTimeout(() => this.#lose('timeout'), timeoutMs);
  }

  /** Connects. The signal ends the connection at any time. @throws ConnectionLost */
  static async open(
    { url, ca, secret }: { url: string; ca: string; secret: string },
    limits: SocketLimits,
    { now, signal }: { now: () => number; signal: AbortSignal },
  ): Promise<ManagementSocket> {
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${secret}` },
      maxPayload: limits.maxBytes,
      perMessageDeflate: false,
      followRedirects: false,
      ...(ca === '' ? {} : { ca }),
    });
    const opened = new ManagementSocket(socket, now, limits);
    const { promise, resolve } = Promise.withResolvers<void>();
    opened.#wake = resolve;
    const close = (): void => opened.close();
    signal.addEventListener('abort', close, { once: true });
    socket.on('close', () => signal.removeEventListener('abort', close));
    if (signal.aborted) close();
    socket.on('open', () => resolve());
    await promise;
    if (opened.#lost !== undefined) throw opened.#lost;
    opened.#stopDeadline();
    return opened;
  }

  /** Requests a list, which arrives as a report, unless a request for it is pending. */
  request(request: Request): void {
    if (![...this.#requests.values()].includes(request)) this.#send(request, REQUESTS[request], []);
  }

  /** Replaces entries of the list of bans. The next requested list shows whether the server did. */
  replaceBans(entries: readonly object[]): void {
    this.#send(ADD_BANS, ADD_BANS, [entries]);
  }

  #send(request: Request | typeof ADD_BANS, method: string, params: readonly unknown[]): void {
    if (this.#lost !== undefined) return;
    const id = ++this.#lastId;
    this.#requests.set(id, request);
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    this.#deadline ??= setTimeout(() => this.#late(), this.#timeoutMs);
  }

  /** The reports that have arrived, oldest first, as soon as there is one. @throws ConnectionLost */
  async next(): Promise<Arrived[]> {
    if (this.#waiting.length === 0 && this.#lost === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      if (this.#socket.isPaused) this.#socket.resume();
      await promise;
    }
    const arrived = this.#waiting;
    if (arrived.length === 0) throw this.#lost!;
    this.#waiting = [];
    return arrived;
  }

  /** Ends the connection immediately; `next` throws. */
  close(): void {
    this.#lose('closed');
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #read(data: Buffer, isBinary: boolean): void {
    if (this.#lost !== undefined) return;
    try {
      if (isBinary) throw new ConnectionLost('wrong_answer');
      if (this.#requests.size === 0 && data.length > MAX_UNREQUESTED_BYTES) throw new ConnectionLost('too_large');
      const report = this.#reportOf(JSON.parse(data.toString('utf8')));
      if (report === undefined) return this.#countIdle();
      this.#waiting.push({ report, time: this.#now() });
    } catch (error) {
      return this.#lose(error instanceof ConnectionLost ? error.reason : 'wrong_answer');
    }
    if (this.#waiting.length >= MAX_WAITING) this.#socket.pause();
    this.#wake();
  }

  #reportOf(message: unknown): Report | undefined {
    const method = memberOf(message, 'method');
    if (typeof method === 'string') return readNotification(method, memberOf(message, 'params'));
    const id = memberOf(message, 'id');
    const request = typeof id === 'number' ? this.#requests.get(id) : undefined;
    if (request === undefined) return undefined;
    this.#requests.delete(id as number);
    if (this.#requests.size === 0) this.#stopDeadline();
    return request === ADD_BANS ? undefined : readResult(request, memberOf(message, 'result'));
  }

  #countIdle(): void {
    const now = performance.now();
    if (now - this.#idle.since >= IDLE_WINDOW_MS) Object.assign(this.#idle, { since: now, count: 0 });
    if (++this.#idle.count > this.#maxIdle) this.#lose('wrong_answer');
  }

  /** An answer is missing; while the socket is paused, it is expected. */
  #late(): void {
    this.#deadline = undefined;
    if (!this.#socket.isPaused) return this.#lose('timeout');
    this.#deadline = setTimeout(() => this.#late(), this.#timeoutMs);
  }

  #stopDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  #refused({ statusCode }: IncomingMessage): void {
    this.#lose(statusCode === 401 || statusCode === 403 ? 'unauthorized' : 'wrong_answer');
  }

  #lose(reason: ManageReason): void {
    if (this.#lost !== undefined) return;
    this.#lost = new ConnectionLost(reason);
    this.#stopDeadline();
    this.#socket.terminate();
    this.#wake();
  }
}

const CODES: Readonly<Record<string, ManageReason>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'not_found',
  EAI_AGAIN: 'not_found',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'too_large',
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 'too_large',
};

/** The error codes of OpenSSL and Node for a refused certificate. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_PURPOSE$|^PATH_LENGTH/;

function manageReason({ code = '', message }: NodeJS.ErrnoException): ManageReason {
  if (code in CODES) return CODES[code]!;
  if (CERTIFICATE.test(code)) return 'certificate';
  return /timed out/.test(message) ? 'timeout' : 'wrong_answer';
}
