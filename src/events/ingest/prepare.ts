import type { KeyedHash } from '#db/db.ts';
import { problemOf } from '../schema/problems.ts';
import { rejectedFor, type Receipt, type Sender } from '../ledger/receipts.ts';
import type { Item } from './event-queue.ts';
import type { InvalidElement, RawEvent } from './json.ts';
import { checkEvent, idOfInput, typeOfInput } from './validation.ts';

/** Maximum bytes of one event: of a line of a stream, or of the `data` of an event in an array. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

/**
 * Prepares one event for the event queue: checks it, and adds its weight, its JSON for the ledger and its content hash, or
 * the receipt of its rejection.
 */
export function prepareItem(event: RawEvent | InvalidElement, sender: Sender, now: number, keyedHash: KeyedHash): Item {
  const checked = check(event, sender, now, keyedHash);
  const type = 'event' in checked ? undefined : typeOfInput(event.input);
  return type === undefined ? { sender, checked } : { sender, checked, type };
}

function check(event: RawEvent | InvalidElement, sender: Sender, now: number, keyedHash: KeyedHash): Item['checked'] {
  if ('problem' in event) return rejected(idOfInput(event.input), event.problem);
  const { input, data } = event;
  if (isTooLong(data)) return rejected(idOfInput(input), `holds more than ${MAX_EVENT_LENGTH} bytes`);
  return checkEvent(input, sender, now, { keyedHash, data });
}

/** A UTF-16 code unit is at most three bytes of UTF-8, so short data needs no count. */
const isTooLong = (data = ''): boolean =>
  3 * data.length > MAX_EVENT_LENGTH && Buffer.byteLength(data) > MAX_EVENT_LENGTH;

const rejected = (id: string, predicate: string): Receipt => rejectedFor(id, [problemOf(predicate, '')]);
