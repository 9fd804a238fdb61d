import type { IncomingMessage, ServerResponse } from 'node:http';
import { toHttpError, invalidRequest, notFound, HttpError } from '#http/errors.ts';
import { rateLimit } from '#http/rate-limits.ts';
import { hasGone, drain } from '#http/listener.ts';
import { describeResponse, requestIdOf } from '#http/request-metrics.ts';
import { Router, withoutSlash } from '#http/router.ts';
import type { HttpService } from '#http/service.ts';
import { PUBLIC_CACHE } from '#http/cors.ts';
import { type IngestPath, isDataPath } from '#http/service-paths.ts';
import type { AppContext } from '#context/context.ts';
import { boundOf } from '#platform/ids.ts';
import { sanitised } from '#text/text.ts';
import type { Log } from '#platform/process/log.ts';
import type { EventQueue } from '#events/ingest/event-queue.ts';
import { receiptsAfter } from '#events/ledger/server-events.ts';
import type { Credential } from '#store/game/server-keys.ts';
import { authenticate } from './credentials.ts';
import { handleProtocolRequest, type ProtocolMatch, protocolRoutes } from './protocols/protocols.ts';
import { handleEventRequest, type Report, sendJson } from './event-request.ts';
import { openApiDocument } from './openapi.ts';
import { ServerLimits } from './server-limits.ts';

interface IngestRequest {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  credential: Credential;
}

/** Handlers of one path, by method. */
type Route = Record<string, (request: IngestRequest) => Promise<void>>;

/** The service that game servers send events to. */
export async function openIngest(
  { db, clock, log, config }: AppContext,
  eventQueue: EventQueue,
): Promise<Required<Pick<HttpService, 'listener' | 'close'>>> {
  const serverLimits = new ServerLimits({ eventQueue, clock, perMinute: minuteLimits(config) });
  const { keyedHash } = db;
  let document: string | undefined;
  const routes: Record<IngestPath, Route> = {
    '/events': {
      POST: async ({ request, response, query, credential }) => {
        using limits = serverLimits.open(credential.serverKey);
        await handleEventRequest(
          { clock, limits, keyedHash },
          { request, response, ...reportBy(credential, isDryRun(query)) },
        );
      },
    },
    '/receipts': {
      GET: async ({ response, query, credential }) => {
        const limit = readLimit(query);
        const receipts = await receiptsAfter(db, credential.serverKey, readAfter(query), limit);
        const shown = receipts.map((one) => ({ ...one, received: new Date(one.received).toISOString() }));
        const next = shown.length < limit ? null : shown.at(-1)!.receipt;
        sendJson(response, 200, JSON.stringify({ receipts: shown, next }));
      },
    },
  };
  const router = new Router(Object.entries(routes));
  const protocolRoute = await protocolRoutes({ db, clock }, config.INGEST_DIALECTS);
  const serveProtocol = async (request: IncomingMessage, response: ServerResponse, found: ProtocolMatch) => {
    const { route, path, parameters } = found;
    describeResponse(response, { route: path });
    const key = route.protocol.readKey(request);
    const credential = await authenticate(db, clock.now(), key && `Bearer ${key}`);
    describeResponse(response, { senders: { server: String(credential.serverKey) } });
    const handle = route.methods[request.method!];
    if (handle === undefined) throw notAllowed(route.methods);
    using limits = serverLimits.open(credential.serverKey);
    const deps = { clock, keyedHash, limits, ...reportBy(credential) };
    sendJson(response, 200, JSON.stringify(await handleProtocolRequest(deps, request, parameters[0] ?? '', handle)));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '/', search = ''] = request.url!.split('?', 2);
    const name = withoutSlash(path);
    if (name === '/openapi.json' && isRead(request))
      return sendJson(response, 200, (document ??= openApiDocument(config)), PUBLIC);
    const found = router.find(name);
    const protocol = found === undefined ? protocolRoute(name) : undefined;
    if (protocol !== undefined) return await serveProtocol(request, response, protocol);
    if (found !== undefined) describeResponse(response, { route: found.path });
    if (isDataPath(name))
      throw notFound(`Game servers send events here; the data API is at ${config.API_URL}${name.slice(0, 100)}.`);
    const credential = await authenticate(db, clock.now(), request.headers.authorization);
    describeResponse(response, { senders: { server: String(credential.serverKey) } });
    if (found === undefined)
      throw notFound(`There is no ${path.slice(0, 100)} here; there are ${router.paths.join(', ')}.`);
    const handle = found.route[request.method === 'HEAD' ? 'GET' : request.method!];
    if (handle === undefined) throw notAllowed(found.route);
    await handle({ request, response, query: new URLSearchParams(search), credential });
  };
  const refuse = refusal(log);
  return {
    listener: (request, response) =>
      void serve(request, response)
        .catch((error: unknown) => refuse(request, response, error))
        .catch(() => response.destroy()),
    close: () => eventQueue.close(),
  };
}

