import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { idOf } from '#platform/ids.ts';
import { listAudit } from '#store/audit/audit.ts';
import { findServerKey, listServerKeys } from '#store/game/server-keys.ts';
import { listServers, type ServerNow, serverByName } from '#store/game/servers.ts';
import { configured, match, presence, sendEvents, serverSender } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const DAY_MS = 86_400_000;
const timestamp = (ms: number): string => new Date(ms).toISOString();
const SECRET = /shk_(test_)?[\w-]{43}/;

onEachDatabase('the list of servers tells servers that report without a match from silent ones', async (t, url) => {
  const services = await openTestConsole(t, url);
  await sendEvents(services.context, configured('Lobby', { order: 1 }), configured('Old', { order: 2, max: 20 }));
  const players = ['Player1', 'Player2', 'Player3'];
  const time = timestamp(services.context.clock.now());
  await sendEvents(services.context, presence('Lobby', { current: 3, players }, { time }));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  await olga.open('/console/operator/servers');
  assert.match(olga.text, /Lobby\s+eu\s+1\s+3\s+no match/);
  assert.match(olga.text, /Old\s+eu\s+2\s+0 \/ 20\s+not reporting/);
  // Phones show the heading of a column beside its value.
  assert.match(olga.page.html, /<td data-label="Region">eu<\/td>/);
  assert.doesNotMatch(olga.page.html, /<th scope="row" data-label/);
});

/** A server without events, the address of its page, and an operator. */
async function openServerPage(t: TestContext, url: string, name: string) {
  const services = await openTestConsole(t, url);
  const { context } = services;
  await sendEvents(context, configured(name, {}));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const { key } = (await serverByName(context.db, name))!;
  const page = `/console/operator/servers/${idOf(key)}`;
  return { context, olga, page, sender: await serverSender(context, name) };
}

const problemsOn = (html: string): unknown[] =>
  [...html.matchAll(/<p class="error" id="(\w+)-error">([^<]*)</g)].map(([, field, sentence]) => [field, sentence]);

onEachDatabase('a new server needs its name alone; its page reports all wrong settings at once', async (t, url) => {
  const services = await openTestConsole(t, url);
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  await olga.open('/console/operator/servers');
  assert.doesNotMatch(olga.page.html, /name="(region|order|max)"/);
  const unnamed = await olga.submit({ name: ' ' }, '/operator/servers');
  assert.deepEqual(
    [unnamed.status, ...problemsOn(unnamed.html)],
    [422, ['name', 'Enter a name of 1 to 64 characters.']],
  );
  assert.deepEqual(await listServers(services.context.db, 0), []);

  await olga.open('/console/operator/servers');
  await olga.submit({ name: 'Beta' }, '/operator/servers');
  assert.match(olga.text, SECRET);
  const [{ name, region, order, max }] = (await listServers(services.context.db, 0)) as [ServerNow];
  assert.deepEqual([name, region, order, max], ['Beta', '', 0, 0]);
  const page = new URL(olga.page.url).pathname;
  const { status, html } = await olga.submit({ region: 'r'.repeat(65), order: 'x' }, page.slice('/console'.length));
  assert.equal(status, 422);
  assert.deepEqual(problemsOn(html), [
    ['region', 'This must have at most 64 characters.'],
    ['order', 'This must be a whole number from -1000000 to 1000000 (it is &quot;x&quot;).'],
  ]);
});

onEachDatabase('a wrong list of hidden players stays in its form, with a sentence', async (t, url) => {
  const { context, olga, page } = await openServerPage(t, url, 'Alpha');
  const long = 'x'.repeat(65);
  for (const [address, action] of [
    ['/console/operator/servers', '/operator/network'],
    [page, page.slice('/console'.length)],
  ] as const) {
    await olga.open(address);
    const { status, html } = await olga.submit({ hidden: `Ada\r\n${long}` }, action);
    assert.equal(status, 422, action);
    assert.match(html, /<p class="error" id="\w+-error">Enter at most 200 names or UUIDs, one per line/);
    assert.equal(html.split(long).length, 2, 'in one of the forms');
    await olga.open(address);
    const saved = await olga.submit({ hidden: ' Wharfinger \r\n\r\nAda, ada' }, action);
    assert.equal(saved.status, 200);
    await olga.open(address);
    assert.match(olga.page.html, />Wharfinger\nada<\/textarea>/);
  }
  assert.deepEqual(
    (await listAudit(context.db, {}, 10))
      .filter(({ action }) => action.endsWith('.set'))
      .map(({ action, detail }) => [action, detail['hidden']]),
    [
      ['server.set', 2],
      ['network.set', 2],
    ],
  );
});

