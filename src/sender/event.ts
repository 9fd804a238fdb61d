/** An event as docs/ingest.md describes it. */
export interface Event {
  version: 1;
  id: string;
  type: string;
  time: string;
  data: object;
}

/** @returns nothing where a line of the queue, which may be damaged, is no event */
export function readEvent(line: string): Event | undefined {
  try {
    const event = JSON.parse(line) as unknown;
    return typeof event === 'object' && event !== null && !Array.isArray(event) ? (event as Event) : undefined;
  } catch {
    return undefined;
  }
}
