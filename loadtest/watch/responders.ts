import { createServer } from 'node:net';
import { statusPacket } from '#test/packages/watch/responder.ts';

/** Entry of the process with many responders: one port for each, all with the same status. Prints the ports as JSON. */
const count = Number(process.argv[2]);
const sample = Array.from({ length: 12 }, (_, index) => ({ name: `Player${index}`, id: '0' }));
const pgm = { 3: { state: 'running', participants: 40, map: { name: 'Harbour', tags: ['2teams', 'wool'] } } };
const packet = statusPacket(
  JSON.stringify({
    description: 'A server',
    favicon: `data:image/png;base64,${'A'.repeat(8_000)}`,
    players: { online: 50, max: 100, sample },
    bukkit_extra: { pgm },
  }),
);

async function listen(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(packet));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

const ports: number[] = [];
while (ports.length < count) ports.push(await listen());
console.log(JSON.stringify(ports));
