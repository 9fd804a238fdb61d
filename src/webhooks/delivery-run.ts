import { OutgoingError } from '#http/outgoing.ts';
import type { Queryable } from '#db/db.ts';
import { resetReason } from '#store/game/change-cursors.ts';
import { type Change, changeOfResource, changesAfter, type Feed, readFeed } from '#store/game/changes.ts';
import {
  addDelivery,
  addMessage,
  countPending,
  type Delivery,
  MAX_PENDING,
  nextPending,
  recordAttempt,
  replaceAfter,
  replaceDelivery,
  type VerificationProblem,
} from '#store/applications/webhooks/deliveries.ts';
import { Progress } from '#store/applications/webhooks/progress.ts';
import { challengeOf, heldWebhook, markVerified, signingSecrets } from '#store/applications/webhooks/webhooks.ts';
import {
  type DeliveryDeps,
  type Receiver,
  type Send,
  type Step,
  switchOff,
  turnOffAfterFailures,
} from './delivery-step.ts';
import { DiscordChannel } from './discord.ts';
import { busyUntil, MAX_FAILED, noResponse, type Outcome, probeAt, retryAt } from './outcome.ts';
import { StandardReceiver } from './standard.ts';

/** A run ends after so many requests or this time, so that other webhooks get their turn. */
const MAX_REQUESTS = 500;
const MAX_MS = 5_000;
const PAGE = 50;
/** Changes wait for so many attempts of a reset: one short failure lets none overtake it, and a refusal holds none up. */
const RESET_ATTEMPTS = 2;

