import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSender } from '#sender/index.ts';
import { scorehall } from './scorehall.ts';

test('the agent takes every key that `server create` can print', async () => {
  // A file in place of the data folder: the agent ends as soon as it has read its options.
  const args = ['agent', '--server-dir', import.meta.dirname, '--data-dir', import.meta.filename];
  for (const key of [`shk_${'-'.repeat(43)}`, `shk_test_${'_'.repeat(43)}`, 'shk_a1-B2\n']) {
    const { status, err } = await scorehall({ INGEST_KEY: key }, ...args);
    assert.deepEqual([status, /The agent cannot start: E/.test(err)], [2, true], err);
  }
  for (const key of ['', 'shk_', 'Bearer shk_a', 'shk_a b']) {
    const { status, err } = await scorehall({ INGEST_KEY: key }, ...args);
    assert.deepEqual([status, /The key of the server is missing/.test(err)], [2, true], err);
  }
});

test('a wrong setting ends the agent with exit code 2, and what may pass by itself with 1', async (t) => {
  const server = mkdtempSync(join(tmpdir(), 'scorehall-agent-'));
  t.after(() => rmSync(server, { recursive: true }));
  const missing = await agentBeside(join(server, 'none'));
  assert.deepEqual([missing.status, missing.err.includes('--server-dir must be a folder that exists')], [2, true]);
  const folder = join(server, 'scorehall-agent/queue');
  mkdirSync(folder, { recursive: true });
  await using _ = await openSender({ url: 'http://127.0.0.1:1', key: 'shk_a', folder });
  const held = await agentBeside(server);
  assert.deepEqual([held.status, held.err.startsWith('scorehall: The agent cannot start: ')], [1, true], held.err);
});

const agentBeside = (folder: string): ReturnType<typeof scorehall> =>
  scorehall({ INGEST_KEY: 'shk_a' }, 'agent', '--server-dir', folder);