onEachDatabase('the page of a new server shows how to connect it, then what arrived last', async (t, url) => {
  const { context, olga, page, sender } = await openServerPage(t, url, 'New');
  const events = async (...list: object[]): Promise<unknown> =>
    await ingestEvents(context.db, context.clock, sender, list);
  const open = async (): Promise<string> => {
    await olga.open(page);
    return olga.text;
  };
  const script = process.env['npm_lifecycle_event'];
  t.after(() => Object.assign(process.env, script === undefined ? {} : { npm_lifecycle_event: script }));
  process.env['npm_lifecycle_event'] = 'start';
  assert.match(await open(), /no event yet\s+Look again[\s\S]+scorehall -- agent --server-dir DIR --url http/);
  delete process.env['npm_lifecycle_event'];
  assert.match(await open(), / scorehall agent --server-dir DIR --url http/, 'in a container');
  assert.match(olga.text, /curl -sS http\S+\/events/);

  const player = { uuid: '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10', name: 'Saltmarten' };
  const time = (): string => timestamp(context.clock.now());
  await events({ version: 1, id: 'login', type: 'player.login', time: time(), data: { player } });
  context.clock.advance(3_000);
  assert.match(await open(), /newest event 3 seconds ago\s+player\.login/);
  assert.doesNotMatch(olga.text, /no event yet|--server-dir/);
  await sendEvents(context, presence('New', { players: ['Saltmarten'] }, { time: time() }));
  context.clock.advance(60_000);
  assert.match(await open(), /newest event 1 minute ago\s+server\.presence/);
  await events({ version: 1, id: 'wrong', type: 'player.login', time: time(), data: {} });
  assert.match(await open(), /newest event 0 seconds ago\s+player\.login\s+rejected, see below/);
  // Phones hide empty cells, and a button needs no heading beside it.
  assert.match(olga.page.html, /rejected<\/span[^]*?<td><\/td>[^]*?<td>\s*<form/);
  assert.doesNotMatch(olga.page.html, /data-label="Withdraw"/);
  await events({ version: 1, id: 'settings', type: 'server.configured', time: time(), data: {} });
  assert.match(await open(), /newest event 0 seconds ago\s+server\.configured\s+rejected, see below/);
});

onEachDatabase('the page of a server shows the type of a rejected event, or that there is none', async (t, url) => {
  const { context, olga, page, sender } = await openServerPage(t, url, 'Alpha');
  const sent = [{ id: 'one', type: 'player.logn' }, { id: 'two', type: '<script>' }, { id: 'three' }, 'no object'];
  await ingestEvents(context.db, context.clock, sender, sent);
  await olga.open(page);
  assert.match(olga.text, /newest event 0 seconds ago\s+–\s+no type\s+rejected, see below/);
  assert.match(olga.text, /–\s+no type\s+three[\s\S]+<script>\s+two[\s\S]+player\.logn\s+one/);
  assert.doesNotMatch(olga.page.html, /<script>/);
  // A screen reader says "no type" for the dash that the page shows.
  assert.match(olga.page.html, /<span aria-hidden="true">–<\/span>\s*<span class="hidden">no type<\/span>/);
});

onEachDatabase('an operator creates, rotates and revokes the keys of a server; each is shown once', async (t, url) => {
  const services = await openTestConsole(t, url, {}, Date.now() - DAY_MS);
  const { db, clock } = services.context;
  await sendEvents(services.context, configured('Alpha', {}), configured('Beta', {}));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const { key } = (await serverByName(db, 'Alpha'))!;
  const at = `/console/operator/servers/${idOf(key)}`;
  const act = async (fields: Record<string, string>): Promise<string> => {
    await olga.open(at);
    await olga.post(`${at}/keys`, { form_token: tokenOn(olga.page.html), ...fields });
    return SECRET.exec(olga.text)?.[0] ?? '';
  };
  const isValid = async (secret: string): Promise<boolean> =>
    (await findServerKey(db, secret, clock.now())) !== undefined;

  const first = await act({ act: 'create' });
  assert.doesNotMatch((await olga.open(at)).html, SECRET, 'shown once');
  const test = await act({ act: 'test' });
  assert.match(test, /^shk_test_/);
  const second = await act({ act: 'rotate' });
  assert.deepEqual([await isValid(first), await isValid(second), await isValid(test)], [true, true, true]);
  clock.advance(DAY_MS / 3);
  assert.equal(await isValid(first), true, 'the replaced key stays valid for a day');
  clock.advance(DAY_MS - DAY_MS / 3);
  assert.deepEqual([await isValid(first), await isValid(second), await isValid(test)], [false, true, true]);

  const { console: again } = await enter(services, 'Olga');
  const ids = (await listServerKeys(db, key)).map(({ id }) => id);
  const revoke = async (server: string, id: string): Promise<string> => {
    await again.open(at);
    const fields = { form_token: tokenOn(again.page.html), act: 'revoke', key: id };
    await again.post(`/console/operator/servers/${server}/keys`, fields);
    if (/name="confirmed"/.test(again.page.html)) await confirm(again);
    return again.page.url;
  };
  const beta = idOf((await serverByName(db, 'Beta'))!.key);
  assert.match(await revoke(beta, ids[2]!), /done=gone/, 'a key of another server is not found');
  assert.match(await revoke(idOf(key), ''), /done=gone/, 'an empty id does not revoke all keys');
  assert.equal(await isValid(second), true);
  assert.match(await revoke(idOf(key), ids[2]!), /done=withdrawn/);
  assert.deepEqual([await isValid(second), await isValid(test)], [false, true]);
  assert.match(await revoke(idOf(key), ids[2]!), /done=gone/, 'a revoked key cannot be revoked again');
  const entries = (await listAudit(db, { subject: idOf(key) }, 20)).map(({ action, detail }) => [action, detail]);
  assert.deepEqual(entries, [
    ['server.key.revoke', { key: ids[2] }],
    ['server.key.rotate', { overlap: 24 }],
    ['server.key.create', { test: true }],
    ['server.key.create', { test: false }],
  ]);
});

