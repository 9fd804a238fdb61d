import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Problem } from '#events/schema/problems.ts';
import { type Event, readEvent, TYPES, type WireEvent } from '#events/schema/index.ts';
import { readStanding, statsOf } from '#store/game/player-stats.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { mapChanges } from '#events/handlers/map-changes.ts';
import { mapByName, mapNames, ratesOf, readRotations, rotationOf, mapSummaries } from '#store/game/maps/maps.ts';
import { killsBelow } from '#store/game/kills.ts';
import { changesWithFeed } from '#store/game/changes.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { listMatches } from '#store/game/matches.ts';
import type { Group } from '#store/game/statistics-groups.ts';
import { findPlayer, namesOf, playerByUuid } from '#store/game/players.ts';
import { isBanned, listPunishments } from '#store/game/punishments.ts';
import type { Receipt, Sender } from '#events/ledger/receipts.ts';
import { countOnline, listServers, serverByKey, serverByName, serversPlaying } from '#store/game/servers.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  login,
  logout,
  map,
  match,
  pardon,
  person,
  presence,
  punishment,
  rating,
  rotation,
  sendEvents,
  serverSender,
  serviceToken,
  statistics,
  team,
} from '#test/support/builders.ts';
import {
  createTestDatabase,
  DIALECTS,
  onEachDatabase,
  type TestAppContext,
  testContext,
} from '#test/support/context.ts';

const OPERATOR: Sender = { kind: 'operator' };
const take = (context: TestAppContext, ...events: unknown[]): Promise<Receipt[]> =>
  ingestEvents(context.db, context.clock, OPERATOR, events);

async function refused(context: TestAppContext, received: unknown): Promise<string> {
  const [receipt] = await take(context, received);
  assert.equal(receipt!.status, 'rejected', JSON.stringify(receipt));
  return (receipt as { place: string }).place;
}

const ann = person(1, 'Ann');
const bob = person(2, 'Bob');
const played = { ...ann, score: 5, kill_count: 3, death_count: 2, shot_count: 9, hit_count: 4, time_played: 60 };

onEachDatabase('a match feeds one group of each player, its list, its kills and its names', async (t, url) => {
  const context = await testContext(t, url);
  const wool = { player: ann, team: 'Red', type: 'wool' as const, name: 'Blue', time: BEGINNING };
  const other = { player: null, team: 'Red', type: 'other' as const, name: 'x', time: BEGINNING };
  const scorer = { ...wool, player: person(3, 'Guest') };
  const [id] = await sendEvents(
    context,
    match({
      gamemode: 'CTW',
      win: 'Red',
      teams: [team('Red', played), team('Blue', bob)],
      objectives: [wool, other, scorer],
      kills: [{ killer: ann.uuid, victim: bob.uuid, time: BEGINNING }],
    }),
  );
  const [one, two, guest] = await Promise.all(
    [ann, bob, scorer.player].map(({ uuid }) => playerByUuid(context.db, uuid)),
  );
  assert.deepEqual((await statsOf(context.db, one!.key)).ctw, {
    kill: 3,
    death: 2,
    win: 1,
    lose: 0,
    play: 1,
    time: 60,
    wool: 1,
    envdeath: 0,
  });
  assert.deepEqual((await statsOf(context.db, two!.key)).ctw, {
    kill: 0,
    death: 0,
    win: 0,
    lose: 1,
    play: 1,
    time: 0,
    wool: 0,
    envdeath: 0,
  });
  assert.equal((await statsOf(context.db, guest!.key)).ctw['wool'], 0, 'who stood in no team has played nothing');
  assert.equal(guest!.name, 'Guest');
  const [listed] = await listPlayedMatches(context.db, one!.key, Number.MAX_SAFE_INTEGER, 20);
  assert.deepEqual([listed!.key, listed!.result, listed!.score], [keyOf(id!), 'win', 5]);
  assert.deepEqual(
    (await killsBelow(context.db, one!.key, { before: undefined, limit: 20, audience: 'public' })).map(
      ({ victim }) => victim,
    ),
    [bob],
  );
  assert.equal(
    (await killsBelow(context.db, two!.key, { before: undefined, limit: 20, audience: 'public' })).length,
    0,
  );
});

