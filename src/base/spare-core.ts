import { setTimeout as pause } from 'node:timers/promises';
import { calmest, ranNs, setCores, threadsOf } from './cores.ts';
import type { Log } from './log.ts';

/**
 * While people are answered and much is told, all threads but the main one keep off one core. A thread that wakes where
 * another computes waits for the next tick of the kernel, up to four milliseconds, however nice the other one is;
 * what holds up answers in the main thread are the threads of the ingest and those that tidy up memory for them. When
 * it has been quiet for a while, all cores are everybody's again.
 */
const LOOK_MS = 1_000;
const QUIET_MS = 30_000;
/** Shares of a second: some ten answers, some tens of requests. */
const ANSWERING = 0.002;
const TELLING = 0.02;

/** What has run so far, in ns. */
export interface Running {
  /** The main thread, which answers people. */
  main(): number;
  /** The thread that is told. */
  told(): number;
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
  #busyUntil = -Infinity;
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
    const busy = this.#isBusy(at);
    if (!busy && this.#settled) return;
    const { cores, others } = this.#misplaced(busy);
    this.#settled = !busy && others.length === 0;
    if (others.length === 0) return;
    const complaint = await setCores(others, cores);
    const stuck = new Set(this.#misplaced(busy).others);
    if (others.some((thread) => stuck.has(thread))) throw new Error(complaint);
    this.#log.debug({ cores, threads: others.length }, 'threads are placed');
  }

  #isBusy(at: number): boolean {
    const last = this.#last;
    const now = (this.#last = { at, main: this.#running.main(), told: this.#running.told() });
    if (last === undefined) return false;
    const ns = (at - last.at) * 1e6;
    if (now.main - last.main > ANSWERING * ns && now.told - last.told > TELLING * ns) this.#busyUntil = at + QUIET_MS;
    return at < this.#busyUntil;
  }

  /** Where all threads but the main one belong, and those that may run elsewhere. */
  #misplaced(busy: boolean): { cores: number[]; others: number[] } {
    const threads = threadsOf(this.#pid);
    const all = threads.find(({ id }) => id === this.#pid)?.cores ?? [];
    const cores = busy && all.length > 1 ? this.#withoutSpare(all) : all;
    const here = cores.join();
    const others = threads.filter(({ id, cores }) => id !== this.#pid && cores.join() !== here).map(({ id }) => id);
    return { cores, others };
  }

  /** The spare one stays the same as long as it can. */
  #withoutSpare(all: readonly number[]): number[] {
    if (this.#spare === undefined || !all.includes(this.#spare)) this.#spare = calmest(all);
    return all.filter((core) => core !== this.#spare);
  }
}

const HELP =
  'no core is kept free for answers while much is told to the ingest, so some take milliseconds longer: install taskset ' +
  '(package util-linux) and let the service use it, or set SPARE_CORE=off';

/** Looks every second until it is disposed of; to be called in the thread that is told. */
export function keepCoreSpare(log: Log): Disposable {
  const stop = new AbortController();
  if (process.platform === 'linux') void keepLooking(log, stop.signal);
  return { [Symbol.dispose]: () => stop.abort() };
}

async function keepLooking(log: Log, signal: AbortSignal): Promise<void> {
  const core = new SpareCore(process.pid, log, { main: () => ranNs(process.pid, process.pid), told: ranHere });
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
