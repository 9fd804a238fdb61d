import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';

const PROGRAM = `
  import { openLog } from '#platform/process/log.ts';
  const log = openLog('info', process.env.FORMAT);
  log.debug('not shown');
  log.info({ route: '/v1/matches/:id', status: 404, agent: 'two words', token: 'hidden', of: { a: 1 } }, 'request');
  log.warn('alone');
  log.error({ err: new Error('with \\u001b[31m colour\\nand a line') }, 'request failed');
`;

function logOf(format: string): string {
  const args = ['--input-type=module', '--eval', PROGRAM];
  const env = { ...CHILD_ENVIRONMENT, FORMAT: format };
  return spawnSync(process.execPath, args, { env, cwd: import.meta.dirname, encoding: 'utf8' }).stderr;
}

test('LOG_FORMAT=text writes time, level, message and fields; a further line of an entry is indented', () => {
  const lines = logOf('text').split('\n');
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  const fields = String.raw`route=/v1/matches/:id status=404 agent="two words" token="\[Redacted\]" of=\{"a":1\}`;
  assert.match(lines[0]!, new RegExp(`^${time} INFO  request ${fields}$`));
  assert.match(lines[1]!, new RegExp(`^${time} WARN  alone$`));
  assert.match(lines[2]!, new RegExp(`^${time} ERROR request failed$`));
  assert.equal(lines[3], '    Error: with \u{fffd}[31m colour');
  assert.equal(lines[4], '    and a line');
  assert.ok(lines.slice(5, -1).every((line) => line.startsWith('        at ')));
});

test('LOG_FORMAT=json writes an object a line, with the levels and times of docs/monitoring.md', () => {
  const entries = logOf('json').trimEnd().split('\n').map((line) => JSON.parse(line)); // prettier-ignore
  assert.deepEqual(entries.map(({ level, msg }) => [level, msg]), [[30, 'request'], [40, 'alone'], [50, 'request failed']]); // prettier-ignore
  for (const { time } of entries) {
    assert.equal(new Date(time).toISOString(), time);
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
  }
});