const FEEDS: [mode: string, group: Group][] = [
  ['ctw', 'ctw'], ['cp', 'cp'], ['koth', 'cp'], ['dtc', 'objective'], ['dtm', 'objective'], ['ctf', 'objective'],
  ['tdm', 'teampvp'], ['Blitz', 'teampvp'], ['anything', 'teampvp'], ['bowspleef', 'bowspleef'], ['tntrun', 'tntrun'],
  ['paintball', 'paintball'], ['splatt', 'splatt'],
]; // prettier-ignore

onEachDatabase('each gamemode feeds its group, and a draw counts as play only', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, ...FEEDS.map(([gamemode], place) => match({ gamemode, teams: [team('Red', place + 10)] })));
  for (const [place, [, group]] of FEEDS.entries()) {
    const stats = await statsOf(context.db, (await playerByUuid(context.db, person(place + 10).uuid))!.key);
    for (const [name, counts] of Object.entries(stats)) {
      const { play = 0, win = 0, lose = 0 } = counts;
      assert.deepEqual([play, win, lose], name === group ? [1, 0, 0] : [0, 0, 0], `${group} ${name}`);
    }
  }
});

onEachDatabase('an invalid match is rejected with the place of the wrong member', async (t, url) => {
  const context = await testContext(t, url);
  const cases: [WireEvent, string][] = [
    [match({ finished: after(-600_001) }), 'data.finished'],
    [match({ win: 'Green', teams: [team('Red')] }), 'data.win'],
    [match({ teams: [team('Red'), team('Red')] }), 'data.teams'],
    [match({ teams: [team('Red', 1), team('Blue', 1)] }), 'data.teams.1.players.0.uuid'],
    [
      match({ teams: [team('Red', 1)], kills: [{ killer: person(1).uuid, victim: person(2).uuid, time: BEGINNING }] }),
      'data.kills.0',
    ],
    [match({ teams: [team('Red', { ...person(1), kill_count: -1 })] }), 'data.teams.0.players.0.kill_count'],
    [match({ map: 'a\u0000b' }), 'data.map'],
    [match({}, { time: '2026-03-01 12:00' }), 'time'],
    [match({}, { time: '1969-12-31T23:59:59Z' }), 'time'],
    [match({}, { id: '' }), 'id'],
  ];
  for (const [received, place] of cases) assert.equal(await refused(context, received), place);
  assert.equal(await refused(context, { ...match(), server: undefined }), 'server');
  assert.equal(await refused(context, { ...match(), extra: 1 }), 'extra');
  for (const text of ['a\ufffeb', '\uffff']) assert.equal(await refused(context, match({ map: text })), 'data.map');
  assert.equal(await refused(context, null), '');
  assert.equal((await context.db.all(sql`select key from servers`)).length, 0, 'a refused event makes no server known');
  await sendEvents(context, match({ finished: after(-600_000) }));
});

onEachDatabase('the newest observed name counts, in whatever order the events arrive', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, login('Alpha', ann, { time: after(1000) }));
  await sendEvents(
    context,
    login('Beta', { ...ann, name: 'Old' }, { time: after(0) }),
    logout('Alpha', { ...ann, name: 'Anna' }, { time: after(2000) }),
  );
  const player = (await findPlayer(context.db, 'ANNA'))!;
  assert.deepEqual([player.name, player.last_login_server], ['Anna', 'Alpha']);
  assert.deepEqual([player.last_login, player.last_logout], [Date.parse(after(1000)), Date.parse(after(2000))]);
  assert.deepEqual(
    (await namesOf(context.db, player.key)).map(({ name }) => name),
    ['Anna', 'Ann', 'Old'],
  );
  assert.equal((await findPlayer(context.db, 'old'))!.key, player.key, 'old names are searchable');
  await sendEvents(context, event('player.named', { player: { uuid: person(9).uuid, name: 'Old' } }));
  assert.equal((await findPlayer(context.db, 'old'))!.uuid, person(9).uuid, 'who bears the name now comes first');
});

onEachDatabase('offline-mode and Bedrock players are players like others', async (t, url) => {
  const context = await testContext(t, url);
  const offline = { uuid: '5c9ac4c2f2a73e8b9d0ad7a8a4c5e6f7', name: '.Some Name*' };
  const bedrock = { uuid: '00000000-0000-0000-0009-01F3A4B5C6D7', name: '~Ünï 日本' };
  await sendEvents(context, match({ teams: [team('Red', offline, bedrock)] }));
  assert.equal((await findPlayer(context.db, '.some name*'))!.uuid, '5c9ac4c2-f2a7-3e8b-9d0a-d7a8a4c5e6f7');
  assert.equal((await findPlayer(context.db, '~ünï 日本'))!.uuid, bedrock.uuid.toLowerCase());
});

