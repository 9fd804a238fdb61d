import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { type WireEvent, readEvent } from '#events/schema/index.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import { purge } from '#test/support/purge.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { testApi } from '#test/support/api.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  login,
  match,
  person,
  progress,
  sendEvents,
  serverSender,
  statistics,
  team,
} from '#test/support/builders.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onEachDatabase('a running match is shown until its result or silence, and never counts', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const sender = await serverSender(context, 'Alpha');
  const send = async (...events: WireEvent[]): Promise<Receipt[]> => await ingestEvents(db, clock, sender, events);
  const [alpha] = (await get('/v1/servers')).json;
  const live = async () => (await get(`/v1/servers/${alpha.id}/live-match`)).json;
  const unreported = async () => (await get(`/v1/servers/${alpha.id}/unreported-matches`)).json;
  const maps = async () => (await unreported()).map((seen: { map: string }) => seen.map);

  await t.test('the newest report replaces the ones before', async () => {
    await send(progress({ phase: 'starting', started: undefined, map: 'Harbour' }, { time: after(-10 * MINUTE) }));
    const starting = progress({ phase: 'starting', started: undefined, map: 'Harbour' }, { time: after(-4 * MINUTE) });
    const [old, first, again] = await send(progress({}, { time: after(-6 * MINUTE) }), starting, starting);
    assert.deepEqual([old!.status, first!.status, again!.status], ['rejected', 'accepted', 'duplicate']);
    assert.equal((await live()).started, null);
    const red = { ...team('Red', { ...person(1), kill_count: 3, score: 2 }), color: 'red' };
    const wool = { player: person(1), team: 'Red', type: 'wool', name: 'Wool', time: after(-1000) } as const;
    const whole = progress({ teams: [red, team('Blue', 2)], objectives: [wool], observers: 4 });
    const [running, late] = await send(whole, progress({}, { time: after(-1000) }));
    assert.equal(running!.status, 'accepted', JSON.stringify(running));
    assert.match(String((late as { note?: string }).note), /newer report/);
    const found = await live();
    assert.deepEqual([found.phase, found.participants, found.observers], ['running', 2, 4]);
    assert.deepEqual(found.teams[0].players[0].kill_count, 3);
    assert.deepEqual(found.objectives[0].player, 'Player1');
    const [head] = (await get('/v1/live-matches')).json;
    assert.deepEqual(head.teams[0], { name: 'Red', color: 'red', score: 2, kill_count: 3, death_count: 0 });
    const { teams } = (await db.get<{ teams: string }>(sql`select teams from live_matches`))!;
    await db.run(sql`update live_matches set teams = 'not parsed'`);
    assert.deepEqual((await get('/v1/live-matches')).json[0], head, 'a list parses no players');
    await db.run(sql`update live_matches set teams = ${teams}`);
    assert.deepEqual((await get('/v1/matches')).json, []);
    assert.equal((await get(`/v1/players/${person(1).uuid}`)).status, 404, 'a report of the present adds no players');
  });

  await t.test('malformed and hostile reports are refused with the member that is wrong', async () => {
    const wrong: [WireEvent, string][] = [
      [progress({ started: undefined }), 'data.started'],
      [progress({ started: after(1) }), 'data.started'],
      [progress({ map: '' }), 'data.map'],
      [progress({ map: 'x'.repeat(129) }), 'data.map'],
      [progress({ phase: 'over' as 'running' }), 'data.phase'],
      [progress({ teams: [team('Red', 1), team('Red', 2)] }), 'data.teams'],
      [progress({}, { server: 'Beta' }), 'server'],
    ];
    const receipts = await send(...wrong.map(([received]) => received));
    const places = receipts.map((receipt) => (receipt.status === 'rejected' ? receipt.place : receipt.status));
    assert.deepEqual(
      places,
      wrong.map(([, place]) => place),
    );
  });

  await t.test('the result removes the match, also where it began a little earlier by the report', async () => {
    const [, late] = await send(
      match({ started: after(-600_000 - 9_000), finished: BEGINNING }),
      progress({}, { time: after(1) }),
    );
    assert.match(String((late as { note?: string }).note), /result/);
    assert.match(String(((await send(progress({}, { time: after(2) })))[0] as { note?: string }).note), /result/);
    assert.equal((await get(`/v1/servers/${alpha.id}/live-match`)).status, 404);
    assert.deepEqual(await unreported(), []);
    assert.equal((await get('/v1/matches')).json.length, 1);
  });

  await t.test('a match that ends unseen becomes an unreported match, by the next match or by silence', async () => {
    await send(progress({ map: 'One', started: after(1000) }, { time: after(MINUTE) }));
    await send(progress({ map: 'Two', started: after(2 * MINUTE) }, { time: after(3 * MINUTE) }));
    assert.deepEqual(await maps(), ['One']);
    clock.advance(2 * MINUTE);
    assert.equal((await live()).map, 'Two', 'for two minutes a report counts as present');
    clock.advance(1);
    assert.deepEqual([(await get('/v1/live-matches')).json, await maps()], [[], ['Two', 'One']]);
    await send(match({ map: 'One', started: after(2000), finished: after(90_000) }));
    assert.deepEqual(await maps(), ['Two'], 'a result that comes later removes it');
    await sendEvents(context, match({ started: after(0), finished: after(5 * MINUTE) }, { server: 'Beta' }));
    assert.deepEqual(await maps(), ['Two'], 'another server plays other matches');
  });

  await t.test('few unreported matches are stored, and old ones are purged', async () => {
    clock.advance(60 * MINUTE);
    const reports = Array.from({ length: 30 }, (_, place) =>
      progress({ map: `M${place}`, started: after((10 + place) * MINUTE) }, { time: after(60 * MINUTE + place) }),
    );
    await send(...reports);
    assert.equal((await unreported()).length, 20);
    assert.deepEqual((await maps())[0], 'M28', 'the running one is none of them');
    const exported = (await Array.fromAsync(exportEvents(db))).filter(({ type }) => type === 'match.progress');
    assert.deepEqual(
      exported.map(({ data }) => (data as { map: string }).map),
      [...(await maps()).reverse(), 'M29'],
    );
    for (const one of exported) assert.ok('event' in readEvent(one), JSON.stringify(one));
    const since = clock.now();
    await send(progress({ map: 'Wrong', started: after(61 * MINUTE) }, { time: after(61 * MINUTE) }));
    await createWithdrawal(db, clock, { server: sender.serverKey, since });
    await finishJobs(db);
    assert.equal((await get(`/v1/servers/${alpha.id}/live-match`)).status, 404);
    clock.advance(9 * DAY);
    await purge(db, { zone: 'UTC', auditMs: DAY, changesMs: 0 }, clock.now());
    assert.deepEqual(await unreported(), []);
  });

  await t.test('a deleted player leaves the running match, and a removed server all of it', async () => {
    const { id } = await account(context, 'Player1', person(1).uuid);
    const time = new Date(clock.now()).toISOString();
    await send(login('Alpha', person(1), { time }), progress({ started: time, teams: [team('Red', 1)] }, { time }));
    assert.match(JSON.stringify(await live()), /Player1/);
    await deleteAccount(db, clock.now(), id);
    await finishJobs(db);
    const red = { name: 'Red', color: '', score: 0, kill_count: 0, death_count: 0 };
    assert.deepEqual(
      [(await live()).teams, (await get('/v1/live-matches')).json[0].teams],
      [[{ ...red, players: [] }], [red]],
    );
    clock.advance(1000);
    const later = new Date(clock.now()).toISOString();
    await send(progress({ started: time, teams: [team('Red', 1)] }, { time: later }));
    assert.doesNotMatch(JSON.stringify((await live()).teams), /Player1|8000-000000000001/);
    await sendEvents(context, event('server.removed', {}, { server: 'Alpha' }), configured('Alpha'));
    assert.deepEqual([(await get('/v1/live-matches')).json, await unreported()], [[], []]);
  });
});