/**
 * Answers a request with the error that it ended with, and logs the failures: at most one outage (503) per interval, because
 * every request fails during an outage.
 */
function refusal(log: Log): (request: IncomingMessage, response: ServerResponse, error: unknown) => void {
  let logged = -Infinity;
  return (request, response, error) => {
    if (hasGone(request)) return;
    const requestId = requestIdOf(response);
    const { status, body, headers } = toHttpError(error, requestId);
    const isRepeated = status === 503 && performance.now() - logged < OUTAGE_LOG_INTERVAL_MS;
    if (status >= 500 && !isRepeated) {
      logged = performance.now();
      log.error({ err: error, status, request_id: requestId }, 'request with events failed');
    }
    if (response.headersSent || response.destroyed) return void response.destroy();
    sendJson(response, status, body, headers);
    drain(request);
  };
}

const minuteLimits = (config: AppContext['config']) => ({
  events: rateLimit(config, 'event', 'server').max,
  weight: rateLimit(config, 'eventWeight', 'server').max,
});

const OUTAGE_LOG_INTERVAL_MS = 5_000;
const PUBLIC = { 'cache-control': PUBLIC_CACHE, 'access-control-allow-origin': '*' };

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const reportBy = ({ credential, serverKey, serverName, test }: Credential, dryRun = false): Report => ({
  sender: { kind: 'server', serverKey, serverName, credential },
  dryRun: dryRun || test,
});

function notAllowed(route: object): HttpError {
  const allow = Object.keys(route).join(', ');
  return new HttpError(405, 'method_not_allowed', `Only ${allow} is allowed here.`, { allow });
}

/** @throws HttpError 400 for a parameter with a typing error, which would store the events of a dry run */
function isDryRun(query: URLSearchParams): boolean {
  const other = query.keys().find((name) => name !== 'dry_run');
  if (other !== undefined)
    throw invalidRequest(
      `There is no parameter ${sanitised(other, 64)}; with dry_run=1 events are checked and not stored.`,
    );
  const value = query.get('dry_run') ?? '0';
  if (!/^(0|1|true|false)$/.test(value)) throw invalidRequest('dry_run must be 1 or 0.');
  return value === '1' || value === 'true';
}

function readAfter(query: URLSearchParams): number {
  const after = query.get('after') ?? '';
  if (after === '') return 0;
  if (!/^[0-9a-z]{1,64}$/.test(after)) throw invalidRequest('after must be a receipt.');
  // The smallest key whose id sorts after the receipt, minus one: the list returns greater keys.
  return boundOf(`${after}0`) - 1;
}

const MAX_RECEIPTS = 1_000;

function readLimit(query: URLSearchParams): number {
  const limit = query.get('limit') ?? '100';
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalidRequest('limit must be a whole number from 1.');
  return Math.min(Number(limit), MAX_RECEIPTS);
}
