import assert from 'node:assert/strict';
import { openDb } from '#db/open.ts';
import { passwordMatches } from '#platform/crypto/passwords.ts';
import { sql } from '#db/sql.ts';
import { passwordOf } from '#store/accounts/accounts.ts';
import { onSqlite } from '#test/support/context.ts';
import { scorehall, scorehallProcess, scorehallWith } from './scorehall.ts';

const PASSWORD = 'correct horse  battery ';

const createAccount = (name: string) => [
  'account',
  'create',
  '--name',
  name,
  '--email',
  `${name}@example.org`,
  '--json',
];

onSqlite('a password is read from stdin, so that no process list shows it', async (_t, url) => {
  const env = { DATABASE_URL: url, NETWORK_NAME: 'Overcast' };
  const stdin = (name: string, input: string) => scorehallWith(input, env, ...createAccount(name), '--password-stdin');
  const made = scorehallProcess(`${PASSWORD}\nanother line\n`, env, ...createAccount('Ann'), '--password-stdin');
  assert.deepEqual([made.status, made.err], [0, '']);
  const { id } = JSON.parse(made.out) as { id: string };
  assert.equal((await stdin('Cleo', `${PASSWORD}\r\n`)).status, 0);
  assert.equal((await stdin('Dora', PASSWORD)).status, 0, 'the last line needs no newline');
  for (const [input, sentence] of [
    ['', /no line on stdin/],
    ['\n', /no line on stdin/],
    ['short\n', /too short: it needs 10 to 256 characters/],
    ['password123\n', /too easy/],
    ['Overcast-1234\n', /too easy.*not the name of the network/],
    ['bob@example.org\n', /too easy/],
    ['Q1W2E3R4T5Y6\n', /too common: it is one of the 3,000/],
    ['x'.repeat(10_000), /longer than 4096 characters/],
  ] as const) {
    const refused = await stdin('Bob', input);
    assert.equal(refused.status, 2, refused.out);
    assert.match(refused.err, sentence);
  }
  const refused = await scorehall(env, ...createAccount('Bob'), '--password', PASSWORD, '--password-stdin');
  assert.match(refused.err, /--password-stdin or --password, not both/);
  assert.equal((await scorehall(env, ...createAccount('Bob'), '--password', PASSWORD)).status, 0);

  await using db = await openDb(url);
  assert.equal(await passwordMatches(PASSWORD, await passwordOf(db, id)), true, 'spaces are part of the password');
  assert.equal((await db.all(sql`select id from accounts`)).length, 4);
  assert.doesNotMatch(JSON.stringify(await db.all(sql`select * from audit`)), /horse|password/);
});
