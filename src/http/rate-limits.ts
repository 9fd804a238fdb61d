import type { AppContext } from '#context/context.ts';
import type { Clock } from '#platform/clock.ts';
import type { Queryable } from '#db/db.ts';
import { addCounts } from '#store/counts.ts';
import { clientNetworks } from './client-address.ts';
import { FixedWindows, type NewRequest, SavedWindows, type Window, type Windows } from './fixed-windows.ts';
import type { Limit, LimitSetting, Subject } from './limit.ts';
import { LIMITS } from './limits.ts';
import { SharedWindows } from './shared-windows.ts';

type Limits = typeof LIMITS;
/** The limits of a window. */
export type RateLimitName = {
  [Name in keyof Limits]: Limits[Name] extends { windowMs: number } ? Name : never;
}[keyof Limits];

/** The ids of the subjects of a limit that a request counts against; of a network, the address. */
export type Subjects<Name extends RateLimitName> = Name extends RateLimitName
  ? Partial<Record<keyof Limits[Name]['max'], string>>
  : never;

/** The state of a subject's limit after one of its requests. */
export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  /** Requests within the window, this one included. */
  used: number;
  /** The requests left in the window. */
  remaining: number;
  /** Epoch milliseconds at which the window ends. */
  resets: number;
}

interface LimitContext extends Pick<AppContext, 'config' | 'db'> {
  clock: Clock;
}

interface Options {
  /** The number of requests that this one counts as. One that costs more than is left is refused and not counted. */
  price?: number;
  /** The maximum of this subject, if it has a separate one. */
  max?: number | undefined;
}

const SAVE_EVERY_MS = 1_000;
/** Limits the memory against a client with millions of addresses; a busy hour has far fewer subjects. */
const MAX_SUBJECTS = 500_000;

/** Counts requests against the limits of the table, each where its row says. */
export class RateLimits implements AsyncDisposable {
  readonly #context: LimitContext;
  readonly #memory: FixedWindows;
  readonly #database: SharedWindows;
  /** Of the limits whose place the setting `COUNTERS` chooses. */
  readonly #chosen: SavedWindows | SharedWindows;
  #timer: NodeJS.Timeout | undefined;

  /** @param maxSubjects the number of subjects in memory; beyond it the oldest window is dropped */
  constructor(context: LimitContext, maxSubjects = MAX_SUBJECTS) {
    const { config, db, clock } = context;
    this.#context = context;
    this.#memory = new FixedWindows(maxSubjects);
    this.#database = new SharedWindows(db, clock, 'database');
    this.#chosen =
      config.COUNTERS === 'database' ? new SharedWindows(db, clock, 'COUNTERS') : new SavedWindows(maxSubjects);
  }

  /**
   * Opens limits whose counts in memory survive a restart: they are loaded now, and saved every second and on close.
   * @param names of those among them that the service counts; services with different ones open their own
   */
  static async open(
    context: LimitContext,
    names: readonly RateLimitName[],
    saveFailed: (error: unknown) => void,
    maxSubjects?: number,
  ): Promise<RateLimits> {
    const limits = new RateLimits(context, maxSubjects);
    const windows = limits.#chosen;
    if (windows instanceof SharedWindows) return limits;
    const { db, clock } = context;
    for (const name of names) await windows.load(db, clock.now(), name);
    limits.#timer = setInterval(() => void windows.save(db, clock.now()).catch(saveFailed), SAVE_EVERY_MS).unref();
    return limits;
  }

  /**
   * Counts a request for each subject, in the order of the table, and stops at one that has used up its limit: otherwise its
   * refused requests would use up the limit of the wider ones.
   * @returns the result for the subject with the fewest requests left
   */
  async count<Name extends RateLimitName>(
    name: Name,
    subjects: Subjects<Name>,
    options: Options = {},
  ): Promise<RateLimitResult> {
    const { config, clock } = this.#context;
    const requests = requestsOf(config, name, subjects, options);
    if (requests.length > 1 && requests[0]!.price > 1) {
      const before = await this.peek(name, subjects, options);
      if (requests[0]!.price > before.remaining) return { ...before, allowed: false };
    }
    const windows = this.#windowsOf(name);
    return await fewestLeft(requests, (request) => windows.add(request, clock.now()));
  }