onEachDatabase('any server changes a map, and the latest time counts', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const [alpha, beta] = [await serverSender(context, 'Alpha'), await serverSender(context, 'Beta')];
  const send = async (sender: Sender, received: WireEvent) =>
    (await ingestEvents(context.db, context.clock, sender, [received]))[0]! as Record<string, string>;
  const changer = async () =>
    (await context.db.tuple(sql`
      select s.name, l.event_id from maps m join servers s on s.key = m.publisher_key
      join ledger l on l.key = m.changed_key where m.name = 'Isle'`))!;
  const first = map('Isle', { objective: 'Win', gamemodes: ['ctw'] });
  const { receipt } = await send(alpha, first);
  const same = await send(beta, map('Isle', { gamemodes: ['ctw'] }));
  assert.deepEqual([same['status'], same['receipt']], ['duplicate', receipt], 'the same at the same time');
  const other = await send(beta, map('Isle', { version: '2' }));
  assert.deepEqual([other['status'], other['place']], ['rejected', 'time']);
  assert.equal((await send(beta, map('Isle', { version: '2' }, { time: after(-1) })))['status'], 'accepted');
  assert.equal((await mapByName(context.db, 'isle'))!.version, '1.0.0', 'an older event changes nothing');
  const newer = map('Isle', { version: '0.9' }, { time: after(2) });
  assert.equal((await send(beta, newer))['note'], undefined);
  const isle = (await mapByName(context.db, 'ISLE'))!;
  assert.deepEqual([isle.version, isle.objective], ['0.9', 'Win'], 'whatever the text of the version');
  assert.deepEqual(await changer(), ['Beta', newer.id]);
  const again = await send(alpha, map('Isle', { version: '0.9' }, { time: after(4) }));
  assert.equal(again['note'], 'nothing changed: the same map is already published');
  assert.deepEqual(await changer(), ['Beta', newer.id], 'a server that changes nothing is not the one who changed it');
  assert.match((await send(beta, map('Isle', { version: '3' }, { time: after(3) })))['note']!, /a newer version/);
  assert.equal((await mapByName(context.db, 'Isle'))!.version, '0.9');
  assert.deepEqual(
    (await mapChanges(context.db, 'isle')).map(({ server, version, receipt: id }) => [server, version, id === receipt]),
    [
      ['Beta', '3', false],
      ['Alpha', '0.9', false],
      ['Beta', '0.9', false],
      ['Beta', '2', false],
      ['Alpha', '1.0.0', true],
    ],
  );
});

onEachDatabase('a heartbeat with the id of a map shows the name of the map', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), map('Blocks CTW'), map('Harbour’s Day'), map('plain_name'));
  const shown: string[] = [];
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  for (const current_map of ['blocks_ctw', 'harbours_day', 'plain_name', 'unknown_map', 'blocks ctw', '']) {
    context.clock.advance(1);
    const time = new Date(context.clock.now()).toISOString();
    await sendEvents(context, presence('Alpha', { current_map }, { time }));
    shown.push((await serverByKey(context.db, key, 0))!.current_map);
  }
  assert.deepEqual(shown, ['Blocks CTW', 'Harbour’s Day', 'plain_name', 'unknown_map', 'blocks ctw', '']);
});

onEachDatabase('a server plays the map with exactly the reported name, else the newest in any case', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), configured('Beta'), map('Old Mill'), map('OLD MILL'), map('Isle'));
  await sendEvents(
    context,
    presence('Alpha', { current_map: 'Old Mill' }),
    presence('Beta', { current_map: 'old mill' }),
  );
  const names = await mapNames(context.db);
  const keys = await Promise.all(names.map(async (name) => (await mapByName(context.db, name))!.key));
  const playing = await serversPlaying(context.db, names, 0);
  assert.deepEqual(
    playing.map(({ name, map_key }) => [name, names[keys.indexOf(map_key)]]),
    [
      ['Alpha', 'Old Mill'],
      ['Beta', 'OLD MILL'],
    ],
  );
  const summaries = await mapSummaries(context.db, ['Old Mill', 'old mill']);
  assert.deepEqual([summaries.of('Old Mill')?.name, summaries.of('old mill')?.name], ['Old Mill', 'OLD MILL']);
});

