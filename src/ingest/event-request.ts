import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { asWireError, WireError, unavailable } from '#http/errors.ts';
import { readAway } from '#http/listener.ts';
import { checkEvent, idOfInput } from '#events/validation.ts';
import { parseAll, parseOne, type Told } from '#events/json.ts';
import { refusalOf } from '#events/schema.ts';
import type { Item } from '#events/ledger.ts';
import type { Receipt, Sender } from '#events/receipts.ts';
import { bytesOf, formatOf, linesOf, LONGEST_EVENT, MOST_BYTES, wholeOf } from './body.ts';
import { MOST_IN_ARRAY, MOST_IN_STREAM } from './limits.ts';
import type { Share } from './server-quotas.ts';

/** `POST /events`: one event, an array, or a stream of lines; a receipt for each, in order. */
export interface Delivery {
  request: IncomingMessage;
  response: ServerResponse;
  sender: Sender;
  /** Check and receipt only. */
  dryRun: boolean;
}

export interface Taking {
  clock: Clock;
  share: Share;
}

/** How many events of one stream are handed over together, and how many such portions may be under way. */
const PORTION = 128;
const PORTIONS = 4;

export async function takeDelivery(taking: Taking, delivery: Delivery): Promise<void> {
  if (taking.share.isFull) throw unavailable();
  if (formatOf(delivery.request) === 'json') await takeBody(taking, delivery);
  else await takeStream(taking, delivery);
}

async function takeBody(taking: Taking, delivery: Delivery): Promise<void> {
  const body = await wholeOf(delivery.request, MOST_BYTES.json, taking.share);
  // The body is parsed in a call of its own, so that it is garbage while the receipts are awaited.
  const receipts = await takeWhole(taking, delivery, body);
  answer(delivery.response, JSON.stringify(receipts));
}

function takeWhole(taking: Taking, delivery: Delivery, body: Buffer): Promise<Receipt | Receipt[]> {
  const parsed = parseAll(body);
  if ('problem' in parsed) throw new WireError(400, 'invalid_request', `The body ${parsed.problem}.`);
  const { told } = parsed;
  if (!Array.isArray(told)) return receiptsFor(taking, delivery, [told]).then(([receipt]) => receipt!);
  if (told.length <= MOST_IN_ARRAY) return receiptsFor(taking, delivery, told);
  throw new WireError(413, 'invalid_request', `An array must not hold more than ${MOST_IN_ARRAY} events.`);
}

function answer(response: ServerResponse, json: string): void {
  response
    .writeHead(200, ['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(json)])
    .end(json);
}

function receiptsFor(
  { clock, share }: Taking,
  { sender, dryRun }: Delivery,
  told: readonly Told[],
): Promise<Receipt[]> {
  const now = clock.now();
  return share.take(
    told.map((one) => itemOf(one, sender, now)),
    { dryRun },
  );
}

function itemOf({ input, data }: Told, sender: Sender, now: number): Item {
  if (isTooLarge(data))
    return { sender, checked: rejected(idOfInput(input), `holds more than ${LONGEST_EVENT} bytes`) };
  return { sender, checked: checkEvent(input, sender, now, data) };
}

/** A character is three bytes at most. */
const isTooLarge = (data = ''): boolean => 3 * data.length > LONGEST_EVENT && Buffer.byteLength(data) > LONGEST_EVENT;

const rejected = (id: string, reason: string): Receipt => ({ id, status: 'rejected', ...refusalOf(reason, '') });

/**
 * Takes lines while they come, and answers each portion when it is on disk. Once the answer has begun, its status is
 * sent: what goes wrong then ends it with a line that is an error. What got no receipt was not taken, or may be.
 */
async function takeStream(taking: Taking, delivery: Delivery): Promise<void> {
  const { request, response, dryRun } = delivery;
  try {
    const begin = (portion: Item[]): Promise<Receipt[]> => taking.share.take(portion, { dryRun });
    for await (const receipts of inTurn(portionsOf(taking, delivery), begin)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
      const lines = receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('');
      if (!response.write(lines)) await once(response, 'drain', { signal: AbortSignal.timeout(STALLED_MS) });
    }
    if (!response.headersSent) throw new WireError(400, 'invalid_request', 'The body holds no event.');
    response.end();
  } catch (error) {
    if (!response.headersSent) throw error;
    response.end(`${asWireError(error).body}\n`);
    readAway(request);
  }
}

const STALLED_MS = 60_000;

async function* portionsOf({ clock, share }: Taking, { request, sender }: Delivery): AsyncGenerator<Item[]> {
  let count = 0;
  for await (const lines of linesOf(bytesOf(request, MOST_BYTES.ndjson, share))) {
    const now = clock.now();
    for (let start = 0; start < lines.length; start += PORTION) {
      const portion = lines.slice(start, start + PORTION);
      count += portion.length;
      if (count > MOST_IN_STREAM) throw TOO_MANY;
      yield portion.map((line) => itemOfLine(line, sender, now));
    }
  }
}

const TOO_MANY = new WireError(413, 'invalid_request', `A stream must not hold more than ${MOST_IN_STREAM} events.`);

function itemOfLine(line: Buffer | undefined, sender: Sender, now: number): Item {
  const parsed = line === undefined ? { problem: `is longer than ${LONGEST_EVENT} bytes` } : parseOne(line);
  if ('told' in parsed) return itemOf(parsed.told, sender, now);
  return { sender, checked: rejected('', `The line ${parsed.problem}`) };
}

/** Begins each of what comes; tells the ends in the order of the beginnings. So many may be under way at once. */
async function* inTurn<T, R>(comes: AsyncIterable<T>, begin: (one: T) => Promise<R>): AsyncGenerator<R> {
  const open: Promise<R>[] = [];
  try {
    for await (const one of comes) {
      const begun = begin(one);
      // Whoever waits for it hears of its failure; until then it must not count as unheard.
      begun.catch(() => undefined);
      open.push(begun);
      if (open.length >= PORTIONS) yield await open.shift()!;
    }
  } catch (error) {
    while (open.length > 0) yield await open.shift()!;
    throw error;
  }
  while (open.length > 0) yield await open.shift()!;
}
