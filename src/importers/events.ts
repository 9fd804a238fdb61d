import { parseText } from '#records/event-json.ts';
import type { WireEvent } from '#records/events.ts';
import { Refused, type Item } from './item.ts';
import { linesOf } from './lines.ts';

/** Room for the largest event there is: a map with its picture. */
const MAX_LINE_BYTES = 1_048_576;

/** Events as NDJSON, one a line; empty lines say nothing. What takes the events checks them. */
export async function* importEvents(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Item> {
  let number = 0;
  for await (const line of linesOf(bytes, MAX_LINE_BYTES)) {
    const place = `line ${++number}`;
    if (line instanceof Refused) yield { file, place, refusal: line.message };
    else if (line.trim() !== '') yield { file, place, ...eventOf(line) };
  }
}

function eventOf(line: string): { event: WireEvent } | { refusal: string } {
  const parsed = parseText(line);
  return 'told' in parsed ? { event: parsed.told.input as WireEvent } : { refusal: parsed.problem };
}