onEachDatabase('a player has one rating of a map version, which can change', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, map('Isle'));
  const isle = (await mapByName(context.db, 'Isle'))!;
  const counts = async () =>
    (await ratesOf(context.db, [isle])).get(isle.key)!.map((rate) => [rate.version, ...rate.counts]);
  await sendEvents(context, rating('Isle', ann, 5), rating('isle', bob, 4), rating('Isle', ann, 2));
  assert.deepEqual(await counts(), [['1.0.0', 0, 1, 0, 1, 0]]);
  await sendEvents(context, { ...rating('Isle', ann, 1), time: after(-1) });
  assert.deepEqual(await counts(), [['1.0.0', 0, 1, 0, 1, 0]], 'an older rating changes nothing');
  await sendEvents(context, rating('Isle', ann, 3, '10'), rating('Isle', ann, 3, '2'));
  assert.deepEqual(
    (await counts()).map(([version]) => version),
    ['1.0.0', '2', '10'],
  );
  assert.equal(await refused(context, rating('Nowhere', ann, 3)), 'data.map');
  for (const rate of [0, 6, 2.5]) assert.equal(await refused(context, rating('Isle', ann, rate)), 'data.rate');
});

onEachDatabase('the number of rated versions of a map is limited', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(
    context,
    map('Isle'),
    ...Array.from({ length: 200 }, (_, place) => rating('Isle', ann, 1, `v${place}`)),
  );
  assert.equal(await refused(context, rating('Isle', ann, 1, 'one more')), 'data.version');
  await sendEvents(context, rating('Isle', bob, 1, 'v7'));
  await sendEvents(context, map('Isle', { version: '2' }, { time: after(1) }));
  await sendEvents(context, rating('Isle', ann, 5), rating('Isle', ann, 4, '2'));
});

onEachDatabase('a rotation replaces the previous one; a late one changes nothing', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, rotation('Alpha', ['A', 'B', 'A']));
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  assert.deepEqual(await rotationOf(context.db, key), ['A', 'B', 'A']);
  await sendEvents(context, rotation('Alpha', ['C'], { time: after(-1) }));
  assert.deepEqual(await rotationOf(context.db, key), ['A', 'B', 'A']);
  await sendEvents(context, rotation('Alpha', [], { time: after(0) }));
  assert.deepEqual(await rotationOf(context.db, key), []);
});

onEachDatabase(
  'a sender issues a punishment once, and its own name of it means no punishment of another sender',
  async (t, url) => {
    const context = await testContext(t, url);
    await sendEvents(context, configured('Alpha'));
    await sendEvents(context, punishment('p1', ann, { expires: after(1000) }));
    const { key } = (await playerByUuid(context.db, ann.uuid))!;
    const now = Date.parse(BEGINNING);
    assert.deepEqual(
      [await isBanned(context.db, key, now + 999), await isBanned(context.db, key, now + 1000)],
      [true, false],
    );
    assert.equal(await refused(context, punishment('p1', bob)), 'data.punishment');
    assert.equal(await refused(context, punishment('p2', bob, { expires: after(-1) })), 'data.expires');
    const alpha = await serverSender(context, 'Alpha');
    const [stranger] = await ingestEvents(context.db, context.clock, alpha, [pardon('p1')]);
    assert.deepEqual([stranger!.status, (stranger as { retry: boolean }).retry], ['rejected', true]);
    await ingestEvents(context.db, context.clock, alpha, [punishment('p1', bob)]);
    await sendEvents(context, event('punishment.changed', { punishment: 'p1', expires: null, reason: 'longer' }));
    assert.equal(await isBanned(context.db, key, now + 9999), true);
    await sendEvents(context, pardon('p1'), pardon('p1'));
    assert.equal(await isBanned(context.db, key, now), false);
    const [bobs, anns] = await listPunishments(context.db, Number.MAX_SAFE_INTEGER, 9, now);
    assert.deepEqual([bobs!.state, bobs!.server, anns!.state, anns!.reason], [0, 'Alpha', 2, 'longer']);
  },
);

