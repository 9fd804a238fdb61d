import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockService } from '#db/sqlite/locks.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

function newFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'lock-')), 'x.db');
  writeFileSync(file, '', { mode: 0o640 });
  return file;
}

test('processes with shared limits use one SQLite file together, one with limits of its own alone', () => {
  const file = newFile();
  const first = lockService(file, true);
  const second = lockService(file, true);
  assert.ok(first && second);
  assert.equal(lockService(file, false), undefined);
  first[Symbol.dispose]();
  assert.equal(lockService(file, false), undefined);
  second[Symbol.dispose]();
  const alone = lockService(file, false);
  assert.ok(alone);
  for (const isShared of [true, false]) assert.equal(lockService(file, isShared), undefined);
  alone[Symbol.dispose]();
  lockService(file, true)![Symbol.dispose]();
  assert.equal(statSync(`${file}-service`).mode & 0o777, 0o640);
});

const HOLDER = `
  import { lockService } from '#db/sqlite/locks.ts';
  globalThis.lock = lockService(process.env.FILE, false);
  console.log(globalThis.lock === undefined ? 'refused' : 'locked');
  setInterval(() => undefined, 1000);
`;

test('of two processes that start at once one is refused, and SIGKILL releases its lock', async () => {
  const file = newFile();
  const env = { PATH: process.env['PATH'], FILE: file };
  const start = () =>
    spawn(process.execPath, ['--input-type=module', '--eval', HOLDER], { env, cwd: import.meta.dirname });
  const children = [start(), start()];
  const outcomes = await Promise.all(children.map(async ({ stdout }) => String(await once(stdout, 'data'))));
  assert.deepEqual(outcomes.toSorted(), ['locked\n', 'refused\n']);
  assert.equal(lockService(file, false), undefined);
  await Promise.all(children.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
  lockService(file, false)![Symbol.dispose]();
});

onEachDatabase(
  'the second service on a database starts only if all share their limits, or it is PostgreSQL',
  async (t, url) => {
    const start = async (COUNTERS: string) =>
      await openServicesInThreads(await testContext(t, url, { COUNTERS, INTERNAL_LISTEN: '127.0.0.1:0' }), []);
    const isSqlite = !url.startsWith('postgres');
    const refused = { name: 'TemporaryError', message: /^Another process of the service .*COUNTERS=database/ };
    const first = await start('memory');
    if (isSqlite) for (const counters of ['memory', 'database']) await assert.rejects(start(counters), refused);
    else await (await start('memory'))[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await using shared = await start('database');
    assert.match(shared.internal, /^http:/);
    await (await start('database'))[Symbol.asyncDispose]();
    if (isSqlite) await assert.rejects(start('memory'), refused);
  },
);
