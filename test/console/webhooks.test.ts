import assert from 'node:assert/strict';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { sql } from '#db/sql.ts';
import { mailWebhookOwners } from '#mails/application-mails.ts';
import { addOwner } from '#store/applications/owners.ts';
import {
  challengeOf,
  claimMails,
  MAIL_CLAIM_MS,
  signingSecrets,
  turnOff,
  turnOn,
  webhooksOf,
} from '#store/applications/webhooks/webhooks.ts';
import { LIMITS } from '#http/limits.ts';
import { makeAccount } from '#test/auth/support.ts';
import { account, application } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { enter, openTestConsole, tokenOn } from './support.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];

onSqlite('an owner adds a webhook, sees its secret once, verifies it and manages it', async (t, url) => {
  const services = await openTestConsole(t, url, { SECRET_KEY: 'a secret that is long enough for tests' });
  const { context } = services;
  const { db, clock, config } = context;
  const ann = await makeAccount(services, 'Ann');
  const app = await application(context, { name: 'Board' });
  await addOwner(db, 0, app.key, ann.id);
  const { console: page } = await enter(services, 'Ann');
  const at = `/console/applications/${app.client_id}/webhooks`;
  await page.open(at);
  const form_token = tokenOn(page.page.html);
  const post = async (path: string, form: Record<string, string> = {}) => {
    await page.post(`${at}${path}`, { ...form, form_token });
    return page.page;
  };
  const form = { kind_match: '1', kind_map: '1', start: 'head', after_reset: 'start' };
  const refused = {
    'http://hooks.example.org/': 'must begin with https://',
    'https://user:secret@hooks.example.org/': 'must not contain a user name',
    'https://hooks.example.org:8443/': 'must not name a port',
    'https://127.0.0.1/': 'must be public',
    'https://[::ffff:10.0.0.1]/': 'must be public',
    'hooks.example.org': 'Enter an address like',
  };
  for (const [wrong, sentence] of Object.entries(refused)) {
    const { status, html } = await post('', { ...form, url: wrong });
    assert.deepEqual([status, html.includes(sentence)], [422, true], wrong);
  }
  const discord = await post('', { ...form, url: 'https://discord.com/api/webhooks/104857612345678901' });
  assert.match(discord.html, /Enter the address of the channel/);
  const lookalike = await post('', { kind_map: '1', url: 'https://discord.com.evil.example:8443/api/webhooks/1/x' });
  assert.match(lookalike.html, /must not name a port/, 'not a host of Discord');
  assert.match((await post('', { url: 'https://a.example/' })).html, /Choose at least one/);
  const channel = `https://ptb.discord.com/api/v10/webhooks/104857612345678901/${'t'.repeat(30)}`;
  await post('', { ...form, url: channel });
  const [toDiscord] = await webhooksOf(db, app.key);
  assert.deepEqual(
    [toDiscord!.form, toDiscord!.url, toDiscord!.kinds],
    ['discord', 'https://discord.com/api/webhooks/104857612345678901', ['match']],
    'the address of a channel is recognised',
  );
  await post(`/${toDiscord!.id}/delete`, { confirmed: 'yes' });
  assert.deepEqual(await webhooksOf(db, app.key), []);

  const added = await post('', { ...form, url: 'https://hooks.example.org/board' });
  const [webhook] = await webhooksOf(db, app.key);
  const { id, key, kinds, after_reset, state } = webhook!;
  assert.deepEqual([kinds, after_reset, state], [['match', 'map'], 'start', 'unverified']);
  const [secret] = await signingSecrets(db, clock.now(), openSecretKey(config), key);
  assert.ok(added.html.includes(secret!), 'its secret');
  await page.open(`${at}/${id}`);
  assert.ok(!page.page.html.includes(secret!), 'once');
  assert.ok(!page.page.html.includes(challengeOf(db, webhook!)), 'the challenge is what the receiver alone knows');
  assert.doesNotMatch(page.page.html, /The last answer of the receiver/);
  for (const [status, reason, sentence] of [
    [200, 'empty', 'The response was empty instead of the challenge.'],
    [200, '', 'The response was not the challenge alone.'],
    [404, '', 'It answered 404, not with a status from 200 to 299.'],
    [null, 'timeout', 'No response within 15 seconds.'],
  ] as const) {
    await db.run(sql`update webhook_deliveries set attempted = 1, status = ${status}, reason = ${reason}`);
    await page.open(`${at}/${id}`);
    assert.ok(page.page.html.includes(`The last answer of the receiver: <strong>${sentence}</strong>`), sentence);
  }
  assert.match((await post(`/${id}/verify`, { code: 'guessed' })).html, /This is not the challenge/);
  await post(`/${id}/verify`, { code: challengeOf(db, webhook!) });
  const stateNow = async () => (await webhooksOf(db, app.key))[0]?.state;
  assert.equal(await stateNow(), 'on');
  assert.match((await post(`/${id}/move`, { to: 'yesterday' })).html, /Enter start, head, a cursor/);
  await post(`/${id}/move`, { to: '2026-01-31T12:00:00Z' });
  const since = async (fields: Record<string, string>): Promise<string> =>
    (await post(`/${id}/move`, { to: '', zone: 'Europe/Berlin', ...fields })).html;
  assert.match(await since({ since: '2026-01-31T12:00' }), /The cursor was moved/);
  assert.match(await since({ since: '' }), /id="to-error">Enter start, head, a cursor/);
  const wrong = await since({ since: '2026-02-30T12:00' });
  assert.match(wrong, /value="2026-02-30T12:00"[^>]*aria-describedby="since-error"/, 'as entered');
  assert.match(wrong, /id="since-error">Enter start, head, a cursor of \/v1\/changes, or a time like/);
  assert.match(await since({ to: 'nowhere', since: '2026-01-31T12:00' }), /id="to-error"/);
  await post(`/${id}/test`);
  assert.match(page.page.html, /Test message/);
  await post(`/${id}/pause`);
  assert.equal(await stateNow(), 'off');
  await turnOff(db, 0, key, 'operator');
  assert.match((await post(`/${id}/resume`)).html, /notice bad[^>]*>The operator switched it off/);
  assert.equal(await stateNow(), 'off');
  await page.open(`/console/applications/${app.client_id}`);
  assert.match(page.page.html, /The webhook to hooks\.example\.org is off/);

  await db.run(sql`
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 101)
    insert into webhook_deliveries (webhook_key, number, type, state, attempts, created, reason, response)
    select ${key}, number + 1000, 'webhook.test', 'delivered', 1, 0, '', 'answer ' || number from numbers`);
  const pages: string[][] = [];
  let next: string | undefined = `${at}/${id}`;
  while (next !== undefined && pages.length < 9) {
    const { html } = await page.open(next);
    pages.push([...html.matchAll(/answer (\d+)/g)].map(([, number]) => number!));
    next = /rel="next" href="([^"]+)"/.exec(html)?.[1];
    if (next?.startsWith('?')) next = `${at}/${id}${next}`;
  }
  assert.deepEqual(
    pages.map((numbers) => [numbers.length, numbers[0]]),
    [
      [50, '101'],
      [50, '51'],
      [1, '1'],
    ],
  );
  const again = await post(`/${id}/move`, { to: 'nowhere' });
  assert.match(again.html, new RegExp(`rel="next" href="[^"]*/${id}\\?before=`), 'the pager of a form with problems');

  const other = await application(context, { name: 'Other' });
  const foreign = await page.post(`/console/applications/${other.client_id}/webhooks/${id}/pause`, { form_token });
  assert.equal(foreign.status, 404);
  await addOwner(db, 0, other.key, ann.id);
  const moved = await page.post(`/console/applications/${other.client_id}/webhooks/${id}/pause`, { form_token });
  assert.equal(moved.status, 404, 'a webhook of another application');
  for (let added = 1; added < 10; added++) await post('', { ...form, url: `https://hooks.example.org/${added}` });
  assert.match((await post('', { ...form, url: 'https://hooks.example.org/11' })).html, /as many webhooks as it can/);
});

