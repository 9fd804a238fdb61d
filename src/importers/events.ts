import { parseText } from '#events/json.ts';
import type { WireEvent } from '#events/schema.ts';
import { ImportRefusal, type Finding } from './finding.ts';
import { linesOf } from './lines.ts';

/**
 * More than any event that a game server can send: `POST /events` takes a body of 4 MiB at most, whose numbers `export
 * events` spells out at three and a half times the length at most, in an envelope.
 */
const MAX_LINE_BYTES = 16_777_216;
/** What a line may have and count as one event where events are taken together: many large ones would fill the memory. */
const LIGHT_LENGTH = 32_768;

/** Events as NDJSON, one a line; empty lines say nothing. What takes the events checks them. */
export async function* importEvents(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Finding> {
  let number = 0;
  for await (const line of linesOf(bytes, MAX_LINE_BYTES)) {
    const place = `line ${++number}`;
    if (line instanceof ImportRefusal) yield { file, place, refusal: line.message };
    else if (line.trim() !== '') yield { file, place, ...eventOf(line) };
  }
}

function eventOf(line: string): { event: WireEvent; weight: number } | { refusal: string } {
  const parsed = parseText(line);
  if ('problem' in parsed) return { refusal: parsed.problem };
  return { event: parsed.raw.input as WireEvent, weight: Math.ceil(line.length / LIGHT_LENGTH) };
}
