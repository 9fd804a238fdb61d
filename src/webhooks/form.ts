import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import type { OutgoingClient, OutgoingRequest, OutgoingResponse } from '#http/outgoing.ts';
import type { WriteTimestamp } from '#http/timestamps.ts';
import type { Change } from '#store/game/changes.ts';
import type { Delivery } from '#store/applications/webhooks/deliveries.ts';
import type { Webhook } from '#store/applications/webhooks/webhooks.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { Outcome } from './outcome.ts';

export interface DeliveryDeps {
  context: Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;
  /** The name of this process in its leases. */
  holder: string;
  outgoing: OutgoingClient;
  secretKey: () => SecretKey;
  metrics: DeliveryMetrics;
  /** How the data API writes timestamps. */
  timestamp: WriteTimestamp;
  stop: AbortSignal;
  /** Where addresses of Discord lead in tests. */
  discordOrigin?: string | undefined;
}

export interface Request extends OutgoingRequest {
  url: string;
}

/** The first message of some changes. */
export interface Batch {
  /** The changes that it has. */
  changes: readonly Change[];
  /** The number of the last change that needs no other message. */
  last: number;
  /** Undefined if none of the changes needs a message. */
  request: Request | undefined;
}

/** What a webhook of one form sends. */
export interface Form {
  /** @param isAgain whether the owner asks for it, or an earlier attempt failed */
  batch(changes: readonly Change[], isAgain: boolean): Promise<Batch>;
  /** A logged message that is no change. */
  message(row: Delivery): Request;
  /** What a response means. */
  outcome(response: OutgoingResponse, now: number): Pick<Outcome, 'kind' | 'pauseMs'>;
}

/** A webhook as it was read before a message, with its secrets: the newest first; of form `discord` the token. */
export interface Addressee {
  webhook: Webhook;
  secrets: readonly string[];
}
