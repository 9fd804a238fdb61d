import assert from 'node:assert/strict';
import { runJobs } from '#events/jobs/runner.ts';
import { addOwner } from '#store/applications/owners.ts';
import { sql } from '#db/sql.ts';
import { idOf } from '#platform/ids.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { requestAccess } from '#store/applications/access-requests.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { connectedApplications, giveConsent } from '#store/accounts/consents.ts';
import { listAudit } from '#store/audit/audit.ts';
import { findPlayer } from '#store/game/players.ts';
import { createServerKey, listServerKeys, type ServerKey } from '#store/game/server-keys.ts';
import { listServers } from '#store/game/servers.ts';
import { createJob } from '#store/jobs.ts';
import { readLastUse, usageSince } from '#store/applications/usage.ts';
import type { Caller } from '#api/callers.ts';
import { UsageMeter } from '#api/usage-meter.ts';
import {
  application,
  configured,
  event,
  map,
  match,
  person,
  punishment,
  serviceToken,
  sendEvents,
} from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

onEachDatabase('an operator decides an access request once, and the applicant gets a mail', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const sent: string[] = [];
  context.mail.send = (mail) => {
    if (mail.to === 'ann@example.org') sent.push(`${mail.to}: ${mail.subject}\n${mail.text}`);
  };
  const ann = await makeAccount(services, 'Ann');
  await makeOperator(services, 'Olga');
  const app = await application(context, { name: 'Board', access: 'none' });
  await addOwner(context.db, context.clock.now(), app.key, ann.id);
  const [{ console: owner }, { console: olga }] = [await enter(services, 'Ann'), await enter(services, 'Olga')];
  const stored = async () => (await applicationByClientId(context.db, app.client_id))!;

  await owner.open(`/console/applications/${app.client_id}/access`);
  assert.equal((await owner.submit({ purpose: '', volume: '-1', site: 'javascript:x' }, '/access')).status, 422);
  assert.match(owner.text, /a description of 1 to 1000 characters.*a web address like.*a whole number of at least 1/s);
  await owner.submit({ purpose: 'A board.\nFor all.', volume: '50', site: '' }, '/access');
  assert.equal((await stored()).access, 'waiting');
  await olga.open('/console/operator');
  const request = /\/console\/operator\/requests\/(\w+)/.exec(olga.page.html)![0];
  await olga.open(request);
  const form = () => olga.forms().find(({ action }) => action === request)!.fields;
  assert.match((await olga.post(request, form())).url, /done=undecided/, 'a form without the value of a button');
  const refusal = await olga.post(request, { ...form(), note: '', state: 'refused' });
  assert.equal(refusal.status, 422, 'a refusal needs a note');
  await olga.post(request, {
    ...olga.forms().find(({ action }) => action === request)!.fields,
    state: 'refused',
    note: 'Too vague.',
  });
  assert.equal((await stored()).access, 'refused');
  assert.match(sent[0]!, /^ann@example\.org: Not approved: Board[\s\S]*Too vague\./);

  await owner.open(`/console/applications/${app.client_id}/access`);
  assert.match(owner.text, /Too vague\./);
  await owner.submit({ purpose: 'A board on the wall.', volume: '50' }, '/access');
  await olga.open('/console/operator');
  const second = /\/console\/operator\/requests\/(\w+)/.exec(olga.page.html)![0];
  await olga.open(second);
  const fields = {
    ...olga.forms().find(({ action }) => action === second)!.fields,
    ...{ state: 'approved', note: '', limit: 'unused' },
  };
  await olga.post(second, fields);
  assert.equal((await stored()).access, 'approved');
  assert.match((await olga.post(second, fields)).url, /done=gone/, 'a decided request cannot be decided again');

  await owner.open(`/console/applications/${app.client_id}/access`);
  await owner.submit({ purpose: 'Finals.', volume: '9000' }, '/access');
  await olga.open('/console/operator');
  const third = /\/console\/operator\/requests\/(\w+)/.exec(olga.page.html)![0];
  await olga.open(third);
  const { form_token } = olga.forms().find(({ action }) => action === third)!.fields;
  const decide = (more: Record<string, string>) => olga.post(third, { form_token: form_token!, note: '', ...more });
  assert.equal((await decide({ state: 'approved' })).status, 422, 'a request of a limit needs one');
  assert.equal((await decide({ state: 'approved', limit: '  ' })).status, 422);
  await decide({ state: 'approved', limit: '5000' });
  assert.equal((await stored()).hourly_limit, 5000);
  assert.equal(sent.length, 3);
  const token = await serviceToken(context, app.client_id);
  const answer = await fetch(`${services.api}/v1/servers`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.headers.get('x-ratelimit-limit'), '5000');
  const entries = await listAudit(context.db, { action: 'access' }, 20);
  assert.deepEqual(
    entries.map(({ action, actor }) => `${action} ${actor}`),
    [
      'access.approve Olga',
      'access.ask Ann',
      'access.approve Olga',
      'access.ask Ann',
      'access.refuse Olga',
      'access.ask Ann',
    ],
  );
});

