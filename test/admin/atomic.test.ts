import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { signOutAccount } from '#admin/accounts.ts';
import { perform, refuse, type Working } from '#admin/operation.ts';
import type { Db, Transaction } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { account } from '#test/support/builders.ts';
import { type Dialect, onEachDatabase, testContext } from '#test/support/context.ts';
import { refuseAudit } from '#test/support/refused-audit.ts';
import { rowsOf, tableNames } from '#test/support/database-content.ts';
import { allOperations, EXAMPLES, nameIn } from './all-examples.ts';

const SECRET_KEY = 'a secret that is long enough for tests';

/** All rows of all tables: what an operation that did not happen has not changed. */
const everything = async (db: Db): Promise<string[]> => (await rowsOf(db, await tableNames(db))).toSorted();

/** Runs the command of each example, and compares the database before and after it. */
async function assertNoneHappens(
  t: TestContext,
  url: string,
  run: (db: Db, name: string, command: () => Promise<string>, before: string[]) => Promise<void>,
): Promise<void> {
  const context = await testContext(t, url, { SECRET_KEY });
  const { db } = context;
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-atomic-'));
  t.after(() => rm(folder, { recursive: true }));
  let number = 100;
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const twin = await example.prepare(context, `Atom${number++}`);
    const args = await example.command(twin, folder);
    const before = await everything(db);
    const command = async (): Promise<string> => {
      const { status, err } = await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
      assert.equal(status, 1, `${args.join(' ')}: ${err}`);
      return err;
    };
    await run(db, name, command, before);
    assert.deepEqual(await everything(db), before, `${name} changed something`);
    // Other jobs wait for a paused one, and other examples would wait with them.
    await db.run(sql`update jobs set state = 'done', finished = created where finished is null`);
  }
}

onEachDatabase('an operation whose audit entry is refused changes nothing', async (t, url) => {
  await assertNoneHappens(t, url, async (db, name, command) => {
    await using _ = await refuseAudit(db);
    assert.match(await command(), /the audit log is full/, name);
  });
});

onEachDatabase('an operation that is interrupted before its commit changes nothing', async (t, url, dialect) => {
  const operations = Map.groupBy(await allOperations(), (operation) => operation.name);
  await assertNoneHappens(t, url, async (_db, name, command, before) => {
    const own = operations.get(nameIn(name))!;
    const runs = own.map(({ run }) => run);
    let interrupted = 0;
    own.forEach((operation, place) => {
      operation.run = async (working, ...rest) => {
        const result = await runs[place]!(working, ...rest);
        interrupted++;
        await interrupt(working.tx, url, dialect, before);
        return result;
      };
    });
    try {
      await command();
    } finally {
      own.forEach((operation, place) => (operation.run = runs[place]!));
    }
    assert.equal(interrupted, 1, name);
  });
});

/**
 * Ends the connection, as the end of the process does. SQLite has none: a copy of its files is what the next process finds
 * when this one is killed now.
 */
async function interrupt(tx: Transaction, url: string, dialect: Dialect, before: string[]): Promise<void> {
  if (dialect === 'postgres') return void (await tx.all(sql`select pg_terminate_backend(pg_backend_pid())`));
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-killed-'));
  const copy = join(folder, 'copy.db');
  try {
    for (const suffix of ['', '-wal']) await copyFile(`${url}${suffix}`, `${copy}${suffix}`);
    await using db = await openDb(copy);
    assert.deepEqual(await everything(db), before);
  } finally {
    await rm(folder, { recursive: true });
  }
  throw new Error('The process is killed.');
}

onEachDatabase('an operation that refuses after it has written changes nothing', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const ann = await account(context, 'Ann');
  const before = await everything(db);
  const late = {
    ...signOutAccount,
    refused: { too_late: () => 'It is too late.' },
    run: async ({ tx }: Working) => {
      await tx.run(sql`update accounts set role = 'operator'`);
      return refuse('too_late');
    },
  };
  const outcome = await perform(
    late,
    { ...context, actor: { via: 'command', account_id: null, name: 'test', address: '' } },
    ann,
    {},
  );
  assert.deepEqual(outcome, { refused: 'too_late' });
  assert.deepEqual(await everything(db), before);
});
