import { LIMITS } from '#http/limits.ts';
import { OutgoingError } from '#http/outgoing.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { resetReason } from '#store/game/change-cursors.ts';
import { type Change, changeOfResource, changesWithFeed, type Feed } from '#store/game/changes.ts';
import {
  addDelivery,
  addMessage,
  type Delivery,
  dueMessage,
  IN_ORDER,
  messagesInOrder,
  recordAttempt,
  replaceMessages,
} from '#store/applications/webhooks/deliveries.ts';
import { Progress } from '#store/applications/webhooks/progress.ts';
import {
  challengeOf,
  heldWebhook,
  markVerified,
  signingSecrets,
  turnOff,
  type WebhookReason,
} from '#store/applications/webhooks/webhooks.ts';
import { DiscordForm } from './discord.ts';
import type { Addressee, Batch, DeliveryDeps, Form, Request } from './form.ts';
import { noResponse, OFF_AFTER, type Outcome, pauseUntil, resultOf, retryAt, TRIES } from './outcome.ts';
import { notEchoed, StandardForm } from './standard.ts';

/** A run ends after so many requests or this time, so that other webhooks get their turn. */
const MAX_REQUESTS = 500;
const MAX_MS = 5_000;
const PAGE = 50;

/** A webhook as it was read before a step. */
interface Step extends Addressee {
  form: Form;
  progress: Progress;
}

/** A step in the order of the feed. */
interface OrderedStep extends Step {
  /** The number of the newest change. */
  head: number;
  /** The messages that were tried before and not accepted, the oldest first. */
  tried: readonly Delivery[];
}

/** Delivers what is due of one webhook, in the order of the feed, by the rules of docs/webhooks.md, "Failures". */
export class DeliveryRun {
  readonly #deps: DeliveryDeps;
  readonly #key: number;
  #requests = 0;

  constructor(deps: DeliveryDeps, key: number) {
    this.#deps = deps;
    this.#key = key;
  }

