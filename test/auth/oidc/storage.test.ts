import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD } from '../support.ts';
import { Person } from '../person.ts';

test('the database contains no code, token, cookie, secret or password in plain text', async (t) => {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  await makeAccount(services, 'Steve');
  const { application, secret } = await makeApplication(services, 'service');
  const person = new Person(services.auth);
  const query = {
    client_id: application.client_id,
    response_type: 'code',
    scope: 'openid profile',
    redirect_uri: CALLBACK,
  };
  const request = `${services.auth}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  await person.open(request);
  const step = person.cookie('scorehall_step')!;
  const callback = await authorize(services.auth, request, 'Steve', person);
  const code = callback.searchParams.get('code')!;
  const fields = { ...query, client_secret: secret!, grant_type: 'authorization_code', code };
  const response = await fetch(`${services.auth}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  const tokens = (await response.json()) as Record<string, string>;
  await person.open(`${request}&prompt=login`);
  await person.open(`${services.auth}/account/link`);
  const linkCode = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
  const secrets = {
    ...{ step, code, secret, password: PASSWORD, linkCode, session: person.cookie('scorehall_session') },
    ...{ step2: person.cookie('scorehall_step'), resume: person.cookie('scorehall_resume') },
    ...{ access: tokens['access_token'], refresh: tokens['refresh_token'], id: tokens['id_token'] },
  };
  await services.context.db.run({ strings: ['update accounts set locale = locale'], values: [] });
  const stored = ['', '-wal'].map((end) => readFileSync(`${database.url}${end}`).toString('latin1')).join('');
  for (const [name, value] of Object.entries(secrets)) {
    assert.ok(value !== undefined && value.length >= 8, name);
    assert.ok(!stored.includes(value), `${name} is in the database`);
    assert.ok(!stored.includes(value.replaceAll('-', '')), `${name} is in the database`);
  }
  assert.doesNotMatch(stored, /"d":|"kty"/, 'no private key either');
});
