import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, post, requestFor, serviceWithSteve } from './flow.ts';
import { Person } from './person.ts';
import { CALLBACK } from './support.ts';

test('parameters of an authorization request that are too long are refused with a sentence, and store nothing', async (t) => {
  const { services, credentials } = await serviceWithSteve(t);
  const rows = async (): Promise<number> =>
    (await services.context.db.all({ strings: ['select hash from tokens'], values: [] })).length;
  const before = await rows();
  const cases: [fields: Fields, sentence: RegExp][] = [
    [{ state: 's'.repeat(2_001) }, /state must not be longer than 2000 characters/],
    [{ nonce: 'n'.repeat(2_001) }, /nonce must not be longer than 2000 characters/],
    [{ login_hint: 'x'.repeat(8_000) }, /parameters must not be longer than 8000 characters/],
  ];
  for (const [fields, sentence] of cases) {
    const person = new Person(services.auth, { accept: 'text/html' });
    await person.open(requestFor(services, credentials.client_id, fields));
    assert.equal(person.page.status, 400);
    assert.match(person.text, sentence);
    const request = { ...credentials, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', ...fields };
    const { status, body } = await post(services, '/oauth/par', request);
    assert.deepEqual([status, body['error']], [400, 'invalid_request']);
    assert.match(String(body['error_description']), sentence);
  }
  assert.equal(await rows(), before);
  const tooLong = new URLSearchParams({ state: 's'.repeat(2_001) });
  for (const path of ['/oauth/authorize/', '/OAuth/Authorize', '/oauth/logout', '/oauth/Logout/']) {
    const request = requestFor(services, credentials.client_id).replace('/oauth/authorize', path);
    const { status } = await new Person(services.auth).open(`${request}&${tooLong.toString()}`);
    assert.equal(status, 400, path);
  }
  assert.equal(await rows(), before);
  const longest = { state: 's'.repeat(2_000), nonce: 'n'.repeat(2_000) };
  const person = new Person(services.auth);
  assert.equal((await person.open(requestFor(services, credentials.client_id, longest))).status, 200);
});
