import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { Working } from '#admin/operation.ts';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { type ChangeType, readFeed, recordChanges, type ResourceKind } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';
import type { Application } from '#store/applications/applications.ts';
import { deliveriesBefore, type Delivery } from '#store/applications/webhooks/deliveries.ts';
import {
  addWebhook,
  markVerified,
  type NewWebhook,
  type Webhook,
  webhookById,
} from '#store/applications/webhooks/webhooks.ts';
import { Webhooks, type WebhooksOptions } from '#webhooks/webhooks.ts';
import { application } from '#test/support/builders.ts';
import { type Closing, type TestAppContext, testContext } from '#test/support/context.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

/** How a receiver answers a message: a status, or more. */
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string };
export type Answering = (message: Received) => Reply | Promise<Reply>;

/** A receiver on this machine. */
export class Receiver {
  readonly received: Received[] = [];
  url = '';
  answer: Answering = () => 204;

  static async open(t: Closing, answer?: Answering): Promise<Receiver> {
    const receiver = new Receiver();
    if (answer !== undefined) receiver.answer = answer;
    const listener: RequestListener = (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const body = (text === '' ? {} : JSON.parse(text)) as Received['body'];
        const message = { path: request.url!, headers: request.headers, text, body };
        receiver.received.push(message);
        const respond = async (): Promise<void> => {
          const reply = await receiver.answer(message);
          const { status, headers: own = {}, body = '' } = typeof reply === 'number' ? { status: reply } : reply;
          response.writeHead(status, own).end(body);
        };
        void respond();
      });
    };
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    return receiver;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** The messages since the last call, in brief. */
  take(): string[] {
    return this.received.splice(0).map(({ body }) => shown(body));
  }
}

const shown = ({ type, data }: Received['body']): string =>
  type.includes('.') && 'revision' in data ? `${type} ${String(data['revision'])}` : type;

/** Verifies messages by the package of Standard Webhooks, which compares their times with that of this machine. */
export function verify({ headers, text }: Received, secret: string): unknown {
  const time = Number(headers['webhook-timestamp']) * 1000;
  const { now } = Date;
  Date.now = () => time;
  try {
    return new Verifier(secret).verify(text, headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}

interface WebhookOperation<Fields> {
  run: (working: Working, webhook: Webhook, fields: Fields, impact: undefined) => Promise<unknown>;
}

export interface WebhookWorld {
  context: TestAppContext;
  app: Application;
  /** Starts the deliveries that are due, and waits for them. */
  deliver(): Promise<void>;
  add(
    receiver: Receiver,
    wanted?: Partial<NewWebhook> & { unverified?: true },
  ): Promise<{ id: string; secret: string }>;
  /** Records changes of resources. */
  change(...changes: [ResourceKind, number, ChangeType?][]): Promise<void>;
  webhook(id: string): Promise<Webhook>;
  /** Runs an operation without its entry in the audit log. */
  operate<Fields>(operation: WebhookOperation<Fields>, id: string, fields: Fields): Promise<unknown>;
  log(id: string): Promise<Delivery[]>;
  open(options?: WebhooksOptions): Webhooks;
}

export async function webhookWorld(t: TestContext, url: string, options: WebhooksOptions = {}): Promise<WebhookWorld> {
  const context = await testContext(t, url, { WEBHOOK_NETWORKS: '127.0.0.1:*' });
  const { db, clock, config } = context;
  const app = await application(context);
  const open = (more: WebhooksOptions = {}): Webhooks => {
    const opened = new Webhooks(context, { ...options, ...more });
    const closeContext = context[Symbol.asyncDispose].bind(context);
    context[Symbol.asyncDispose] = async () => {
      await opened[Symbol.asyncDispose]();
      await closeContext();
    };
    return opened;
  };
  const webhooks = open();
  return {
    context,
    app,
    open,
    deliver: async () => {
      await webhooks.tick();
      await webhooks.settled();
    },
    add: async (receiver, { unverified, ...wanted } = {}) => {
      const { id: feed, head } = await readFeed(db);
      const kinds = ['match', 'map', 'punishment', 'player', 'server'] as const;
      const cursor = { feed, number: head };
      const facts = { url: receiver.url, form: 'standard', kinds, after_reset: 'head', cursor, ...wanted } as const;
      const added = await addWebhook(db, clock.now(), openSecretKey(config), { key: app.key, ...facts });
      assert.ok(added !== undefined);
      const { key } = (await webhookById(db, added.id))!;
      if (unverified === undefined && facts.form === 'standard') {
        await markVerified(db, clock.now(), key);
        await db.run({ strings: ['delete from webhook_deliveries'], values: [] } as never);
      }
      return { id: added.id, secret: added.secret ?? '' };
    },
    change: async (...changes) =>
      await db.transaction(async (tx) => {
        await Keys.lock(tx);
        const recorded = changes.map(([kind, key, type = 'created']) => ({ kind, key, type }));
        await recordChanges(tx, recorded, clock.now());
      }),
    webhook: async (id) => (await webhookById(db, id))!,
    operate: async ({ run }, id, fields) => {
      const webhook = await webhookById(db, id);
      return await db.transaction((tx) => run({ ...context, tx } as unknown as Working, webhook!, fields, undefined));
    },
    log: async (id) => await deliveriesBefore(db, (await webhookById(db, id))!.key, 1e9, 100),
  };
}
