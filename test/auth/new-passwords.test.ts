import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { dataFolder } from '#platform/config/config.ts';
import { breachedPasswordsFile } from '#platform/crypto/breached-passwords.ts';
import { importBreachedPasswords } from '#platform/crypto/breached-passwords-import.ts';
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

test('registration, change and reset refuse a password of the operator’s list, at once when it is imported', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { services, mail } = world;
  const folder = dataFolder(services.context.config);
  const breached = 'an old tune of the sea';
  await makeAccount(services, 'Robin');
  const person = await signIn(world, 'Robin');
  const change = async (): Promise<number> => {
    await person.open('/account/password');
    return (await person.submit({ current: PASSWORD, password: breached }, '/account/password')).status;
  };
  const reset = new Person(services.auth);
  await reset.open('/forgot');
  await reset.submit({ login: 'Robin' });
  const { links } = await mail.next('robin@example.org');
  await importBreachedPasswords(Readable.from([Buffer.from(`${breached}\n`)]), folder);
  assert.equal(await change(), 422);
  assert.match(person.text, /in a list of passwords that were stolen somewhere/);
  await reset.open(`${links[0]!}&lang=ja`);
  await reset.submit({ password: breached });
  assert.equal(reset.page.status, 422);
  assert.match(reset.text, /流出したパスワードの一覧/);
  const fields = { name: 'Wren', email: 'wren@example.org', password: breached, flow: '' };
  assert.equal((await reset.post('/register', fields)).status, 422);
  // A damaged list does not keep people from choosing a password.
  writeFileSync(breachedPasswordsFile(folder), 'damaged');
  assert.equal(await change(), 200);
});

/** The kinds of passwords that a page asks a password manager for. */
const autocomplete = async (reader: Person, path: string): Promise<(string | undefined)[]> => {
  const { html } = await reader.open(path);
  assert.doesNotMatch(html, /onpaste|<script/, path);
  const fields = [...html.matchAll(/<input[^>]*name="(?:password|current)"[^>]*>/g)].map(([field]) => field);
  for (const field of fields) assert.match(field, /type="password"/, path);
  return fields.map((field) => /autocomplete="([^"]*)"/.exec(field)?.[1]);
};

test('fields of passwords hide them, and pasting and password managers fill them in', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const visitor = new Person(world.services.auth);
  assert.deepEqual(await autocomplete(visitor, '/sign-in'), ['current-password']);
  assert.deepEqual(await autocomplete(visitor, '/register'), ['new-password']);
  assert.deepEqual(await autocomplete(person, '/account/password'), ['new-password', 'current-password']);
});

test('the list has the 3,000 commonest passwords that are long enough', () => {
  const lines = readFileSync(COMMON_PASSWORDS_FILE, 'utf8').trimEnd().split('\n');
  const passwords = lines.filter((line) => !line.startsWith('#'));
  assert.equal(new Set(passwords).size, 3_000);
  for (const password of passwords) assert.match(passwordProblem(password) ?? '', /^(easy|common)$/, password);
});

test('the name of the network or account is no password, with or without blanks, digits and signs', () => {
  const personal = ['Gullwing Quay', 'robin_hood', '夜明けの港', 'League of Quoits'];
  const refused = [
    'Gullwing Quay',
    'gullwingquay',
    'GullwingQuay2026',
    'Gullwing Quay 1234567890',
    'gull-wing_quay!2026!',
    '2026 gullwing 2027 quay 2028',
    'gullwingquaygullwingquay',
    'quay gullwing 2026',
    '2026-Quay-2027-Gullwing',
    'gullwing 20261128',
    'hood_robin_19981231',
    'quoits of league 77',
    'robinhood19981231',
    '夜明けの港 20261123',
  ];
  for (const password of refused) assert.equal(passwordProblem(password, ...personal), 'easy', password);
  const accepted = [
    '5829104736',
    'gullwing lantern 7',
    'quay lantern gullwing',
    'a gull over the quay',
    'robin-4829-xkqzt',
    '港の夜明けに鳴る鐘の音色',
  ];
  for (const password of accepted) assert.equal(passwordProblem(password, ...personal), undefined, password);
  assert.equal(passwordProblem('mast seat meats tame', 'S_T_E_A_M'), undefined, 'letters of a name are no words');
  for (const password of ['s t e a m 2026', 'steam-steam-steam', 'team the a 2026'])
    assert.equal(passwordProblem(password, 'S_T_E_A_M', 'The A Team'), 'easy', password);
});
