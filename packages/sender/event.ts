/** An event as docs/ingest.md describes it. */
export interface Event {
  version: 1;
  id: string;
  type: string;
  time: string;
  data: object;
}

/** What a line of the queue holds. */
export interface QueuedEvent {
  event: Event;
  /** The event as it is sent. */
  json: string;
  /** Since when the service wants it again later, by the clock of this machine. */
  since?: number;
}

/**
 * A line is an event, or `[since, event]` where the service wants that again later.
 * @returns nothing where a line, which may be damaged, is neither
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