onEachDatabase('factions reports add up, and the newest one sets power and faction', async (t, url) => {
  const context = await testContext(t, url);
  const report = { kill_count: 2, death_count: 1, time_played: 30 };
  await sendEvents(context, statistics(ann, { ...report, power: 1.5, faction: 'Foxes' }));
  await sendEvents(context, statistics(ann, { ...report, power: 9, faction: 'Owls' }, { time: after(-1) }));
  await sendEvents(context, statistics(ann, { ...report, gamemode: 'vanilla' }));
  const { key } = (await playerByUuid(context.db, ann.uuid))!;
  assert.deepEqual((await statsOf(context.db, key)).factions, { kill: 4, death: 2, time: 60 });
  assert.deepEqual(
    { ...(await readStanding(context.db, key)) },
    { power: 1.5, faction: 'Foxes', faction_id: '', faction_role: '' },
  );
});

onEachDatabase('a removed server is hidden until it is configured again', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(
    context,
    configured('Alpha', { max: 3 }),
    presence('Alpha', { current: 0, players: ['Ann'] }),
    rotation('Alpha', ['A']),
  );
  await sendEvents(context, event('server.removed', {}, { server: 'alpha' }));
  assert.deepEqual(await listServers(context.db, 0), []);
  await sendEvents(context, configured('ALPHA', { max: 4 }));
  const [back] = await listServers(context.db, 0);
  assert.deepEqual([back!.name, back!.max, back!.players], ['Alpha', 4, []]);
});

onEachDatabase('an event of a removed server does not restore the server', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, map('Isle'), configured('Alpha'), rotation('Alpha', ['Isle']));
  await sendEvents(context, event('server.removed', {}, { server: 'Alpha' }));
  const late = rotation('Alpha', ['Isle'], { time: after(1) });
  await sendEvents(context, presence('Alpha', { current: 0, players: ['Ann'] }), late);
  const isle = (await mapByName(context.db, 'Isle'))!;
  assert.deepEqual(await listServers(context.db, 0), []);
  assert.equal(await countOnline(context.db, 0), 0);
  assert.deepEqual([...(await readRotations(context.db, [isle]))], []);
  await sendEvents(context, configured('Alpha'));
  assert.deepEqual([...(await readRotations(context.db, [isle]))], [['isle', ['Alpha']]]);
});

onEachDatabase('a new server has its own scope of event ids', async (t, url) => {
  const context = await testContext(t, url);
  const fresh = (id: string) => login('Fresh', ann, { id });
  const [named, first, again] = await take(
    context,
    event('player.named', { player: ann }, { id: '1' }),
    fresh('1'),
    fresh('1'),
  );
  assert.deepEqual([named!.status, first!.status, again!.status], ['accepted', 'accepted', 'duplicate']);
  assert.equal((again as { receipt: string }).receipt, (first as { receipt: string }).receipt);
});

onEachDatabase('accounts and credentials do not take the ids of exported events', async (t, url) => {
  const context = await testContext(t, url);
  const [one, other] = ['37598m50000', '37598m50400'];
  context.clock.advance(60_000);
  await account(context, 'Owner');
  await serviceToken(context);
  await sendEvents(context, login('Alpha', ann, { receipt: one }), login('Alpha', ann, { receipt: other }));
  const receipts = await context.db.tuples(sql`select key from ledger order by key`);
  assert.deepEqual(receipts, [[keyOf(one)], [keyOf(other)]]);
  const late = await take(context, login('Alpha', ann, { receipt: one }), login('Alpha', ann, { receipt: one }));
  assert.match((late[0] as { note: string }).note, /new id/);
  assert.equal((late[1] as { note?: string }).note, undefined, 'only the first event has the note');
});

onEachDatabase('a receipt in an event cannot push the id sequence far into the future', async (t, url) => {
  const context = await testContext(t, url);
  for (const receipt of ['7zzzzzzzzzz', '7zzzzzzzzx0', idOf((context.clock.now() + 367 * 86_400_000) * 2048)]) {
    assert.equal(await refused(context, login('Alpha', ann, { receipt })), 'receipt', receipt);
  }
  await sendEvents(context, login('Alpha', ann, { receipt: idOf((context.clock.now() + 365 * 86_400_000) * 2048) }));
  await sendEvents(context, ...Array.from({ length: 300 }, () => login('Alpha', ann)));
});

