import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '#demo/network/random.ts';
import type { FeedItem } from './mirror-disk.ts';
import type { Following, MirrorValue } from './mirror-value.ts';
import { resetReason, withResources } from './reading.ts';

/** A mirror that follows `/v1/changes/stream` with a bare `fetch`. */
export const STREAM_MIRRORS = {
  stream: { follow },
} satisfies Record<string, MirrorValue>;

const RETRY_MS = 200;

async function follow(following: Following): Promise<void> {
  const random = new Random(following.seed);
  for (;;) {
    await followStream(following, random.chance(0.5));
    await sleep(RETRY_MS);
  }
}

/** Follows one stream to its end. */
async function followStream(following: Following, byHeader: boolean): Promise<void> {
  const { origin, token, disk } = following;
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  // Both ways to continue.
  if (byHeader && disk.cursor !== '0') headers['last-event-id'] = disk.cursor;
  const query = byHeader && disk.cursor !== '0' ? '' : `?after=${encodeURIComponent(disk.cursor)}`;
  try {
    const response = await fetch(`${origin}/v1/changes/stream${query}`, { headers });
    if ([429, 503].includes(response.status)) return;
    if (response.status === 410) return disk.reset(resetReason(await response.text()));
    if (response.status !== 200)
      throw new Error(`GET /v1/changes/stream${query}: ${response.status} ${await response.text()}`);
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split('\n\n');
      rest = events.pop()!;
      if (!(await applyEvents(following, events.map(parseEvent)))) return;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

interface StreamedEvent {
  id?: string;
  event?: string;
  data?: string;
}

function parseEvent(text: string): StreamedEvent {
  const fields = text.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  return Object.fromEntries(
    fields.map((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`A stream has the line ${line}`);
      return [name, value];
    }),
  );
}

/** @returns whether the stream continues */
async function applyEvents(following: Following, events: readonly StreamedEvent[]): Promise<boolean> {
  const { disk } = following;
  const changes = events.filter(({ event }) => event === 'change');
  if (changes.length > 0) {
    const items = changes.map(({ data }) => JSON.parse(data!) as FeedItem);
    const complete = await withResources(following, items);
    // The stream is opened again behind what is stored.
    if (complete === undefined) return false;
    disk.apply(complete, 'repeating', changes.at(-1)!.id!);
  }
  const end = events.find(({ event }) => event !== undefined && event !== 'change');
  if (end?.event === 'reset') disk.reset(resetReason(end.data!));
  return end === undefined;
}
