import assert from 'node:assert/strict';
import { secretHash } from '#platform/crypto/secrets.ts';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { Person } from './person.ts';
import { makeAccount, openTestAuth, PASSWORD, send } from './support.ts';
import { finishJobs } from '#test/support/jobs.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const ALEX = { uuid: '99999999-2222-4333-8444-555555555555', name: 'Alex' };

onEachDatabase('link codes and UUIDs cannot be guessed from the database without SECRET_KEY', async (t, url) => {
  // Opened before any service has started, so that its key is not refused yet.
  const other = await testContext(t, url, { SECRET_KEY: 'another secret that is long enough' });
  const services = await openTestAuth(t, url);
  const same = await testContext(t, url);
  for (const context of [same, other]) context.clock.advance(services.context.clock.now() - context.clock.now());
  await testServices(same, ['API']);
  await assert.rejects(testServices(other, ['API']), /SECRET_KEY is not that of this database/);

  await makeAccount(services, 'Ann');
  const ann = new Person(services.auth);
  await ann.open('/sign-in');
  await ann.submit({ login: 'Ann', password: PASSWORD });
  await ann.open('/account/link');
  const [code] = /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(ann.text)!;
  const plain = code.replace('-', '');
  const stored = JSON.stringify(await services.context.db.all(sql`select * from link_codes`));
  for (const guess of [plain, code, plain.toLowerCase()]) assert.ok(!stored.includes(secretHash(guess)));
  const typeCode = (context: typeof same) => send(context, 'account.link', { player: ALEX, code });
  const refused = await typeCode(other);
  assert.equal(refused.status, 'rejected', 'another SECRET_KEY does not match the code');
  assert.equal((await typeCode(same)).status, 'accepted', 'every process with the same key accepts it');

  const account = await makeAccount(services, 'Someone', STEVE);
  await deleteAccount(services.context.db, services.context.clock.now(), account.id);
  await finishJobs(services.context.db);
  const pseudonyms = JSON.stringify(await services.context.db.all(sql`select * from pseudonyms`));
  for (const guess of [STEVE.uuid, STEVE.uuid.replaceAll('-', ''), STEVE.uuid.toUpperCase()])
    assert.ok(!pseudonyms.includes(secretHash(guess)) && !pseudonyms.includes(guess));
  await send(same, 'player.login', { player: STEVE });
  const seen = await services.context.db.all(sql`select uuid from players where uuid = ${STEVE.uuid}`);
  assert.deepEqual(seen, [], 'every process with the same key applies the pseudonym');
});
