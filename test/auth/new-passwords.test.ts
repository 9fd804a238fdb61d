import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMON_PASSWORDS_FILE, hashPassword, passwordProblem } from '#platform/crypto/passwords.ts';
import { setPassword } from '#store/accounts/account-changes.ts';
import { Person } from './person.ts';
import { makeAccount, PASSWORD } from './support.ts';
import { isSignedIn, openWorldOnSqlite, signIn } from './world.ts';

const COMMON = 'q1w2e3r4t5y6';

test('a new password must not be made up of the network’s name, nor be a common one', async (t) => {
  const { services } = await openWorldOnSqlite(t, { NETWORK_NAME: 'Overcast' });
  const person = new Person(services.auth);
  const register = async (password: string): Promise<number> =>
    (await person.post('/register', { name: 'Robin', email: 'robin@example.org', password, flow: '' })).status;
  assert.equal(await register('OVERCAST12345'), 422);
  assert.match(person.text, /too easy to guess/);
  assert.equal(await register('Overcast 20261123'), 422, 'blanks and digits do not count');
  assert.equal(await register('Overcast1anter'), 200, 'six further characters with a letter are enough');
  assert.equal(await register(COMMON.toUpperCase()), 422);
  assert.match(person.text, /one of the passwords that people use most/);
  await person.open('/register?lang=ja');
  assert.equal(await register(COMMON), 422);
  assert.match(person.text, /よく使われているパスワード/);
  assert.equal(await register(`${COMMON}y`), 200);
});

test('an account keeps a common password, but cannot choose one by change or reset', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { services, mail } = world;
  const { id } = await makeAccount(services, 'Robin');
  await setPassword(services.context.db, id, await hashPassword(COMMON));
  const person = await signIn(world, 'Robin', COMMON);
  assert.equal(await isSignedIn(person), true);
  await person.open('/account/password');
  await person.submit({ current: COMMON, password: 'Christopher' }, '/account/password');
  assert.equal(person.page.status, 422);
  assert.match(person.text, /one of the passwords that people use most/);
  await person.open('/forgot');
  await person.submit({ login: 'Robin' });
  const reset = new Person(services.auth);
  await reset.open((await mail.next('robin@example.org')).links[0]!);
  await reset.submit({ password: 'christopher' });
  assert.equal(reset.page.status, 422);
  await reset.submit({ password: PASSWORD });
  assert.match(reset.page.url, /done=reset/);
});

test('the list has the 3,000 commonest passwords that are long enough', () => {
  const lines = readFileSync(COMMON_PASSWORDS_FILE, 'utf8').trimEnd().split('\n');
  const passwords = lines.filter((line) => !line.startsWith('#'));
  assert.equal(new Set(passwords).size, 3_000);
  for (const password of passwords) assert.match(passwordProblem(password) ?? '', /^(easy|common)$/, password);
});

test('the name of the network or account is no password, with or without blanks, digits and signs', () => {
  const personal = ['Gullwing Quay', 'robin_hood', '夜明けの港'];
  const refused = [
    'Gullwing Quay',
    'gullwingquay',
    'GullwingQuay2026',
    'Gullwing Quay 1234567890',
    'gull-wing_quay!2026!',
    '2026 gullwing 2027 quay 2028',
    'gullwingquaygullwingquay',
    'robinhood19981231',
    '夜明けの港 20261123',
  ];
  for (const password of refused) assert.equal(passwordProblem(password, ...personal), 'easy', password);
  const accepted = [
    '5829104736',
    'gullwing lantern 7',
    'a gull over the quay',
    'robin-4829-xkqzt',
    '港の夜明けに鳴る鐘の音色',
  ];
  for (const password of accepted) assert.equal(passwordProblem(password, ...personal), undefined, password);
});