onEachDatabase('an operator changes a server, withdraws its events and deletes it', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  const play = async (): Promise<string> => {
    const [started, finished] = [timestamp(clock.now() - 600_000), timestamp(clock.now() - 60_000)];
    return (await sendEvents(context, match({ started, finished }, { time: finished })))[0]!;
  };
  const early = await play();
  clock.advance(60_000);
  const boundary = clock.now();
  const late = [await play(), await play()];
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const id = idOf((await serverByName(db, 'Alpha'))!.key);
  const at = `/console/operator/servers/${id}`;

  await olga.open(at);
  assert.equal((await olga.submit({ region: '', order: 'x' }, id)).status, 422);
  await olga.open(at);
  await olga.submit({ region: 'us', order: '7', icon: 'A', max: '40' }, id);
  assert.match(olga.page.url, /done=saved/);
  const [alpha] = await listServers(db, 0);
  assert.deepEqual([alpha!.region, alpha!.order, alpha!.icon, alpha!.max], ['us', 7, 'A', 40]);

  const since = async (text: string): Promise<{ status: number; html: string }> => {
    await olga.open(at);
    return await olga.post(`${at}/withdraw`, { form_token: tokenOn(olga.page.html), since: text });
  };
  for (const wrong of ['', 'yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '2026-02-30T12:00:00'])
    assert.equal((await since(wrong)).status, 422, wrong);
  assert.match((await since(timestamp(clock.now() + 1))).html, /No stored events were received since/);
  const picked = timestamp(boundary).replace('Z', '');
  await since(picked);
  assert.match(olga.text, /Events that are withdrawn,[^:]*: 2/);
  assert.equal(
    (await fetch(`${services.site}/matches/${late[0]}`)).status,
    200,
    'nothing falls before the second form',
  );
  await confirm(olga);
  const job = olga.page.url;
  await olga.submit({ act: 'pause' }, job.slice(job.indexOf('/jobs/')));
  await runJobs(context);
  await olga.open(job);
  assert.match(olga.text, /paused/);
  await olga.submit({ act: 'resume' }, job.slice(job.indexOf('/jobs/')));
  await runJobs(context);
  assert.match((await olga.open('/console/operator/jobs')).html, /Withdrawal of events.*Alpha.*done.*2 of 2/s);
  const found = [early, ...late].map(async (one) => (await fetch(`${services.site}/matches/${one}`)).status);
  assert.deepEqual(await Promise.all(found), [200, 404, 404]);
  const [withdrawn] = await listAudit(db, { action: 'server.withdraw' }, 5);
  assert.equal(withdrawn!.detail['events'], 2);

  await olga.open(at);
  await olga.submit({}, `${id}/delete`);
  assert.match(olga.text, /Delete Alpha\?.*valid keys \(0\)/s);
  await confirm(olga);
  assert.match(olga.page.url, /servers\?done=completed/);
  assert.deepEqual(await listServers(db, 0), []);
  assert.equal((await olga.open(at)).status, 404);
  assert.equal((await fetch(`${services.site}/matches/${early}`)).status, 200, 'matches of a deleted server stay');
  const actions = (await listAudit(db, { action: 'server', actor: 'olga' }, 20)).map(({ action }) => action);
  assert.deepEqual(actions, ['server.delete', 'server.withdraw', 'server.set']);
});
