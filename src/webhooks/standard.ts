import { challengeOf } from '#store/applications/webhooks/webhooks.ts';
import type { Change } from '#store/game/changes.ts';
import type { Delivery, MessageType } from '#store/applications/webhooks/deliveries.ts';
import type { DeliveryDeps, Receiver, Send, Step } from './delivery-step.ts';
import { changeMessage, type Message, otherMessage } from './messages.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { signedHeaders } from './signature.ts';

/** Sends signed messages as Standard Webhooks describes them. */
export class StandardReceiver implements Receiver {
  readonly #deps: DeliveryDeps;
  readonly #step: Step;
  readonly #send: Send;

  constructor(deps: DeliveryDeps, step: Step, send: Send) {
    this.#deps = deps;
    this.#step = step;
    this.#send = send;
  }

  async sendChange(change: Change): Promise<Outcome | undefined> {
    const { context, rendering } = this.#deps;
    const { id, cursor } = this.#step.webhook;
    return await this.#post(await changeMessage(context.db, rendering, { id, feed: cursor.feed }, change));
  }

  async sendMessage({ type: text, number, created }: Delivery): Promise<Outcome | undefined> {
    const { webhook } = this.#step;
    const type = text as MessageType;
    const data = {
      'webhook.verification': { challenge: challengeOf(this.#deps.context.db, webhook) },
      'webhook.test': { webhook: webhook.id },
      'webhook.probe': { webhook: webhook.id },
      'feed.reset': { continues: webhook.after_reset },
    }[type];
    return await this.#post(otherMessage({ id: webhook.id, number }, type, created, data as never));
  }

  async probe(): Promise<Outcome | undefined> {
    const { id } = this.#step.webhook;
    const now = this.#deps.context.clock.now();
    return await this.#post(otherMessage({ id, number: now }, 'webhook.probe', now, { webhook: id }));
  }

  async #post({ id, body }: Message): Promise<Outcome | undefined> {
    const { webhook, secrets } = this.#step;
    const signed = signedHeaders(secrets, { id, time: this.#deps.context.clock.now(), body });
    const headers = { ...signed, 'content-type': 'application/json' };
    return await this.#send(webhook.url, { method: 'POST', headers, body }, outcomeOf);
  }
}
