import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ChangeStreams } from '#api/streams/change-streams.ts';
import { openAppContext } from '#context/context.ts';
import { systemClock } from '#platform/clock.ts';
import type { FromStreams, ToStreams } from './streams.ts';
import { addThreadMetrics, STREAMS } from './thread-metrics.ts';

/** Entry of the process that sends the events of streams, as long as the service is connected to it (streams.ts). */

// A terminal and systemd send them to all processes of a service, which then stops this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
const disconnected = once(process, 'disconnect');
const [first] = (await Promise.race([once(process, 'message'), disconnected])) as [
  Extract<ToStreams, { config: unknown }> | undefined,
];
// The service ended before it said anything.
if (first === undefined) process.exit();
await using context = await openAppContext(first.config, systemClock, { service: first.service });
addThreadMetrics(context.metrics, STREAMS);
const streams = new ChangeStreams(context);

function reply(message: FromStreams): void {
  if (process.connected) process.send!(message, undefined, {}, () => undefined);
}

type Follow = Extract<ToStreams, { follow: number }>;

async function follow({ follow: id, order, hasChunks }: Follow, socket?: Socket): Promise<void> {
  // The client can have closed the connection on its way here.
  if (socket !== undefined) {
    socket.setNoDelay(true);
    socket.resume();
    await streams.follow(socket, order, hasChunks);
  }
  reply({ ended: id });
}

process.on('message', (message: ToStreams, socket?: Socket) => {
  if (message === 'stop') streams.stop();
  else if ('follow' in message) void follow(message, socket);
  else if ('metrics' in message)
    void context.metrics.getMetricsAsJSON().then((list) => reply({ metrics: message.metrics, list }));
});
reply('ready');
await disconnected;
streams.stop();
