import { hash } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/process/log.ts';
import { ByteCache } from './byte-cache.ts';

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 64 * 1024;
const CACHE_BYTES = 32 * 1024 * 1024;
const FRESH_MS = 24 * 3_600_000;
/** How long to wait after a failure before that head is requested again. */
const RETRY_MS = 300_000;
/** Maximum requests to the other service at a time. */
const MAX_FETCHES = 8;
/** The size of an entry without a picture in the cache. */
const EMPTY_BYTES = 256;

interface Head {
  content_type: string;
  etag: string;
  bytes: Uint8Array<ArrayBuffer>;
}

interface Entry {
  head: Head | undefined;
  until: number;
}

interface HeadsDeps {
  clock: Clock;
  log: Log;
  config: { HEADS_URL: string };
}

/** Pictures of players' heads from the service of `HEADS_URL`, cached in memory. */
export class Heads {
  readonly #deps: HeadsDeps;
  readonly #cache = new ByteCache<Entry>(CACHE_BYTES);
  readonly #fetches = new Map<string, Promise<Head | undefined>>();

  constructor(deps: HeadsDeps) {
    this.#deps = deps;
  }

  /** A player's head; undefined if the service has none, is slow, or too many requests to it are in progress. */
  async of(uuid: string): Promise<Head | undefined> {
    const now = this.#deps.clock.now();
    const cached = this.#cache.get(uuid);
    if (cached !== undefined && cached.until > now) return cached.head;
    const running = this.#fetches.get(uuid);
    if (running !== undefined) return await running;
    if (this.#fetches.size >= MAX_FETCHES) return cached?.head;
    const fetching = this.#refresh(uuid, cached?.head);
    this.#fetches.set(uuid, fetching);
    return await fetching.finally(() => this.#fetches.delete(uuid));
  }

  /** An older picture stays in use while the service fails. */
  async #refresh(uuid: string, previous: Head | undefined): Promise<Head | undefined> {
    const { clock, log, config } = this.#deps;
    let head = previous;
    let lifetime = RETRY_MS;
    try {
      head = await fetchHead(config.HEADS_URL.replaceAll('{uuid}', uuid));
      lifetime = FRESH_MS;
    } catch (error) {
      log.debug({ err: error, uuid }, 'a head could not be fetched');
    }
    this.#cache.set(uuid, { head, until: clock.now() + lifetime }, EMPTY_BYTES + (head?.bytes.length ?? 0));
    return head;
  }
}

/** @throws Error for any response but a small picture: redirects, other types and files over 64 kB included */
async function fetchHead(address: string): Promise<Head> {
  const response = await fetch(address, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
    headers: { accept: 'image/png, image/webp, image/jpeg' },
  });
  const bytes = await readAtMost(response, MAX_BYTES);
  const content_type = pictureType(bytes);
  if (response.status !== 200 || content_type === undefined)
    throw new Error(`HEADS_URL answered ${response.status} without a PNG, WebP or JPEG picture`);
  return { content_type, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`, bytes };
}

async function readAtMost({ body }: Response, max: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > max) throw new Error(`HEADS_URL answered with more than ${max} bytes`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

/** The type by the first bytes; the Content-Type of the service is not trusted. */
function pictureType(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return text.startsWith('RIFF') && text.endsWith('WEBP') ? 'image/webp' : undefined;
}