onEachDatabase(
  'each operator act is audited: new key, withdrawal, merge, revoked punishment, disabled account',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    const now = new Date(context.clock.now() - 60_000).toISOString();
    const [first] = await sendEvents(
      context,
      match({ finished: now, started: new Date(context.clock.now() - 600_000).toISOString() }, { time: now }),
    );
    const [banned] = await sendEvents(
      context,
      punishment('p', person(1, 'Rogue'), {}, { time: now, server: 'Alpha' }),
      punishment('q', person(2, 'Double'), { type: 'warn' }, { time: now }),
    );
    const ann = await makeAccount(services, 'Ann');
    await makeOperator(services, 'Olga');
    const { console: olga } = await enter(services, 'Olga');
    const { console: anns } = await enter(services, 'Ann');

    await olga.open('/console/operator/servers');
    await olga.submit({ name: 'Beta' }, '/operator/servers');
    assert.match(olga.text, /shk_[\w-]{43}/);
    await olga.open('/console/operator/servers');
    const alpha = /\/console\/operator\/servers\/\w+(?=">Alpha)/.exec(olga.page.html)![0];
    await olga.open(alpha);
    assert.match(olga.text, /match\.finished/);
    await olga.post(`${alpha}/withdraw`, { form_token: tokenOn(olga.page.html), receipt: first! });
    assert.match(olga.text, /Events that are withdrawn,[^:]*: 1 match\.finished ?: 1/);
    await confirm(olga);
    assert.match(olga.page.url, /\/operator\/jobs\/\w+$/);
    await runJobs(context);
    assert.match((await olga.open(olga.page.url)).html, /done/);
    assert.equal((await fetch(`${services.site}/matches/${first}`)).status, 404);

    await olga.open(`/console/operator/punishments/${banned}`);
    assert.equal((await olga.submit({ reason: ' ' }, `/punishments/${banned}`)).status, 422);
    await olga.submit({ reason: 'It was the other one.' }, `/punishments/${banned}`);
    assert.match(olga.text, /revoked/);

    await olga.open('/console/operator/players/merge?from=Double&into=Rogue');
    const confirmation = olga
      .forms()
      .find(({ action, fields }) => action.endsWith('/players/merge') && 'form_token' in fields)!;
    await olga.post(confirmation.action, confirmation.fields);
    assert.match(olga.page.html, /Merged/, olga.text);

    await olga.open(`/console/operator/accounts/${ann.id}`);
    await olga.submit({}, `/accounts/${ann.id}`);
    await confirm(olga);
    assert.match((await anns.open('/console')).html, /Sign in to begin/, 'disabling ends the session');

    await olga.open('/console/operator/audit?actor=olga&outcome=done');
    for (const action of ['server.create', 'server.withdraw', 'punishment.revoke', 'player.merge', 'account.disable'])
      assert.match(olga.page.html, new RegExp(`<code>${action}</code>`));
    assert.doesNotMatch((await olga.open('/console/operator/audit?action=server')).html, /<code>player\.merge/);
    assert.match((await olga.open('/console/operator/audit?since=2999-01-01')).html, /Nothing found/);
  },
);

