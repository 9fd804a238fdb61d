import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { codeOf, type Fields, serviceWithSteve } from './flow.ts';
import { CALLBACK, makeApplication } from './support.ts';

test('a wrong redirect URI, code and verifier get descriptions of their own', async (t) => {
  const { services, application, redeem } = await serviceWithSteve(t);
  const verifier = 'x'.repeat(43);
  const challenge = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const describe = async (code: string, more: Fields): Promise<string> => {
    const { status, body } = await redeem(code, more);
    assert.deepEqual([status, body['error']], [400, 'invalid_grant']);
    return String(body['error_description']);
  };
  const code = await codeOf(services, application.client_id, challenge);
  const good = { code_verifier: verifier };
  assert.match(await describe('wrong', good), /^The code is unknown, has expired/);
  assert.match(await describe(code, { ...good, redirect_uri: `${CALLBACK}/` }), /^redirect_uri must be the same/);
  assert.match(await describe(code, { code_verifier: 'y'.repeat(43) }), /^code_verifier does not match/);
  assert.match(await describe(code, {}), /^code_verifier is missing/);
  const other = await makeApplication(services, 'service');
  const otherClient = { client_id: other.application.client_id, client_secret: other.secret! };
  assert.match(
    await describe(code, { ...good, ...otherClient }),
    /^The code is unknown/,
    'nobody learns that it exists',
  );
  assert.equal((await redeem(code, good)).status, 200, 'the mistakes have not used it up');
  assert.match(await describe(code, good), /^The code has been used before/);
  const plain = await codeOf(services, application.client_id);
  assert.match(await describe(plain, good), /had no code_challenge/);
  services.context.clock.advance(60_000);
  assert.match(await describe(plain, {}), /has expired/);
});
