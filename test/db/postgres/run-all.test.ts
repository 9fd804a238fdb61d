import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { type Db, isUniqueViolation } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { createPostgresDatabase } from '#test/support/postgres.ts';

/** A line to the database that can be held: what the server says then waits, what it is told still goes through. */
interface HeldLine {
  port: number;
  /** Waits until this was said to the server. */
  hears(text: string): Promise<void>;
  hold(): void;
  release(): void;
}

async function openLine(t: TestContext, server: URL): Promise<HeldLine> {
  const path = `${server.searchParams.get('host')}/.s.PGSQL.${server.port}`;
  const answers: Socket[] = [];
  let told = '';
  let waiting: [text: string, heard: () => void][] = [];
  const line = createServer((client) => {
    const database = connect(path);
    answers.push(database);
    for (const socket of [client, database]) socket.on('error', () => undefined);
    database.pipe(client);
    client.on('data', (chunk) => {
      told += (chunk as Buffer).toString('latin1');
      database.write(chunk);
      for (const [text, received] of waiting) if (told.includes(text)) received();
      waiting = waiting.filter(([text]) => !told.includes(text));
    });
    client.on('close', () => database.destroy());
  }).listen(0);
  await once(line, 'listening');
  t.after(() => line.close());
  return {
    port: (line.address() as AddressInfo).port,
    hears: async (text) => {
      if (!told.includes(text)) await new Promise<void>((received) => waiting.push([text, received]));
    },
    hold: () => answers.forEach((socket) => socket.pause()),
    release: () => answers.forEach((socket) => socket.resume()),
  };
}

async function openThrough(t: TestContext): Promise<{ db: Db; line: HeldLine }> {
  const made = await createPostgresDatabase();
  const url = new URL(made.url);
  const line = await openLine(t, url);
  url.searchParams.delete('host');
  [url.hostname, url.port] = ['127.0.0.1', String(line.port)];
  const db = await openDb(url.href);
  t.after(async () => {
    await db.close();
    await made.drop();
  });
  await db.migrating((tx) => tx.script('create table words (word text primary key)'));
  return { db, line };
}

const insert = (word: string) => sql`insert into words (word) values (${word})`;

test('PostgreSQL gets the statements of one call together, without waiting for each', async (t) => {
  const { db, line } = await openThrough(t);
  await db.transaction(async (tx) => {
    await tx.run(insert('first'));
    line.hold();
    const all = tx.runAll([insert('second'), insert('third')]);
    await line.hears('second');
    await line.hears('third');
    line.release();
    await all;
  });
  assert.deepEqual(await db.tuples(sql`select word from words order by word`), [['first'], ['second'], ['third']]);
  await assert.rejects(db.runAll([insert('fourth'), insert('first'), insert('fifth')]), isUniqueViolation);
  assert.equal((await db.tuples(sql`select word from words`)).length, 3);
});
