import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { listAudit, recordAudit } from '#store/audit/audit.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { match, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;

onEachDatabase(
  'deleting an account removes its name from the audit log, except from what it did as an operator',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    const rows = async (): Promise<string> =>
      JSON.stringify(await context.db.all(sql`select * from audit order by id`));
    /** Waits for entries, which the sign-in service writes after its responses. */
    const recorded = async (filter: { action: string; actor?: string }, count: number): Promise<void> => {
      while ((await listAudit(context.db, filter, count)).length < count) await setImmediate();
    };
    const steve = person(1, 'Steve');
    await sendEvents(context, match({ teams: [{ name: 'Red', players: [steve, person(2, 'Double')] }] }));
    const [banned] = await sendEvents(context, punishment('p', { ...steve }, { type: 'warn' }, { server: 'Alpha' }));
    const account = await makeAccount(services, 'Ann', steve);
    const olga = await makeOperator(services, 'Olga');
    const { console: olgaConsole, signIn: olgaSignIn } = await enter(services, 'Olga');
    const { console: steveConsole, signIn: steveSignIn } = await enter(services, 'Steve');
    await steveConsole.open('/console/applications/new');
    await steveConsole.submit(
      { name: 'Board', type: 'service', redirect_uris: 'https://board.example/callback' },
      '/applications',
    );
    await olgaConsole.open(`/console/operator/accounts/${account.id}`);
    await olgaConsole.post(`/console/operator/accounts/${account.id}`, {
      form_token: tokenOn(olgaConsole.page.html),
      change: 'sign_out',
      confirmed: 'yes',
    });
    await olgaConsole.open(`/console/operator/punishments/${banned}`);
    await olgaConsole.submit({ reason: 'Steve has said sorry.' }, `/punishments/${banned}`);
    await olgaConsole.open(`/console/operator/players/merge?from=${person(2).uuid}&into=${steve.uuid}`);
    const confirmation = olgaConsole
      .forms()
      .find(({ action, fields }) => action.endsWith('/players/merge') && 'form_token' in fields)!;
    await olgaConsole.post(confirmation.action, confirmation.fields);
    await steveSignIn.open('/sign-in');
    await steveSignIn.submit({ login: 'Steve', password: PASSWORD });
    await recorded({ action: 'session.start', actor: 'Steve' }, 2);
    const before = await listAudit(context.db, {}, 100);
    assert.match(await rows(), /Steve/);

    await steveSignIn.open('/account/delete');
    await steveSignIn.submit({ current: PASSWORD });
    assert.match(steveSignIn.text, /Your account has been deleted/);
    await recorded({ action: 'account.delete' }, 1);
    assert.doesNotMatch(await rows(), new RegExp(`Steve|ann@|${steve.uuid}`, 'i'));
    const after = await listAudit(context.db, {}, 100);
    assert.equal(after.length, before.length + 1, 'the entries themselves are kept');
    const own = after.filter(({ actor_id }) => actor_id === account.id);
    assert.ok(own.length >= 4);
    for (const { actor, address } of own) assert.deepEqual([actor, address], [`deleted-${account.id}`, '']);
    const about = await listAudit(context.db, { subject: account.id, actor: 'Olga' }, 9);
    assert.deepEqual(
      about.map(({ action, actor, label, address }) => [action, actor, label, address]),
      [['account.sign_out', 'Olga', `deleted-${account.id}`, '127.0.0.1']],
      'what operators did to the account is still found under its id',
    );

    assert.equal(await deleteAccount(context.db, context.clock.now(), olga.id), 'last operator');
    await makeOperator(services, 'Successor');
    await deleteAccount(context.db, context.clock.now(), olga.id);
    const hers = await listAudit(context.db, {}, 100).then((entries) =>
      entries.filter(({ actor_id }) => actor_id === olga.id),
    );
    const named = hers.filter(({ actor }) => actor === 'Olga').map(({ action }) => action);
    assert.ok(named.includes('punishment.revoke') && named.includes('account.sign_out'), named.join(' '));
    assert.ok(!named.includes('grant.give'), 'what she did as an ordinary user no longer carries her name');
    await olgaSignIn.open('/account');
    assert.match(olgaSignIn.page.url, /\/sign-in/);
  },
);

onEachDatabase(
  'the days of the filter are those of the network, and a day that does not exist is refused',
  async (t, url) => {
    // Summer time begins on 29 March in this zone, so the day has 23 hours.
    const zone = { TIME_ZONE: 'Europe/Berlin' };
    const services = await openTestConsole(t, url, zone, Date.parse('2026-03-29T12:00:00Z'));
    const { context } = services;
    const actor = { via: 'command', account_id: null, name: '', address: '' } as const;
    for (const time of ['2026-03-28T22:59', '2026-03-28T23:00', '2026-03-29T21:59', '2026-03-29T22:00'])
      await context.db.transaction((tx) =>
        recordAudit(tx, Date.parse(`${time}Z`), actor, { action: 'network.change', subject: time, label: '' }),
      );
    await makeOperator(services, 'Olga');
    const { console } = await enter(services, 'Olga');
    const found = async (query: string): Promise<string[]> => {
      await console.open(`/console/operator/audit?action=network&${query}`);
      return [...console.page.html.matchAll(/<code>(2026-\d\d-\d\dT\d\d:\d\d)</g)].map(([, time]) => time!);
    };
    assert.deepEqual(await found('since=2026-03-29&until=2026-03-29'), ['2026-03-29T21:59', '2026-03-28T23:00']);
    assert.match(console.page.html, /type="date" value="2026-03-29"/);
    assert.match(console.text, /Times in Europe\/Berlin/);
    for (const wrong of ['since=2026-02-30', 'until=yesterday', 'until=9999-99-99']) {
      assert.deepEqual(await found(wrong), [], wrong);
      assert.equal(console.page.status, 422, wrong);
      assert.match(console.text, /Enter a day that exists, like 2026-01-31/);
    }
    assert.equal((await found('since=&until=')).length, 4);
    assert.equal((await found('since=9999-12-31&until=0001-01-01')).length, 0);
    assert.equal(console.page.status, 200);
  },
);

onEachDatabase('audit entries older than AUDIT_LIFETIME are purged', async (t, url) => {
  const services = await openTestConsole(t, url, { AUDIT_LIFETIME: '30d' });
  const { context } = services;
  await makeAccount(services, 'Ann');
  await enter(services, 'Ann');
  const count = async (): Promise<number> => (await listAudit(context.db, {}, 100)).length;
  const recorded = await count();
  assert.ok(recorded > 0);
  context.clock.advance(30 * DAY_MS - 1);
  await runJobsOnce(context);
  assert.equal(await count(), recorded);
  context.clock.advance(2);
  await runJobsOnce(context);
  assert.equal(await count(), 0);
});
