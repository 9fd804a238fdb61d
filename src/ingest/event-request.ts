import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import type { KeyedHash } from '#db/db.ts';
import { invalidRequest, toHttpError, HttpError, unavailable } from '#http/errors.ts';
import { drain } from '#http/listener.ts';
import { requestIdOf } from '#http/request-metrics.ts';
import { mapInTurns, nextTurn } from '#platform/streams/turns.ts';
import {
  type InvalidElement,
  MAX_ELEMENT_LENGTH,
  parseEach,
  parseOne,
  type RawEvent,
  TOO_MANY,
} from '#events/ingest/json.ts';
import { type Item, MAX_EVENT_LENGTH, prepareItem } from '#events/ingest/prepare.ts';
import type { Receipt, Sender } from '#events/ledger/receipts.ts';
import { bodyFormat, linesOf, MAX_BYTES, MAX_IN_ARRAY, MAX_IN_STREAM, readBody, readChunks } from './body.ts';
import { ReceiptLines } from './receipt-lines.ts';
import type { RequestLimits } from './server-limits.ts';

export interface IngestDeps {
  clock: Clock;
  limits: RequestLimits;
  keyedHash: KeyedHash;
}

/** Who reports events, and how. */
export interface Report {
  sender: Sender;
  /** Whether the events are checked and not stored, because the request asks for a dry run or the key is a test key. */
  dryRun: boolean;
}

/** `POST /events`: one event, an array of events, or a stream of lines. The response is one receipt per event, in order. */
export interface EventRequest extends Report {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Bytes from which on a body waits for its turn: a match of 300 players. */
const LARGE_BODY = 64 * 1024;
/** Events of a stream per batch, and maximum batches of one stream that are being written at a time. */
const BATCH_SIZE = 128;
const MAX_OPEN_BATCHES = 4;

/** @throws HttpError 400, 413, 415, 429 or 503, before the response has begun */
export async function handleEventRequest(deps: IngestDeps, eventRequest: EventRequest): Promise<void> {
  if (deps.limits.isFull) throw unavailable();
  deps.limits.refuseUnparsed();
  if (bodyFormat(eventRequest.request) === 'json') await ingestJson(deps, eventRequest);
  else await ingestStream(deps, eventRequest);
}

async function ingestJson(deps: IngestDeps, eventRequest: EventRequest): Promise<void> {
  const body = await readBody(eventRequest.request, MAX_BYTES.json, deps.limits);
  // Parsing in a separate function leaves no reference to the parsed events while this one awaits the receipts.
  const receipts = await ingestBody(deps, eventRequest, body);
  sendJson(eventRequest.response, 200, JSON.stringify(receipts));
}

async function ingestBody(deps: IngestDeps, eventRequest: EventRequest, body: Buffer): Promise<Receipt | Receipt[]> {
  const { limits } = deps;
  const isLarge = body.length > LARGE_BODY;
  if (isLarge) await nextTurn();
  // Other requests of the server may have used up its limits while this body arrived.
  limits.refuseUnparsed();
  const elements = parseEach(body, MAX_IN_ARRAY);
  if (elements === TOO_MANY) {
    limits.countOther();
    const sentence = `An array must not hold more than ${MAX_IN_ARRAY} events; send several requests.`;
    throw new HttpError(413, 'invalid_request', sentence);
  }
  if (elements !== undefined) return acceptEvents(deps, eventRequest, elements);
  if (body.length > MAX_ELEMENT_LENGTH) {
    limits.countOther();
    throw new HttpError(413, 'invalid_request', `An event must not be longer than ${MAX_ELEMENT_LENGTH} bytes.`);
  }
  const parsed = parseOne(body);
  if (isLarge) await nextTurn();
  if ('problem' in parsed) {
    limits.countOther();
    throw invalidRequest(`The body ${parsed.problem}.`);
  }
  return acceptEvents(deps, eventRequest, [parsed.raw]).then(([receipt]) => receipt!);
}

type ParsedEvent = RawEvent | InvalidElement;

/** Prepares the events of a request and passes them through the limits of their server to the event queue. */
export async function acceptEvents(
  deps: IngestDeps,
  report: Report,
  events: Iterable<ParsedEvent>,
): Promise<Receipt[]> {
  // Returned, not awaited: the items are large, and should be garbage while their receipts are awaited.
  return accept(deps, report, await prepareItems(deps, report.sender, events));
}

function accept({ limits }: IngestDeps, { dryRun }: Report, items: Item[]): Promise<Receipt[]> {
  const accepted = limits.accept(items, { dryRun });
  if (!dryRun) return accepted;
  return accepted.then((receipts) => receipts.map((receipt) => ({ ...receipt, test: true })));
}

async function prepareItems(
  { clock, keyedHash }: IngestDeps,
  sender: Sender,
  events: Iterable<ParsedEvent>,
): Promise<Item[]> {
  const now = clock.now();
  return await mapInTurns(events, (event) => prepareItem(event, sender, now, keyedHash));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  json: string,
  headers: Record<string, string> = {},
): void {
  const length = Buffer.byteLength(json);
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length, ...headers })
    .end(response.req.method === 'HEAD' ? undefined : json);
}

