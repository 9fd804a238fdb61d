import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Event, openSender, type Sender } from '#sender/index.ts';

const NOWHERE = 'http://127.0.0.1:9';
const folder = (): string => mkdtempSync(join(tmpdir(), 'sender-'));
const open = (own: string): Promise<Sender> => openSender({ url: NOWHERE, key: 'k', folder: own });
const locks = (own: string): string[] => readdirSync(own).filter((name) => name.endsWith('.lock'));

/** Starts another process that opens a sender on a folder. */
async function other(t: TestContext, own: string) {
  const sender = `openSender({ url: '${NOWHERE}', key: 'k', folder: process.argv[1] })`;
  const script = `import { openSender } from '#sender/index.ts';
    await ${sender}; console.log('open'); setInterval(() => {}, 1e9);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, own], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a folder can have one open sender at a time', async (t) => {
  const own = folder();
  const first = await open(own);
  await assert.rejects(open(own), new RegExp(`in use by a sender of process ${process.pid}\\.`));
  await first.close();
  const second = await open(own);
  t.after(() => second.close());
  await first.close();
  await assert.rejects(open(own), /in use/);
});

test('a folder is locked while another process has it open, and free after that process died', async (t) => {
  const own = folder();
  const child = await other(t, own);
  await assert.rejects(open(own), new RegExp(`in use by a sender of process ${child.pid}\\.`));
  assert.equal(locks(own).length, 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await open(own)).close();
  assert.deepEqual(locks(own), []);
});

test('the lock file of an ended process with the same id does not lock the folder', async (t) => {
  const own = folder();
  const child = await other(t, folder());
  // Only Linux reveals when another process started.
  const pids = existsSync('/proc/self/stat') ? [process.pid, child.pid] : [process.pid];
  for (const pid of pids) writeFileSync(join(own, `${pid}-7-of-another-start.lock`), '');
  await (await open(own)).close();
  assert.deepEqual(locks(own), []);
});

test('a closed sender accepts no events', async () => {
  const own = folder();
  const sender = await open(own);
  await sender.close();
  const event = { version: 1, id: 'late', type: 'player.login', time: '', data: {} } as unknown as Event;
  for (let attempts = 0; attempts < 2; attempts++) await assert.rejects(sender.send(event), /closed/);
  const next = await open(own);
  await assert.rejects(sender.send(event), /closed/);
  await next.close();
});
