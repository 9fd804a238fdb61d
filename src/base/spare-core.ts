import { setTimeout as pause } from 'node:timers/promises';
import { calmest, coresOf, ranNs, setCores, threadsOf, waitedNs } from './cores.ts';
import type { Log } from './log.ts';

/**
 * While much is told, all threads but one keep off one core, which that one then finds free whenever it wakes: the main
 * thread while people are answered steadily, else the one that writes, for whom all others of the ingest wait. A thread
 * that wakes where another computes waits for the next tick of the kernel, up to four milliseconds, however nice the other
 * one is. The one that writes stays on that core, with all that the core remembers of its rows, unless a stranger is at
 * work there. When it has been quiet for a while, all cores are everybody's again.
 */
const LOOK_MS = 1_000;
const QUIET_MS = 30_000;
/** A page now and then, or what a process does as it starts, is not worth a core. */
const STEADY_MS = 3_000;
/** Shares of a second: some ten answers, some tens of requests. */
const ANSWERING = 0.002;
const TELLING = 0.02;
/** The share of a second that the thread that writes may wait for the core that is its own. */
const CROWDED = 0.2;

/** The name of the thread that writes, as the system shows it. */
export const WRITER = 'writer';

/** What has run so far, in ns. */
export interface Running {
  /** The main thread, which answers people. */
  main(): number;
  /** The thread that is told. */
  told(): number;
  /** What the thread that writes has waited for a core so far, in ns, by its number. */
  waited(writer: number): number;
}

interface Look {
  at: number;
  main: number;
  told: number;
}

export class SpareCore {
  readonly #pid: number;
  readonly #log: Log;
  readonly #running: Running;
  #last: Look | undefined;
  #answersSince = Infinity;
  #answersUntil = -Infinity;
  #writesUntil = -Infinity;
  #crowdedUntil = -Infinity;
  #waited: { at: number; ns: number } | undefined;
  #settled = false;
  #spare: number | undefined;

  /** @param pid of the process whose threads are kept off, whose main thread has the same number */
  constructor(pid: number, log: Log, running: Running) {
    this.#pid = pid;
    this.#log = log;
    this.#running = running;
  }

  /**
   * Sees what is going on and places the threads as it needs, new ones too. The main thread's own cores are never
   * touched: they are those that the process was given.
   * @param at a moment in ms
   * @throws Error where threads cannot be placed, with what would help
   */
  async look(at: number): Promise<void> {
    this.#note(at);
    const busy = at < this.#writesUntil;
    if (!busy && this.#settled) return;
    const moves = this.#misplaced(at);
    this.#settled = !busy && moves.size === 0;
    for (const [cores, threads] of moves) await this.#place(at, cores, threads);
  }

  async #place(at: number, cores: string, threads: readonly number[]): Promise<void> {
    const complaint = await setCores(threads, coresOf(cores));
    const stuck = new Set(this.#misplaced(at).get(cores));
    if (threads.some((thread) => stuck.has(thread))) throw new Error(complaint);
    this.#log.debug({ cores, threads: threads.length }, 'threads are placed');
  }

  #note(at: number): void {
    const last = this.#last;
    const now = (this.#last = { at, main: this.#running.main(), told: this.#running.told() });
    if (last === undefined) return;
    const ns = (at - last.at) * 1e6;
    const answers = now.main - last.main > ANSWERING * ns;
    this.#answersSince = answers ? Math.min(this.#answersSince, last.at) : Infinity;
    if (now.told - last.told <= TELLING * ns) return;
    this.#writesUntil = at + QUIET_MS;
    if (at - this.#answersSince >= STEADY_MS) this.#answersUntil = at + QUIET_MS;
  }

  /** The threads that may run elsewhere than they belong, by the list of cores where they do. */
  #misplaced(at: number): Map<string, number[]> {
    const threads = threadsOf(this.#pid);
    const all = threads.find(({ id }) => id === this.#pid)?.cores ?? [];
    const writer = threads.find(({ name }) => name === WRITER)?.id;
    const free = at < this.#answersUntil ? this.#pid : writer;
    const spares = at < this.#writesUntil && free !== undefined && all.length > 1;
    const rest = spares ? this.#withoutSpare(all) : all;
    const stays = this.#staysAlone(at, spares && free === writer ? writer : undefined);
    const own = stays ? [this.#spare!] : all;
    const moves = new Map<string, number[]>();
    for (const { id, cores } of threads) {
      const place = (id === free ? own : rest).join();
      if (id === this.#pid || cores.join() === place) continue;
      moves.set(place, [...(moves.get(place) ?? []), id]);
    }
    return moves;
  }

  /** Whether the core that is free is the writer's and nobody else has kept it waiting there lately. */
  #staysAlone(at: number, writer: number | undefined): boolean {
    const last = this.#waited;
    this.#waited = undefined;
    if (writer === undefined) return false;
    const { ns } = (this.#waited = last?.at === at ? last : { at, ns: this.#running.waited(writer) });
    if (last !== undefined && ns - last.ns > CROWDED * (at - last.at) * 1e6) this.#crowdedUntil = at + QUIET_MS;
    return at >= this.#crowdedUntil;
  }

  /** The spare one stays the same as long as it can. */
  #withoutSpare(all: readonly number[]): number[] {
    if (this.#spare === undefined || !all.includes(this.#spare)) this.#spare = calmest(all);
    return all.filter((core) => core !== this.#spare);
  }
}

const HELP =
  'no core is kept free while much is told to the ingest, so some answers take milliseconds longer: install taskset ' +
  '(package util-linux) and let the service use it, or set SPARE_CORE=off';

/** Looks every second until it is disposed of; to be called in the thread that is told. */
export function keepCoreSpare(log: Log): Disposable {
  const stop = new AbortController();
  if (process.platform === 'linux') void keepLooking(log, stop.signal);
  return { [Symbol.dispose]: () => stop.abort() };
}

async function keepLooking(log: Log, signal: AbortSignal): Promise<void> {
  const core = new SpareCore(process.pid, log, {
    main: () => ranNs(process.pid, process.pid),
    told: ranHere,
    waited: (writer) => waitedNs(process.pid, writer),
  });
  try {
    while (!signal.aborted) {
      await core.look(performance.now());
      await pause(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  } catch (error) {
    log.warn({ err: error }, HELP);
  }
}

function ranHere(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1e3;
}
