import assert from 'node:assert/strict';
import { mailNotices } from '#mails/account-mails.ts';
import { PASSWORD_MS } from '#console/reauthentication.ts';
import { sql } from '#db/sql.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { applyDueResets, RESET_WAIT_MS } from '#store/accounts/factor-resets.ts';
import { factorsOf, hasFactor } from '#store/accounts/factors.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { listAudit } from '#store/audit/audit.ts';
import { giveApp } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { Person } from '#test/auth/person.ts';
import { makeAccount } from '#test/auth/support.ts';
import { confirm, enter, makeOperator, openTestConsole, type TestConsole, tokenOn, type Visitor } from './support.ts';

interface Sent {
  to: string;
  subject: string;
  text: string;
}

/** The console with staff and two players, who have an authenticator app. */
async function openReset(...[t, url]: Parameters<typeof openTestConsole>) {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const sent: Sent[] = [];
  context.mail.send = (mail) => void sent.push(mail);
  const olga = await makeOperator(services, 'Olga');
  const max = await makeAccount(services, 'Max');
  await setRole(context.db, max.id, 'moderator');
  const ann = await makeAccount(services, 'Ann');
  return { services, context, sent, olga, max, ann };
}

/** Asks for a reset in the console, as far as the page before it, and confirms that if there is one. */
async function ask({ console }: Visitor, id: string): Promise<void> {
  const path = `/console/operator/accounts/${id}/factors`;
  await console.open('/console/operator/names');
  await console.post(path, { form_token: tokenOn(console.page.html) });
  if (console.page.html.includes('name="confirmed"')) await confirm(console);
}

const linkIn = (text: string): string => /http\S+token=[\w-]+/.exec(text)![0];
const waiting = ({ context }: TestConsole): Promise<unknown[]> => context.db.all(sql`select * from factor_resets`);

onEachDatabase('staff resets the second factor of a player after a day, once in two processes', async (t, url) => {
  const { services, context, sent, ann } = await openReset(t, url);
  const { db, clock } = context;
  const max = await enter(services, 'Max');
  const annsBrowser = await enter(services, 'Ann');
  await max.console.open('/console/operator/names?q=Ann');
  assert.match(max.console.text, /This account has no passkey and no authenticator app/);
  await ask(max, ann.id);
  assert.match(max.console.page.url, /done=gone/, 'there is nothing to reset');
  await giveApp(context, ann.id);
  await renewRecoveryCodes(db, clock.now(), ann.id);

  await max.console.open('/console/operator/names?q=Ann');
  await max.console.submit({}, '/factors');
  assert.match(max.console.text, /Reset the second factor of Ann\?.*recovery codes: 10/);
  assert.deepEqual(await waiting(services), [], 'the page before it changes nothing');
  await confirm(max.console);
  assert.match(max.console.text, /The mail is on its way.*A reset takes effect at this time/);
  const [mail] = sent.splice(0);
  assert.equal(mail!.to, 'ann@example.org');
  assert.match(mail!.subject, /Your second factor is about to be removed/);
  const secret = new URL(linkIn(mail!.text)).searchParams.get('token')!;
  assert.ok(!JSON.stringify(await waiting(services)).includes(secret), 'only a hash is stored');
  await ask(max, ann.id);
  assert.match(max.console.page.url, /done=gone/, 'it cannot be asked for twice, which would move the day');

  const other = await testContext(t, url);
  other.mail.send = context.mail.send.bind(context.mail);
  const applied = async (): Promise<void> => {
    other.clock.advance(clock.now() - other.clock.now());
    await Promise.all([applyDueResets(context.db, context.clock.now()), applyDueResets(other.db, other.clock.now())]);
    await Promise.all([mailNotices(context), mailNotices(other)]);
  };
  clock.advance(RESET_WAIT_MS - 1);
  await applied();
  assert.equal(await hasFactor(db, ann.id), true, 'not before a day has passed');
  assert.equal(sent.length, 0);
  clock.advance(1);
  await applied();
  assert.deepEqual(await factorsOf(db, ann.id), { passkeys: [], totp: undefined, recovery_codes: 0 });
  assert.equal(sent.length, 1, 'one process carries it out');
  assert.match(sent[0]!.subject, /Your second factor was removed/);
  assert.doesNotMatch(sent[0]!.text, /token=/, 'the mail opens nothing');
  await annsBrowser.signIn.open('/account');
  assert.match(annsBrowser.signIn.page.url, /sign-in/, 'every browser is signed out');
  await applied();
  assert.equal(sent.length, 1);
  const actions = (await listAudit(db, {}, 50)).map(({ action }) => action).filter((action) => /factors/.test(action));
  assert.deepEqual(actions, ['account.factors_removed', 'account.reset_factors']);
  assert.equal((await new Person(services.auth).open(`/factors/keep?token=${secret}`)).status, 410);
});