/**
 * Reads lines as they arrive and writes the receipts of each batch when it is on disk (behind a proxy: after the last
 * line). The first receipts carry the status 200; a later failure ends the response with an error as its last line. An event without a receipt may or may not
 * have been stored.
 */
async function ingestStream(deps: IngestDeps, eventRequest: EventRequest): Promise<void> {
  const { request, response, sender } = eventRequest;
  const receiptLines = new ReceiptLines(request, response);
  try {
    const acceptBatch = (batch: Item[]): Promise<Receipt[]> => accept(deps, eventRequest, batch);
    for await (const receipts of mapInOrder(batchesOf(deps, request, sender), acceptBatch))
      await receiptLines.write(receipts);
    if (receiptLines.isEmpty) throw invalidRequest('The body holds no event; send one event a line.');
    receiptLines.end();
  } catch (error) {
    if (receiptLines.isEmpty) throw error;
    receiptLines.end(`${toHttpError(error, requestIdOf(response)).body}\n`);
    drain(request);
  }
}

async function* batchesOf(deps: IngestDeps, request: IncomingMessage, sender: Sender): AsyncGenerator<Item[]> {
  const { limits } = deps;
  let count = 0;
  for await (const lines of linesOf(readChunks(request, MAX_BYTES.ndjson, limits))) {
    for (let start = 0; start < lines.length; start += BATCH_SIZE) {
      const batch = lines.slice(start, start + BATCH_SIZE);
      count += batch.length;
      if (count > MAX_IN_STREAM) throw TOO_MANY_LINES;
      limits.refuseUnparsed();
      yield await prepareItems(deps, sender, batch.values().map(parseLine));
    }
  }
}

const TOO_MANY_LINES = new HttpError(
  413,
  'invalid_request',
  `A stream must not hold more than ${MAX_IN_STREAM} events; send several requests.`,
);

function parseLine(line: Buffer | undefined): ParsedEvent {
  const parsed = line === undefined ? { problem: `is longer than ${MAX_EVENT_LENGTH} bytes` } : parseOne(line);
  return 'raw' in parsed ? parsed.raw : parsed;
}

/**
 * Maps each input with `map`, up to `MAX_OPEN_BATCHES` at a time, and yields the results in the order of the inputs, also while the
 * next input has not arrived: a client may wait for its receipts.
 */
async function* mapInOrder<T, R>(inputs: AsyncGenerator<T>, map: (input: T) => Promise<R>): AsyncGenerator<R> {
  const open: Promise<R>[] = [];
  try {
    for (;;) {
      const next = handled(inputs.next());
      while (open.length > 0 && (open.length >= MAX_OPEN_BATCHES || (await isFirst(open[0]!, next))))
        yield await open.shift()!;
      const { done, value } = await next;
      if (done === true) break;
      open.push(handled(map(value)));
    }
  } catch (error) {
    while (open.length > 0) yield await open.shift()!;
    throw error;
  } finally {
    void handled(inputs.return(undefined));
  }
  while (open.length > 0) yield await open.shift()!;
}

/** Keeps Node from reporting the failure of a promise as unhandled before the promise is awaited. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const isFirst = (one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> =>
  Promise.race([one.then(isTrue, isTrue), other.then(isFalse, isFalse)]);

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
