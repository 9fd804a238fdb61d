import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { Background } from '#auth/background.ts';
import { clientInfo } from '#auth/client-info.ts';

test('work about an account begins only when the response has been sent', async () => {
  const background = new Background(pino({ level: 'silent' }));
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let runs = 0;
  const work = async (): Promise<void> => void runs++;
  clientInfo.run({ address: '', agent: '', answered }, () => background.run(work));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(runs, 0);
  answer();
  await background.settled();
  assert.equal(runs, 1);
  background.run(work);
  await background.settled();
  assert.equal(runs, 2, 'outside of a request it begins immediately');
});
