import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { Background } from '#auth/background.ts';
import { clientInfo } from '#auth/client-info.ts';

test('work about an account begins only when the response has been sent', async () => {
  const background = new Background(pino({ level: 'silent' }));
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let begun = 0;
  const begin = async (): Promise<void> => void begun++;
  clientInfo.run({ address: '', agent: '', answered }, () => background.run(begin));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun, 0);
  answer();
  await background.settled();
  assert.equal(begun, 1);
  background.run(begin);
  await background.settled();
  assert.equal(begun, 2, 'outside of a request it begins immediately');
});
