import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { processUsage } from './child.ts';

/** The baseline: a bare `node:http` server that sends recorded responses of the measured service. */
interface Sample {
  status: number;
  headers: string[];
  body: string;
}

let samples: Sample[] = [];
let next = 0;

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  const { status, headers, body } = samples[next++ % samples.length]!;
  response.writeHead(status, headers).end(status === 304 ? undefined : body);
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', (message: Sample[] | 'usage') => {
  if (message !== 'usage') samples = message;
  process.send!(processUsage());
});
process.on('disconnect', () => process.exit());
