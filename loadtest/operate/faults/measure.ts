import { setTimeout as pause } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import type { Report } from '../../report.ts';
import { createPopulation, matchOf, type Population } from '../../support/matches.ts';
import { prepare } from '../../support/prepare.ts';
import { type ServedProcess, serveProcess } from '../../support/served-process.ts';

/** A fault of the database under a running service. */
export interface Fault extends AsyncDisposable {
  name: string;
  /** The database as the service reaches it. */
  url: string;
  /** The database as the test reaches it before and after the fault; by default `url`. */
  direct?: string;
  environment?: NodeJS.ProcessEnv;
  begin(services: ServedProcess): Promise<void>;
  end(services: ServedProcess): Promise<void>;
  /** Further checks of the running service after the fault. */
  check?(services: ServedProcess, add: AddFigure): Promise<void>;
}

export type AddFigure = (name: string, figure: string, meetsTarget: boolean) => void;

/** How long a fault lasts. */
const FAULT_MS = 5_000;
/** The time under load before a fault. */
const LOAD_MS = 2_000;
const MAX_NOTICE_MS = 2_000;
const MAX_RECOVERY_MS = 3_000;
/** Longer than anything that is expected, so that a miss is measured too. */
const PATIENCE_MS = 30_000;
const SENDERS = 4;
const POLL_MS = 20;

/** Runs a fault under load: game servers that repeat each match until they have its receipt. */
export async function testFault(fault: Fault, report: Report): Promise<void> {
  const add: AddFigure = (name, figure, meetsTarget) => report.add(`${fault.name}: ${name}`, figure, meetsTarget);
  const direct = fault.direct ?? fault.url;
  const [key] = (await prepare(direct, 1)) as [string];
  const services = await serveProcess(fault.url, { environment: fault.environment });
  try {
    const load = new Load(services, key);
    await load.untilAcknowledged(performance.now() + LOAD_MS);
    const noticing = untilReady(services, false);
    await fault.begin(services);
    const began = performance.now();
    const notice = Math.max(0, (await noticing) - began);
    add('until /readyz says no, ms', ms(notice), notice <= MAX_NOTICE_MS);
    await pause(Math.max(0, FAULT_MS - (performance.now() - began)));
    await fault.end(services);
    const ended = performance.now();
    const [ready, acknowledged] = await Promise.all([untilReady(services, true), load.untilAcknowledged(ended)]);
    const recovery = Math.max(ready, acknowledged) - ended;
    add('until it is ready and stores events again, ms', ms(recovery), recovery <= MAX_RECOVERY_MS);
    await load.stop();
    const others = [...load.statuses].filter(([status]) => ![200, 503].includes(status));
    add('answers other than 200 and 503', JSON.stringify(others), others.length === 0);
    const lost = await lostOf(direct, load.acknowledged);
    add('acknowledged matches that are lost', `${lost} of ${load.acknowledged.size}`, lost === 0);
    await fault.check?.(services, add);
  } finally {
    await services.kill();
  }
}

const ms = (duration: number): string => (duration > PATIENCE_MS ? 'never' : `${Math.round(duration)}`);

/** The time at which `/readyz` first gives this answer; infinite if it does not in time. */
async function untilReady({ internal }: ServedProcess, wanted: boolean): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    const { ok } = await fetch(`http://127.0.0.1:${internal}/readyz`).catch(() => ({ ok: false }));
    if (ok === wanted) return performance.now();
    await pause(POLL_MS);
  }
  return Infinity;
}

async function lostOf(url: string, acknowledged: ReadonlySet<string>): Promise<number> {
  await using db = await openDb(url);
  const rows = await db.all<{ event_id: string }>(sql`select event_id from ledger where type = 'match.finished'`);
  const stored = new Set(rows.map(({ event_id }) => event_id));
  return [...acknowledged].filter((id) => !stored.has(id)).length;
}

class Load {
  readonly acknowledged = new Set<string>();
  /** The number of answers of each status. */
  readonly statuses = new Map<number, number>();
  readonly #port: number;
  readonly #key: string;
  readonly #people: Population = createPopulation(200);
  readonly #senders: Promise<void>[];
  #ended = false;
  /** When the newest acknowledged attempt was sent. */
  #sent = 0;

  constructor({ ingest }: ServedProcess, key: string) {
    this.#port = ingest;
    this.#key = key;
    this.#senders = Array.from({ length: SENDERS }, () => this.#send());
  }

  /** @returns the time at which an event was acknowledged that was sent after `since` */
  async untilAcknowledged(since: number): Promise<number> {
    const began = performance.now();
    while (performance.now() - began < PATIENCE_MS) {
      if (this.#sent > since) return performance.now();
      await pause(POLL_MS / 4);
    }
    return Infinity;
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#senders);
  }

  async #send(): Promise<void> {
    while (!this.#ended) {
      const match = matchOf(this.#people, 10, Date.now());
      const body = JSON.stringify(match);
      while (!this.#ended && !(await this.#attempt(match.id, body))) await pause(100);
    }
  }

  /** @returns whether the match is acknowledged */
  async #attempt(id: string, body: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    const sent = performance.now();
    const response = await fetch(`http://127.0.0.1:${this.#port}/events`, { method: 'POST', headers, body });
    const text = await response.text();
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    if (!/"status":"(accepted|duplicate)"/.test(text.replaceAll(' ', ''))) return false;
    this.acknowledged.add(id);
    this.#sent = Math.max(this.#sent, sent);
    return true;
  }
}
