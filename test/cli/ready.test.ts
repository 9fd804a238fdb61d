import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { COMMIT, VERSION } from '#platform/version.ts';
import { scorehall } from './scorehall.ts';

describe('ready', () => {
  /** What `/readyz` answers, the last one again. */
  let answers: object[] = [];
  const server: Server = createServer((_, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  after(() => void server.close());

  const ready = { ready: true, version: VERSION, commit: COMMIT, checks: { database: 'ok' }, mail: 'ok' };
  const starting = { ready: false, version: VERSION, commit: COMMIT, checks: { database: 'ok', writes: 'no' } };

  async function ask(given: object[], ...args: string[]): Promise<{ status: number | null; text: string }> {
    if (!server.listening) await once(server, 'listening');
    answers = given;
    const { port } = server.address() as AddressInfo;
    const { status, out, err } = await scorehall({ INTERNAL_LISTEN: `127.0.0.1:${port}` }, 'ready', ...args);
    return { status, text: `${out}${err}`.replaceAll(String(port), 'PORT').trim() };
  }

  test('a ready process of this version passes, at once or while the command waits', async () => {
    const { status, text } = await ask([ready], '--json');
    assert.deepEqual([status, JSON.parse(text)], [0, { ready: true, version: VERSION, commit: COMMIT }]);
    assert.equal((await ask([starting, ready], '--wait', '60')).status, 0);
    assert.equal((await ask([{ ...ready, commit: 'abc' }], '--commit', 'abc')).status, 0);
  });

  test('what is not ready, or another version, fails with the reason', async () => {
    const cases: [answer: object, args: string[], text: string][] = [
      [starting, [], 'The service at 127.0.0.1:PORT is not ready: writes: no.'],
      [{ ...ready, version: '0.0.1', commit: '' }, [], `is ready, but runs version 0.0.1, not version ${VERSION}`],
      [{ ...ready, commit: 'abc' }, ['--commit', 'def'], `but runs version ${VERSION}, commit abc, not commit def.`],
      [{ ready: true, checks: {} }, [], 'of a version before this one, which does not say its commit.'],
      [{ hello: 'world' }, [], 'No service answers at 127.0.0.1:PORT: Another program answers.'],
    ];
    for (const [answer, args, expected] of cases) {
      const { status, text } = await ask([answer], ...args);
      assert.deepEqual([status, text.includes(expected)], [1, true], text);
    }
  });

  test('no service, and a wait that is no number', async () => {
    const { status, err } = await scorehall({ INTERNAL_LISTEN: '127.0.0.1:1' }, 'ready');
    assert.deepEqual(
      [status, /^scorehall: No service answers at 127\.0\.0\.1:1: .*ECONNREFUSED/.test(err)],
      [1, true],
      err,
    );
    assert.equal((await ask([ready], '--wait', '1h')).status, 2);
  });
});
