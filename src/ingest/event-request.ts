import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { toHttpError, HttpError, unavailable } from '#http/errors.ts';
import { drain } from '#http/listener.ts';
import { checkEvent, idOfInput } from '#events/validation.ts';
import { parseAll, parseOne, type RawEvent } from '#events/json.ts';
import { rejectionOf } from '#events/schema.ts';
import type { Item } from '#events/ledger.ts';
import type { Receipt, Sender } from '#events/receipts.ts';
import { bytesOf, formatOf, linesOf, MAX_EVENT_LENGTH, MAX_BYTES, wholeOf } from './body.ts';
import { MAX_IN_ARRAY, MAX_IN_STREAM } from './limits.ts';
import type { ServerQuota } from './server-quotas.ts';

/** `POST /events`: one event, an array, or a stream of lines; a receipt for each, in order. */
export interface EventRequest {
  request: IncomingMessage;
  response: ServerResponse;
  sender: Sender;
  /** Check and receipt only. */
  dryRun: boolean;
}

export interface IngestDeps {
  clock: Clock;
  share: ServerQuota;
}

/** How many events of one stream are handed over together, and how many such portions may be under way. */
const PORTION = 128;
const PORTIONS = 4;

export async function handleEventRequest(accepting: IngestDeps, delivery: EventRequest): Promise<void> {
  if (accepting.share.isFull) throw unavailable();
  if (formatOf(delivery.request) === 'json') await ingestBody(accepting, delivery);
  else await ingestStream(accepting, delivery);
}

async function ingestBody(accepting: IngestDeps, delivery: EventRequest): Promise<void> {
  const body = await wholeOf(delivery.request, MAX_BYTES.json, accepting.share);
  // The body is parsed in a call of its own, so that it is garbage while the receipts are awaited.
  const receipts = await ingestWhole(accepting, delivery, body);
  answer(delivery.response, JSON.stringify(receipts));
}

function ingestWhole(accepting: IngestDeps, delivery: EventRequest, body: Buffer): Promise<Receipt | Receipt[]> {
  const parsed = parseAll(body);
  if ('problem' in parsed) throw new HttpError(400, 'invalid_request', `The body ${parsed.problem}.`);
  const { raw } = parsed;
  if (!Array.isArray(raw)) return receiptsFor(accepting, delivery, [raw]).then(([receipt]) => receipt!);
  if (raw.length <= MAX_IN_ARRAY) return receiptsFor(accepting, delivery, raw);
  throw new HttpError(413, 'invalid_request', `An array must not hold more than ${MAX_IN_ARRAY} events.`);
}

function answer(response: ServerResponse, json: string): void {
  response
    .writeHead(200, ['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(json)])
    .end(json);
}

function receiptsFor(
  { clock, share: quota }: IngestDeps,
  { sender, dryRun }: EventRequest,
  raw: readonly RawEvent[],
): Promise<Receipt[]> {
  const now = clock.now();
  return quota.take(
    raw.map((one) => itemOf(one, sender, now)),
    { dryRun },
  );
}

function itemOf({ input, data }: RawEvent, sender: Sender, now: number): Item {
  if (isTooLarge(data))
    return { sender, checked: rejected(idOfInput(input), `holds more than ${MAX_EVENT_LENGTH} bytes`) };
  return { sender, checked: checkEvent(input, sender, now, data) };
}

/** A character is three bytes at most. */
const isTooLarge = (data = ''): boolean =>
  3 * data.length > MAX_EVENT_LENGTH && Buffer.byteLength(data) > MAX_EVENT_LENGTH;

const rejected = (id: string, reason: string): Receipt => ({ id, status: 'rejected', ...rejectionOf(reason, '') });

/**
 * Takes lines while they come, and answers each portion when it is on disk. Once the answer has begun, its status is
 * sent: what goes wrong then ends it with a line that is an error. What got no receipt was not taken, or may be.
 */
async function ingestStream(accepting: IngestDeps, delivery: EventRequest): Promise<void> {
  const { request, response, dryRun } = delivery;
  try {
    const begin = (chunk: Item[]): Promise<Receipt[]> => accepting.share.take(chunk, { dryRun });
    for await (const receipts of inTurn(chunksOf(accepting, delivery), begin)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
      const lines = receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('');
      if (!response.write(lines)) await once(response, 'drain', { signal: AbortSignal.timeout(STALLED_MS) });
    }
    if (!response.headersSent) throw new HttpError(400, 'invalid_request', 'The body holds no event.');
    response.end();
  } catch (error) {
    if (!response.headersSent) throw error;
    response.end(`${toHttpError(error).body}\n`);
    drain(request);
  }
}

const STALLED_MS = 60_000;

async function* chunksOf(
  { clock, share: quota }: IngestDeps,
  { request, sender }: EventRequest,
): AsyncGenerator<Item[]> {
  let count = 0;
  for await (const lines of linesOf(bytesOf(request, MAX_BYTES.ndjson, quota))) {
    const now = clock.now();
    for (let start = 0; start < lines.length; start += PORTION) {
      const chunk = lines.slice(start, start + PORTION);
      count += chunk.length;
      if (count > MAX_IN_STREAM) throw TOO_MANY;
      yield chunk.map((line) => itemOfLine(line, sender, now));
    }
  }
}

const TOO_MANY = new HttpError(413, 'invalid_request', `A stream must not hold more than ${MAX_IN_STREAM} events.`);

function itemOfLine(line: Buffer | undefined, sender: Sender, now: number): Item {
  const parsed = line === undefined ? { problem: `is longer than ${MAX_EVENT_LENGTH} bytes` } : parseOne(line);
  if ('raw' in parsed) return itemOf(parsed.raw, sender, now);
  return { sender, checked: rejected('', `The line ${parsed.problem}`) };
}

/** Begins each of what comes; tells the ends in the order of the beginnings. So many may be under way at once. */
async function* inTurn<T, R>(comes: AsyncIterable<T>, begin: (one: T) => Promise<R>): AsyncGenerator<R> {
  const open: Promise<R>[] = [];
  try {
    for await (const one of comes) {
      const started = begin(one);
      // Whoever waits for it hears of its failure; until then it must not count as unheard.
      started.catch(() => undefined);
      open.push(started);
      if (open.length >= PORTIONS) yield await open.shift()!;
    }
  } catch (error) {
    while (open.length > 0) yield await open.shift()!;
    throw error;
  }
  while (open.length > 0) yield await open.shift()!;
}
