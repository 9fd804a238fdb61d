import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { type Db, isUniqueViolation } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createPostgresDatabase } from '#test/support/postgres.ts';

/** A proxy to PostgreSQL that can hold back the server's responses while it still forwards queries. */
interface Proxy {
  port: number;
  /** Waits until a client has sent this text. */
  received(text: string): Promise<void>;
  holdResponses(): void;
  releaseResponses(): void;
}

async function openProxy(t: TestContext, server: URL): Promise<Proxy> {
  const path = `${server.searchParams.get('host')}/.s.PGSQL.${server.port}`;
  const upstreams: Socket[] = [];
  let received = '';
  let waiting: [text: string, resolve: () => void][] = [];
  const proxy = createServer((client) => {
    const upstream = connect(path);
    upstreams.push(upstream);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.pipe(client);
    client.on('data', (chunk) => {
      received += (chunk as Buffer).toString('latin1');
      upstream.write(chunk);
      for (const [text, resolve] of waiting) if (received.includes(text)) resolve();
      waiting = waiting.filter(([text]) => !received.includes(text));
    });
    client.on('close', () => upstream.destroy());
  }).listen(0);
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  return {
    port: (proxy.address() as AddressInfo).port,
    received: async (text) => {
      if (!received.includes(text)) await new Promise<void>((resolve) => waiting.push([text, resolve]));
    },
    holdResponses: () => upstreams.forEach((socket) => socket.pause()),
    releaseResponses: () => upstreams.forEach((socket) => socket.resume()),
  };
}

async function openThroughProxy(t: TestContext): Promise<{ db: Db; proxy: Proxy }> {
  const database = await createPostgresDatabase();
  const url = new URL(database.url);
  const proxy = await openProxy(t, url);
  url.searchParams.delete('host');
  [url.hostname, url.port] = ['127.0.0.1', String(proxy.port)];
  const db = await openDb(url.href);
  t.after(async () => {
    await db.close();
    await database.drop();
  });
  await db.migrating((tx) => tx.script('create table words (word text primary key)'));
  return { db, proxy };
}

const insert = (word: string) => sql`insert into words (word) values (${word})`;

test('runAll sends its statements to PostgreSQL without waiting for each result', async (t) => {
  const { db, proxy } = await openThroughProxy(t);
  await db.transaction(async (tx) => {
    await tx.run(insert('first'));
    proxy.holdResponses();
    const inserts = tx.runAll([insert('second'), insert('third')]);
    await proxy.received('second');
    await proxy.received('third');
    proxy.releaseResponses();
    await inserts;
  });
  assert.deepEqual(await db.tuples(sql`select word from words order by word`), [['first'], ['second'], ['third']]);
  await assert.rejects(db.runAll([insert('fourth'), insert('first'), insert('fifth')]), isUniqueViolation);
  assert.equal((await db.tuples(sql`select word from words`)).length, 3);
});
