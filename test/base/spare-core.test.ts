import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setCores, threadsOf } from '#base/cores.ts';
import { openLog } from '#base/log.ts';
import { SpareCore, WRITER } from '#base/spare-core.ts';

const SECOND = 1_000;
const MS = 1e6;

/** A process with threads of its own, and what runs in it as a test says. */
async function watched(t: TestContext, { writes = false } = {}) {
  const stay = 'setInterval(() => {}, 1e9)';
  const worker = `new (require('node:worker_threads').Worker)('${stay}', { eval: true, name: '${WRITER}' })`;
  const script = writes ? `${worker}.on('online', () => console.log('up'))` : `${stay}; console.log('up')`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const pid = child.pid!;
  const ran = { main: 0, told: 0, waited: 0 };
  let at = 0;
  const core = new SpareCore(pid, openLog('silent'), {
    main: () => ran.main,
    told: () => ran.told,
    waited: () => ran.waited,
  });
  /** Lets time pass in which both threads ran so long, and looks. */
  const pass = async (main: number, told: number, ms = SECOND): Promise<void> => {
    ran.main += main * MS;
    ran.told += told * MS;
    await core.look((at += ms));
  };
  /** The same while the thread that writes has waited so long for a core. */
  const wait = async (waited: number, ms = SECOND): Promise<void> => {
    ran.waited += waited * MS;
    await pass(0, 500, ms);
  };
  /** The cores of the main thread, and those of each group of others, but the one that writes. */
  const placed = (): [main: string, others: string[]] => {
    const threads = threadsOf(pid);
    const main = threads.find(({ id }) => id === pid)!.cores.join();
    const others = threads.filter(({ id, name }) => id !== pid && name !== WRITER);
    return [main, [...new Set(others.map(({ cores }) => cores.join()))]];
  };
  const writer = (): string =>
    threadsOf(pid)
      .find(({ name }) => name === WRITER)!
      .cores.join();
  await core.look(at);
  return { pid, pass, wait, placed, writer };
}

/** Whether threads that had all these cores have one less, where there is one to spare. */
function assertSpared([main, others]: [string, string[]], all: string): void {
  assert.equal(main, all, 'the main thread keeps its cores');
  assert.equal(others.length, 1, 'all others are together');
  const [before, after] = [all.split(','), others[0]!.split(',')];
  assert.equal(after.length, Math.max(1, before.length - 1));
  assert.ok(after.every((core) => before.includes(core)));
}

/** The core that the others keep off; all there are where there is but one. */
function spareOf([all, [others]]: [string, string[]]): string {
  const spare = all.split(',').filter((core) => !others!.split(',').includes(core));
  return spare.length === 0 ? all : spare.join();
}

test('threads keep off one core while people are answered and much is told, and come back half a minute later', async (t) => {
  const { pass, placed } = await watched(t);
  const [all, everywhere] = placed();
  assert.deepEqual(everywhere, [all], 'a process begins with all its threads everywhere');
  const assertFree = (): void => assert.deepEqual(placed(), [all, [all]]);

  await pass(2, 500);
  assertFree();
  await pass(500, 20);
  assertFree();
  await pass(2.1, 20.1);
  assertFree();
  await pass(2.1, 20.1);
  assertSpared(placed(), all);
  await pass(0, 500, 29 * SECOND);
  assertSpared(placed(), all);
  await pass(500, 0, 0.5 * SECOND);
  assertSpared(placed(), all);
  await pass(0, 0, 0.5 * SECOND);
  assertFree();
  await pass(300, 300, 3 * SECOND);
  assertSpared(placed(), all);
});

test('threads keep off one core for the one that writes while nobody is answered', async (t) => {
  const { pass, placed, writer } = await watched(t, { writes: true });
  const [all] = placed();
  await pass(500, 20);
  assert.deepEqual([placed(), writer()], [[all, [all]], all]);
  await pass(2, 20.1);
  assertSpared(placed(), all);
  assert.equal(writer(), spareOf(placed()));
  await pass(500, 20.1);
  await pass(500, 20.1);
  assert.equal(writer(), spareOf(placed()), 'a page now and then is not worth a core');
  await pass(2, 20.1);
  await pass(2.1, 20.1);
  await pass(2.1, 20.1);
  assert.equal(writer(), spareOf(placed()));
  await pass(2.1, 20.1);
  assertSpared(placed(), all);
  assert.equal(writer(), placed()[1][0], 'answers go first');
  await pass(0, 600, 29 * SECOND);
  assert.equal(writer(), placed()[1][0]);
  await pass(0, 21, SECOND);
  assertSpared(placed(), all);
  assert.equal(writer(), spareOf(placed()));
  await pass(500, 0, 29 * SECOND);
  assertSpared(placed(), all);
  await pass(500, 0, SECOND);
  assert.deepEqual([placed(), writer()], [[all, [all]], all]);
});

test('the thread that writes goes where it likes for half a minute after a stranger has kept it waiting', async (t) => {
  const { pass, wait, placed, writer } = await watched(t, { writes: true });
  const [all] = placed();
  await wait(900);
  assert.equal(writer(), spareOf(placed()), 'what it has waited before it was alone says nothing');
  await wait(200);
  assert.equal(writer(), spareOf(placed()));
  await wait(200.1);
  assertSpared(placed(), all);
  assert.equal(writer(), all);
  await wait(0, 29 * SECOND);
  assert.equal(writer(), all);
  await wait(0);
  assert.equal(writer(), spareOf(placed()));
  await pass(500, 500, 3 * SECOND);
  await wait(900, 29 * SECOND);
  assert.equal(writer(), placed()[1][0], 'answers go first');
  await wait(900);
  assert.equal(writer(), spareOf(placed()), 'it has waited for others of its own');
  await wait(901);
  assert.equal(writer(), all);
});

test('a thread that comes later keeps off as well, and one that is elsewhere comes back', async (t) => {
  const { pid, pass, placed } = await watched(t);
  const [all] = placed();
  const [first] = all.split(',').map(Number);
  await pass(300, 300, 3 * SECOND);
  const one = threadsOf(pid).find(({ id }) => id !== pid)!;
  assert.equal(await setCores([one.id], all.split(',').map(Number)), '');
  await pass(300, 300, 3 * SECOND);
  assertSpared(placed(), all);
  assert.equal(await setCores([one.id], [first!]), '');
  await pass(0, 0, 30 * SECOND);
  assert.deepEqual(placed(), [all, [all]]);
});

test('the cores that a process was given are all there are, and of one none is spared', async (t) => {
  const { pid, pass, placed } = await watched(t);
  const { cores } = threadsOf(pid)[0]!;
  const threads = threadsOf(pid).map(({ id }) => id);
  assert.equal(await setCores(threads, cores.slice(0, 1)), '');
  await pass(300, 300, 3 * SECOND);
  assert.deepEqual(placed(), [String(cores[0]), [String(cores[0])]]);
});

test('a process that is not there is told of', async () => {
  const core = new SpareCore(2 ** 22 + 1, openLog('silent'), { main: () => 0, told: () => 0, waited: () => 0 });
  await assert.rejects(core.look(0), /ENOENT/);
});
