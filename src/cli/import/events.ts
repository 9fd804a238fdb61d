import { parseText } from '#events/ingest/json.ts';
import type { WireEvent } from '#events/schema/index.ts';
import type { Finding } from '#importers/index.ts';
import { linesOf } from './lines.ts';

/**
 * More than the longest exported event: `POST /events` accepts at most 4 MiB, and `export events` writes numbers in
 * full, which makes an event up to three and a half times as long, plus its envelope.
 */
const MAX_LINE_BYTES = 16_777_216;
/** The length of a line that counts as one event of a batch. A longer line counts as several, which bounds the memory. */
const LIGHT_LENGTH = 32_768;

/** Reads NDJSON with one event per line and ignores empty lines. The ingest validates the events. */
export async function* importEvents(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Finding<WireEvent>> {
  let number = 0;
  for await (const line of linesOf(bytes, MAX_LINE_BYTES)) {
    const place = `line ${++number}`;
    if (typeof line !== 'string') yield { file, place, ...line };
    else if (line.trim() !== '') yield { file, place, ...parseEvent(line) };
  }
}

function parseEvent(line: string): { event: WireEvent; weight: number } | { refusal: string } {
  const parsed = parseText(line);
  if ('problem' in parsed) return { refusal: parsed.problem };
  return { event: parsed.raw.input as WireEvent, weight: Math.ceil(line.length / LIGHT_LENGTH) };
}
