import type { Deps } from './page-request.ts';
import { HttpError } from '#http/errors.ts';
import { clientNetwork } from '#http/client-address.ts';
import { LIMITS } from '#http/limits.ts';
import { RateLimits } from '#http/rate-limits.ts';

/** A picture is one unit, a page ten: it reads and renders more. */
const UNITS_PER_PAGE = 10;
/** Limits the memory against a client with many addresses. */
const MAX_ADDRESSES = 50_000;
/** Maximum requests in progress; more would only wait for each other. */
const MAX_PENDING = 200;

const PICTURE = /^\/(heads\/|maps\/[^/]+\/image$|players\/[^/]+\/head$)/;
const FREE = /^\/(assets\/|(favicon\.ico|apple-touch-icon\.png|robots\.txt)$)/;

/** The pages of an address: how many are in progress, and the starts of those that wait. */
interface Pages {
  running: number;
  waiting: (() => void)[];
}

/** Limits the pages of an address in a minute and at a time, and the requests in progress. */
export class SiteLimits {
  readonly #context: Pick<Deps, 'config' | 'db' | 'clock'>;
  readonly #limits: RateLimits;
  #pending = 0;
  readonly #pages = new Map<string, Pages>();

  constructor(context: Pick<Deps, 'config' | 'db' | 'clock'>) {
    this.#context = context;
    this.#limits = new RateLimits(context, MAX_ADDRESSES);
  }

  /**
   * Counts a request against its address.
   * @returns the seconds to wait if a network of the address has used up its minute, else undefined
   */
  async secondsToWait(address: string, path: string): Promise<number | undefined> {
    const max = this.#context.config.SITE_LIMIT * UNITS_PER_PAGE;
    if (max === 0 || FREE.test(path)) return undefined;
    const price = PICTURE.test(path) ? 1 : UNITS_PER_PAGE;
    return this.#secondsUntil(await this.#limits.count('page', { network: address }, { price, max }));
  }

  /** The same for a request of `/live` that memory does not answer with 304. */
  async secondsToWaitForLive(address: string): Promise<number | undefined> {
    return this.#secondsUntil(await this.#limits.count('livePage', { network: address }));
  }

  #secondsUntil({ allowed, resets }: { allowed: boolean; resets: number }): number | undefined {
    return allowed ? undefined : Math.max(1, Math.ceil((resets - this.#context.clock.now()) / 1000));
  }

  /**
   * Runs a request, unless too many are in progress. A page waits until its address has less than the maximum.
   * @throws HttpError 503
   */
  async run<T>(address: string, path: string, work: () => Promise<T>): Promise<T> {
    if (this.#pending >= MAX_PENDING)
      throw new HttpError(503, 'temporarily_unavailable', 'Too many requests at once.', { 'retry-after': '2' });
    this.#pending++;
    try {
      return FREE.test(path) || PICTURE.test(path) ? await work() : await this.runPage(address, work);
    } finally {
      this.#pending--;
    }
  }

  /** Runs a page when its address has less than the maximum in progress. */
  async runPage<T>(address: string, work: () => Promise<T>): Promise<T> {
    const name = clientNetwork(address);
    const pages = this.#pages.getOrInsert(name, { running: 0, waiting: [] });
    // A page that ends hands its place to the first that waits.
    if (pages.running >= LIMITS.openPage.max.network) await new Promise<void>((start) => pages.waiting.push(start));
    else pages.running++;
    try {
      return await work();
    } finally {
      const next = pages.waiting.shift();
      if (next !== undefined) next();
      else if (--pages.running === 0) this.#pages.delete(name);
    }
  }
}
