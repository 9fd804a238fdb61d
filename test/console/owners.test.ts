import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { applicationByClientId, createApplication, deleteApplication } from '#store/applications/applications.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { listAudit } from '#store/audit/audit.ts';
import { addOwner, MAX_OWNED, ownersOf } from '#store/applications/owners.ts';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { application } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;

/** Ann owns an application; Bob has an account. */
async function open(t: TestContext, url: string) {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const mails: string[] = [];
  context.mail.send = (mail) => void mails.push(`${mail.to}: ${mail.subject}\n${mail.text}`);
  const app = await application(context, { name: 'Board' });
  const [ann, bob] = [await makeAccount(services, 'Ann'), await makeAccount(services, 'Bob')];
  await addOwner(context.db, context.clock.now(), app.key, ann.id);
  const [{ console: anns }, { console: bobs }] = [await enter(services, 'Ann'), await enter(services, 'Bob')];
  const settings = `/console/applications/${app.client_id}/settings`;
  const names = async (): Promise<string[]> => (await ownersOf(context.db, app.key)).map(({ name }) => name);
  const invite = async (owner: string): Promise<number> => {
    await anns.open(settings);
    return (await anns.submit({ owner }, '/owners')).status;
  };
  const answer = async (value: string): Promise<void> => {
    await bobs.open('/console');
    const form = bobs.forms().find(({ fields }) => fields['answer'] === value);
    if (form === undefined) throw new Error('no invitation');
    await bobs.post(form.action, form.fields);
  };
  return { services, context, app, ann, bob, anns, bobs, settings, names, invite, answer, mails };
}

onEachDatabase('an account owns an application only after accepting the invitation', async (t, url) => {
  const { context, app, bob, anns, bobs, settings, names, invite, answer, mails } = await open(t, url);
  assert.equal(await invite('bob'), 200);
  assert.match(anns.text, /Invitation sent by mail\. They become an owner when they accept\..*Bob invited/s);
  assert.match(
    mails[0]!,
    /^bob@example\.org: Invitation to own Board · Testnet\nHello Bob,\n\nAnn invites you to become an owner/,
  );
  assert.deepEqual(await names(), ['Ann']);
  assert.equal((await bobs.open(settings)).status, 404, 'an open invitation gives no access');

  await answer('decline');
  assert.deepEqual(await names(), ['Ann']);
  await assert.rejects(answer('accept'), /no invitation/);
  await bobs.post(`/console/invitations/${app.client_id}`, { form_token: tokenOn(bobs.page.html), answer: 'accept' });
  assert.match(bobs.page.url, /done=gone/);
  assert.deepEqual(await names(), ['Ann'], 'an account cannot accept without an invitation');

  await invite('Bob');
  await anns.submit({}, '/owners/uninvite');
  assert.doesNotMatch(anns.text, /Bob invited/);
  await assert.rejects(answer('accept'), /no invitation/);

  await invite('Bob');
  await answer('accept');
  assert.deepEqual(await names(), ['Ann', 'Bob']);
  assert.equal((await bobs.open(settings)).status, 200);
  assert.equal(await invite('Bob'), 422);
  assert.match(anns.text, /Bob is already an owner/);
  await bobs.open(settings);
  const leave = bobs.forms().find(({ fields }) => fields['account_id'] === bob.id)!;
  await bobs.post(leave.action, leave.fields);
  assert.match(bobs.text, /Remove yourself from the owners of Board\?/);
  assert.deepEqual(await names(), ['Ann', 'Bob'], 'it asks first');
  await confirm(bobs);
  assert.deepEqual(await names(), ['Ann'], 'an invited owner can leave again');
  const entries = await listAudit(context.db, { action: 'application' }, 20);
  assert.deepEqual(entries.map(({ action, actor }) => `${action.slice(18)} ${actor}`).toReversed(), [
    ...['invite Ann', 'decline Bob', 'invite Ann', 'uninvite Ann', 'invite Ann', 'add Bob', 'remove Bob'],
  ]);
});

onEachDatabase('invitations expire, and their number is limited', async (t, url) => {
  const { context, app, bob, anns, names, invite, answer, mails } = await open(t, url);
  await invite('Bob');
  context.clock.advance(DAY_MS / 4);
  await invite('Bob');
  await context.db.run(sql`update owner_invitations set expires = ${context.clock.now()}`);
  await assert.rejects(answer('accept'), /no invitation/);
  await runJobsOnce(context);
  assert.deepEqual(await context.db.all(sql`select * from owner_invitations`), []);

  for (let count = 0; count < MAX_OWNED; count++) {
    const made = { name: `App ${count}`, type: 'web' as const, redirect_uris: [], access: 'none' as const };
    const { application: owned } = await createApplication(context.db, context.clock.now(), made);
    await addOwner(context.db, context.clock.now(), owned.key, bob.id);
  }
  await invite('Bob');
  await answer('accept');
  assert.deepEqual(await names(), ['Ann'], 'invitations count towards the limit of owned applications');
  await setDisabled(context.db, bob.id, context.clock.now());
  assert.equal(await invite('Bob'), 422);
  assert.match(anns.text, /There is no account called “Bob”/);
  await setDisabled(context.db, bob.id, null);
  let sent = 3;
  while ((await invite('Bob')) === 200) sent++;
  assert.equal(sent, 30);
  assert.match(anns.text, /sent 30 invitations within a day/);
  assert.equal(mails.length, 1);
  assert.equal((await applicationByClientId(context.db, app.client_id))!.suspended, null);
});

