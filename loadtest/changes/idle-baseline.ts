import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bare `node:http` server of streams, which sends a comment every 15 s, and each message of its parent to all. */
const COMMENT_MS = 15_000;

const subscribers = new Set<ServerResponse>();
const sendAll = (text: string): void => {
  for (const subscriber of subscribers) subscriber.write(text);
};

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write(':\n\n');
  subscribers.add(response);
  response.on('close', () => subscribers.delete(response));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);
setInterval(() => sendAll(':\n\n'), COMMENT_MS);
process.on('message', (text: string) => sendAll(text));
process.on('disconnect', () => process.exit());
