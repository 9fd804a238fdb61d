import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { detectImageType, imageHash, type UploadedImage } from '#platform/uploaded-image.ts';
import type { Log } from '#platform/process/log.ts';
import { OutgoingClient } from '#http/outgoing.ts';
import { ByteCache } from './byte-cache.ts';

const TIMEOUT_MS = 3_000;
const CACHE_BYTES = 32 * 1024 * 1024;
const FRESH_MS = 24 * 3_600_000;
/** How long to wait after a failure before that head is requested again. */
const RETRY_MS = 300_000;
/** Maximum requests to the other service at a time. */
const MAX_FETCHES = 8;
/** The size of an entry without a picture in the cache. */
const EMPTY_BYTES = 256;

interface Entry {
  head: UploadedImage | undefined;
  until: number;
}

interface HeadsDeps {
  clock: Clock;
  log: Log;
  config: Pick<Config, 'HEADS_URL' | 'WEBHOOK_NETWORKS'>;
}

/** Pictures of players' heads from the service of `HEADS_URL`, cached in memory. */
export class Heads {
  readonly #deps: HeadsDeps;
  readonly #outgoing: OutgoingClient;
  readonly #cache = new ByteCache<Entry>(CACHE_BYTES, ({ head }) => EMPTY_BYTES + (head?.bytes.length ?? 0));

  constructor(deps: HeadsDeps) {
    this.#deps = deps;
    this.#outgoing = new OutgoingClient(deps.config);
    const { config, log } = deps;
    if (config.HEADS_URL !== '' && this.#outgoing.problemOf(config.HEADS_URL) !== undefined)
      log.warn('HEADS_URL is neither https at port 443 nor in WEBHOOK_NETWORKS: no heads are fetched');
  }

  /** A player's head; undefined if the service has none, is slow, or too many requests to it are in progress. */
  async of(uuid: string): Promise<UploadedImage | undefined> {
    const now = this.#deps.clock.now();
    const cached = this.#cache.get(uuid);
    if (cached !== undefined && cached.until > now) return cached.head;
    const { making } = this.#cache;
    if (making.size >= MAX_FETCHES && !making.has(uuid)) return cached?.head;
    return (await this.#cache.make(uuid, () => this.#refresh(uuid, cached?.head))).head;
  }

  /** An older picture stays in use while the service fails. */
  async #refresh(uuid: string, head: UploadedImage | undefined): Promise<Entry> {
    const { clock, log, config } = this.#deps;
    try {
      const fetched = await fetchHead(this.#outgoing, config.HEADS_URL.replaceAll('{uuid}', uuid));
      return { head: fetched, until: clock.now() + FRESH_MS };
    } catch (error) {
      log.debug({ err: error, uuid }, 'a head could not be fetched');
      return { head, until: clock.now() + RETRY_MS };
    }
  }
}

/** @throws Error for any response but a small picture: redirects, other types and files over 64 kB included */
async function fetchHead(outgoing: OutgoingClient, address: string): Promise<UploadedImage> {
  const headers = { accept: 'image/png, image/webp, image/jpeg' };
  const { status, body, isComplete } = await outgoing.request(address, { headers, timeoutMs: TIMEOUT_MS });
  const bytes = Uint8Array.from(body);
  // The Content-Type of the service is not trusted.
  const content_type = detectImageType(bytes);
  if (status !== 200 || !isComplete || content_type === undefined)
    throw new Error(`HEADS_URL answered ${status} without a PNG, WebP or JPEG picture of at most 64 kB`);
  return { content_type, hash: imageHash(bytes), bytes };
}
