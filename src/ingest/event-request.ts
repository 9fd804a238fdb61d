import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { toHttpError, HttpError, unavailable } from '#http/errors.ts';
import { drain } from '#http/listener.ts';
import { checkEvent, idOfInput } from '#events/validation.ts';
import { type InvalidElement, parseAll, parseOne, type RawEvent } from '#events/json.ts';
import { problemOf } from '#events/checks/problems.ts';
import type { KeyedHash } from '#db/db.ts';
import { type Item, itemOf } from '#events/ledger.ts';
import { rejectedFor, type Receipt, type Sender } from '#events/receipts.ts';
import {
  bodyFormat,
  linesOf,
  MAX_BYTES,
  MAX_EVENT_LENGTH,
  MAX_IN_ARRAY,
  MAX_IN_STREAM,
  readBody,
  readChunks,
} from './body.ts';
import { ReceiptLines } from './receipt-lines.ts';
import type { RequestLimits } from './server-limits.ts';

/** `POST /events`: one event, an array of events, or a stream of lines. The response is one receipt per event, in order. */
export interface EventRequest {
  request: IncomingMessage;
  response: ServerResponse;
  sender: Sender;
  /** Check the events and send receipts, but store nothing. */
  dryRun: boolean;
}

export interface IngestDeps {
  clock: Clock;
  limits: RequestLimits;
  keyedHash: KeyedHash;
}

/** Events of a stream per batch, and the most batches of one stream that are being written at a time. */
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
  sendJson(eventRequest.response, JSON.stringify(receipts));
}

function ingestBody(deps: IngestDeps, eventRequest: EventRequest, body: Buffer): Promise<Receipt | Receipt[]> {
  // Other requests of the server may have used up its limits while this body arrived.
  deps.limits.refuseUnparsed();
  const parsed = parseAll(body, MAX_IN_ARRAY);
  if ('problem' in parsed) throw new HttpError(400, 'invalid_request', `The body ${parsed.problem}.`);
  const { raw } = parsed;
  if (!Array.isArray(raw)) return receiptsFor(deps, eventRequest, [raw]).then(([receipt]) => receipt!);
  if (raw.length <= MAX_IN_ARRAY) return receiptsFor(deps, eventRequest, raw);
  throw new HttpError(
    413,
    'invalid_request',
    `An array must not hold more than ${MAX_IN_ARRAY} events; send several requests.`,
  );
}

function sendJson(response: ServerResponse, json: string): void {
  response
    .writeHead(200, ['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(json)])
    .end(json);
}

function receiptsFor(
  deps: IngestDeps,
  { sender, dryRun }: EventRequest,
  raw: readonly (RawEvent | InvalidElement)[],
): Promise<Receipt[]> {
  const now = deps.clock.now();
  return deps.limits.accept(
    raw.map((event) => itemOf(sender, check(deps, event, sender, now), event.input)),
    { dryRun },
  );
}

function check(
  { keyedHash }: IngestDeps,
  raw: RawEvent | InvalidElement,
  sender: Sender,
  now: number,
): Item['checked'] {
  if ('problem' in raw) return rejected(idOfInput(raw.input), raw.problem);
  const { input, data } = raw;
  if (isTooLarge(data)) return rejected(idOfInput(input), `holds more than ${MAX_EVENT_LENGTH} bytes`);
  return checkEvent(input, sender, now, { keyedHash, data });
}

/** A UTF-16 code unit is at most three bytes of UTF-8, so short data needs no count. */
const isTooLarge = (data = ''): boolean =>
  3 * data.length > MAX_EVENT_LENGTH && Buffer.byteLength(data) > MAX_EVENT_LENGTH;

const rejected = (id: string, predicate: string): Receipt => rejectedFor(id, [problemOf(predicate, '')]);

/**
 * Reads lines as they arrive and writes the receipts of each batch when it is on disk (behind a proxy: after the last
 * line). The first receipts carry the status 200; a later failure ends the response with an error as its last line. An event without a receipt may or may not
 * have been stored.
 */
async function ingestStream(deps: IngestDeps, eventRequest: EventRequest): Promise<void> {
  const { request, response, dryRun } = eventRequest;
  const receiptLines = new ReceiptLines(request, response);
  try {
    const accept = (batch: Item[]): Promise<Receipt[]> => deps.limits.accept(batch, { dryRun });
    for await (const receipts of mapInOrder(batchesOf(deps, eventRequest), accept)) await receiptLines.write(receipts);
    if (receiptLines.isEmpty)
      throw new HttpError(400, 'invalid_request', 'The body holds no event; send one event a line.');
    receiptLines.end();
  } catch (error) {
    if (receiptLines.isEmpty) throw error;
    receiptLines.end(`${toHttpError(error).body}\n`);
    drain(request);
  }
}

async function* batchesOf(deps: IngestDeps, { request, sender }: EventRequest): AsyncGenerator<Item[]> {
  const { clock, limits } = deps;
  let count = 0;
  for await (const lines of linesOf(readChunks(request, MAX_BYTES.ndjson, limits))) {
    const now = clock.now();
    for (let start = 0; start < lines.length; start += BATCH_SIZE) {
      const batch = lines.slice(start, start + BATCH_SIZE);
      count += batch.length;
      if (count > MAX_IN_STREAM) throw TOO_MANY;
      limits.refuseUnparsed();
      yield batch.map((line) => itemOfLine(deps, line, sender, now));
    }
  }
}

const TOO_MANY = new HttpError(
  413,
  'invalid_request',
  `A stream must not hold more than ${MAX_IN_STREAM} events; send several requests.`,
);

function itemOfLine(deps: IngestDeps, line: Buffer | undefined, sender: Sender, now: number): Item {
  const parsed = line === undefined ? { problem: `is longer than ${MAX_EVENT_LENGTH} bytes` } : parseOne(line);
  const raw = 'raw' in parsed ? parsed.raw : parsed;
  return itemOf(sender, check(deps, raw, sender, now), 'input' in raw ? raw.input : undefined);
}

/** Maps each input with `map`, up to `MAX_OPEN_BATCHES` at a time, and yields the results in the order of the inputs. */
async function* mapInOrder<T, R>(inputs: AsyncIterable<T>, map: (input: T) => Promise<R>): AsyncGenerator<R> {
  const open: Promise<R>[] = [];
  try {
    for await (const input of inputs) {
      const result = map(input);
      // The `yield await` below reports a failure; without this handler Node would treat it as unhandled until then.
      result.catch(() => undefined);
      open.push(result);
      if (open.length >= MAX_OPEN_BATCHES) yield await open.shift()!;
    }
  } catch (error) {
    while (open.length > 0) yield await open.shift()!;
    throw error;
  }
  while (open.length > 0) yield await open.shift()!;
}
