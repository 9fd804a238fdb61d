import assert from 'node:assert/strict';
import { idOf, keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { setRole, linkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { listAudit } from '#store/audit/audit.ts';
import { listPunishments, punishmentByKey } from '#store/game/punishments.ts';
import { mapByName } from '#store/game/maps/maps.ts';
import { listServerKeys } from '#store/game/server-keys.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { ROUTES } from '#console/pages.ts';
import { makeAccount } from '#test/auth/support.ts';
import type { Person } from '#test/auth/person.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { configured, event, map, match, person, punishment, sendEvents, serverSender } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn, type TestConsole } from './support.ts';

const DAY_MS = 86_400_000;
const MAY: readonly string[] = [
  '/operator/punishments',
  '/operator/names',
  '/operator/search',
  '/operator/accounts/:id/factors',
];

async function makeModerator(services: TestConsole, name: string) {
  const account = await makeAccount(services, name);
  await setRole(services.context.db, account.id, 'moderator');
  return account;
}

const now = ({ context }: TestConsole): string => new Date(context.clock.now()).toISOString();

/** Sends events of a server with a new key. @returns the id of the key */
async function asServer(services: TestConsole, name: string, ...events: WireEvent[]) {
  const { db, clock } = services.context;
  const sender = await serverSender(services.context, name);
  const receipts = await ingestEvents(db, clock, sender, events);
  assert.deepEqual([...new Set(receipts.map(({ status }) => status))], ['accepted'], JSON.stringify(receipts));
  return { ids: receipts.map((receipt) => (receipt as { receipt: string }).receipt), sender };
}

/** Submits the form with this action, with some of its fields changed. */
async function submitTo(browser: Person, action: string, fields: Record<string, string>) {
  const form = browser.forms().find((one) => one.action === action && 'form_token' in one.fields);
  assert.ok(form, `${action} on ${browser.page.url}`);
  return await browser.post(action, { ...form.fields, ...fields });
}

onEachDatabase(
  'a moderator issues, changes and revokes punishments, and sees nothing else of the network',
  async (t, url) => {
    const services = await openTestConsole(t, url, { TIME_ZONE: 'Europe/Berlin' });
    const { context } = services;
    const { db, clock } = context;
    await sendEvents(context, event('player.named', { player: person(1, 'Rogue') }, { time: now(services) }));
    const molly = await makeModerator(services, 'Molly');
    await linkPlayer(db, molly.id, person(9, 'Molly'));
    await sendEvents(context, event('player.named', { player: person(9, 'Molly') }, { time: now(services) }));
    const { console: browser } = await enter(services, 'Molly');

    await browser.open('/console');
    assert.match(browser.page.html, /href="\/console\/operator\/punishments"/);
    const form_token = tokenOn(browser.page.html);
    for (const { method, path, who } of ROUTES.filter((route) => route.path.startsWith('/operator'))) {
      const isModerators = MAY.some((allowed) => path.startsWith(allowed)) && !/changes$|undo$/.test(path);
      assert.equal(who, isModerators ? 'moderator' : 'operator', path);
      if (isModerators) continue;
      const at = `/console${path.replace(/:\w+/, '00000000000')}`;
      const seen = method === 'GET' ? await browser.open(at) : await browser.post(at, { form_token });
      assert.equal(seen.status, 403, `${method} ${path}`);
    }

    await browser.open('/console/operator/punishments/new');
    const issue = '/console/operator/punishments/new';
    const wrong = { player: 'Nobody', type: ' ', reason: 'x', expires: 'tomorrow', level: '-1' };
    assert.equal((await submitTo(browser, issue, wrong)).status, 422);
    for (const sentence of [
      /There is no such player/,
      /a type of 1 to 32/,
      /a whole number from 0/,
      /Choose a time in the future/,
    ])
      assert.match(browser.text, sentence);
    await sendEvents(
      context,
      event('player.named', { player: person(7, 'Twin') }, { time: now(services) }),
      event('player.named', { player: person(8, 'Twin') }, { time: now(services) }),
    );
    assert.equal((await submitTo(browser, issue, { ...wrong, player: 'twin' })).status, 422);
    assert.match(browser.text, /Several players have or had this name\. Enter the UUID/);
    await submitTo(browser, issue, { player: 'rogue', type: 'ban', reason: 'Griefing', expires: '7d', level: '2' });
    const [issued] = await listPunishments(db, Number.MAX_SAFE_INTEGER, 9, clock.now());
    const { type, reason, level, punisher, server, expires } = issued!;
    assert.deepEqual([type, reason, level, punisher, server], ['ban', 'Griefing', 2, person(9, 'Molly'), '']);
    assert.equal(expires, clock.now() + 7 * DAY_MS);
    await browser.open(issue);
    assert.match(browser.page.html, /<option value="Griefing"\s*>/, 'a reason that was given before');
    const until = '2099-07-31T12:00';
    const other = {
      type: '…',
      type_other: 'jail',
      reason: '…',
      reason_other: 'Spam',
      expires: '…',
      expires_other: until,
    };
    await submitTo(browser, issue, { player: 'rogue', ...other });
    const [jailed] = await listPunishments(db, Number.MAX_SAFE_INTEGER, 9, clock.now());
    assert.deepEqual(
      [jailed!.type, jailed!.reason, jailed!.expires],
      ['jail', 'Spam', Date.parse('2099-07-31T12:00+02:00')],
      'other values, and a time in the zone of the network',
    );
    assert.match(browser.page.html, /value="2099-07-31T12:00:00"/);
    assert.equal((await submitTo(browser, `${new URL(browser.page.url).pathname}/change`, {})).status, 422);
    assert.match(browser.text, /Nothing was changed/, 'the form has what the punishment has');
    await browser.open(`/console/operator/punishments/${idOf(issued!.key)}`);
    const path = new URL(browser.page.url).pathname;
    assert.match((await browser.open(`${path}?lang=ja`)).html, /<h1[^>]*>BAN：Rogue</);
    assert.match((await browser.open(`${path}?lang=en`)).html, /<h1[^>]*>Ban: Rogue</);
    await browser.open(path);
    const ids = [...browser.page.html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.ok(ids.includes('reason') && ids.includes('revoke-reason'), 'both forms are there');
    assert.equal(new Set(ids).size, ids.length, `ids are unique: ${ids.join(' ')}`);
    assert.doesNotMatch(browser.page.html, /\/undo"|punishments\/changes/, 'only operators undo');

    assert.equal((await submitTo(browser, `${path}/change`, {})).status, 422);
    assert.match(browser.text, /Nothing was changed/);
    await browser.open(path);
    await submitTo(browser, `${path}/change`, { expires: 'never', reason: 'Griefing again' });
    const changed = (await punishmentByKey(db, issued!.key, clock.now()))!;
    assert.deepEqual([changed.expires, changed.reason, changed.level], [null, 'Griefing again', 2]);

    await browser.open(path);
    clock.advance(1000);
    await sendEvents(
      context,
      event('punishment.changed', { punishment_id: path.slice(-11), level: 7 }, { time: now(services) }),
    );
    assert.equal((await submitTo(browser, `${path}/change`, { level: '1' })).status, 422);
    assert.match(browser.text, /Somebody changed this punishment/);

    await browser.open(path);
    await submitTo(browser, path, { reason: 'It was the brother.' });
    const revoked = (await punishmentByKey(db, issued!.key, clock.now()))!;
    assert.deepEqual([revoked.state, revoked.revocation!.by], [2, person(9, 'Molly')]);
    assert.match(browser.text, /It was the brother\./);
    assert.deepEqual(
      browser.forms().filter(({ action }) => action.startsWith(path)),
      [],
    );
    const entries = await listAudit(db, { action: 'punishment', subject: path.slice(-11) }, 9);
    assert.deepEqual(
      entries.map(({ action, actor, label, subject }) => [action, actor, label, subject]),
      ['punishment.revoke', 'punishment.change', 'punishment.issue'].map((act) => [
        act,
        'Molly',
        'Rogue',
        path.slice(-11),
      ]),
    );
    assert.match(browser.text, /Molly/, 'the history names the moderator');
  },
);

onEachDatabase('an operator sees what a key changed and undoes it at once', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const time = now(services);
  const legit = await asServer(services, 'Alpha', punishment('p1', person(1, 'Rogue'), {}, { time }));
  clock.advance(60_000);
  const stolen = await asServer(
    services,
    'Beta',
    punishment('evil', person(2, 'Innocent'), {}, { time }),
    event('punishment.revoked', { punishment_id: legit.ids[0]!, reason: 'free all' }, { time }),
    event('player.named', { player: person(2, 'Innocent') }, { time }),
    map('Stolen Map', {}, { time }),
    match({ map: 'Stolen Map' }, { time, server: 'Beta' }),
  );
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  await olga.open('/console/operator/punishments/changes');
  assert.match(olga.text, /Innocent[\s\S]*Rogue/);
  const { serverKey } = stolen.sender;
  const key = (await listServerKeys(db, serverKey))[0]!.id;
  await olga.open(`/console/operator/servers/${idOf(serverKey)}`);
  const path = `/console/operator/servers/${idOf(serverKey)}/keys/${key}`;
  assert.ok(olga.page.html.includes(path));
  await context.db.run(sql`update server_keys set expires = 1 where server_key = ${serverKey}`);
  await olga.open(`/console/operator/servers/${idOf(serverKey)}`);
  assert.match(olga.page.html, new RegExp(`Former keys[\\s\\S]*${path}"`));
  await olga.open(path);
  for (const [type, label] of [
    ['punishment.revoked', `/console/operator/punishments/${legit.ids[0]}`],
    ['punishment.issued', `/console/operator/punishments/${stolen.ids[0]}`],
    ['player.named', `/console/operator/players/${person(2).uuid}`],
    ['map.published', '/maps/'],
    ['match.finished', `/matches/${stolen.ids[4]}`],
  ] as const)
    assert.match(olga.page.html, new RegExp(`${type}</code>[\\s\\S]*?<a href="${label}`), type);
  assert.equal((await olga.open(`${path}?since=x`)).status, 422);
  const later = new Date(clock.now() + 1).toISOString();
  assert.doesNotMatch((await olga.open(`${path}?since=${later}`)).html, /Undo/);
  await olga.open(path);
  await submitTo(olga, `/console/operator/servers/${idOf(serverKey)}/withdraw`, {});
  assert.match(olga.text, /map\.published : 1[\s\S]*This cannot be undone/);
  await confirm(olga);
  assert.match(olga.text, /Withdraw/, 'the page of the job that withdraws them');
  await finishJobs(db);
  const left = await listPunishments(db, Number.MAX_SAFE_INTEGER, 9, clock.now());
  assert.deepEqual(
    left.map(({ punished, state }) => [punished.name, state]),
    [['Rogue', 0]],
  );
  assert.equal((await listAudit(db, { action: 'server.withdraw' }, 9))[0]!.detail['key'], key);
  assert.equal(await mapByName(db, 'Stolen Map'), undefined);

  const [lift] = await sendEvents(context, event('punishment.revoked', { punishment_id: legit.ids[0]! }, { time }));
  const page = `/console/operator/punishments/${legit.ids[0]}`;
  await olga.open(page);
  const undo = olga.forms().find(({ action, fields }) => action === `${page}/undo` && fields['receipt'] === lift)!;
  await olga.post(undo.action, undo.fields);
  await confirm(olga);
  assert.equal((await punishmentByKey(db, keyOf(legit.ids[0]!)!, clock.now()))!.state, 0);
  await olga.post(undo.action, { ...undo.fields, receipt: legit.ids[0]! });
  assert.match(olga.text, /Nothing was left to change/, 'the issue is not undone on this page');
});

onEachDatabase('a moderator finds who bears a name and renames accounts that are not linked', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db } = context;
  const sent: string[] = [];
  context.mail.send = (mail) => void sent.push(`${mail.to}: ${mail.subject}\n${mail.text}`);
  const time = now(services);
  await sendEvents(
    context,
    event('player.named', { player: person(1, 'OldName') }, { time: new Date(0).toISOString() }),
    event('player.named', { player: person(1, 'Newname') }, { time }),
  );
  const rude = await makeAccount(services, 'Rude_Word');
  const linked = await makeAccount(services, 'Linked');
  await linkPlayer(db, linked.id, person(1, 'Newname'));
  await makeOperator(services, 'Olga');
  await makeModerator(services, 'Molly');
  const { console: molly } = await enter(services, 'Molly');

  await molly.open('/console/operator/names?q=oldname');
  assert.match(molly.text, /Newname[\s\S]*OldName/);
  assert.match(molly.text, /its name follows the name in the game/);
  await molly.open('/console/operator/names?q=Olga');
  assert.ok(!molly.page.html.includes('/operator/names/'), 'an operator is not renamed by a moderator');
  await molly.open('/console/operator/names?q=rude_word');
  const path = `/console/operator/names/${rude.id}`;
  assert.equal((await submitTo(molly, path, { name: 'no spaces' })).status, 422);
  assert.equal((await submitTo(molly, path, { name: 'newname' })).status, 422);
  await submitTo(molly, path, { name: 'Friendly' });
  assert.equal((await accountById(db, rude.id))!.name, 'Friendly');
  assert.match(sent[0]!, /^rude_word@example\.org: Your account has a new name[\s\S]*Friendly/);
  const [entry] = await listAudit(db, { action: 'account.rename' }, 9);
  assert.deepEqual([entry!.actor, entry!.label, entry!.detail['from']], ['Molly', 'Friendly', 'Rude_Word']);
  const form_token = tokenOn(molly.page.html);
  await molly.post(`/console/operator/names/${linked.id}`, { form_token, name: 'Captured' });
  assert.equal((await accountById(db, linked.id))!.name, 'Newname');

  const { console: olga } = await enter(services, 'Olga');
  await olga.open(`/console/operator/accounts/${rude.id}`);
  const promote = olga.forms().find(({ fields }) => fields['change'] === 'make_moderator')!;
  await olga.post(promote.action, promote.fields);
  await confirm(olga);
  assert.equal((await accountById(db, rude.id))!.role, 'moderator');
  const { console: friendly } = await enter(services, 'Friendly');
  assert.equal((await friendly.open('/console/operator/punishments')).status, 200);
  await setRole(db, rude.id, 'user');
  assert.equal((await friendly.open('/console/operator/punishments')).status, 403, 'immediately');
  assert.match(friendly.text, /This page is for moderators/);
});

onEachDatabase('a moderator bans and finds the UUID of a deleted player without its pseudonym', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const rogue = person(1, 'Rogue');
  await sendEvents(context, punishment('b1', rogue, { reason: 'Griefing' }, { time: now(services) }));
  assert.ok('uuid' in (await erasePlayer(context.db, context.clock.now(), rogue.uuid)));
  await finishJobs(context.db);
  await makeModerator(services, 'Molly');
  const { console: browser } = await enter(services, 'Molly');
  await browser.open('/console/operator/punishments/new');
  const fields = { player: rogue.uuid, type: 'mute', reason: 'Spam', level: '1', expires: 'never' };
  await submitTo(browser, '/console/operator/punishments/new', fields);
  assert.equal(new URL(browser.page.url).searchParams.get('q'), rogue.uuid);
  for (const word of ['Mute', 'Spam', 'Ban', 'Griefing', rogue.uuid]) assert.match(browser.text, new RegExp(word));
  assert.doesNotMatch(browser.page.html, /deleted-|Rogue|operator\/punishments\/[0-9a-z]{11}/);
});
