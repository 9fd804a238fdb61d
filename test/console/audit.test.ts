import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { listAudit } from '#store/audit/audit.ts';
import { keepUpOnce } from '#server/jobs.ts';
import { match, person, punishment, tell } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;

onEachDatabase(
  'who deletes the account leaves acts in the audit log, and no name; operators answer by name',
  async (t, url) => {
    const house = await openTestConsole(t, url);
    const { hall } = house;
    const rows = async (): Promise<string> => JSON.stringify(await hall.db.all(sql`select * from audit order by id`));
    const steve = person(1, 'Steve');
    await tell(hall, match({ teams: [{ name: 'Red', players: [steve, person(2, 'Double')] }] }));
    const [banned] = await tell(hall, punishment('p', { ...steve }, { type: 'warn' }, { server: 'Alpha' }));
    const account = await makeAccount(house, 'Ann', steve);
    const olga = await makeOperator(house, 'Olga');
    const { console: desk, signIn: olgas } = await enter(house, 'Olga');
    const { console: anns, signIn } = await enter(house, 'Steve');
    await anns.open('/console/applications/new');
    await anns.submit(
      { name: 'Board', type: 'service', redirect_uris: 'https://board.example/callback' },
      '/applications',
    );
    await desk.open(`/console/operator/accounts/${account.id}`);
    await desk.post(`/console/operator/accounts/${account.id}`, {
      form_token: tokenOn(desk.page.html),
      change: 'sign_out',
    });
    await desk.open(`/console/operator/punishments/${banned}`);
    await desk.submit({ reason: 'Steve has said sorry.' }, `/punishments/${banned}`);
    await desk.open(`/console/operator/players?from=${person(2).uuid}&into=${steve.uuid}`);
    const sure = desk.forms().find(({ action, fields }) => action.endsWith('/players') && 'form_token' in fields)!;
    await desk.post(sure.action, sure.fields);
    await signIn.open('/sign-in');
    await signIn.submit({ login: 'Steve', password: PASSWORD });
    const before = await listAudit(hall.db, {}, 100);
    assert.match(await rows(), /Steve/);

    await signIn.open('/account/delete');
    await signIn.submit({ current: PASSWORD });
    assert.match(signIn.text, /Your account is deleted/);
    for (let tries = 0; (await listAudit(hall.db, { action: 'account.delete' }, 1)).length === 0; tries++)
      assert.ok(tries < 1_000);
    assert.doesNotMatch(await rows(), new RegExp(`Steve|ann@|${steve.uuid}`, 'i'));
    const after = await listAudit(hall.db, {}, 100);
    assert.equal(after.length, before.length + 1, 'that there were such acts is kept');
    const own = after.filter(({ actor_id }) => actor_id === account.id);
    assert.ok(own.length >= 4);
    for (const { actor, address } of own) assert.deepEqual([actor, address], [`deleted-${account.id}`, '']);
    const about = await listAudit(hall.db, { subject: account.id, actor: 'Olga' }, 9);
    assert.deepEqual(
      about.map(({ action, actor, label, address }) => [action, actor, label, address]),
      [['account.sign_out', 'Olga', `deleted-${account.id}`, '127.0.0.1']],
      'what operators did to the account can be followed under its id',
    );

    await deleteAccount(hall.db, hall.clock.now(), olga.id);
    const hers = await listAudit(hall.db, {}, 100).then((all) => all.filter(({ actor_id }) => actor_id === olga.id));
    const named = hers.filter(({ actor }) => actor === 'Olga').map(({ action }) => action);
    assert.ok(named.includes('punishment.revoke') && named.includes('account.sign_out'), named.join(' '));
    assert.ok(!named.includes('grant.give'), 'what she did as anybody does it is not told of her any more');
    await olgas.open('/account');
    assert.match(olgas.page.url, /\/sign-in/);
  },
);

onEachDatabase('the audit log is kept as long as the operator says, and swept', async (t, url) => {
  const house = await openTestConsole(t, url, { AUDIT_LIFETIME: '30d' });
  const { hall } = house;
  await makeAccount(house, 'Ann');
  await enter(house, 'Ann');
  const count = async (): Promise<number> => (await listAudit(hall.db, {}, 100)).length;
  const kept = await count();
  assert.ok(kept > 0);
  hall.clock.advance(30 * DAY_MS - 1);
  await keepUpOnce(hall);
  assert.equal(await count(), kept);
  hall.clock.advance(2);
  await keepUpOnce(hall);
  assert.equal(await count(), 0);
});
