import type { IncomingMessage, ServerResponse } from 'node:http';
import { toHttpError, invalidRequest, notFound, HttpError } from '#http/errors.ts';
import { hasGone, drain } from '#http/listener.ts';
import type { AppContext } from '#context/context.ts';
import { boundOf } from '#platform/ids.ts';
import type { EventQueue } from '#events/group-commit.ts';
import { receiptsAfter } from '#events/receipt-log.ts';
import type { Sender } from '#events/receipts.ts';
import type { Credential } from '#store/game/server-keys.ts';
import { Credentials } from './credentials.ts';
import { handleEventRequest } from './event-request.ts';
import { openApiDocument } from './openapi.ts';
import { ServerQuotas } from './server-quotas.ts';

/** The door that game servers write through. */
export interface IngestService {
  listener(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

interface IngestRequest {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  credential: Credential;
}

type Row = Record<string, (request: IngestRequest) => Promise<void>>;

export async function openIngest(
  { db, clock, log, config }: AppContext,
  eventQueue: EventQueue,
): Promise<IngestService> {
  const credentials = new Credentials({ db, clock });
  const quotas = new ServerQuotas({ eventQueue, clock, perMinute: config.INGEST_LIMIT });
  const document = openApiDocument(config.INGEST_URL);
  const rows: Record<string, Row> = {
    '/events': {
      POST: async ({ request, response, query, credential }) => {
        const dryRun = isDryRun(query) || credential.test;
        using quota = quotas.open(credential.serverKey);
        await handleEventRequest({ clock, share: quota }, { request, response, sender: senderOf(credential), dryRun });
      },
    },
    '/receipts': {
      GET: async ({ response, query, credential }) => {
        const limit = limitOf(query);
        const receipts = await receiptsAfter(db, credential.serverKey, afterOf(query), limit);
        const raw = receipts.map((one) => ({ ...one, received: new Date(one.received).toISOString() }));
        send(response, 200, JSON.stringify({ receipts: raw, next: raw.length < limit ? null : raw.at(-1)!.receipt }));
      },
    },
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '/', search = ''] = request.url!.split('?', 2);
    const name = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    if (name === '/openapi.json' && isRead(request)) return send(response, 200, document);
    const credential = await credentials.of(request);
    const row = rows[name];
    if (row === undefined)
      throw notFound(`There is no ${path.slice(0, 100)} here; there are ${Object.keys(rows).join(', ')}.`);
    const handle = row[request.method === 'HEAD' ? 'GET' : request.method!];
    if (handle === undefined) throw notAllowed(row);
    await handle({ request, response, query: new URLSearchParams(search), credential });
  };
  const complain = seldom((error: unknown, status: number) =>
    log.error({ err: error, status }, 'deliveries are not taken'),
  );
  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (hasGone(request)) return;
    const wire = toHttpError(error);
    if (wire.status >= 500) complain(error, wire.status);
    fail(request, response, wire);
  };
  return {
    listener: (request, response) =>
      void serve(request, response)
        .catch((error: unknown) => refuse(request, response, error))
        .catch(() => response.destroy()),
    close: () => eventQueue.close(),
  };
}

const COMPLAINTS_APART_MS = 5_000;

/** An outage makes every delivery fail: the log needs to hear of it now and then only. */
function seldom(complain: (error: unknown, status: number) => void): typeof complain {
  let last = -Infinity;
  return (error, status) => {
    if (status === 503 && performance.now() - last < COMPLAINTS_APART_MS) return;
    last = performance.now();
    complain(error, status);
  };
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const senderOf = ({ credential, serverKey, serverName }: Credential): Sender => ({
  kind: 'server',
  serverKey,
  serverName,
  credential,
});

function notAllowed(row: Row): HttpError {
  const allow = Object.keys(row).join(', ');
  return new HttpError(405, 'method_not_allowed', `Only ${allow} is allowed here.`, { allow });
}

function isDryRun(query: URLSearchParams): boolean {
  const value = query.get('dry_run') ?? '0';
  if (!/^(0|1|true|false)$/.test(value)) throw invalidRequest('dry_run must be 1 or 0.');
  return value === '1' || value === 'true';
}

function afterOf(query: URLSearchParams): number {
  const after = query.get('after') ?? '';
  if (after === '') return 0;
  if (!/^[0-9a-z]{1,64}$/.test(after)) throw invalidRequest('after must be a receipt.');
  // Behind a receipt lies what is not smaller than it, but for itself.
  return boundOf(`${after}0`) - 1;
}

const MAX_RECEIPTS = 1_000;

function limitOf(query: URLSearchParams): number {
  const limit = query.get('limit') ?? '100';
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalidRequest('limit must be a whole number from 1.');
  return Math.min(Number(limit), MAX_RECEIPTS);
}

function send(response: ServerResponse, status: number, json: string, headers: Record<string, string> = {}): void {
  const length = Buffer.byteLength(json);
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length, ...headers })
    .end(response.req.method === 'HEAD' ? undefined : json);
}

function fail(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  send(response, error.status, error.body, error.headers);
  drain(request);
}
