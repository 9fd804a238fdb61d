import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openAppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { mailPunished } from '#mails/punishment-mails.ts';
import { keyOf } from '#platform/ids.ts';
import { purgeSteps } from '#store/purge/purge.ts';
import { setDisabled, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { claimNotices } from '#store/mail/punishment-notices.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  pardon,
  person,
  punishment,
  sendEvents,
  serverSender,
} from '#test/support/builders.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { Mailbox } from '#test/support/mailbox.ts';

const HOUR = 3_600_000;
const [ANN, KENTA, STAFF] = [person(1, 'AnnInGame'), person(2, 'KentaInGame'), person(3, 'Guard')];

/** A network with Ann, who reads English, and Kenta, who reads Japanese. */
async function open(t: TestContext, url: string) {
  const mailbox = await Mailbox.open(t);
  const contact = { CONTACT: 'help@example.org', APPEAL_URL: 'https://example.org/appeals' };
  const context = await testContext(t, url, { SMTP_URL: mailbox.url, SITE_URL: 'https://site.example', ...contact });
  const [ann, kenta] = [await account(context, 'Ann', ANN.uuid), await account(context, 'Kenta', KENTA.uuid)];
  await context.db.run(sql`update accounts set locale = 'ja' where id = ${kenta.id}`);
  await sendEvents(context, configured('Lantern'));
  const run = async (contexts: TestAppContext[] = [context]): Promise<number> => {
    const before = mailbox.count;
    await Promise.all(contexts.map((one) => mailPunished(one)));
    await Promise.all(contexts.map(({ mail }) => mail.settled()));
    return mailbox.count - before;
  };
  const notices = async (): Promise<number> =>
    (await context.db.all(sql`select punishment_key from punishment_notices where due is not null`)).length;
  return { context, mailbox, run, notices, ann, kenta };
}

onEachDatabase('a punished player gets one mail, from several processes and after a crash', async (t, url) => {
  const { context, mailbox, run } = await open(t, url);
  const { db, clock } = context;
  const second = (await openAppContext(context.config, clock)) as TestAppContext;
  t.after(() => second[Symbol.asyncDispose]());
  const sender = await serverSender(context, 'Lantern');
  const { server: _, ...ban } = punishment('1', ANN, {
    ...{ punisher: STAFF, reason: 'Griefing <b>', expires: after(HOUR) },
  });
  const send = () => ingestEvents(db, clock, sender, [ban]);
  const [receipt] = await send();
  assert.equal(receipt?.status, 'accepted');
  const id = (receipt as { receipt: string }).receipt;
  assert.equal(await run([context, second, context, second]), 1);
  const mail = await mailbox.next('ann@example.org');
  assert.equal(mail.subject, 'A punishment of your game account: Ban · Scorehall');
  const facts = [
    'Hello Ann,',
    'A punishment of your game account AnnInGame is in force:',
    `- Type: Ban\n- Reason: Griefing <b>\n- Until: 1 Mar 2026, 13:00 (UTC)\n- By the server: Lantern\n- Punishment: ${id}`,
    `https://site.example/punishments/${id}`,
    'To object to this punishment: https://example.org/appeals',
    'Scorehall\n',
  ];
  assert.equal(mail.text.replaceAll('\r\n', '\n').trim(), facts.join('\n\n').trim());
  assert.ok(!mail.text.includes('Guard') && !mail.text.includes(STAFF.uuid), 'it names no punisher');
  assert.equal((await send())[0]?.status, 'duplicate');
  clock.advance(20 * 60_000);
  assert.equal(await run([context, second]), 0, 'a punishment that is sent again');

  await sendEvents(context, punishment('2', KENTA, { type: 'jail' }, { time: after(0) }));
  assert.equal((await claimNotices(db, clock.now())).length, 1, 'claimed by a process that dies then');
  assert.equal(await run([second]), 0);
  clock.advance(10 * 60_000 - 1);
  assert.equal(await run([second]), 0);
  clock.advance(1);
  assert.equal(await run([second, context]), 1);
  const japanese = await mailbox.next('kenta@example.org');
  assert.match(japanese.subject, /ゲームアカウントの処分：jail/);
  assert.match(japanese.text, /種類：jail\r?\n- 無期限\r?\n- ネットワークによる処分[^]*異議の申し立て：https:/);
  clock.advance(10 * 60_000);
  assert.equal(await run([second, context]), 0);
  clock.advance(24 * HOUR);
  const step = purgeSteps(db, { zone: 'UTC', auditMs: HOUR, changesMs: HOUR }, clock.now());
  while (await step());
  assert.deepEqual(await db.all(sql`select * from punishment_notices`), []);
});

onEachDatabase('a punishment that no longer applies when the mail is due gives none', async (t, url) => {
  const { context, run, notices, ann } = await open(t, url);
  const { db, clock } = context;
  const unchecked = await account(context, 'Una', person(5).uuid);
  await db.run(sql`update accounts set email_verified = 0 where id = ${unchecked.id}`);
  const locked = await account(context, 'Lou', person(6).uuid);
  await setDisabled(db, locked.id, clock.now());
  const leaver = await account(context, 'Lea', person(7).uuid);
  const [withdrawn] = await sendEvents(
    context,
    punishment('withdrawn', ANN),
    punishment('revoked', ANN),
    punishment('ends', ANN, { expires: after(1) }),
    pardon('revoked'),
    ...[4, 5, 6, 7].map((number) => punishment(`of ${number}`, person(number))),
  );
  assert.equal(await notices(), 7);
  await retractEvents(db, clock, [keyOf(withdrawn!)!]);
  await deleteAccount(db, clock.now(), leaver.id);
  await finishJobs(db);
  clock.advance(1);
  assert.equal(await run(), 0);
  assert.equal(await notices(), 0);

  // Issued again under another id after the withdrawal: no mail was about that one.
  await sendEvents(context, punishment('withdrawn', ANN));
  assert.equal(await run(), 1);
  await db.transaction((tx) => unlinkPlayer(tx, ann.id));
  await sendEvents(context, punishment('unlinked', ANN));
  assert.equal(await run(), 0);
});

onEachDatabase('a merged player is told once, and old events and imports give no mail', async (t, url) => {
  const { context, mailbox, run, notices } = await open(t, url);
  const { db, clock } = context;
  const aged = (age: number): string => new Date(clock.now() - age).toISOString();
  await sendEvents(
    context,
    punishment('a day', ANN, {}, { time: aged(24 * HOUR) }),
    event('player.merged', { from: KENTA.uuid, into: person(8, 'Survivor').uuid }),
  );
  await finishJobs(db);
  assert.equal(await run(), 0);
  await sendEvents(
    context,
    punishment('less', ANN, {}, { time: aged(24 * HOUR - 1) }),
    punishment('merged', person(8, 'Survivor')),
  );
  assert.equal(await run(), 2);
  assert.match((await mailbox.next('kenta@example.org')).text, /Survivor/);

  const imported: WireEvent[] = Array.from({ length: 10_000 }, (_, place) =>
    punishment(`imported ${place}`, ANN, {}, { time: BEGINNING }),
  );
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-bans-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'events.ndjson');
  const time = new Date().toISOString();
  writeFileSync(file, imported.map((one) => JSON.stringify({ ...one, time })).join('\n'));
  const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests' };
  const { out, status } = await scorehall(environment, 'import', 'events', file);
  assert.match(out, /^taken +10000$/m);
  assert.deepEqual([status, await notices(), await run()], [0, 0, 0]);
});