onEachDatabase('the owner stops a reset by the link of the mail, which works once, or signed in', async (t, url) => {
  const { services, context, sent, ann } = await openReset(t, url);
  const { db, clock } = context;
  const { signIn } = await enter(services, 'Ann');
  await giveApp(context, ann.id);
  const olga = await enter(services, 'Olga');
  const later = async (): Promise<void> => {
    clock.advance(RESET_WAIT_MS);
    await applyDueResets(context.db, context.clock.now());
    clock.advance(-RESET_WAIT_MS);
  };

  await ask(olga, ann.id);
  const link = linkIn(sent.splice(0)[0]!.text);
  const person = new Person(services.auth);
  assert.equal((await person.open(link)).status, 200);
  assert.match(person.text, /Keep your second factor\?.*Ann/);
  assert.equal((await waiting(services)).length, 1, 'a mail program that opens the link changes nothing');
  await person.submit();
  assert.match(person.text, /Nothing is removed/);
  assert.doesNotMatch((await person.open('/account')).url, /account/, 'the link signs nobody in');
  for (const again of [link, `${link}x`, '/factors/keep']) assert.equal((await person.open(again)).status, 410);
  assert.equal((await person.post('/factors/keep', { token: new URL(link).searchParams.get('token')! })).status, 410);
  await later();
  assert.equal(await hasFactor(db, ann.id), true);

  clock.advance(1);
  await ask(olga, ann.id);
  await signIn.open('/account');
  assert.match(signIn.text, /are removed on .*If it was not you who asked, stop it/);
  assert.equal((await person.post('/account/factors/keep', {})).url.endsWith('/sign-in'), true);
  assert.equal((await waiting(services)).length, 1, 'only the owner can stop it');
  await signIn.submit({}, '/account/factors/keep');
  assert.match(signIn.text, /Confirm that it is you.*not the newest one/);
  assert.equal((await waiting(services)).length, 1, 'a session alone cannot stop it');
  // As if an older factor than the app had proved it.
  await db.run(sql`update account_sessions set proved = ${clock.now()}, proved_by = 0 where account_id = ${ann.id}`);
  await signIn.open('/account');
  await signIn.submit({}, '/account/factors/keep');
  assert.match(signIn.text, /Your second factor stays as it is/);
  assert.doesNotMatch(signIn.text, /are removed on/);
  await later();
  assert.equal(await hasFactor(db, ann.id), true);
  const acts = (await listAudit(db, {}, 50)).filter(({ action }) => action === 'account.keep_factors');
  assert.deepEqual(
    acts.map(({ subject, detail }) => [subject, detail]),
    [
      [ann.id, {}],
      [ann.id, { link: true }],
    ],
  );
});

onEachDatabase(
  'the second factor of staff is reset neither in the console nor through a change of the role',
  async (t, url) => {
    const { services, context, sent, olga, max, ann } = await openReset(t, url);
    const { db, clock } = context;
    const oscar = await makeOperator(services, 'Oscar');
    const visitors = [await enter(services, 'Max'), await enter(services, 'Olga')];
    for (const { id } of [olga, max, oscar, ann]) await giveApp(context, id);
    for (const visitor of visitors)
      for (const { id } of [oscar, max, olga]) {
        await ask(visitor, id);
        assert.match(visitor.console.page.url, /done=gone|\/operator\/accounts/);
      }
    assert.deepEqual(await waiting(services), []);
    await visitors[1]!.console.open(`/console/operator/accounts/${oscar.id}/help`);
    assert.match(visitors[1]!.console.text, /by a command on the server only: .*account factor-code --account Oscar/);

    await ask(visitors[0]!, ann.id);
    assert.equal((await waiting(services)).length, 1);
    await setRole(db, ann.id, 'moderator');
    clock.advance(RESET_WAIT_MS);
    await applyDueResets(context.db, context.clock.now());
    for (const { id } of [olga, max, oscar, ann]) assert.equal(await hasFactor(db, id), true);
    assert.deepEqual(
      sent.map(({ subject }) => subject.split(' ·')[0]),
      ['Your second factor is about to be removed'],
    );
    await setRole(db, ann.id, 'user');
    await applyDueResets(context.db, context.clock.now());
    assert.equal(await hasFactor(db, ann.id), true, 'the role ends the reset for good');
  },
);

onEachDatabase(
  'a player cannot ask for a reset, and staff needs a password of the last ten minutes',
  async (t, url) => {
    const { services, context, ann } = await openReset(t, url);
    const player = await enter(services, 'Ann');
    await giveApp(context, ann.id);
    await player.console.open('/console/applications/new');
    const form = { form_token: tokenOn(player.console.page.html), confirmed: 'yes' };
    assert.equal((await player.console.post(`/console/operator/accounts/${ann.id}/factors`, form)).status, 403);
    const max = await enter(services, 'Max');
    context.clock.advance(PASSWORD_MS + 2_000);
    await ask(max, ann.id);
    assert.match(max.console.page.url, /prompt=login/);
    assert.deepEqual(await waiting(services), []);
  },
);