onEachDatabase('a failed batch stores nothing, and the next one succeeds', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({ teams: [team('Red', 1)] }));
  const broken: Pick<Db, 'transaction' | 'keyedHash'> = {
    keyedHash: context.db.keyedHash,
    transaction: (work) =>
      context.db.transaction(async (tx) => {
        await work(tx);
        throw new Error('cut off');
      }),
  };
  const lost = match({ teams: [team('Red', 1, 2)] });
  await assert.rejects(ingestEvents(broken, context.clock, OPERATOR, [lost]), /cut off/);
  await sendEvents(context, lost, match({ teams: [team('Red', 2)] }));
  const { key } = (await playerByUuid(context.db, person(1).uuid))!;
  assert.equal((await statsOf(context.db, key)).teampvp['play'], 2);
});

onEachDatabase('two processes that write alternately see each other\u2019s players', async (t, url) => {
  const context = await testContext(t, url);
  const other = await testContext(t, url);
  for (const one of [context, other, context, other, other, context])
    await sendEvents(one, match({ teams: [team('Red', 1, 2)] }));
  const { key } = (await playerByUuid(context.db, person(1).uuid))!;
  assert.equal((await statsOf(context.db, key)).teampvp['play'], 6);
});

test('the tests cover every event type', () => {
  const described: Event['type'][] = [...TYPES];
  assert.equal(new Set(described).size, described.length);
  const received = readEvent({ ...match(), type: 'match.begun' });
  assert.match((received as { problems: Problem[] }).problems[0]!.reason, /^`type` must be one of .*match\.finished/);
  assert.doesNotMatch((received as { problems: Problem[] }).problems[0]!.reason, /server\.configured|player\.merged/);
});

/** Threads that write, each on several connections, because the start of a thread takes half a CPU second. */
const THREADS = 2;
const CONNECTIONS = 4;
const WRITERS = THREADS * CONNECTIONS;
const EACH = 25;

for (const dialect of DIALECTS) {
  test(`clients that page through matches or follow the feed while ${WRITERS} connections write see each one in order (${dialect})`, async (t) => {
    const database = await createTestDatabase(dialect);
    const context = await testContext(t, database.url);
    t.after(() => database.drop());
    await sendEvents(context, configured('Alpha'));
    const workers = Array.from({ length: THREADS }, (_, number) => {
      const first = number * CONNECTIONS * EACH;
      const workerData = { url: database.url, connections: CONNECTIONS, first, count: EACH };
      return new Worker(join(import.meta.dirname, 'feed-writer.ts'), { workerData });
    });
    let writing = THREADS;
    const done = workers.map((worker) => once(worker, 'exit').then(([code]) => (writing--, assert.equal(code, 0))));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    for (const worker of workers) worker.postMessage('write');
    const reader = new FeedReader(context.db);
    const following = reader.follow(() => writing > 0);
    const seen = await walk(context.db, () => writing > 0);
    await Promise.all([...done, following]);
    await reader.read();
    seen.push(...(await newerThan(context.db, seen.at(-1) ?? 0)));
    const all = (await context.db.tuples(sql`select key from matches order by key`)).map(([key]) => key);
    assert.equal(all.length, WRITERS * EACH);
    assert.deepEqual(seen, all);
    assert.deepEqual(reader.matches, all);
  });
}

/** Polls the feed of changes. */
class FeedReader {
  readonly #db: Db;
  readonly matches: number[] = [];
  #after = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  async follow(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      await this.read();
      await setImmediate();
    }
  }

  /** Reads to the present end. */
  async read(): Promise<void> {
    for (;;) {
      const page = (await changesWithFeed(this.#db, this.#after, 7)).changes;
      for (const { number, kind, key } of page) {
        this.#after = number;
        if (kind === 'match') this.matches.push(key);
      }
      if (page.length < 7) return;
    }
  }
}

/** Pages by `max_id` from the newest match down to the last one that was read before. */
async function walk(db: Db, goesOn: () => boolean): Promise<number[]> {
  const seen: number[] = [];
  while (goesOn()) {
    seen.push(...(await newerThan(db, seen.at(-1) ?? 0)));
    await setImmediate();
  }
  return seen;
}

async function newerThan(db: Db, last: number): Promise<number[]> {
  const found: number[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = (await listMatches(db, { before, limit: 7 })).map(({ key }) => key);
    found.push(...page.filter((key) => key > last));
    if (page.length < 7 || page.at(-1)! <= last) return found.reverse();
    before = page.at(-1)!;
  }
}
