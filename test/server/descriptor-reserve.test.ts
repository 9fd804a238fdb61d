import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import type { Log } from '#platform/process/log.ts';
import { httpServer } from '#http/listener.ts';
import { descriptorLimit, keepDescriptors } from '#server/descriptor-reserve.ts';

test('connections leave the last descriptors to the internal listener, which is logged once', async (t) => {
  assert.ok(process.platform !== 'linux' || descriptorLimit() > 100);
  const entries: unknown[] = [];
  const log = { error: (...entry: unknown[]) => void entries.push(entry) } as unknown as Log;
  const open = async (keep: boolean, limit: number) => {
    const server = httpServer((_request, response) => void response.end('ok'));
    if (keep) keepDescriptors(server, 'api', log, limit);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return (server.address() as AddressInfo).port;
  };
  /** Whether a new connection gets a response. It stays open. */
  const isServed = async (port: number): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => void socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as unknown[];
    return Buffer.isBuffer(first);
  };
  // The next free descriptors, between which others may be open.
  const free = Array.from({ length: 12 }, () => openSync('/dev/null', 'r'));
  for (const descriptor of free) closeSync(descriptor);
  // A quarter is kept; below it there is room for some connections of this process, which holds both ends.
  const limit = Math.ceil((free.at(-1)! * 4) / 3);
  const [service, internal] = [await open(true, limit), await open(false, limit)];
  const served: boolean[] = [];
  while (served.at(-1) !== false && served.length < 40) served.push(await isServed(service));
  assert.ok(served.length > 2 && served.length < 40, String(served.length));
  assert.equal(await isServed(service), false);
  assert.equal(await isServed(internal), true);
  assert.deepEqual(entries, [[{ service: 'api', limit }, 'out of file descriptors: new connections are closed']]);
  const unlimited = await open(true, NaN);
  assert.equal(await isServed(unlimited), true);
});
