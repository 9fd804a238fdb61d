import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { numberOption, readOptions } from '#bench/command.ts';

const START = 'import("#bench/command.ts").then(({ runCommand, readOptions }) =>';

async function run(work: string, ...args: string[]): Promise<[code: number, output: string, errors: string]> {
  const script = `${START} runCommand('How to use it', async (args) => { ${work} }));`;
  const child = spawn(process.execPath, ['-e', script, '--', 'command', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return [code as number, output, errors];
}

test('a command for developers prints its usage, and a wrong option in one sentence', async () => {
  assert.deepEqual(await run('console.log("measured")', '--help'), [0, 'How to use it\n', '']);
  assert.deepEqual(await run('console.log("measured")'), [0, 'measured\n', '']);
  const wrong = "readOptions('How to use it', { args, options: { only: { type: 'string' } } });";
  const [code, output, errors] = await run(wrong, '--onyl', 'x');
  assert.deepEqual([code, output], [2, '']);
  assert.match(errors, /^Unknown option '--onyl'[^\n]*\n\nHow to use it\n$/);
  const fault = await run('throw new Error("a fault of ours")');
  assert.equal(fault[0], 1);
  assert.match(fault[2], /Error: a fault of ours\n +at /, 'a fault of ours keeps its stack trace');
});

test('a number of a developer command is above 0, and whole where that matters', () => {
  assert.equal(numberOption('rounds', undefined), undefined);
  assert.equal(numberOption('rounds', '2'), 2);
  assert.equal(numberOption('rate', '0.5', 'any'), 0.5);
  for (const value of ['0', '-1', '1.5', 'x', '', '1e400', '9007199254740992'])
    assert.throws(() => numberOption('rounds', value), {
      name: 'UsageError',
      message: /^--rounds must be a whole number/,
    });
  for (const value of ['0', '-0.5', 'x', 'Infinity'])
    assert.throws(() => numberOption('rate', value, 'any'), { message: /^--rate must be a number above 0 \(it is/ });
  assert.throws(() => readOptions('Usage', { args: ['--only'], options: { only: { type: 'string' } } }), {
    name: 'UsageError',
    message: /\n\nUsage$/,
  });
});
