import assert from 'node:assert/strict';
import { accountById, createAccount } from '#store/accounts/accounts.ts';
import { listAudit } from '#store/audit/audit.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Person } from '#test/auth/person.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

interface Sent {
  to: string;
  subject: string;
  text: string;
}

const NEW_PASSWORD = 'several new words together';
const linkIn = (text: string): string => /http\S+token=[\w-]+/.exec(text)![0];

onEachDatabase('an operator helps with a password, by mail and on paper, and with an address', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  const sent: Sent[] = [];
  context.mail.send = (mail) => void sent.push(mail);
  const ann = await makeAccount(services, 'Ann');
  await makeAccount(services, 'Bob');
  const olga = await makeOperator(services, 'Olga');
  const { console } = await enter(services, 'Olga');
  const help = `/console/operator/accounts/${ann.id}/help`;
  const send = async (form: string, fields: Record<string, string>) => {
    await console.open(help);
    await console.post(`/console/operator/accounts/${ann.id}/${form}`, {
      form_token: tokenOn(console.page.html),
      ...fields,
    });
  };

  await send('password', { way: 'mail' });
  assert.match(console.text, /The mail is on its way/);
  const [mailed] = sent.splice(0);
  assert.equal(mailed!.to, 'ann@example.org');
  const link = linkIn(mailed!.text);
  assert.ok(link.startsWith(`${services.auth}/reset?token=`));
  const person = new Person(services.auth);
  await person.open(link);
  await person.submit({ password: NEW_PASSWORD }, '/reset');
  assert.match(person.text, /Your new password is set/);
  assert.equal((await person.open(link)).status, 410, 'a link works once');
  sent.splice(0);

  // On paper: shown once, kept if another person requests a mail, and no proof of the mailbox.
  await db.run(sql`update accounts set email_verified = 0 where id = ${ann.id}`);
  await send('password', { way: 'paper' });
  const paper = linkIn(console.text);
  assert.doesNotMatch((await console.open(help)).html, /token=/, 'shown once');
  assert.match(sent.splice(0)[0]!.text, /hand over in person/);
  await person.open('/forgot');
  await person.submit({ login: 'Ann' }, '/forgot');
  const stored = JSON.stringify(await db.all(sql`select * from mail_tokens`));
  assert.ok(!stored.includes(new URL(paper).searchParams.get('token')!), 'only a hash is stored');
  await person.open(paper);
  await person.submit({ password: `${NEW_PASSWORD} 2` }, '/reset');
  assert.equal((await accountById(db, ann.id))!.email_verified, false);

  await send('verification', {});
  sent.splice(0, sent.length - 1);
  await person.open(linkIn(sent.pop()!.text));
  await person.submit({}, '/verify');
  assert.equal((await accountById(db, ann.id))!.email_verified, true);

  for (const [email, expected] of [
    ['nonsense', /Enter an e-mail address like/],
    ['bob@example.org', /Another account has this address/],
    ['ann@example.org', /already the address/],
  ] as const) {
    await send('email', { email, way: 'now' });
    assert.equal(console.page.status, 422);
    assert.match(console.text, expected);
  }
  await send('email', { email: 'ann@new.example', way: 'link' });
  assert.equal((await accountById(db, ann.id))!.email, 'ann@example.org', 'nothing changes before the link is opened');
  assert.deepEqual(
    sent.map(({ to }) => to),
    ['ann@example.org', 'ann@new.example'],
  );
  await person.open(linkIn(sent.splice(0)[1]!.text));
  await person.submit({}, '/verify');
  assert.equal((await accountById(db, ann.id))!.email, 'ann@new.example');
  sent.splice(0);
  await send('email', { email: 'ann@now.example', way: 'now' });
  assert.deepEqual(
    sent.splice(0).map(({ to }) => to),
    ['ann@new.example'],
    'the old address gets a notice',
  );
  await send('password', { way: 'paper' });
  const late = linkIn(console.text);
  const { email, email_verified } = (await accountById(db, ann.id))!;
  assert.deepEqual([email, email_verified], ['ann@now.example', true]);

  await console.open(`/console/operator/accounts/${olga.id}/help`);
  assert.match(console.text, /your own account/);
  await console.post(`/console/operator/accounts/${olga.id}/password`, {
    form_token: tokenOn(console.page.html),
    way: 'paper',
  });
  assert.doesNotMatch(console.text, /token=/, 'a stolen session does not take over the account');
  const entries = await listAudit(db, { subject: ann.id, actor: 'Olga' }, 20);
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      'account.reset_password',
      'account.email',
      'account.email',
      'account.verification',
      'account.reset_password',
      'account.reset_password',
    ],
  );
  assert.doesNotMatch(JSON.stringify(entries), /token=/);
  assert.equal((await person.open(late)).status, 200);
  clock.advance(86_400_000);
  assert.equal((await person.open(late)).status, 410, 'a link works for a day');
});

onEachDatabase('nobody but an operator may help, and a disabled account is not helped', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { db, clock } = services.context;
  const facts = { name: 'Gone', email: 'gone@example.org', password: null };
  const gone = await createAccount(db, clock.now(), facts);
  assert.ok(typeof gone === 'object');
  await db.run(sql`update accounts set disabled = 1 where id = ${gone.id}`);
  await makeAccount(services, 'Ann');
  await makeOperator(services, 'Olga');
  const [{ console: ann }, { console: olga }] = [await enter(services, 'Ann'), await enter(services, 'Olga')];
  const root = `/console/operator/accounts/${gone.id}`;
  for (const form of ['password', 'email', 'verification']) {
    await ann.open('/console');
    const refused = await ann.post(`${root}/${form}`, { form_token: tokenOn(ann.page.html), way: 'paper' });
    assert.equal(refused.status, 403);
    await olga.open('/console');
    await olga.post(`${root}/${form}`, { form_token: tokenOn(olga.page.html), way: 'paper', email: 'x@example.org' });
    assert.match(olga.text, /disabled\. Enable it first/);
  }
  assert.equal((await db.all(sql`select hash from mail_tokens`)).length, 0);
});