/** Delivers what is due of one webhook, in the order of the feed. */
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
    const secrets = await signingSecrets(db, now, secretKey(), webhook.key);
    if (secrets.length === 0) return !(await switchOff(db, now, webhook.key, 'secret'));
    const step = { webhook, secrets, progress: new Progress(holder, webhook) };
    const isProbing = webhook.state === 'waiting' && webhook.reason === 'failures';
    const pending = isProbing ? undefined : await nextPending(db, webhook.key);
    if (webhook.next_attempt > now) return false;
    if (pending !== undefined && pending.next_attempt! <= now) return await this.#sendPending(step, pending);
    if (webhook.state === 'unverified') return false;
    return isProbing ? await this.#probe(step) : await this.#sendChanges(step);
  }

  /** Sends a message that was logged before: again, or one that is no change. */
  async #sendPending(step: Step, row: Delivery): Promise<boolean> {
    const { db, clock } = this.#deps.context;
    const { webhook, progress } = step;
    const change = row.kind === null ? undefined : await changeOfResource(db, row.kind, row.resource!);
    if (row.kind !== null && change?.number !== row.change) {
      await replaceDelivery(db, webhook.key, row.number);
      return true;
    }
    const receiver = this.#receiver(step);
    const outcome = await (change === undefined ? receiver.sendMessage(row) : receiver.sendChange(change));
    if (outcome === undefined) return false;
    const now = clock.now();
    const { response } = outcome.result;
    const isVerification = row.type === 'webhook.verification';
    const missing = isVerification && outcome.kind === 'delivered' ? notEchoed(response, challengeOf(db, webhook)) : '';
    // Owners read the log, and a page that shows its request would tell them the challenge of somebody else's address.
    const result = isVerification
      ? { ...outcome.result, reason: outcome.result.reason || missing, response: '' }
      : outcome.result;
    const isChange = change !== undefined;
    return await this.#record(async (tx) => {
      if (!(await progress.isHeld(tx))) return false;
      const logged = { number: row.number, attempts: row.attempts + 1, next_attempt: null };
      switch (outcome.kind) {
        case 'delivered':
          await recordAttempt(tx, now, webhook.key, { ...logged, state: 'delivered' }, result);
          if (isChange) return await progress.succeeded(tx, now);
          if (isVerification && missing === '') await markVerified(tx, now, webhook.key);
          return true;
        case 'gone':
          await recordAttempt(tx, now, webhook.key, { ...logged, state: 'set_aside' }, result);
          return !(await switchOff(tx, now, this.#key, 'gone'));
        case 'busy': {
          const until = busyUntil(now, webhook.pauses, outcome.pauseMs);
          const waits = { number: row.number, attempts: row.attempts, next_attempt: until, state: 'pending' } as const;
          await recordAttempt(tx, now, webhook.key, waits, result);
          await (webhook.state === 'unverified' ? progress.hold(tx, until) : this.#pause(tx, step, 'slow_down', until));
          return false;
        }
        default: {
          const next = outcome.kind === 'refused' ? undefined : this.#retryAt(now, logged.attempts, outcome);
          const state = next === undefined ? 'set_aside' : 'pending';
          await recordAttempt(tx, now, webhook.key, { ...logged, state, next_attempt: next ?? null }, result);
          if (isChange) await progress.failedAgain(tx, now);
          const isHeld = row.type === 'feed.reset' && logged.attempts < RESET_ATTEMPTS;
          if (isHeld && next !== undefined) await progress.hold(tx, next);
          else if (outcome.pauseMs !== undefined) await progress.hold(tx, now + outcome.pauseMs);
          await turnOffAfterFailures(tx, now, step);
          return true;
        }
      }
    });
  }

  #retryAt(now: number, attempts: number, { pauseMs = 0 }: Outcome): number | undefined {
    const next = retryAt(now, attempts);
    return next === undefined ? undefined : Math.max(next, now + pauseMs);
  }

  /** The changes after the place, the oldest first. */
  async #sendChanges(step: Step): Promise<boolean> {
    const { db } = this.#deps.context;
    const { webhook, progress } = step;
    // Read before the changes: what is not among them has a greater number.
    const feed = await readFeed(db);
    if (!feed.isFilled) return false;
    if (resetReason(webhook.cursor, feed) !== undefined) return await this.#reset(step, feed);
    const { number: place } = webhook.cursor;
    const found = await changesAfter(db, place, PAGE, webhook.kinds);
    this.#deps.metrics.reached(webhook.key, found[0]?.time);
    if (await this.#isFull(db, webhook.key)) return false;
    if (found.length === 0) {
      if (feed.head > place) await progress.pass(db, feed.head);
      return false;
    }
    const receiver = this.#receiver(step);
    if (receiver instanceof DiscordChannel) return await receiver.sendChanges(found);
    for (const change of found) if (!(await this.#sendNext(step, change))) return false;
    return true;
  }

  /** @returns whether the following changes can be sent */
  async #sendNext(step: Step, change: Change): Promise<boolean> {
    const { webhook, progress } = step;
    const outcome = await this.#receiver(step).sendChange(change);
    if (outcome === undefined) return false;
    const now = this.#deps.context.clock.now();
    const { result } = outcome;
    const logged = { type: `${change.kind}.${change.type}`, change, result, attempts: 1, next_attempt: null };
    return await this.#record(async (tx) => {
      if (!(await progress.isHeld(tx))) return false;
      switch (outcome.kind) {
        case 'delivered':
          await addDelivery(tx, now, webhook.key, { ...logged, state: 'delivered' });
          return await progress.succeeded(tx, now, change.number);
        case 'gone':
          await addDelivery(tx, now, webhook.key, { ...logged, state: 'set_aside' });
          return !(await switchOff(tx, now, this.#key, 'gone'));
        case 'busy':
          await addDelivery(tx, now, webhook.key, { ...logged, state: 'replaced' });
          await this.#pause(tx, step, 'slow_down', busyUntil(now, webhook.pauses, outcome.pauseMs));
          return false;
        default: {
          const next = this.#retryAt(now, 1, outcome);
          const state = next === undefined ? 'set_aside' : 'pending';
          await addDelivery(tx, now, webhook.key, { ...logged, state, next_attempt: next ?? null });
          await progress.failed(tx, now, change.number);
          return await this.#goOnAfterFailure(tx, step, outcome);
        }
      }
    });
  }

  /** Further changes wait until the attempts of one have ended. */
  async #isFull(db: Queryable, key: number): Promise<boolean> {
    return (await countPending(db, key)) >= MAX_PENDING;
  }

  /**
   * After so many failures in a row the webhook waits. After a probe that the receiver accepts it continues with the further
   * attempts of the first of them, and the next change follows whatever comes of them.
   */
  async #goOnAfterFailure(tx: Queryable, step: Step, { pauseMs }: Outcome): Promise<boolean> {
    const now = this.#deps.context.clock.now();
    const { webhook, progress } = step;
    if (await turnOffAfterFailures(tx, now, step)) return false;
    const { failed } = await progress.failures(tx);
    if (failed < MAX_FAILED) {
      if (pauseMs !== undefined) await progress.hold(tx, now + pauseMs);
      return pauseMs === undefined && !(await this.#isFull(tx, webhook.key));
    }
    const until = Math.max(probeAt(now, webhook.pauses), now + (pauseMs ?? 0));
    await progress.pause(tx, now, { reason: 'failures', until });
    return false;
  }

  async #pause(tx: Queryable, step: Step, reason: 'failures' | 'slow_down', until: number): Promise<void> {
    const now = this.#deps.context.clock.now();
    await step.progress.pause(tx, now, { reason, until });
    await turnOffAfterFailures(tx, now, step);
  }

  /** Asks a webhook that waits whether it accepts messages again. */
  async #probe(step: Step): Promise<boolean> {
    const { webhook, progress } = step;
    const { clock } = this.#deps.context;
    const outcome = await this.#receiver(step).probe();
    if (outcome === undefined) return false;
    const now = clock.now();
    const { kind, result, pauseMs } = outcome;
    return await this.#record(async (tx) => {
      if (!(await progress.isHeld(tx))) return false;
      const state = kind === 'delivered' ? 'delivered' : 'set_aside';
      await addDelivery(tx, now, webhook.key, {
        type: 'webhook.probe',
        state,
        attempts: 1,
        next_attempt: null,
        result,
      });
      if (kind === 'delivered') return await progress.resume(tx, now);
      if (kind === 'gone') return !(await switchOff(tx, now, this.#key, 'gone'));
      const until = Math.max(probeAt(now, webhook.pauses), now + (pauseMs ?? 0));
      await this.#pause(tx, step, 'failures', until);
      return false;
    });
  }

  /** The feed has lost the place: the receiver is told, and the webhook continues as its owner chose. */
  async #reset({ webhook, progress }: Step, { id, head }: Feed): Promise<boolean> {
    const { clock } = this.#deps.context;
    const isStart = webhook.after_reset === 'start';
    return await this.#record(async (tx) => {
      const place = isStart ? { place: 0, walkHead: head } : { place: head, walkHead: null };
      if (!(await progress.reset(tx, { feed: id, ...place }))) return false;
      await replaceAfter(tx, webhook.key, 0);
      if (webhook.form === 'standard') await addMessage(tx, clock.now(), webhook.key, 'feed.reset');
      return true;
    });
  }

  /** A power failure repeats a delivery at most. */
  async #record(work: (tx: Queryable) => Promise<boolean>): Promise<boolean> {
    return await this.#deps.context.db.transaction(work, { durable: false });
  }

  #receiver(step: Step): Receiver {
    const send: Send = (...request) => this.#exchange(...request);
    if (step.webhook.form === 'discord') return new DiscordChannel(this.#deps, step, send);
    return new StandardReceiver(this.#deps, step, send);
  }

  async #exchange(...[url, request, outcomeOf]: Parameters<Send>): ReturnType<Send> {
    const { outgoing, stop, context, metrics } = this.#deps;
    this.#requests++;
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    const outcome = await outgoing.request(url, { ...request, signal: stop }).then(
      (response) => outcomeOf(response, elapsed(), context.clock.now()),
      (error: unknown) => {
        if (error instanceof OutgoingError) return noResponse(error.reason, elapsed());
        throw error;
      },
    );
    if (stop.aborted) return undefined;
    metrics.attempted(outcome.kind, elapsed());
    return outcome;
  }
}

/**
 * Why a response does not verify its receiver; empty if it does. A receiver proves by the challenge alone that it reads it: one
 * that returns whole requests proves nothing.
 */
function notEchoed(response: string, challenge: string): '' | VerificationProblem {
  if (response === '') return 'empty';
  if (response === challenge) return '';
  try {
    const json = JSON.parse(response) as { challenge?: unknown } | string | null;
    return json === challenge || (json as { challenge?: unknown } | null)?.challenge === challenge
      ? ''
      : 'no_challenge';
  } catch {
    return 'no_challenge';
  }
}
