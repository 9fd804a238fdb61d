import type { WireEvent } from '#events/schema/index.ts';
import type { Reply } from '#test/support/request.ts';
import type { Sender } from './history-steps.ts';
import { fileName } from './recording.ts';
import { recordRequest } from './requests.ts';
import type { World } from './world.ts';

/** Servers with their keys, as `server create` printed them. */
export type Keys = Record<string, string>;

/** Sends the steps of a history. */
export class Player {
  readonly #world: World;
  readonly #keys: Keys;
  #count = 0;
  /** The types of the events that were accepted over HTTP. */
  readonly accepted = new Set<string>();

  constructor(world: World, keys: Keys) {
    this.#world = world;
    this.#keys = keys;
  }

  async send(title: string, sender: Sender, events: readonly unknown[], more: Exchange = {}): Promise<void> {
    if (sender === 'operator') {
      const lines = events.map((one) => JSON.stringify(one)).join('\n');
      await this.#world.commandWith({ stdin: lines }, 'import', 'events', '-', '--json');
      return;
    }
    const { json } = await this.request(title, { token: this.#keys[sender]!, body: JSON.stringify(events), ...more });
    events.forEach((one, index) => {
      if ((json as { status: string }[])[index]?.status === 'accepted') this.accepted.add((one as WireEvent).type);
    });
  }

  async request(
    title: string,
    { token, body, path = '/events', method = 'POST', headers = {} }: Exchange,
  ): Promise<Reply> {
    const { recording, ingest: origin, name } = this.#world;
    const file = `${name}/ingest/${String(++this.#count).padStart(3, '0')}-${fileName(title)}.txt`;
    const wish = { method, token, headers: { 'content-type': 'application/json', ...headers } };
    return await recordRequest(recording, file, { origin, path, wish: body === undefined ? wish : { ...wish, body } });
  }
}

interface Exchange {
  token?: string;
  body?: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
}
