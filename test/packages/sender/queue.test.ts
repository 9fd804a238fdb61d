import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DiskQueue } from '#sender/queue.ts';

const CROWDED = fileURLToPath(new URL('crowded.ts', import.meta.url));
const folder = (): string => mkdtempSync(join(tmpdir(), 'queue-'));

async function ingestAll(queue: DiskQueue): Promise<string[]> {
  const accepted: string[] = [];
  for (let chunk = await queue.peek(10, 100_000); chunk !== undefined; chunk = await queue.peek(10, 100_000)) {
    accepted.push(...chunk.lines);
    await queue.advance(chunk.next);
  }
  return accepted;
}

for (const cut of ['cut', 'uncut'])
  test(`an append that fits only in part fails and does not damage later lines: ${cut}`, async () => {
    const own = folder();
    const script = 'ulimit -f 8; exec "$@"';
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, CROWDED, own, cut], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const promised = JSON.parse(await text(child.stdout)) as string[];
    assert.ok(promised.length >= 5);
    const queue = await DiskQueue.open(own);
    assert.deepEqual(await ingestAll(queue), promised);
    await queue.close();
  });

test('lines are not returned before their fsync, since the append may still fail', async (t) => {
  const queue = await DiskQueue.open(folder());
  t.after(() => queue.close());
  assert.deepEqual(await ingestAll(queue), []);
  const [asked, synced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = await open(import.meta.filename);
  const sync = t.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'datasync', () => {
    asked.resolve();
    return synced.promise;
  });
  await handle.close();
  const refused = assert.rejects(queue.append(['"taken back"']), /no room/);
  await asked.promise;
  const early = await queue.peek(10, 1_000);
  synced.reject(new Error('no room'));
  await refused;
  sync.mock.restore();
  if (early !== undefined) await queue.advance(early.next);
  await queue.append(['"kept"']);
  assert.deepEqual([early, await ingestAll(queue)], [undefined, ['"kept"']]);
});
