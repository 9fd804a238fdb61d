import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { applicationByClientId, createApplication, deleteApplication } from '#store/applications/applications.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { listAudit } from '#store/audit/audit.ts';
import { addOwner, MOST_OWNED, ownersOf } from '#store/applications/owners.ts';
import { sql } from '#db/sql.ts';
import { keepUpOnce } from '#server/jobs.ts';
import { application } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;

/** Ann owns an application; Bob has an account. */
async function open(t: TestContext, url: string) {
  const house = await openTestConsole(t, url);
  const { hall } = house;
  const mails: string[] = [];
  hall.mail.send = (mail) => void mails.push(`${mail.to}: ${mail.subject}\n${mail.text}`);
  const app = await application(hall, { name: 'Board' });
  const [ann, bob] = [await makeAccount(house, 'Ann'), await makeAccount(house, 'Bob')];
  await addOwner(hall.db, hall.clock.now(), app.key, ann.id);
  const [{ console: anns }, { console: bobs }] = [await enter(house, 'Ann'), await enter(house, 'Bob')];
  const settings = `/console/applications/${app.client_id}/settings`;
  const names = async (): Promise<string[]> => (await ownersOf(hall.db, app.key)).map(({ name }) => name);
  const ask = async (owner: string): Promise<number> => {
    await anns.open(settings);
    return (await anns.submit({ owner }, '/owners')).status;
  };
  const answer = async (value: string): Promise<void> => {
    await bobs.open('/console');
    const form = bobs.forms().find(({ fields }) => fields['answer'] === value);
    if (form === undefined) throw new Error('nobody has asked');
    await bobs.post(form.action, form.fields);
  };
  return { house, hall, app, ann, bob, anns, bobs, settings, names, ask, answer, mails };
}

onEachDatabase('nobody owns an application, or is named by it, who has not said so', async (t, url) => {
  const { hall, app, bob, anns, bobs, settings, names, ask, answer, mails } = await open(t, url);
  assert.equal(await ask('bob'), 200);
  assert.match(anns.text, /Asked by mail\. They own it when they accept\..*Bob invited/s);
  assert.match(mails[0]!, /^bob@example\.org: Will you own Board\? · Testnet\nHello Bob,\n\nAnn asks you to own/);
  assert.deepEqual(await names(), ['Ann']);
  assert.equal((await bobs.open(settings)).status, 404, 'an invitation opens nothing');

  await answer('decline');
  assert.deepEqual(await names(), ['Ann']);
  await assert.rejects(answer('accept'), /nobody has asked/);
  await bobs.post(`/console/invitations/${app.client_id}`, { form_token: tokenOn(bobs.page.html), answer: 'accept' });
  assert.match(bobs.page.url, /done=gone/);
  assert.deepEqual(await names(), ['Ann'], 'nobody lets themselves in');

  await ask('Bob');
  await anns.submit({}, '/owners/uninvite');
  assert.doesNotMatch(anns.text, /Bob invited/);
  await assert.rejects(answer('accept'), /nobody has asked/);

  await ask('Bob');
  await answer('accept');
  assert.deepEqual(await names(), ['Ann', 'Bob']);
  assert.equal((await bobs.open(settings)).status, 200);
  assert.equal(await ask('Bob'), 422);
  assert.match(anns.text, /Bob owns it already/);
  await bobs.open(settings);
  const leave = bobs.forms().find(({ fields }) => fields['account_id'] === bob.id)!;
  await bobs.post(leave.action, leave.fields);
  assert.deepEqual(await names(), ['Ann'], 'who was asked can leave');
  const kept = await listAudit(hall.db, { action: 'application' }, 20);
  assert.deepEqual(kept.map(({ action, actor }) => `${action.slice(18)} ${actor}`).toReversed(), [
    ...['invite Ann', 'decline Bob', 'invite Ann', 'uninvite Ann', 'invite Ann', 'add Bob', 'remove Bob'],
  ]);
});

onEachDatabase('an invitation has an end, and there are not many', async (t, url) => {
  const { hall, app, bob, anns, names, ask, answer, mails } = await open(t, url);
  await ask('Bob');
  hall.clock.advance(DAY_MS / 4);
  await ask('Bob');
  await hall.db.run(sql`update owner_invitations set expires = ${hall.clock.now()}`);
  await assert.rejects(answer('accept'), /nobody has asked/);
  await keepUpOnce(hall);
  assert.deepEqual(await hall.db.all(sql`select * from owner_invitations`), []);

  for (let count = 0; count < MOST_OWNED; count++) {
    const made = { name: `App ${count}`, type: 'web' as const, redirect_uris: [], access: 'none' as const };
    const { application: one } = await createApplication(hall.db, hall.clock.now(), made);
    await addOwner(hall.db, hall.clock.now(), one.key, bob.id);
  }
  await ask('Bob');
  await answer('accept');
  assert.deepEqual(await names(), ['Ann'], 'nobody owns more by invitation than by registering');
  await setDisabled(hall.db, bob.id, hall.clock.now());
  assert.equal(await ask('Bob'), 422);
  assert.match(anns.text, /There is no account called “Bob”/);
  await setDisabled(hall.db, bob.id, null);
  let sent = 3;
  while ((await ask('Bob')) === 200) sent++;
  assert.equal(sent, 30);
  assert.match(anns.text, /asked 30 times within a day/);
  assert.equal(mails.length, 30);
  assert.equal((await applicationByClientId(hall.db, app.client_id))!.suspended, null);
});

onEachDatabase("nobody can change or delete the console's own application, operators neither", async (t, url) => {
  const { house, hall } = await open(t, url);
  await makeOperator(house, 'Olga');
  const { console: olga } = await enter(house, 'Olga');
  const [own] = await hall.db.all<{ client_id: string }>(sql`select client_id from first_party_clients`);
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
  assert.equal(await deleteApplication(hall.db, own!.client_id), false);
  assert.match((await enter(house, 'Ann')).console.text, /Board/, 'the console goes on');
});
