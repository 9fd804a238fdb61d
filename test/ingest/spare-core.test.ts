import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { threadsOf } from '#base/cores.ts';
import { type Served, serve } from '../commands/scorehall.ts';
import { ask } from '../support/ask.ts';

/** Reads something and tells the ingest something, over and over, until something is so. */
async function load({ addresses }: Served, done: () => boolean): Promise<void> {
  const repeat = async (door: string, path: string, method: string): Promise<void> => {
    while (!done()) {
      const { status } = await ask(addresses[door]!, path, { method });
      assert.equal(status, method === 'GET' ? 200 : 401);
      await setImmediate();
    }
  };
  await Promise.all([repeat('API', '/v1/openapi.json', 'GET'), repeat('INGEST', '/events', 'POST')]);
}

/** The cores of the main thread, and of every other. */
function placed({ child }: Served): { main: string; others: string[] } {
  const threads = threadsOf(child.pid!);
  const main = threads.find(({ id }) => id === child.pid)!;
  return { main: main.cores.join(), others: threads.filter((one) => one !== main).map(({ cores }) => cores.join()) };
}

function isSpared(house: Served, all: string): boolean {
  const { main, others } = placed(house);
  return main === all && others.every((cores) => cores.length < all.length || !all.includes(','));
}

test('threads of the ingest leave a core to the service while both are used, unless the operator says no', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'spare-'));
  const start = (name: string, more: NodeJS.ProcessEnv): Promise<Served> =>
    serve({ DATABASE_URL: join(folder.path, name, 'scorehall.db'), ...more });
  const [sparing, other] = await Promise.all([start('auto', {}), start('off', { SPARE_CORE: 'off' })]);
  t.after(() => [sparing, other].map(({ child }) => child.kill('SIGKILL')));
  const { main: all } = placed(sparing);
  let spared = false;
  const done = (): boolean => (spared ||= isSpared(sparing, all));
  await Promise.all([load(sparing, done), load(other, done)]);
  assert.deepEqual([...new Set(placed(other).others)], [all]);
});

test('a machine without taskset serves all the same and is told what would help, once', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'spare-'));
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  await symlink('/bin/sh', join(bin, 'sh'));
  const house = await serve({ PATH: bin, DATABASE_URL: join(folder.path, 'scorehall.db') });
  t.after(() => house.child.kill('SIGKILL'));
  const { main: all } = placed(house);
  const warnings = (): Served['log'] => house.log.filter(({ level }) => level >= 40);
  await load(house, () => warnings().length > 0 || !all.includes(','));
  assert.deepEqual([...new Set(placed(house).others)], [all]);
  for (const { msg, err } of warnings()) {
    assert.match(msg, /install taskset .* or set SPARE_CORE=off/);
    assert.equal(err?.message, 'taskset: not found');
  }
  assert.ok(warnings().length <= 1);
  let more = 0;
  await load(house, () => ++more > 200);
  assert.ok(warnings().length <= 1);
});
