import type { components } from './ingest-api.ts';

/** Events and receipts as docs/ingest.md describes them; their types follow from the OpenAPI document of the ingest. */
export type Event = components['schemas']['Event'];
export type Receipt = components['schemas']['Receipt'];
export type Rejection = Extract<Receipt, { status: 'rejected' }>;

/** An event in the queue. */
export interface QueuedEvent {
  event: Event;
  /** The JSON of the event, as sent. */
  json: string;
  /** The time of the first receipt with `"retry": true`, in epoch milliseconds of this machine's clock. */
  since?: number;
}

/**
 * Parses a line of the queue: an event, or `[since, event]` after a receipt with `"retry": true`.
 * @returns undefined if the line is damaged
 */
export function readLine(line: string): QueuedEvent | undefined {
  const [, since, json = line] = /^\[(\d+),(.*)\]$/s.exec(line) ?? [];
  const event = readEvent(json);
  return event && { event, json, ...(since !== undefined && { since: Number(since) }) };
}

export function writeLine({ json, since }: Pick<QueuedEvent, 'json' | 'since'>): string {
  return since === undefined ? json : `[${since},${json}]`;
}

function readEvent(json: string): Event | undefined {
  try {
    const event = JSON.parse(json) as unknown;
    return typeof event === 'object' && event !== null && !Array.isArray(event) ? (event as Event) : undefined;
  } catch {
    return undefined;
  }
}