  /** @returns the number of requests */
  async run(): Promise<number> {
    const end = performance.now() + MAX_MS;
    while (this.#requests < MAX_REQUESTS && performance.now() < end && !this.#deps.stop.aborted)
      if (!(await this.#step())) break;
    return this.#requests;
  }

  /** @returns whether more may be due */
  async #step(): Promise<boolean> {
    const { context, holder, secretKey } = this.#deps;
    const { db, clock } = context;
    const now = clock.now();
    const webhook = await heldWebhook(db, this.#key, holder);
    if (webhook === undefined || webhook.state === 'off') return false;
    const { next_attempt, failures, last_head } = webhook;
    if (next_attempt > now && last_head === null) return false;
    const secrets = await signingSecrets(db, now, secretKey(), webhook.key);
    if (secrets.length === 0) return await this.#switchOff(db, 'secret');
    const form = new (webhook.form === 'discord' ? DiscordForm : StandardForm)(this.#deps, { webhook, secrets });
    const step = { webhook, secrets, form, progress: new Progress(holder, webhook) };
    // A change that the place has passed is not tried while the one after the place fails.
    const row = next_attempt > now ? undefined : await dueMessage(db, webhook.key, now, { change: failures === 0 });
    if (row !== undefined) return await this.#sendMessage(step, row);
    return webhook.state === 'on' && (await this.#continue(step));
  }

  /** Sends what follows the place. */
  async #continue(step: Step): Promise<boolean> {
    const { db, clock } = this.#deps.context;
    const { webhook, form } = step;
    const { key, cursor, kinds, failures } = webhook;
    // What is not among the changes has a greater number than the head of the feed.
    const { feed, changes: found } = await changesWithFeed(db, cursor.number, PAGE, kinds);
    if (!feed.isFilled) return false;
    if (resetReason(cursor, feed) !== undefined) return await this.#reset(step, feed);
    const { head } = feed;
    const ordered = { ...step, head, tried: await messagesInOrder(db, key) };
    const reset = ordered.tried.find(({ change }) => change === null);
    if (reset !== undefined)
      return await this.#send(ordered, { changes: [], last: cursor.number, request: form.message(reset) }, []);
    this.#deps.metrics.reached(key, found[0]?.time);
    if (found.length === 0) {
      if (head > cursor.number) await this.#transaction(step, (tx) => this.#pass(tx, ordered, head));
      return false;
    }
    if (webhook.next_attempt > clock.now()) return await this.#tryNext(ordered, found);
    for (let rest = found; rest.length > 0;) {
      const batch = await form.batch(rest, false);
      const { last } = batch;
      rest = rest.filter(({ number }) => number > last);
      if (!(await this.#send(ordered, batch, rest))) return false;
      // What was read before the page has changed.
      if (failures > 0 || ordered.tried.length > 0) return true;
    }
    return true;
  }

  /**
   * Sends the first message after the place. If that fails again and again, the next one tells whether the receiver is down.
   * @param rest the changes after it
   */
  async #send(step: OrderedStep, batch: Batch, rest: readonly Change[]): Promise<boolean> {
    const { webhook, progress } = step;
    const { clock } = this.#deps.context;
    if (batch.request === undefined)
      return (await this.#transaction(step, (tx) => this.#pass(tx, step, batch.last))) === true;
    const outcome = await this.#exchange(step, batch.request);
    if (outcome?.kind !== 'failed') return await this.#record(step, batch, outcome);
    const now = clock.now();
    const failures = webhook.failures + 1;
    const isReset = batch.changes.length === 0;
    const isNextDue = failures >= TRIES && !isReset;
    const isLast = isNextDue && untried(step, rest).length === 0;
    const isOff = await this.#transaction(step, async (tx) => {
      await this.#log(tx, step, batch, outcome);
      await progress.failed(tx, now, pauseUntil(now, failures), isLast ? step.head : null);
      const isOver = (webhook.failing ?? now) <= now - OFF_AFTER.ms && failures >= OFF_AFTER.failures;
      if (isOver) await this.#switchOff(tx, 'failures');
      return isOver;
    });
    return isOff === false && isNextDue && !isLast && (await this.#tryNext(step, rest));
  }

  /** Tries the first change that was not tried yet, once. If it is accepted, the place passes those before it. */
  async #tryNext(step: OrderedStep, rest: readonly Change[]): Promise<boolean> {
    const { db } = this.#deps.context;
    const ordered = { ...step, tried: await messagesInOrder(db, this.#key) };
    const next = untried(ordered, rest);
    const batch = next.length === 0 ? undefined : await step.form.batch(next, false);
    if (batch?.request === undefined) {
      await step.progress.awaitNext(db, step.head);
      return false;
    }
    return await this.#record(ordered, batch, await this.#exchange(step, batch.request));
  }

  /** @returns whether the following changes can be sent */
  async #record(step: OrderedStep, batch: Batch, outcome: Outcome | undefined): Promise<boolean> {
    if (outcome === undefined) return false;
    const { progress } = step;
    const { kind, pauseMs } = outcome;
    if (kind === 'refused' && batch.changes.length > 1) return await this.#sendSingly(step, batch);
    const isDone = await this.#transaction(step, async (tx) => {
      const now = this.#deps.context.clock.now();
      await this.#log(tx, step, batch, outcome);
      if (kind === 'gone') return await this.#switchOff(tx, 'gone');
      if (kind === 'busy') return !(await progress.hold(tx, now + pauseMs!));
      if (kind === 'failed') return !(await progress.awaitNext(tx, null));
      await this.#pass(tx, step, batch.last, batch.changes);
      if (pauseMs !== undefined) await progress.hold(tx, now + pauseMs);
      return pauseMs === undefined;
    });
    return isDone === true;
  }

  /** Moves the place. Messages up to it that were not accepted get two further attempts, at least. */
  async #pass(tx: Queryable, step: OrderedStep, last: number, accepted: readonly Change[] = []): Promise<boolean> {
    const now = this.#deps.context.clock.now();
    for (const { number, change, attempts } of step.tried)
      if (change !== null && change <= last && !accepted.some((each) => each.number === change)) {
        const counted = Math.min(attempts, TRIES);
        const passed = { number, state: 'failed', attempts: counted, next_attempt: retryAt(now, counted) } as const;
        await recordAttempt(tx, now, this.#key, passed);
      }
    return await step.progress.advance(tx, last);
  }

  /** Discord refuses a message if it refuses one of its embeds. */
  async #sendSingly(step: OrderedStep, { changes, last }: Batch): Promise<boolean> {
    for (const change of changes) {
      const single = await step.form.batch([change], true);
      const reached = change === changes.at(-1) ? last : change.number;
      if (!(await this.#send(step, { ...single, last: reached }, []))) return false;
    }
    return true;
  }

  /** Logs an attempt of each change of a batch, or of a reset. */
  async #log(tx: Queryable, { tried }: OrderedStep, { changes }: Batch, { kind, result }: Outcome): Promise<void> {
    const now = this.#deps.context.clock.now();
    const state = kind === 'delivered' ? kind : kind === 'failed' || kind === 'busy' ? 'waiting' : 'failed';
    const counted = kind === 'busy' ? 0 : 1;
    for (const change of changes.length === 0 ? [undefined] : changes) {
      const known = tried.find((row) => row.change === (change?.number ?? null));
      const next_attempt = state === 'waiting' ? IN_ORDER : null;
      const logged = { state, attempts: (known?.attempts ?? 0) + counted, next_attempt } as const;
      if (known !== undefined) await recordAttempt(tx, now, this.#key, { number: known.number, ...logged }, result);
      else if (change !== undefined)
        await addDelivery(tx, now, this.#key, { type: `${change.kind}.${change.type}`, change, ...logged, result });
    }
  }

  /** Sends a logged message outside the order of the feed: again, or one that is no change. */
  async #sendMessage(step: Step, row: Delivery): Promise<boolean> {
    const { db, clock } = this.#deps.context;
    const { form, progress } = step;
    const change = row.kind === null ? undefined : await changeOfResource(db, row.kind, row.resource!);
    if (row.kind !== null && change?.number !== row.change) {
      await replaceMessages(db, this.#key, sql`number = ${row.number}`);
      return true;
    }
    const request = change === undefined ? form.message(row) : (await form.batch([change], true)).request;
    const refused: Outcome = { kind: 'refused', result: noResponse('no_message', null) };
    const outcome = request === undefined ? refused : await this.#exchange(step, request);
    if (outcome === undefined) return false;
    const { kind, pauseMs } = outcome;
    const { result, isVerified } = this.#verified(step, row, outcome);
    const isDone = await this.#transaction(step, async (tx) => {
      const now = clock.now();
      const attempts = row.attempts + (kind === 'busy' ? 0 : 1);
      const retry = kind === 'failed' ? retryAt(now, attempts) : null;
      const next_attempt = kind === 'busy' ? now : retry;
      const open = next_attempt === null ? 'failed' : row.state;
      const state = kind === 'delivered' ? kind : open;
      await recordAttempt(tx, now, this.#key, { number: row.number, state, attempts, next_attempt }, result);
      if (kind === 'gone') return await this.#switchOff(tx, 'gone');
      if (isVerified) await markVerified(tx, now, this.#key);
      else if (pauseMs !== undefined) await progress.hold(tx, now + pauseMs);
      return pauseMs === undefined;
    });
    return isDone === true;
  }

  /**
   * What the log says of an attempt, and whether it verifies the receiver. Owners read the log, and a page that shows its request
   * would tell them the challenge of somebody else's address.
   */
  #verified({ webhook }: Step, { type }: Delivery, { kind, result }: Outcome) {
    if (type !== 'webhook.verification') return { result, isVerified: false };
    const challenge = challengeOf(this.#deps.context.db, webhook);
    const missing = kind === 'delivered' ? notEchoed(result.response, challenge) : '';
    return {
      result: { ...result, reason: result.reason || missing, response: '' },
      isVerified: kind === 'delivered' && missing === '',
    };
  }

  /** The feed has lost the place: the receiver is told, and the webhook continues as its owner chose. */
  async #reset(step: Step, { id, head }: Feed): Promise<boolean> {
    const { webhook, progress } = step;
    const done = await this.#transaction(step, async (tx) => {
      const isStart = webhook.after_reset === 'start';
      await progress.reset(tx, id, isStart ? 0 : head, isStart ? head : null);
      await replaceMessages(tx, webhook.key, sql`change > 0`);
      const now = this.#deps.context.clock.now();
      if (webhook.form === 'standard') await addMessage(tx, now, webhook.key, 'feed.reset', IN_ORDER);
      return true;
    });
    return done === true;
  }

  /** Switches the webhook off; a job of `server/jobs.ts` mails its owners. @returns false: nothing follows */
  async #switchOff(tx: Queryable, reason: WebhookReason): Promise<false> {
    const now = this.#deps.context.clock.now();
    await turnOff(tx, now, this.#key, reason, LIMITS.webhookMail.windowMs);
    return false;
  }

  /** Undefined if another process delivers the webhook now, or its owner changed it. A power failure repeats a delivery at most. */
  async #transaction<T>({ progress }: Step, work: (tx: Queryable) => Promise<T>): Promise<T | undefined> {
    const { db } = this.#deps.context;
    return await db.transaction(async (tx) => ((await progress.isHeld(tx)) ? await work(tx) : undefined), {
      durable: false,
    });
  }

  /** @returns undefined if the end of the process interrupted the request */
  async #exchange({ form }: Step, { url, ...request }: Request): Promise<Outcome | undefined> {
    const { outgoing, stop, context, metrics } = this.#deps;
    this.#requests++;
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    const outcome = await outgoing.request(url, { ...request, signal: stop }).then(
      (response): Outcome => ({
        ...form.outcome(response, context.clock.now()),
        result: resultOf(response, elapsed()),
      }),
      (error: unknown): Outcome => {
        if (error instanceof OutgoingError) return { kind: 'failed', result: noResponse(error.reason, elapsed()) };
        throw error;
      },
    );
    if (stop.aborted) return undefined;
    metrics.attempted(outcome.kind, elapsed());
    return outcome;
  }
}

/** The changes after the last one that was tried. */
function untried({ tried }: OrderedStep, rest: readonly Change[]): Change[] {
  const last = Math.max(0, ...tried.map(({ change }) => change ?? 0));
  return rest.filter(({ number }) => number > last);
}
