import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { listAudit } from '#store/audit/audit.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { match, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;

onEachDatabase(
  'who deletes the account leaves acts in the audit log, and no name; operators answer by name',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    const rows = async (): Promise<string> =>
      JSON.stringify(await context.db.all(sql`select * from audit order by id`));
    const steve = person(1, 'Steve');
    await sendEvents(context, match({ teams: [{ name: 'Red', players: [steve, person(2, 'Double')] }] }));
    const [banned] = await sendEvents(context, punishment('p', { ...steve }, { type: 'warn' }, { server: 'Alpha' }));
    const account = await makeAccount(services, 'Ann', steve);
    const olga = await makeOperator(services, 'Olga');
    const { console, signIn: olgas } = await enter(services, 'Olga');
    const { console: anns, signIn } = await enter(services, 'Steve');
    await anns.open('/console/applications/new');
    await anns.submit(
      { name: 'Board', type: 'service', redirect_uris: 'https://board.example/callback' },
      '/applications',
    );
    await console.open(`/console/operator/accounts/${account.id}`);
    await console.post(`/console/operator/accounts/${account.id}`, {
      form_token: tokenOn(console.page.html),
      change: 'sign_out',
    });
    await console.open(`/console/operator/punishments/${banned}`);
    await console.submit({ reason: 'Steve has said sorry.' }, `/punishments/${banned}`);
    await console.open(`/console/operator/players?from=${person(2).uuid}&into=${steve.uuid}`);
    const sure = console.forms().find(({ action, fields }) => action.endsWith('/players') && 'form_token' in fields)!;
    await console.post(sure.action, sure.fields);
    await signIn.open('/sign-in');
    await signIn.submit({ login: 'Steve', password: PASSWORD });
    const before = await listAudit(context.db, {}, 100);
    assert.match(await rows(), /Steve/);

    await signIn.open('/account/delete');
    await signIn.submit({ current: PASSWORD });
    assert.match(signIn.text, /Your account is deleted/);
    for (let attempts = 0; (await listAudit(context.db, { action: 'account.delete' }, 1)).length === 0; attempts++)
      assert.ok(attempts < 1_000);
    assert.doesNotMatch(await rows(), new RegExp(`Steve|ann@|${steve.uuid}`, 'i'));
    const after = await listAudit(context.db, {}, 100);
    assert.equal(after.length, before.length + 1, 'that there were such acts is kept');
    const own = after.filter(({ actor_id }) => actor_id === account.id);
    assert.ok(own.length >= 4);
    for (const { actor, address } of own) assert.deepEqual([actor, address], [`deleted-${account.id}`, '']);
    const about = await listAudit(context.db, { subject: account.id, actor: 'Olga' }, 9);
    assert.deepEqual(
      about.map(({ action, actor, label, address }) => [action, actor, label, address]),
      [['account.sign_out', 'Olga', `deleted-${account.id}`, '127.0.0.1']],
      'what operators did to the account can be followed under its id',
    );

    await deleteAccount(context.db, context.clock.now(), olga.id);
    const hers = await listAudit(context.db, {}, 100).then((all) => all.filter(({ actor_id }) => actor_id === olga.id));
    const named = hers.filter(({ actor }) => actor === 'Olga').map(({ action }) => action);
    assert.ok(named.includes('punishment.revoke') && named.includes('account.sign_out'), named.join(' '));
    assert.ok(!named.includes('grant.give'), 'what she did as anybody does it is not told of her any more');
    await olgas.open('/account');
    assert.match(olgas.page.url, /\/sign-in/);
  },
);

onEachDatabase('the audit log is kept as long as the operator says, and swept', async (t, url) => {
  const services = await openTestConsole(t, url, { AUDIT_LIFETIME: '30d' });
  const { context } = services;
  await makeAccount(services, 'Ann');
  await enter(services, 'Ann');
  const count = async (): Promise<number> => (await listAudit(context.db, {}, 100)).length;
  const cached = await count();
  assert.ok(cached > 0);
  context.clock.advance(30 * DAY_MS - 1);
  await runJobsOnce(context);
  assert.equal(await count(), cached);
  context.clock.advance(2);
  await runJobsOnce(context);
  assert.equal(await count(), 0);
});
