import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, testContext, testServices } from '#test/support/context.ts';

test('every service with an https address asks browsers to use only https, the others do not', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const names = ['API', 'AUTH', 'SITE', 'INGEST'] as const;
  const settings = { API_URL: 'https://api.example.org', AUTH_URL: 'https://auth.example.org' };
  const more = { SITE_URL: 'https://example.org', INGEST_URL: 'https://ingest.example.org' };
  const context = await testContext(t, database.url, { ...settings, ...more, SMTP_URL: 'smtp://127.0.0.1:1' });
  const addresses = await testServices(context, [...names]);
  for (const name of names) {
    const paths = { API: '/v1/servers', AUTH: '/sign-in', SITE: '/', INGEST: '/none' };
    const { headers } = await fetch(addresses[name]! + paths[name]);
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', name);
  }
  const consolePage = await fetch(`${addresses.SITE!}/console`);
  assert.equal(consolePage.headers.get('strict-transport-security'), 'max-age=31536000');
  const plain = await testServices(await testContext(t, database.url), ['API']);
  assert.equal((await fetch(`${plain.API!}/v1/servers`)).headers.get('strict-transport-security'), null);
});
