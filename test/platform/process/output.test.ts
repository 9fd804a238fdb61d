import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';

/** Every write to it fails with ENOSPC. */
const FULL_DISK = '/dev/full';

const PROGRAM = `
  import { openLog } from '#platform/process/log.ts';
  import { errorOutput } from '#platform/process/output.ts';
  const log = openLog('info');
  for (let line = 0; line < 3; line += 1) {
    log.info('one');
    errorOutput().write('two');
    await new Promise(setImmediate);
  }
  process.stdout.write('done');
`;

test('a full disk behind standard error does not end the process', { skip: !existsSync(FULL_DISK) }, () => {
  const full = openSync(FULL_DISK, 'w');
  const args = ['--input-type=module', '--eval', PROGRAM];
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: CHILD_ENVIRONMENT,
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.deepEqual([status, stdout], [0, 'done']);
});
