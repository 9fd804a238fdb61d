import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Receipt } from '#events/ledger/receipts.ts';
import { ReceiptLines } from '#ingest/receipt-lines.ts';
import { match } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { openIngestService } from './service.ts';

/** More than the buffers of a connection hold. */
const LARGE: Receipt = { id: 'a', status: 'rejected', reason: 'x'.repeat(16 * 1024 * 1024), place: '' };

test('nothing waits for a client that has gone without reading its receipts', { timeout: 10_000 }, async (t) => {
  const { promise: begins, resolve: begin } = Promise.withResolvers<{ lines: ReceiptLines; written: Promise<void> }>();
  const server = createServer((request, response) => {
    const lines = new ReceiptLines(request, response);
    begin({ lines, written: lines.write([LARGE]) });
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.write('POST /events HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  const { lines, written } = await begins;
  client.resetAndDestroy();
  await assert.rejects(written, /closed the connection/);
  await assert.rejects(lines.write([LARGE]), /closed the connection/);
});

onEachDatabase('a client may wait for the receipt of a line before it sends the next one', async (t, url) => {
  const { origin, alpha } = await openIngestService(t, url);
  const headers = { authorization: `Bearer ${alpha}`, 'content-type': 'application/x-ndjson' };
  const outgoing = request(`${origin}/events`, { method: 'POST', headers });
  t.after(async () => void outgoing.destroy());
  const statuses: string[] = [];
  outgoing.write(`${JSON.stringify(match())}\n`);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  for await (const line of createInterface({ input: response })) {
    statuses.push((JSON.parse(line) as Receipt).status);
    if (statuses.length === 6) outgoing.end();
    else outgoing.write(`${JSON.stringify(match())}\n`);
  }
  assert.deepEqual(statuses, Array(6).fill('accepted'));
});
