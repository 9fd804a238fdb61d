import fc from 'fast-check';
import type { WireEvent } from '#events/schema/index.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { historyOf } from '#test/events/generated-history.ts';
import { type Sender, STEPS } from './history-steps.ts';
import type { Reply } from '#test/support/request.ts';
import { fileName } from './recording.ts';
import { playIngestExtras } from './ingest-extras.ts';
import { recordRequest } from './requests.ts';
import type { World } from './world.ts';

/** Servers with their keys, as `server create` printed them. */
export type Keys = Record<string, string>;

const SERVERS = ['Alpha', 'Beta', 'Gamma', 'Lobby'];

/** Plays the history of events: by the keys of servers over HTTP, by the operator with `import events`. */
export async function playHistory(world: World): Promise<{ keys: Keys; types: Set<string> }> {
  const keys: Keys = {};
  for (const [order, server] of SERVERS.entries()) {
    const { out } = await world.command(
      'server',
      'create',
      '--name',
      server,
      '--region',
      'eu',
      '--order',
      `${order}`,
      '--max',
      '20',
      '--json',
    );
    keys[server] = /shk_[\w-]+/.exec(out)![0];
  }
  const player = new Player(world, keys);
  for (const [title, sender, events] of STEPS) {
    await player.send(title, sender, events);
    world.advance(1_000);
  }
  const { out } = await world.command('server', 'key', 'create', '--name', 'Alpha', '--test', '--json');
  await playIngestExtras(player, keys, /shk_[\w-]+/.exec(out)![0]);
  await playGenerated(player);
  await runJobsOnce(world.context);
  return { keys, types: player.accepted };
}

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

/** A random history with a fixed seed: late, contradicting and repeated events. */
async function playGenerated(player: Player): Promise<void> {
  const [generated] = fc.sample(historyOf(240, 240), { seed: 33, numRuns: 1 });
  const senders: Record<string, Sender> = { operator: 'operator', 0: 'Alpha', 1: 'Beta', 2: 'Gamma' };
  let batch: unknown[] = [];
  let last: Sender | undefined;
  for (const { sender, event: one } of generated!) {
    const from = senders[sender]!;
    if (last !== undefined && (from !== last || batch.length === 20))
      await player.send('generated', last, batch.splice(0));
    last = from;
    batch.push(one);
  }
  await player.send('generated', last!, batch);
  batch = generated!.filter(({ sender }) => sender === 0).map(({ event: one }) => one);
  await player.send('generated again', 'Alpha', batch.slice(0, 30));
}
