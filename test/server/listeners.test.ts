import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { openServices } from '#server/listeners.ts';
import { onSqlite } from '#test/support/context.ts';

onSqlite('an address that is in use may become free, one that the user may not listen on will not', async (_, url) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const start = async (API_LISTEN: string): Promise<void> => {
    await using context = await openAppContext(readConfig({ DATABASE_URL: url, API_LISTEN, LOG_LEVEL: 'silent' }));
    const services = await openServices(context, ['API']);
    await services[Symbol.asyncDispose]();
  };
  await assert.rejects(start(`127.0.0.1:${port}`), {
    name: 'TemporaryError',
    message: /something listens there already/,
  });
  other.close();
  await assert.rejects(start('/no/such/folder/socket'), { name: 'UsageError', message: /there is no such folder/ });
  await start(`127.0.0.1:${port}`);
});
