import assert from 'node:assert/strict';
import { secretHash } from '#platform/crypto/secrets.ts';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { finishPseudonyms } from '#events/anonymise.ts';
import { onEachDatabase, testHall, testHouse } from '#test/support/context.ts';
import { Person } from './person.ts';
import { makeAccount, openTestSignIn, PASSWORD, send } from './support.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const ALEX = { uuid: '99999999-2222-4333-8444-555555555555', name: 'Alex' };

onEachDatabase('a copy of the database tells neither codes nor UUIDs to whoever tries them all', async (t, url) => {
  const house = await openTestSignIn(t, url);
  const [same, other] = [
    await testHall(t, url),
    await testHall(t, url, { SECRET_KEY: 'another secret that is long enough' }),
  ];
  for (const hall of [same, other]) hall.clock.advance(house.hall.clock.now() - hall.clock.now());
  const warned: unknown[] = [];
  other.log.warn = (line: unknown) => void warned.push(line);
  same.log.warn = other.log.warn;
  await testHouse(same, ['API']);
  assert.equal(warned.length, 0);
  await testHouse(other, ['API']);
  assert.match(String(warned), /^SECRET_KEY, .* is not the one that this database has been used with/);

  await makeAccount(house, 'Ann');
  const ann = new Person(house.auth);
  await ann.open('/sign-in');
  await ann.submit({ login: 'Ann', password: PASSWORD });
  await ann.open('/account/link');
  const [code] = /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(ann.text)!;
  const plain = code.replace('-', '');
  const kept = JSON.stringify(await house.hall.db.all(sql`select * from link_codes`));
  for (const tried of [plain, code, plain.toLowerCase()]) assert.ok(!kept.includes(secretHash(tried)));
  const typed = (hall: typeof same) => send(hall, 'account.link', { player: ALEX, code });
  const refused = await typed(other);
  assert.equal(refused.status, 'rejected', 'the key is what opens it');
  assert.equal((await typed(same)).status, 'accepted', 'every process of the installation knows it');

  const account = await makeAccount(house, 'Someone', STEVE);
  await deleteAccount(house.hall.db, house.hall.clock.now(), account.id);
  await finishPseudonyms(house.hall.db);
  const hidden = JSON.stringify(await house.hall.db.all(sql`select * from pseudonyms`));
  for (const tried of [STEVE.uuid, STEVE.uuid.replaceAll('-', ''), STEVE.uuid.toUpperCase()])
    assert.ok(!hidden.includes(secretHash(tried)) && !hidden.includes(tried));
  await send(same, 'player.login', { player: STEVE });
  const seen = await house.hall.db.all(sql`select uuid from players where uuid = ${STEVE.uuid}`);
  assert.deepEqual(seen, [], 'every process of the installation knows who deleted the account');
});
