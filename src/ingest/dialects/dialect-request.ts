import type { IncomingMessage } from 'node:http';
import { HttpError, unavailable } from '#http/errors.ts';
import type { AppContext } from '#context/context.ts';
import type { KeyedHash } from '#db/db.ts';
import { parseOne } from '#events/json.ts';
import { itemOf } from '#events/ledger.ts';
import type { Receipt, Sender } from '#events/receipts.ts';
import type { WireEvent } from '#events/schema.ts';
import { checkEvent } from '#events/validation.ts';
import { bodyFormat, MAX_EVENT_LENGTH, readBody } from '../body.ts';
import type { RequestLimits } from '../server-limits.ts';
import type { DialectRequest } from './dialect.ts';

interface DialectDeps {
  db: AppContext['db'];
  clock: AppContext['clock'];
  keyedHash: KeyedHash;
  limits: RequestLimits;
  sender: Sender;
  dryRun: boolean;
}

/**
 * Handles a request within the same limits as `POST /events`; one that reports no event counts as one.
 * @returns the JSON of the response
 */
export async function handleDialectRequest(
  { db, clock, keyedHash, limits, sender, dryRun }: DialectDeps,
  request: IncomingMessage,
  parameter: string,
  handle: (request: DialectRequest) => Promise<unknown>,
): Promise<unknown> {
  if (limits.isFull) throw unavailable();
  limits.refuseUnparsed();
  let isCounted = false;
  const accept = async (event: WireEvent): Promise<Receipt> => {
    isCounted = true;
    const checked = checkEvent(event, sender, clock.now(), { keyedHash });
    const [receipt] = await limits.accept([itemOf(sender, checked, event)], { dryRun });
    return receipt!;
  };
  try {
    return await handle({ context: { db, clock }, parameter, body: () => readJson(request, limits), accept, dryRun });
  } finally {
    if (!isCounted) limits.countOther();
  }
}

async function readJson(request: IncomingMessage, limits: RequestLimits): Promise<unknown> {
  if (bodyFormat(request) !== 'json')
    throw new HttpError(415, 'invalid_request', 'Content-Type must be application/json, in UTF-8.');
  const parsed = parseOne(await readBody(request, MAX_EVENT_LENGTH, limits));
  if ('problem' in parsed) throw new HttpError(400, 'invalid_request', `The body ${parsed.problem}.`);
  return parsed.raw.input;
}
