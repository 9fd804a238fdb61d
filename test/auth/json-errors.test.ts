import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, serviceWithSteve } from './flow.ts';

/** What Java's HttpURLConnection sends unless it is told otherwise, in JDK 17 and in newer ones. */
const ACCEPT = ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'text/html, image/gif, image/jpeg, */*; q=0.2'];

const form = (fields: Fields): RequestInit => ({ method: 'POST', body: new URLSearchParams(fields) });

test('endpoints for programs answer errors as JSON to clients that prefer HTML', async (t) => {
  const { services, credentials } = await serviceWithSteve(t);
  const wrong = { client_id: credentials.client_id, client_secret: 'wrong' };
  const requests: [path: string, init: RequestInit, status: number, error: string][] = [
    ['token', form({ ...credentials, grant_type: 'authorization_code', code: 'x' }), 400, 'invalid_request'],
    ['token', form({ ...wrong, grant_type: 'client_credentials' }), 401, 'invalid_client'],
    ['userinfo', { headers: { authorization: 'Bearer x' } }, 401, 'invalid_token'],
    ['userinfo', {}, 401, 'invalid_token'],
    ['revoke', form(credentials), 400, 'invalid_request'],
    ['introspect', form({ ...wrong, token: 'x' }), 401, 'invalid_client'],
    [
      'par',
      form({ ...credentials, response_type: 'code', redirect_uri: 'https://x.example/' }),
      400,
      'invalid_request',
    ],
    ['tokeninfo', form({ id_token: 'x' }), 400, 'invalid_token'],
    ['tokeninfo', form({ id_token: 'x'.repeat(500_000) }), 413, 'invalid_request'],
  ];
  for (const accept of ACCEPT)
    for (const [path, init, status, error] of requests) {
      const headers = { ...(init.headers as Fields), accept };
      const response = await fetch(`${services.auth}/oauth/${path}`, { ...init, headers });
      assert.match(response.headers.get('content-type')!, /^application\/json/, path);
      const body = (await response.json()) as Fields;
      assert.deepEqual([response.status, body['error']], [status, error], `${path} ${JSON.stringify(body)}`);
      assert.ok(body['error_description'], path);
    }
});
