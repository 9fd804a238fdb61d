import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import type { FeedItem } from './mirror-disk.ts';
import type { Following, MirrorValue } from './mirror-value.ts';
import { withResources } from './reading.ts';

/** A mirror to which changes are delivered. */
export const WEBHOOK_MIRRORS = {
  webhook: { follow, receives: true },
} satisfies Record<string, MirrorValue>;

/** Within the time that a delivery may take. */
const READ_MS = 10_000;
const RETRY_MS = 200;

interface Message {
  type: string;
  data: FeedItem & { challenge?: string };
}

async function follow(following: Following): Promise<void> {
  const { port, secret } = following.receiver!;
  const verifier = new Verifier(secret);
  const server = createServer((request, response) => {
    void receive(following, verifier, request, response).catch((error: Error) => {
      // A cut request.
      if (!request.complete) return;
      following.disk.fault(`a delivery failed: ${error.stack}`);
      response.writeHead(500).end();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'close');
}

async function receive(
  following: Following,
  verifier: Verifier,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readText(request);
  const { type, data } = verifier.verify(text, request.headers as Record<string, string>) as Message;
  if (type === 'webhook.verification') return void response.end(JSON.stringify({ challenge: data.challenge }));
  if (type === 'feed.reset') following.disk.reset('delivered');
  else if (!type.startsWith('webhook.')) {
    const complete = await complemented(following, data);
    if (complete === undefined) return void response.writeHead(500).end();
    following.disk.apply(complete, 'unordered');
  }
  response.writeHead(204).end();
}

/** The change with its resource; undefined if that cannot be read in time. */
async function complemented(following: Following, { match: _, ...item }: FeedItem & { match?: object }) {
  for (const end = performance.now() + READ_MS; performance.now() < end; await sleep(RETRY_MS)) {
    const complete = await withResources(following, [item]);
    if (complete !== undefined) return complete;
  }
  return undefined;
}
