import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { LIMITS } from '#http/limits.ts';
import type { OutgoingClient, OutgoingRequest, OutgoingResponse } from '#http/outgoing.ts';
import type { Queryable } from '#db/db.ts';
import type { Change } from '#store/game/changes.ts';
import type { Delivery } from '#store/applications/webhooks/deliveries.ts';
import type { Progress } from '#store/applications/webhooks/progress.ts';
import { turnOff, type Webhook, type WebhookReason } from '#store/applications/webhooks/webhooks.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { Rendering } from './messages.ts';
import { OFF_AFTER, type Outcome } from './outcome.ts';

export interface DeliveryDeps {
  context: Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;
  /** The name of this process in its leases. */
  holder: string;
  outgoing: OutgoingClient;
  secretKey: () => SecretKey;
  metrics: DeliveryMetrics;
  rendering: Rendering;
  stop: AbortSignal;
  /** Where addresses of Discord lead in tests. */
  discordOrigin?: string | undefined;
}

/** What the steps of one webhook need, as it was read before the step. */
export interface Step {
  webhook: Webhook;
  progress: Progress;
  /** The newest first; of form `discord` the token. */
  secrets: readonly string[];
}

/** What comes of a request; undefined if the end of the process interrupted it. */
export type Send = (
  url: string,
  request: OutgoingRequest,
  outcomeOf: (response: OutgoingResponse, ms: number, now: number) => Outcome,
) => Promise<Outcome | undefined>;

/** The messages of a form of webhook. */
export interface Receiver {
  /** A change, for the first time or again. */
  sendChange(change: Change): Promise<Outcome | undefined>;
  /** A logged message that is no change. */
  sendMessage(row: Delivery): Promise<Outcome | undefined>;
  /** Asks a webhook that waits whether it accepts messages again. */
  probe(): Promise<Outcome | undefined>;
}

/** Switches a webhook off and tells its owners. @returns whether it was on */
export const switchOff = (tx: Queryable, now: number, key: number, reason: WebhookReason): Promise<boolean> =>
  turnOff(tx, now, key, reason, LIMITS.webhookMail.windowMs);

/** @returns whether the webhook is off because all its attempts have failed for too long */
export async function turnOffAfterFailures(tx: Queryable, now: number, { webhook, progress }: Step): Promise<boolean> {
  const { attempts, failing } = await progress.failures(tx);
  if (failing === null || failing > now - OFF_AFTER.ms || attempts < OFF_AFTER.attempts) return false;
  await switchOff(tx, now, webhook.key, 'failures');
  return true;
}