onEachDatabase(
  'usage is counted by application, endpoint and hour, and shows users when their data was read',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    const app = await application(context, { limit: 3 });
    const ann = await makeAccount(services, 'Ann');
    await giveConsent(context.db, context.clock.now(), ann.id, app.client_id, ['profile']);
    await using meter = new UsageMeter(context, (error) => assert.ifError(error));
    const user = { kind: 'user' as const, application: app, accountId: ann.id, scopes: ['profile'] } satisfies Caller;
    const hour = context.clock.now() - (context.clock.now() % 3_600_000);
    for (const status of [200, 200, 404, 429, 500]) meter.count(user, '/v1/players/:id', status);
    await meter.save();
    context.clock.advance(3_600_000);
    meter.count({ kind: 'application', application: app }, '/v1/servers', 200);
    meter.count(user, '/v1/players/:id', 200);
    await meter.save();
    const row = { application_key: app.key, requests: 1, client_errors: 0, limited: 0, server_errors: 0 };
    const usage = (await usageSince(context.db, app.key, 0)).map((counter) => ({ ...counter }));
    assert.deepEqual(usage, [
      { ...row, hour, endpoint: '/v1/players/:id', requests: 5, client_errors: 1, limited: 1, server_errors: 1 },
      { ...row, hour: hour + 3_600_000, endpoint: '/v1/players/:id' },
      { ...row, hour: hour + 3_600_000, endpoint: '/v1/servers' },
    ]);
    const read = async () => (await connectedApplications(context.db, ann.id))[0]!.read;
    assert.equal(await read(), context.clock.now());

    const failToSave = async () => {
      const { mock } = t.mock.method(context.db, 'transaction', async () => await Promise.reject(new Error('no disk')));
      await assert.rejects(meter.save(), /no disk/);
      mock.restore();
    };
    meter.count(user, '/v1/players/:id', 200);
    context.clock.advance(1);
    meter.count(user, '/v1/players/:id', 429);
    await failToSave();
    context.clock.advance(1);
    meter.count(user, '/v1/players/:id', 200);
    await meter.save();
    assert.deepEqual(
      (await usageSince(context.db, app.key, hour + 3_600_000)).map((counter) => ({ ...counter })),
      [
        { ...row, hour: hour + 3_600_000, endpoint: '/v1/players/:id', requests: 4, limited: 1 },
        { ...row, hour: hour + 3_600_000, endpoint: '/v1/servers' },
      ],
      'counts of a failed save are added once, to those counted after it',
    );
    assert.deepEqual([await read(), await readLastUse(context.db, app.key)], Array(2).fill(context.clock.now()));
    context.clock.advance(1);
    meter.count(user, '/v1/players/:id', 200);
    await failToSave();
    await meter.save();
    assert.equal(await read(), context.clock.now(), 'when data was read is kept, too');
  },
);

onEachDatabase('operators and moderators land on what waits for them, and sections show how much', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  await makeOperator(services, 'Olga');
  const molly = await makeAccount(services, 'Molly');
  await setRole(context.db, molly.id, 'moderator');
  await makeAccount(services, 'Ann');
  const { console: olga } = await enter(services, 'Olga');
  assert.equal(new URL(olga.page.url).pathname, '/console/operator');
  assert.doesNotMatch(olga.page.html, /class="count"/, 'nothing waits');
  const app = await application(context, { name: 'Board' });
  const wish = { kind: 'limit', account_id: molly.id, purpose: 'Many.', site: '', volume: 9000 } as const;
  await requestAccess(context.db, context.clock.now(), app, wish);
  await application(context, { name: 'Left' });
  await context.db.run(sql`update applications set suspended = 'deleted' where name = 'Left'`);
  await olga.open('/console/operator/audit');
  assert.match(olga.text, /Overview 2 waiting/);
  assert.match(olga.page.html, /aria-current="page"\s*>Audit log/);
  const one = await olga.open('/console?done=saved');
  assert.match(one.url, /\/console\/operator\?done=saved$/, 'the message of a form stays');
  assert.match((await olga.open('/console/applications')).html, /no applications yet/);

  const { console: mollys } = await enter(services, 'Molly');
  assert.equal(new URL(mollys.page.url).pathname, '/console/operator/punishments');
  assert.doesNotMatch(mollys.text, /waiting|Audit log/);
  const { console: ann } = await enter(services, 'Ann');
  assert.equal(new URL(ann.page.url).pathname, '/console');
  assert.match(ann.text, /no applications yet/);
});