onEachDatabase('owners get one mail a day about a webhook that was switched off', async (t, url) => {
  const mailbox = await Mailbox.open(t);
  const context = await testContext(t, url, { SMTP_URL: mailbox.url });
  const { db, clock } = context;
  const [ann, bob] = [await account(context, 'Ann'), await account(context, 'Bob')];
  const app = await application(context, { name: 'Board' });
  for (const { id } of [ann, bob]) await addOwner(db, 0, app.key, id);
  await db.run(sql`
    insert into webhooks (key, application_key, url, form, kinds, state, reason, since, feed, place, after_reset, sealed_secret,
      revision, logged, failures, next_attempt, holder, held_until, created)
    values (1, ${app.key}, 'https://hooks.example.org/secret-path', 'standard', 'match', 'on', '', 0, '', 0, 'head', '', 1, 0, 0,
      0, '', 0, 0)`);
  const off = () => turnOff(db, clock.now(), 1, 'failures', LIMITS.webhookMail.windowMs);
  await off();
  assert.equal((await claimMails(db, clock.now())).length, 1, 'a process that is killed before it sends');
  await mailWebhookOwners(context);
  assert.equal(mailbox.count, 0);
  clock.advance(MAIL_CLAIM_MS);
  await Promise.all([mailWebhookOwners(context), mailWebhookOwners(context)]);
  await context.mail.settled();
  const mails = await Promise.all([mailbox.next(ann.email), mailbox.next(bob.email)]);
  for (const { subject, text } of mails) {
    assert.match(subject, /A webhook of Board is off/);
    assert.match(text, /For five days no message could be delivered/);
    assert.ok(!text.includes('secret-path'));
  }
  const mailed = async (afterMs: number): Promise<number> => {
    clock.advance(afterMs);
    await mailWebhookOwners(context);
    await context.mail.settled();
    return mailbox.count;
  };
  assert.equal(await mailed(MAIL_CLAIM_MS), 0, 'each mail once');

  await turnOn(db, clock.now(), 1);
  await off();
  assert.equal(await mailed(0), 0, 'off again within a day');
  await turnOn(db, clock.now(), 1);
  assert.equal(await mailed(DAY), 0, 'on again');
  await off();
  assert.equal(await mailed(0), 2, 'a day later');
  await turnOn(db, clock.now(), 1);
  clock.advance(HOUR);
  await off();
  assert.equal(await mailed(DAY - HOUR - 1), 2);
  assert.equal(await mailed(1), 4, 'still off a day after the mail before');
});
