import fc from 'fast-check';
import { runJobsOnce } from '#server/jobs.ts';
import { historyOf } from '#test/events/generated-history.ts';
import { type Sender, STEPS } from './history-steps.ts';
import { playIngestExtras } from './ingest-extras.ts';
import { type Keys, Player } from './player.ts';
import type { World } from './world.ts';

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