onEachDatabase('an application is deleted by its owner, who types its name', async (t, url) => {
  const { context, app, anns } = await open(t, url);
  const path = `/console/applications/${app.client_id}/delete`;
  const remove = async (fields: Record<string, string>): Promise<number> => {
    await anns.open(path);
    return (await anns.post(path, { form_token: tokenOn(anns.page.html), ...fields })).status;
  };
  const nameless: Record<string, string>[] = [{}, { confirmed: 'yes' }, { confirmed: 'yes', name: 'board' }];
  for (const fields of nameless) assert.equal(await remove(fields), 422);
  assert.equal((await listAudit(context.db, { action: 'application.delete' }, 9)).length, 0);
  assert.equal(await remove({ name: ' Board ' }), 200);
  assert.equal(await applicationByClientId(context.db, app.client_id), undefined);
});

onEachDatabase("not even operators can change or delete the console's own application", async (t, url) => {
  const { services, context } = await open(t, url);
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const [own] = await context.db.all<{ client_id: string }>(sql`select client_id from first_party_clients`);
  const at = `/console/applications/${own!.client_id}`;
  for (const path of ['', '/access', '/usage', '/settings', '/delete']) {
    assert.equal((await olga.open(at + path)).status, 404, path);
  }
  await olga.open('/console/operator/applications');
  const form_token = tokenOn(olga.page.html);
  assert.equal((await olga.post(`${at}/delete`, { form_token, name: 'Testnet' })).status, 404);
  assert.equal((await olga.post(`${at}/secrets`, { form_token })).status, 404);
  const operators = `/console/operator/applications/${own!.client_id}`;
  assert.equal((await olga.post(operators, { form_token, access: 'revoked' })).status, 404);
  await olga.open(`/console/operator/applications?q=${own!.client_id}`);
  assert.match(olga.text, /Nothing found/);
  assert.equal(await deleteApplication(context.db, own!.client_id), false);
  assert.match((await enter(services, 'Ann')).console.text, /Board/, 'the console still works');
});

onEachDatabase(
  'invitations carry no address that another person chose, neither now nor from before',
  async (t, url) => {
    const { context, app, anns, settings, invite, mails } = await open(t, url);
    await anns.open(settings);
    await anns.submit({ name: 'Free coins: https://evil.example' }, '/settings');
    assert.deepEqual([anns.page.status, /must not contain an address/.test(anns.text)], [422, true]);
    await anns.open('/console/applications/new');
    await anns.submit({ name: 'evil.example', type: 'service' }, '/applications');
    assert.equal(anns.page.status, 422);
    await context.db.run(sql`update applications set name = 'Coins at evil.example' where key = ${app.key}`);
    await anns.open(settings);
    await anns.submit({ require_pkce: '1' }, '/settings');
    assert.match(anns.page.url, /done=saved/, 'a name from before stays valid');
    await context.db.run(sql`update accounts set name = 'www.evil.example' where name = 'Ann'`);
    await invite('Bob');
    assert.match(mails[0]!, /Invitation to own Coins at evil example .*www evil example invites you/s);
    assert.doesNotMatch(mails[0]!, /evil\./);
  },
);

onEachDatabase('an account gets one mail a day about an application, and the page does not show it', async (t, url) => {
  const { context, ann, bob, anns, invite, mails } = await open(t, url);
  const asked = async (): Promise<string> => {
    assert.equal(await invite('Bob'), 200);
    const shown = anns.text;
    await anns.submit({}, '/owners/uninvite');
    return shown.replaceAll(/\d/g, '0');
  };
  const first = await asked();
  assert.equal(await asked(), first);
  assert.equal(mails.length, 1);
  const mailsUntil = async (end: number): Promise<number> => {
    await context.db.run(sql`update throttles set resets = ${end} where subject like 'invitationMail %'`);
    await asked();
    return mails.length;
  };
  assert.equal(await mailsUntil(context.clock.now() + 1), 1);
  assert.equal(await mailsUntil(context.clock.now()), 2, 'after a day');
  const other = await application(context, { name: 'Other' });
  await addOwner(context.db, 0, other.key, ann.id);
  await anns.open(`/console/applications/${other.client_id}/settings`);
  await anns.submit({ owner: bob.name }, '/owners');
  assert.equal(mails.length, 3, 'another application');
});
