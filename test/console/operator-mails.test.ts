import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { mailOperators } from '#mails/operator-mails.ts';
import { openAppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { setEmail, setRole } from '#store/accounts/account-changes.ts';
import { requestAccess } from '#store/applications/access-requests.ts';
import { serverByName } from '#store/game/servers.ts';
import { healthOf } from '#store/installation/health.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { account, application, configured, event, presence, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, TestClock, testContext, type TestAppContext } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A network with an operator who reads English, and one who reads Japanese. */
async function open(t: TestContext, url: string) {
  const mailbox = await Mailbox.open(t);
  const context = await testContext(t, url, { SMTP_URL: mailbox.url, SITE_URL: 'https://site.example' });
  const ann = await account(context, 'Ann');
  for (const [name, locale] of [
    ['Olga', ''],
    ['Hana', 'ja'],
  ] as const) {
    const operator = await account(context, name);
    await setRole(context.db, operator.id, 'operator');
    await context.db.run(sql`update accounts set locale = ${locale} where id = ${operator.id}`);
  }
  const started = context.clock.now() - 24 * HOUR;
  const run = async (contexts: TestAppContext[] = [context]): Promise<number> => {
    const before = mailbox.count;
    await Promise.all(contexts.map((one) => mailOperators(one, started)));
    await Promise.all(contexts.map(({ mail }) => mail.settled()));
    return mailbox.count - before;
  };
  const ask = async (name: string): Promise<void> => {
    const app = await application(context, { name, access: 'none' });
    const request = { kind: 'access', account_id: ann.id, purpose: 'x', site: '', volume: 1 } as const;
    await requestAccess(context.db, context.clock.now(), app, request);
  };
  return { context, mailbox, run, ask, started };
}

onEachDatabase('operators get one mail an hour about waiting requests, from several processes', async (t, url) => {
  const { context, mailbox, run, ask } = await open(t, url);
  const { clock } = context;
  const second = (await openAppContext(context.config, clock)) as TestAppContext;
  t.after(() => second[Symbol.asyncDispose]());
  assert.equal(await run(), 0);
  await ask('Board');
  assert.equal(await run([context, second, context, second]), 2, 'one mail for each operator');
  const [english, japanese] = [await mailbox.next('olga@example.org'), await mailbox.next('hana@example.org')];
  assert.equal(english.subject, 'A request is waiting for you · Scorehall');
  assert.match(english.text, /- Board, requested by Ann\s+https:\/\/site\.example\/console\/operator\b/);
  assert.match(japanese.subject, /回答待ちの申請が 1 件あります/);
  await ask('Wall');
  clock.advance(HOUR - 1);
  assert.equal(await run(), 0, 'at most one an hour');
  clock.advance(1);
  assert.equal(await run([second, context]), 2);
  const both = await mailbox.next('olga@example.org');
  assert.match(both.text, /Board[\s\S]*Wall/);
  clock.advance(24 * HOUR);
  assert.equal(await run(), 0, 'nothing new');
});

onEachDatabase('operators get one mail for each silence of a server', async (t, url) => {
  const { context, mailbox, run } = await open(t, url);
  const { clock } = context;
  const beat = (server: string) =>
    sendEvents(context, presence(server, {}, { time: new Date(clock.now()).toISOString() }));
  await sendEvents(context, configured('Alpha'), configured('Beta'), configured('Never seen'));
  await beat('Alpha');
  await beat('Beta');
  clock.advance(10 * MINUTE - 1);
  assert.equal(await run(), 0);
  await beat('Beta');
  clock.advance(1);
  assert.equal(await run(), 2);
  const mail = await mailbox.next('olga@example.org');
  assert.equal(mail.subject, 'A game server is silent · Scorehall');
  assert.match(mail.text, /- Alpha, last heard of on 1 Mar 2026/);
  assert.doesNotMatch(mail.text, /Beta|Never/);
  clock.advance(10 * MINUTE);
  assert.equal(await run(), 0, 'Beta is silent as well, but a mail was sent within the hour');
  clock.advance(HOUR);
  assert.equal(await run(), 2);
  assert.match((await mailbox.next('olga@example.org')).text, /- Beta, (?![\s\S]*Alpha)/);
  clock.advance(24 * HOUR);
  assert.equal(await run(), 0);
  await beat('Alpha');
  assert.equal(await run(), 0);
  clock.advance(20 * MINUTE);
  assert.equal(await run(), 2, 'a new silence');
  await beat('Alpha');
  clock.advance(2 * HOUR);
  await mailOperators(context, clock.now() - 5 * MINUTE);
  await context.mail.settled();
  assert.equal(await run(), 2, 'a process that has just started has not listened long enough');
});

onEachDatabase('operators get a mail when many events of a server are refused', async (t, url) => {
  const { context, mailbox, run } = await open(t, url);
  const { clock, db } = context;
  await sendEvents(context, configured('Alpha'));
  const { key } = (await serverByName(db, 'Alpha'))!;
  const sender = { kind: 'server', serverKey: key, serverName: 'Alpha', credential: 1 } as const;
  const refuse = async (count: number): Promise<void> => {
    const wrong = Array.from({ length: count }, () => ({ ...event('player.login', {} as never), data: {} }));
    const receipts = await ingestEvents(db, clock, sender, wrong);
    assert.ok(receipts.every(({ status }) => status === 'rejected'));
  };
  await refuse(19);
  assert.equal(await run(), 0);
  clock.advance(10 * MINUTE);
  await refuse(19);
  assert.equal(await run(), 0, 'the others were earlier');
  await refuse(1);
  assert.equal(await run(), 2);
  const mail = await mailbox.next('olga@example.org');
  assert.match(mail.text, /- Alpha: 20 events, most often because: \S/);
  assert.match(mail.text, /https:\/\/site\.example\/console\/operator\/servers\/\w{11}/);
  clock.advance(HOUR);
  await refuse(30);
  assert.equal(await run(), 0, 'at most one in six hours');
  clock.advance(5 * HOUR);
  await refuse(30);
  assert.equal(await run(), 2);
});

onEachDatabase('a mail that cannot be delivered shows in health and is sent again', async (t, url) => {
  const { context, mailbox, run, ask } = await open(t, url);
  const { clock, db, config } = context;
  const health = () => healthOf(db, { now: clock.now(), since: 0, mailServer: mailServerOf(config) });
  const dead = (await openAppContext(
    { ...config, SMTP_URL: 'smtp://user:secret@127.0.0.1:1' },
    new TestClock(clock.now()),
  )) as TestAppContext;
  await ask('Board');
  await mailOperators(dead, 0);
  await dead[Symbol.asyncDispose]();
  const failures = await db.all<{ server: string; error: string }>(sql`select server, error from mail_failures`);
  assert.deepEqual(
    failures.map((row) => ({ ...row })),
    [{ server: '127.0.0.1:1', error: 'ESOCKET' }],
  );
  assert.equal((await health()).mail_failure, null, 'another mail server works');
  clock.advance(10 * MINUTE - 1);
  assert.equal(await run(), 0);
  clock.advance(1);
  assert.equal(await run(), 2, 'the mail is due again');
  await mailbox.next('olga@example.org');

  await db.run(sql`insert into mail_failures (server, since, error) values (${mailServerOf(config)}, 5, 'ETIMEDOUT')`);
  assert.deepEqual({ ...(await health()).mail_failure }, { since: 5, error: 'ETIMEDOUT' });
  await ask('Wall');
  clock.advance(HOUR);
  assert.equal(await run(), 2);
  assert.equal((await health()).mail_failure, null, 'a delivered mail ends the failure');
});

onEachDatabase('operators without a confirmed address or with a disabled account get no mail', async (t, url) => {
  const { context, run, ask } = await open(t, url);
  const { db } = context;
  await ask('Board');
  await db.run(sql`update accounts set disabled = 1 where name = 'Olga'`);
  const hana = (await db.get<{ id: string }>(sql`select id from accounts where name = 'Hana'`))!;
  await setEmail(db, context.clock.now(), hana.id, { email: 'hana@new.example', verified: false });
  assert.equal(await run(), 0);
  await setEmail(db, context.clock.now(), hana.id, { email: 'hana@new.example', verified: true });
  context.clock.advance(10 * MINUTE);
  assert.equal(await run(), 1, 'the mail waits for an operator who can be reached');
});
