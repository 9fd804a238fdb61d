import type { IncomingMessage } from 'node:http';
import { HttpError, invalidRequest, unavailable } from '#http/errors.ts';
import { type Found, Router } from '#http/router.ts';
import type { AppContext } from '#context/context.ts';
import { installed } from '#platform/process/installed.ts';
import type { ProtocolName } from '#platform/config/setting.ts';
import { parseOne } from '#events/ingest/json.ts';
import { MAX_EVENT_LENGTH } from '#events/ingest/prepare.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import type { WireEvent } from '#events/schema/index.ts';
import type { DewdropRequest } from '#dewdrop/core.ts';
import { acceptEvents, type IngestDeps, type Report } from '../event-request.ts';
import { bodyFormat, readBody } from '../body.ts';
import type { RequestLimits } from '../server-limits.ts';

type Context = Pick<AppContext, 'db' | 'clock'>;

/** What a request does; the result is the JSON of the response. */
type Handler = (request: DewdropRequest) => Promise<unknown>;

/** What a protocol does at one path, by method. `longest` limits the characters of the parameter, if the path has one. */
interface ProtocolRoute {
  longest?: number;
  methods: Readonly<Record<string, Handler>>;
}

interface Protocol {
  /** By path, see `Router`. */
  routes: Readonly<Record<string, ProtocolRoute>>;
  /** The key of the server, from the place where the program sends it. */
  readKey: (request: IncomingMessage) => string | undefined;
}

const PROTOCOLS: Readonly<Record<ProtocolName, (context: Context) => Promise<Protocol>>> = {
  dewdrop: async (context) => {
    const { openDewdrop } = await installed('packages/dewdrop', () => import('./dewdrop.ts'));
    return openDewdrop(context);
  },
};

/** A route, with the protocol that it belongs to. */
export type ProtocolMatch = Found<ProtocolRoute & { protocol: Protocol }>;

/** Finds the routes of the protocols that are switched on. @throws UsageError if one is not installed */
export async function protocolRoutes(
  context: Context,
  names: readonly ProtocolName[],
): Promise<(path: string) => ProtocolMatch | undefined> {
  const protocols = await Promise.all(names.map((name) => PROTOCOLS[name](context)));
  const router = new Router(
    protocols.flatMap((protocol) =>
      Object.entries(protocol.routes).map(([path, route]) => [path, { ...route, protocol }] as const),
    ),
  );
  return (path) => {
    const found = router.find(path);
    return found !== undefined && (found.parameters[0] ?? '').length <= (found.route.longest ?? 0) ? found : undefined;
  };
}

/**
 * Handles a request within the same limits as `POST /events`; one that reports no event counts as one.
 * @returns the JSON of the response
 */
export async function handleProtocolRequest(
  deps: IngestDeps & Report,
  request: IncomingMessage,
  parameter: string,
  handle: Handler,
): Promise<unknown> {
  const { limits, dryRun } = deps;
  if (limits.isFull) throw unavailable();
  limits.refuseUnparsed();
  let isCounted = false;
  const accept = async (event: WireEvent): Promise<string> => {
    isCounted = true;
    const [receipt] = await acceptEvents(deps, deps, [{ input: event }]);
    return acceptedId(receipt!);
  };
  try {
    return await handle({ parameter, body: () => readJson(request, limits), accept, dryRun });
  } finally {
    if (!isCounted) limits.countOther();
  }
}

/** A match that is stored already has its id, even if its players have other names by now. @throws HttpError 422, 503 */
function acceptedId(receipt: Receipt): string {
  if (receipt.receipt !== undefined) return receipt.receipt;
  if (receipt.status !== 'rejected') throw unavailable();
  if (receipt.retry === true) throw new HttpError(503, 'unavailable', receipt.reason);
  throw new HttpError(422, 'invalid_request', receipt.reason);
}

async function readJson(request: IncomingMessage, limits: RequestLimits): Promise<unknown> {
  if (bodyFormat(request) !== 'json')
    throw new HttpError(415, 'invalid_request', 'Content-Type must be application/json, in UTF-8.');
  const parsed = parseOne(await readBody(request, MAX_EVENT_LENGTH, limits));
  if ('problem' in parsed) throw invalidRequest(`The body ${parsed.problem}.`);
  return parsed.raw.input;
}
