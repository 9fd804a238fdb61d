import { Webhooks } from '#webhooks/webhooks.ts';
import { type Received, Receiver } from '#test/webhooks/support.ts';
import type { World } from './world.ts';

/** Delivers webhooks to a receiver, and records what it gets. */
export class Deliveries implements AsyncDisposable {
  readonly #world: World;
  readonly #receiver: Receiver;
  readonly #webhooks: Webhooks;
  readonly #stack: AsyncDisposableStack;

  private constructor(world: World, receiver: Receiver, stack: AsyncDisposableStack) {
    this.#world = world;
    this.#receiver = receiver;
    this.#stack = stack;
    this.#webhooks = stack.use(new Webhooks(world.context, { discordOrigin: receiver.origin }));
  }

  static async open(world: World): Promise<Deliveries> {
    const stack = new AsyncDisposableStack();
    const receiver = await Receiver.open({ after: (close) => stack.defer(async () => await close()) });
    // A channel answers with the id of its message.
    receiver.answer = ({ path }) =>
      path.startsWith('/api/') ? { status: 200, body: JSON.stringify({ id: '1048576123456789' }) } : 204;
    return new Deliveries(world, receiver, stack);
  }

  get url(): string {
    return this.#receiver.url;
  }

  /** Sends everything that is due. @returns the challenge of a message, if one has any */
  async deliver(): Promise<string | undefined> {
    const { received } = this.#receiver;
    for (let before = -1; before < received.length;) {
      before = received.length;
      await this.#webhooks.tick();
      await this.#webhooks.settled();
    }
    const messages = received.splice(0);
    const { recording, name } = this.#world;
    // Those to several receivers arrive in any order.
    const byReceiver = Object.groupBy(messages, ({ path }) => (path === '/hook' ? 'messages' : 'channel'));
    for (const [file, some] of Object.entries(byReceiver))
      await recording.write(`${name}/webhooks/${file}.txt`, some.map(textOf).join('\n----\n'));
    return messages.flatMap(({ body: { data } }) => (data === undefined ? [] : (data['challenge'] ?? []))).at(-1) as
      string | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function textOf({ path, headers, body }: Received): string {
  const sent = Object.entries(headers).filter(([name]) => /^(webhook-|content-type|user-agent)/.test(name));
  const lines = sent.map(([name, value]) => `${name}: ${String(value)}`).sort();
  return [path, ...lines, '', JSON.stringify(body, null, 1)].join('\n');
}
