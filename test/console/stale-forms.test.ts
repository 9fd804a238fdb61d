import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { perform } from '#admin/operation.ts';
import { changePunishment, issuePunishment, revokePunishment } from '#admin/punishments.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { login, person, punishment, sendEvents, serverSender } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import type { Person } from '#test/auth/person.ts';
import { enter, makeOperator, openTestConsole, type TestConsole, tokenOn } from './support.ts';

const OPERATOR = '/console/operator';
const steve = person(1, 'Steve');
const alex = person(2, 'Alex');

/** An operator with the form token of the session, and a ban of Steve, who had another name. */
async function openTabs(services: TestConsole): Promise<{ olga: Person; form_token: string; ban: string }> {
  const { context } = services;
  const at = (ago: number) => ({ time: new Date(context.clock.now() - ago).toISOString() });
  await sendEvents(
    context,
    login('Alpha', { ...steve, name: 'Stephen' }, at(9000)),
    login('Alpha', steve, at(8000)),
    login('Alpha', alex, at(8000)),
  );
  const [ban] = await sendEvents(context, punishment('p', steve, { reason: 'Was rude' }, at(1000)));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  return { olga, form_token: tokenOn((await olga.open(`${OPERATOR}/servers`)).html), ban: ban! };
}

/** What the page says about the form before. */
const answer = ({ page, text }: Person, sentence: RegExp): unknown[] => [page.status, sentence.exec(text)?.[0]];

onEachDatabase('a form of a punishment that was revoked or changed meanwhile says so', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { olga, form_token, ban } = await openTabs(services);
  const path = `${OPERATOR}/punishments/${ban}`;
  const formOf = async (level: string) => {
    await olga.open(path);
    const form = olga.forms().find(({ action }) => action.endsWith('/change'))!;
    return { ...form.fields, level };
  };
  const changed = /Somebody changed this punishment after you opened the page/;
  const forms = [await formOf('1'), await formOf('2')];
  const tabs = forms.map(() => olga.copy());
  await Promise.all(tabs.map((tab, index) => tab.post(`${path}/change`, forms[index]!)));
  const statuses = tabs.map(({ page }) => page.status).toSorted((one, other) => one - other);
  assert.deepEqual(statuses, [200, 422], 'one of two changes at once');
  assert.ok(tabs.some(({ text }) => changed.test(text)));

  const stale = await formOf('3');
  await olga.post(path, { form_token, reason: 'Has said sorry' });
  assert.match(olga.text, /Revoked\./);
  await olga.post(`${path}/change`, stale);
  assert.deepEqual(answer(olga, changed), [422, 'Somebody changed this punishment after you opened the page']);
  await olga.post(path, { form_token, reason: '' });
  assert.deepEqual(answer(olga, /Nothing was left to change/), [200, 'Nothing was left to change']);

  const ends = { type: 'ban', reason: '', expires: '…', expires_other: '9999-12-31T12:00', level: '0' };
  await olga.post(`${OPERATOR}/punishments/new`, { form_token, player: 'Steve', name: '', ...ends });
  assert.deepEqual(answer(olga, /Choose a time in the future, before the year 9999/)[0], 422);
  assert.doesNotMatch(olga.text, /data\.expires/);
});

onEachDatabase('a form of a player who was merged or erased meanwhile says so', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { olga, form_token } = await openTabs(services);
  const merge = { form_token, from: alex.uuid, into: steve.uuid };
  await olga.post(`${OPERATOR}/players/merge`, merge);
  for (const again of [merge, { ...merge, from: steve.uuid, into: alex.uuid }]) {
    await olga.post(`${OPERATOR}/players/merge`, again);
    assert.deepEqual(answer(olga, /One of the two has been merged/), [422, 'One of the two has been merged']);
  }
  await olga.post(`${OPERATOR}/players/${alex.uuid}/erase`, { form_token, name: 'Alex' });
  assert.deepEqual(answer(olga, /That is not the name of the player/)[0], 422);
  await finishJobs(services.context.db);
  await olga.post(`${OPERATOR}/players/${steve.uuid}/erase`, { form_token, name: 'Steve' });
  assert.match(olga.text, /Erased\./);
  for (const [form, name] of [
    ['erase', 'Steve'],
    ['name', 'Stephen'],
  ] as const) {
    await olga.post(`${OPERATOR}/players/${steve.uuid}/${form}`, { form_token, name });
    assert.deepEqual(answer(olga, /was erased/), [200, 'was erased'], form);
    assert.match(olga.text, /Nothing was left to change/);
  }
});

onEachDatabase('an act that began before an erasure leaves no name in the audit log', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { ban } = await openTabs(services);
  const { context } = services;
  const { db, clock } = context;
  const before = (await punishmentByKey(db, keyOf(ban)!, clock.now()))!;
  const actor = { via: 'console', account_id: null, name: 'Olga', address: '' } as const;
  const acting = { ...context, actor };
  await erasePlayer(db, clock.now(), steve.uuid);
  await finishJobs(db);
  const row = { punished: steve, punisher: null };
  assert.deepEqual(await perform(issuePunishment, acting, row, { type: 'ban' }), { refused: 'erased_meanwhile' });
  const refused = { refused: 'changed_meanwhile' };
  assert.deepEqual(await perform(changePunishment, acting, before, { level: 3 }), refused);
  const revocation = { punishment: before, revoker: null };
  assert.deepEqual(await perform(revokePunishment, acting, revocation, { reason: 'x' }, () => undefined), refused);
  for (const table of [sql`audit`, sql`ledger`, sql`punishments`])
    assert.doesNotMatch(JSON.stringify(await db.all(sql`select * from ${table}`)), /Steve|000000000001"/);
});

onEachDatabase(
  'a list of 200 hidden players is stored, and a key does not list all events for a wrong time',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { olga, form_token } = await openTabs(services);
    const { db } = services.context;
    const listed = Array.from({ length: 200 }, (_, index) => person(index + 100).uuid);
    await olga.post(`${OPERATOR}/network`, { form_token, hidden: listed.join('\r\n') });
    assert.equal(olga.page.status, 200);
    assert.equal((await hiddenOn(db, NETWORK)).length, 200);

    await serverSender(services.context, 'Alpha');
    await olga.open(`${OPERATOR}/servers`);
    await olga.open(/href="([^"]*\/servers\/\w+)"/.exec(olga.page.html)![1]!);
    const path = /href="([^"]*\/keys\/\w+)"/.exec(olga.page.html)![1]!;
    for (const wrong of ['yesterday', 'x'.repeat(41), '2026-02-30T12:00']) {
      await olga.open(`${path}?since=${wrong}`);
      assert.deepEqual(answer(olga, /Choose a date and a time/), [422, 'Choose a date and a time'], wrong);
    }
  },
);
