import assert from 'node:assert/strict';
import { test } from 'node:test';
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
