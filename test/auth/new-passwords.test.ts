import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Person } from './person.ts';
import { openWorldOnSqlite } from './world.ts';

test('a new password must not be made up of the network’s name', async (t) => {
  const { services } = await openWorldOnSqlite(t, { NETWORK_NAME: 'Overcast' });
  const person = new Person(services.auth);
  const register = async (password: string): Promise<number> =>
    (await person.post('/register', { name: 'Robin', email: 'robin@example.org', password, flow: '' })).status;
  assert.equal(await register('OVERCAST12345'), 422);
  assert.match(person.text, /too easy to guess/);
  assert.equal(await register('Overcast123456'), 200, 'six further characters are enough');
});