  /** Reads the state without counting a request. */
  async peek<Name extends RateLimitName>(
    name: Name,
    subjects: Subjects<Name>,
    options: Options = {},
  ): Promise<RateLimitResult> {
    const windows = this.#windowsOf(name);
    const { config, clock } = this.#context;
    return await fewestLeft(requestsOf(config, name, subjects, options), async (request) => {
      const now = clock.now();
      return (await windows.get(request.subject, now)) ?? { used: 0, resets: now + request.windowMs };
    });
  }

  /** Subtracts an attempt whose secret was right, of a limit in the database. */
  async lower<Name extends RateLimitName>(name: Name, subjects: Subjects<Name>): Promise<void> {
    for (const { subject } of requestsOf(this.#context.config, name, subjects)) await this.#database.lower(subject);
  }

  /** Ends windows after a successful attempt, of a limit in the database. */
  async clear<Name extends RateLimitName>(name: Name, subjects: Subjects<Name>): Promise<void> {
    for (const { subject } of requestsOf(this.#context.config, name, subjects)) await this.#database.clear(subject);
  }

  #windowsOf(name: RateLimitName): Windows {
    const { counter }: Limit = LIMITS[name];
    if (counter === undefined) return this.#database;
    return counter === 'memory' ? this.#memory : this.#chosen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const { db, clock } = this.#context;
    await this.#database.idle();
    if (this.#chosen instanceof SharedWindows) await this.#chosen.idle();
    else await this.#chosen.save(db, clock.now());
  }
}

/** The maximum of a subject in a window, with the values of the settings. */
export function rateLimit<Name extends RateLimitName>(
  config: LimitContext['config'],
  name: Name,
  subject: Subject & keyof Limits[Name]['max'],
): { max: number; windowMs: number } {
  const { windowMs } = LIMITS[name];
  const { max, factor = 1 }: Limit = LIMITS[name];
  const value = max[subject] as number | LimitSetting;
  return { max: typeof value === 'number' ? value : config[value] * factor, windowMs };
}

/** Counts a request against a limit in the database: within a transaction, or one that is never sent in large numbers. */
export async function countIn<Name extends RateLimitName>(
  db: Queryable,
  { config, clock }: Pick<LimitContext, 'config' | 'clock'>,
  name: Name,
  subjects: Subjects<Name>,
): Promise<RateLimitResult> {
  const now = clock.now();
  return await fewestLeft(requestsOf(config, name, subjects), async ({ subject, windowMs }) => {
    const [count] = await addCounts(db, 'database', now, [{ subject, used: 1, resets: now + windowMs }]);
    return count!;
  });
}

/** A request counts once for each of its subjects, in the order of the table; for an address, those are its networks. */
function requestsOf<Name extends RateLimitName>(
  config: LimitContext['config'],
  name: Name,
  subjects: Subjects<Name>,
  { price = 1, max: ownMax }: Options = {},
): NewRequest[] {
  const ids: Partial<Record<Subject, string>> = subjects;
  return (Object.keys(LIMITS[name].max) as Subject[]).flatMap((kind) => {
    const id = ids[kind];
    if (id === undefined) return [];
    const { max, windowMs } = rateLimit(config, name, kind as never);
    const networks = kind === 'network' ? clientNetworks(id) : [{ name: id, factor: 1 }];
    return networks.map((network) => ({
      limit: name,
      subject: `${name} ${network.name}`,
      max: (ownMax ?? max) * network.factor,
      windowMs,
      price,
    }));
  });
}

async function fewestLeft(
  requests: readonly NewRequest[],
  windowOf: (request: NewRequest) => Window | Promise<Window>,
): Promise<RateLimitResult> {
  let fewest: RateLimitResult | undefined;
  for (const request of requests) {
    const result = rateLimitResult(await windowOf(request), request.max);
    if (!result.allowed) return result;
    if (fewest === undefined || result.remaining < fewest.remaining) fewest = result;
  }
  return fewest!;
}

const rateLimitResult = ({ used, resets, isTooDear = false }: Window, max: number): RateLimitResult => ({
  allowed: used <= max && !isTooDear,
  limit: max,
  used,
  remaining: Math.max(0, max - used),
  resets,
});

/** The state of a limit without any request. */
export const unusedRateLimit = ({ max, windowMs }: { max: number; windowMs: number }, now: number): RateLimitResult =>
  rateLimitResult({ used: 0, resets: now + windowMs }, max);
