import assert from 'node:assert/strict';
import type { OutgoingClient } from '#http/outgoing.ts';
import { onSqlite } from '#test/support/context.ts';
import { type WebhookWorld, Receiver, webhookWorld } from './support.ts';

const metricsOf = async ({ context }: WebhookWorld): Promise<(name: string) => number | undefined> => {
  const text = await context.metrics.metrics();
  return (name) => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
};
const lag = (state: string): string => `scorehall_webhook_lag_seconds{state="${state}"}`;

onSqlite('the lag of webhooks has the state of the receiver, and a tick its time', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  assert.equal((await metricsOf(world))('scorehall_webhook_last_tick_timestamp_seconds'), 0);
  const receiver = await Receiver.open(t, () => 429);
  await world.add(receiver);
  await world.change(['map', 1]);
  await world.deliver();
  clock.advance(20_000);
  await world.deliver();
  clock.advance(1_000);
  const busy = await metricsOf(world);
  assert.deepEqual([busy(lag('on')), busy(lag('waiting'))], [0, 21]);
  assert.equal(busy('scorehall_webhook_last_tick_timestamp_seconds'), clock.now() / 1000 - 1);
  receiver.answer = () => 200;
  clock.advance(600_000);
  await world.deliver();
  await world.deliver();
  const done = await metricsOf(world);
  assert.deepEqual([done(lag('on')), done(lag('waiting'))], [0, 0]);
  assert.equal(done('scorehall_webhook_errors_total'), 0);
});

onSqlite('errors of the service are counted apart from those of receivers', async (t, url) => {
  const outgoing = {
    request: () => Promise.reject(new TypeError('a fault of the program')),
    [Symbol.dispose]: () => undefined,
  } as unknown as OutgoingClient;
  const world = await webhookWorld(t, url, { outgoing });
  await world.add(await Receiver.open(t));
  await world.change(['map', 1]);
  await world.deliver();
  assert.equal((await metricsOf(world))('scorehall_webhook_errors_total'), 1);
});