/** An event of version 2 with more members in its data and beside it. */
const newer = (input: WireEvent, data: object = {}, head: object = {}): WireEvent =>
  ({ ...input, ...head, version: 2, data: { ...input.data, ...data } }) as unknown as WireEvent;

onEachDatabase('an event of a newer version keeps the members that the service does not know', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const teams = [
    { ...team('Red', 1, 2), mood: 'glad', players: [{ ...person(1), pet: { uuid: person(7).uuid, name: 'Rex' } }] },
  ];
  const sent = [
    configured('Alpha'),
    newer(match(), { teams, weather: 'rain' }, { shard: 'a', players: [person(8)] }),
    newer(statistics(person(3))),
    newer(event('map.published', { name: 'Twin', version: '1' }), { tint: [1, 2] }),
  ];
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, sent);
  assert.deepEqual(
    receipts.map(({ status }) => status),
    ['accepted', 'accepted', 'accepted', 'accepted'],
    JSON.stringify(receipts),
  );
  const places = receipts.map((receipt) =>
    'warnings' in receipt ? receipt.warnings!.map(({ place }) => place).sort() : [],
  );
  assert.deepEqual(places, [
    [],
    ['data.teams.0.mood', 'data.teams.0.players.0.pet', 'data.weather', 'players', 'shard'],
    [],
    ['data.tint'],
  ]);

  const exported = async (from: typeof db): Promise<WireEvent[]> => await Array.fromAsync(exportEvents(from));
  const first = await exported(db);
  const { version, data, shard } = first.find(({ type }) => type === 'match.finished') as unknown as Record<
    string,
    unknown
  >;
  assert.deepEqual([version, data, shard], [2, sent[1]!.data, 'a']);

  const again = await ingestEvents(db, clock, { kind: 'operator' }, first);
  assert.ok(
    again.every(({ status }) => status === 'duplicate'),
    JSON.stringify(again),
  );
  const refused = [
    { ...newer(match(), { teams, weather: 'rain' }), version: 1 },
    newer(match(), { win: 7, weather: 'rain' }),
    newer(event('map.exploded' as 'map.published', { name: 'Twin', version: '1' })),
    { ...match(), version: 0 },
    { ...match(), version: 1.5 },
    { ...match(), version: 1e9 },
  ];
  const rejected = await ingestEvents(db, clock, { kind: 'operator' }, refused);
  assert.deepEqual(
    rejected.map((receipt) => (receipt.status === 'rejected' ? receipt.place : receipt.status)),
    ['data.teams.0.players.0.pet', 'data.win', 'type', 'version', 'version', 'version'],
  );

  const owner = await account(context, 'Rex', person(7).uuid);
  const watcher = await account(context, 'Player8', person(8).uuid);
  for (const { id } of [owner, watcher]) await deleteAccount(db, clock.now(), id);
  await finishJobs(db);
  const last = newer(match(), { teams }, { players: [person(8)] });
  await ingestEvents(db, clock, { kind: 'operator' }, [last]);
  const after = JSON.stringify(await exported(db));
  assert.doesNotMatch(after, /Rex|Player8|000000000007|000000000008/, 'deleted players leave unknown members, too');
  await ingestEvents(db, clock, { kind: 'operator' }, [
    event('player.merged', { from: person(3).uuid, into: person(1).uuid }),
  ]);
  await finishJobs(db);
});