onEachDatabase(
  'one field finds accounts, applications, players, servers, maps and punishments by a word',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    await makeOperator(services, 'Olga');
    const { id } = await makeAccount(services, 'Grey_Ann');
    await setRole(context.db, (await makeAccount(services, 'Molly')).id, 'moderator');
    const { client_id } = await application(context, { name: 'Old Grey Board' });
    const { uuid } = person(1);
    const [ban] = (await sendEvents(
      context,
      punishment('p1', { uuid, name: 'Wolf_Grey' }),
      configured('Grey East'),
      map('The Grey Peaks'),
    )) as [string];
    const { console: olga } = await enter(services, 'Olga');
    await olga.open('/console/operator/jobs');
    assert.match(
      olga.page.html,
      /<form action="\/console\/operator\/search" role="search">/,
      'the field is on every page',
    );
    const { html } = await olga.open('/console/operator/search?q=gREY');
    for (const path of [
      `/console/operator/accounts/${id}"`,
      `/console/applications/${client_id}"`,
      `/console/operator/players/${uuid}"`,
      `/console/operator/punishments/${ban}"`,
      '/console/operator/servers/',
      '/maps/',
    ])
      assert.ok(html.includes(`<a href="${path}`), path);
    assert.match((await olga.open(`/console/operator/search?q=${uuid.slice(0, 20)}`)).html, /Wolf_Grey/);
    assert.match((await olga.open('/console/operator/search?q=rey')).html, /Nothing found/);
    const { console: molly } = await enter(services, 'Molly');
    const seen = await molly.open('/console/operator/search?q=grey');
    assert.ok(seen.html.includes(`/console/operator/names?q=${uuid}`) && seen.html.includes(ban));
    assert.ok(
      !seen.html.includes(id) && !seen.html.includes(client_id),
      'moderators find no accounts and applications',
    );
  },
);

onEachDatabase('the search takes every id that pages, responses, receipts and commands print', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  await makeOperator(services, 'Olga');
  await setRole(db, (await makeAccount(services, 'Molly')).id, 'moderator');
  const { id: account } = await makeAccount(services, 'Ann');
  const app = await application(context, { name: 'Board' });
  const [ban, revoked, played, peaks] = (await sendEvents(
    context,
    punishment('p1', person(1, 'Wolf')),
    event('punishment.revoked', { punishment: 'p1', reason: 'free' }),
    match({ map: 'Peaks' }),
    map('Peaks'),
    configured('East'),
  )) as [string, string, string, string];
  const server = (await listServers(db, 0)).find(({ name }) => name === 'East')!;
  await createServerKey(db, clock.now(), server.key);
  const [{ id: key }] = (await listServerKeys(db, server.key)) as [ServerKey];
  const { key: player } = (await findPlayer(db, 'Wolf'))!;
  const job = await db.transaction((tx) => createJob(tx, clock.now(), { kind: 'withdrawal', label: 'East' }));
  const access = { account_id: account, kind: 'access', purpose: 'A board.', site: '', volume: 1 } as const;
  const request = (await requestAccess(db, clock.now(), app, access))!;
  const root = '/console/operator';
  const found: Record<string, string> = {
    [account]: `${root}/accounts/${account}`,
    [app.client_id]: `/console/applications/${app.client_id}`,
    [ban]: `${root}/punishments/${ban}`,
    [revoked]: `${root}/punishments/${ban}`,
    [played]: `/matches/${played}`,
    [peaks]: `/maps/${peaks}`,
    [idOf(server.key)]: `${root}/servers/${idOf(server.key)}`,
    [key]: `${root}/servers/${idOf(server.key)}/keys/${key}`,
    [idOf(player)]: `${root}/players/${person(1).uuid}`,
    [idOf(job)]: `${root}/jobs/${idOf(job)}`,
    [request.id]: `${root}/requests/${request.id}`,
  };
  const { console: olga } = await enter(services, 'Olga');
  const { console: molly } = await enter(services, 'Molly');
  for (const [id, href] of Object.entries(found)) {
    await olga.open(`${root}/search?q=${id}`);
    assert.ok(olga.page.html.includes(`<a href="${href}"`), `${href}: ${olga.text}`);
    await molly.open(`${root}/search?q=${id}`);
    const isModerators = href.includes('/punishments/') && id === ban;
    assert.equal(molly.page.html.includes(`<a href="${href}"`), isModerators, `a moderator: ${href}`);
  }
  assert.match((await olga.open(`${root}/search?q=00000000zzz`)).html, /Nothing found/);
  const { headers } = await fetch(`${services.api}/v1/servers`);
  await olga.open(`${root}/search?q=${headers.get('x-request-id')}`);
  assert.match(olga.text, /form of a request id/);
});
