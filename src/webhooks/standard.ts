import { createHmac } from 'node:crypto';
import { changeItem, headJson } from '#http/change-item.ts';
import type { OutgoingResponse } from '#http/outgoing.ts';
import { challengeOf, secretBytes } from '#store/applications/webhooks/webhooks.ts';
import { type Change, CHANGE_TYPES } from '#store/game/changes.ts';
import { matchHeadByKey } from '#store/game/matches.ts';
import type { Delivery, MessageType, VerificationProblem } from '#store/applications/webhooks/deliveries.ts';
import type { Addressee, Batch, DeliveryDeps, Form, Request } from './form.ts';
import { BUSY_MS, type Outcome, retryAfterMs } from './outcome.ts';

/** Signed messages, one for each change, as Standard Webhooks describes them. */
export class StandardForm implements Form {
  readonly #deps: DeliveryDeps;
  readonly #addressee: Addressee;

  constructor(deps: DeliveryDeps, addressee: Addressee) {
    this.#deps = deps;
    this.#addressee = addressee;
  }

  /** A change as `/v1/changes` lists it, with the head of a match: the receiver reads the rest by the address. */
  async batch([change]: readonly Change[]): Promise<Batch> {
    const { number, time } = change!;
    const { id, cursor } = this.#addressee.webhook;
    const item = changeItem(this.#rendering, change!);
    const data = { ...item, ...(await this.#headOf(change!)) };
    // Attempts of a message share its id.
    const request = this.#signed(`msg_${id}_${cursor.feed}_${number}`, item.type, time, data);
    return { changes: [change!], last: number, request };
  }

  /** Empty for a match that was withdrawn since: a newer change follows. */
  async #headOf({ kind, key, type }: Change): Promise<{ match?: object }> {
    const hasHead = kind === 'match' && !CHANGE_TYPES[type].removes;
    const found = hasHead ? await matchHeadByKey(this.#deps.context.db, key) : undefined;
    return found === undefined ? {} : { match: JSON.parse(`${headJson(this.#rendering, found)}}`) as object };
  }

  message({ type, number, created }: Delivery): Request {
    const { webhook } = this.#addressee;
    const data = {
      'webhook.verification': { challenge: challengeOf(this.#deps.context.db, webhook) },
      'webhook.test': { webhook: webhook.id },
      // Where the webhook continues: at the end of the feed, or at its beginning.
      'feed.reset': { continues: webhook.after_reset },
    }[type as MessageType];
    return this.#signed(`msg_${webhook.id}_log_${number}`, type, created, data);
  }

  get #rendering() {
    const { API_URL: api, SITE_URL: site } = this.#deps.context.config;
    return { timestamp: this.#deps.timestamp, api, site };
  }

  #signed(id: string, type: string, time: number, data: object): Request {
    const { webhook, secrets } = this.#addressee;
    const body = JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });
    const signed = signedHeaders(secrets, { id, time: this.#deps.context.clock.now(), body });
    const headers = { ...signed, 'content-type': 'application/json' };
    return { url: webhook.url, method: 'POST', headers, body };
  }

  /** A redirect is a failure. */
  outcome(response: OutgoingResponse, now: number): Pick<Outcome, 'kind' | 'pauseMs'> {
    const { status } = response;
    const pauseMs = retryAfterMs(response, now);
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'gone' };
    if (status === 429 || (status === 503 && pauseMs !== undefined))
      return { kind: 'busy', pauseMs: pauseMs ?? BUSY_MS };
    return { kind: 'failed' };
  }
}

/** The headers by which a receiver verifies a message: one signature for each valid secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, time, body }: { id: string; time: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * Why a response does not verify its receiver; empty if it does. A receiver proves by the challenge alone that it reads it: one
 * that returns whole requests proves nothing.
 */
export function notEchoed(response: string, challenge: string): '' | VerificationProblem {
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
