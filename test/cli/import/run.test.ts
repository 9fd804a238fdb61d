import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { AppContext } from '#context/context.ts';
import { importEvents } from '#cli/import/events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import type { Finding } from '#importers/finding.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { importCore } from '#cli/import/core.ts';
import { importPgmMaps } from '#importers/pgm-map.ts';
import { importRotations } from '#importers/rotation.ts';
import { type Outcome, runImport, tryImport } from '#cli/import/run.ts';
import { imageOf, mapByName, rotationOf } from '#store/game/maps/maps.ts';
import { exportEvents } from '#events/export.ts';
import { isBanned, listPunishmentsOf } from '#store/game/punishments.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import { serverByName } from '#store/game/servers.ts';
import { BEGINNING, configured, login, match, person, presence, team, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { folderOf, PIXEL } from '#test/packages/importers/fixtures.ts';

const ANN = '11111111-2222-4333-8444-555555555555';

/** A context, a function that imports into it, and the reported refusals, notes and batch totals. */
async function contextWith(t: TestContext, databaseUrl: string) {
  const context = await testContext(t, databaseUrl);
  const network = importCore(context.db, context.clock);
  const lines: string[] = [];
  const batches: number[] = [];
  const listener = {
    refused: ({ file, place }: { file: string; place: string }, reason: string) =>
      lines.push(`${file}|${place}|${reason}`),
    noted: ({ file, place }: { file: string; place: string }, note: string) => lines.push(`${file}|${place}|${note}`),
    progressed: ({ taken }: Outcome) => batches.push(taken),
  };
  const modes = { run: runImport, try: tryImport };
  const importAll = (findings: AsyncIterable<Finding<WireEvent>>, mode: keyof typeof modes = 'run'): Promise<Outcome> =>
    modes[mode](context.db, context.clock, findings, listener);
  return { context, network, lines, batches, importAll };
}

const mapXml = (version: string, objective = '<objective>Take it.</objective>') =>
  `<map proto="1.4.2"><name>Keep</name><version>${version}</version>${objective}<authors><author uuid="${ANN}"/> <!-- Old --></authors></map>`;

const totals = ({ taken, unchanged, refused }: Outcome): number[] => [taken, unchanged, refused];

onEachDatabase(
  'a map is imported once, again when its file changes, and again when it changes back',
  async (t, url) => {
    const { context, network, importAll } = await contextWith(t, url);
    await using folder = await folderOf({
      'keep/map.xml': mapXml('1.0'),
      'keep/map.png': PIXEL,
      'bad/map.xml': '<map>',
    });
    const again = async (xml: string): Promise<number[]> => {
      await writeFile(join(folder.path, 'keep/map.xml'), xml);
      context.clock.advance(1000);
      return totals(await importAll(importPgmMaps(folder.path, network)));
    };
    assert.deepEqual(totals(await importAll(importPgmMaps(folder.path, network), 'try')), [1, 0, 1]);
    assert.equal(await mapByName(context.db, 'Keep'), undefined);
    assert.deepEqual(await again(mapXml('1.0')), [1, 0, 1]);
    assert.deepEqual(await again(mapXml('1.0')), [0, 1, 1]);
    const { key, has_image } = (await mapByName(context.db, 'Keep'))!;
    assert.equal(has_image, true);
    assert.deepEqual(Buffer.from((await imageOf(context.db, key))!.bytes), PIXEL);
    assert.deepEqual(await again(mapXml('2.0', '')), [1, 0, 1]);
    assert.equal((await mapByName(context.db, 'Keep'))!.objective, 'Take it.');
    assert.deepEqual(await again(mapXml('2.0', '')), [0, 1, 1]);
    assert.deepEqual(await again(mapXml('1.0')), [1, 0, 1]);
    assert.deepEqual(await again(mapXml('2.0', '')), [1, 0, 1]);
    assert.equal((await mapByName(context.db, 'Keep'))!.version, '2.0');
  },
);

onEachDatabase('a map names its author with the current name of the known player', async (t, url) => {
  const { context, network, importAll } = await contextWith(t, url);
  await using folder = await folderOf({
    'map.xml': mapXml('1'),
    'usercache.json': `[{"name":"New","uuid":"${ANN}","expiresOn":"2026-01-01 00:00:00 +0000"}]`,
  });
  await importAll(importPgmMaps(folder.path, network));
  assert.equal((await mapByName(context.db, 'Keep'))!.authors[0]!.name, 'Old');
  assert.deepEqual(totals(await importAll(importMinecraft(folder.path, network))), [1, 0, 0]);
  context.clock.advance(1);
  assert.deepEqual(totals(await importAll(importPgmMaps(folder.path, network))), [1, 0, 0]);
  assert.equal((await mapByName(context.db, 'Keep'))!.authors[0]!.name, 'New');
});

onEachDatabase('a rotation changes each time its file changes', async (t, url) => {
  const { context, network, lines, importAll } = await contextWith(t, url);
  await using folder = await folderOf({ 'Fen.txt': '', 'map.xml': mapXml('1') });
  await importAll(importPgmMaps(folder.path, network));
  const again = async (text: string): Promise<number[]> => {
    await writeFile(join(folder.path, 'Fen.txt'), text);
    context.clock.advance(1000);
    return totals(await importAll(importRotations(join(folder.path, 'Fen.txt'), network, { create: true })));
  };
  for (const text of ['keep \nMoor', 'Moor', ' KEEP\nMoor', 'Moor']) {
    assert.deepEqual(await again(text), [1, 0, 0]);
    assert.deepEqual(await again(text), [0, 1, 0]);
  }
  assert.deepEqual(await again(''), [0, 0, 1]);
  const { key } = (await serverByName(context.db, 'fen'))!;
  assert.deepEqual(await rotationOf(context.db, key), ['Moor']);
  await again('keep\nMoor');
  assert.deepEqual(await rotationOf(context.db, key), ['Keep', 'Moor']);
  assert.equal(lines.filter((line) => line === 'Fen.txt||server "Fen" is new').length, 1);
});

onEachDatabase('a Minecraft folder imports players and bans, and counters that count in no group', async (t, url) => {
  const { context, network, importAll } = await contextWith(t, url);
  await using folder = await folderOf({
    'banned-players.json': `[{"uuid":"${ANN}","name":"Ann","created":"2025-06-01 10:00:00 +0200","source":"Server","expires":"forever","reason":"x"}]`,
    [`stats/${ANN}.json`]: '{"stat.deaths":3,"stat.playerKills":11,"stat.playOneMinute":72000}',
  });
  context.clock.advance(Date.now() - context.clock.now());
  assert.deepEqual(totals(await importAll(importMinecraft(folder.path, network))), [2, 0, 0]);
  assert.deepEqual(totals(await importAll(importMinecraft(folder.path, network))), [0, 2, 0]);
  const { key, name } = (await playerByUuid(context.db, ANN))!;
  assert.equal(name, 'Ann');
  assert.equal(await isBanned(context.db, key, context.clock.now()), true);
  const counted = Object.values(await statsOf(context.db, key)).flatMap((group) => Object.values(group));
  assert.ok(counted.every((count) => count === 0));
});

const cacheOf = (name: string, expiresOn: string) =>
  JSON.stringify([{ name, uuid: ANN, expiresOn: `${expiresOn} 00:00:00 +0000` }]);

onEachDatabase('importing a copied folder never brings back an old name', async (t, url) => {
  const { context, network, importAll } = await contextWith(t, url);
  const login = event('l', 'player.login', { player: { uuid: ANN, name: 'NewName' } }, { server: 'Fen' });
  const stats = (deaths: number) => ({ [`stats/${ANN}.json`]: `{"stat.deaths":${deaths}}` });
  await using newer = await folderOf({ 'usercache.json': cacheOf('MidName', '2020-01-20'), ...stats(2) });
  await using older = await folderOf({ 'usercache.json': cacheOf('OldName', '2016-01-20'), ...stats(1) });
  await using baseline = await folderOf(stats(3));
  const names = async () => {
    const { key, name } = (await playerByUuid(context.db, ANN))!;
    const seen = await namesOf(context.db, key);
    return [name, ...seen.map(({ name, last_seen }) => `${name} ${new Date(last_seen).toISOString().slice(0, 10)}`)];
  };
  await importAll(importMinecraft(older.path, network));
  assert.deepEqual(await names(), ['OldName', 'OldName 2015-12-20']);
  await importAll(importMinecraft(newer.path, network));
  assert.deepEqual(await names(), ['MidName', 'MidName 2019-12-20', 'OldName 2015-12-20']);
  await importAll(importEvents([Buffer.from(login)] as unknown as AsyncIterable<Uint8Array>, 'f'));
  for (const { path } of [older, newer, baseline]) await importAll(importMinecraft(path, network));
  assert.deepEqual(await names(), ['NewName', 'NewName 2026-01-01', 'MidName 2019-12-20', 'OldName 2015-12-20']);
});

/** Writes a ban on a day of January 2026: permanent with the reason `first`, otherwise with an expiry. */
async function writeBan(path: string, reason: string, day: number): Promise<void> {
  const expires = reason === 'first' ? 'forever' : '2025-07-01 00:00:00 +0000';
  const entry = { uuid: ANN, name: 'Ann', created: '2025-06-01 00:00:00 +0000', reason, expires };
  await writeFile(path, JSON.stringify([entry]));
  await utimes(path, Date.UTC(2026, 0, day) / 1000, Date.UTC(2026, 0, day) / 1000);
}

onEachDatabase(
  'a ban changes once with each edit of its file, and an older file does not change it back',
  async (t, url) => {
    const { context, network, importAll } = await contextWith(t, url);
    await using folder = await folderOf({});
    const again = async (path = folder.path) => {
      context.clock.advance(1000);
      return totals(await importAll(importMinecraft(path, network, { server: 'Fen', create: true })));
    };
    const bans = async () => {
      const { key } = (await playerByUuid(context.db, ANN))!;
      const bans = await listPunishmentsOf(context.db, key, Number.MAX_SAFE_INTEGER, 10, context.clock.now());
      return bans.map(({ reason, expires }) => `${reason} ${expires}`).join();
    };
    const file = join(folder.path, 'banned-players.json');
    for (const [day, reason] of ['first', 'second', 'first', 'second'].entries()) {
      await writeBan(file, reason, day + 2);
      assert.deepEqual(await again(), [1, 0, 0]);
      assert.equal(await bans(), reason === 'first' ? 'first null' : `second ${Date.UTC(2025, 6, 1)}`);
      assert.deepEqual(await again(), [0, 1, 0]);
      assert.deepEqual(await again(), [0, 1, 0]);
    }
    await using older = await folderOf({});
    await writeBan(join(older.path, 'banned-players.json'), 'first', 1);
    for (const expected of [1, 0, 0]) {
      assert.deepEqual(await again(older.path), [expected, 1 - expected, 0]);
      assert.match(await bans(), /^second /);
      assert.deepEqual(await again(), [0, 1, 0]);
    }
  },
);

onEachDatabase('of two files for one server the same one wins at every import', async (t, url) => {
  const { context, network, importAll } = await contextWith(t, url);
  await using folder = await folderOf({ 'Fen.txt': 'Keep\nMoor', 'fen.json': '["Moor"]' });
  for (const expected of [1, 0, 0]) {
    context.clock.advance(1000);
    assert.deepEqual(totals(await importAll(importRotations(folder.path, network, { create: true }))), [
      expected,
      1 - expected,
      1,
    ]);
    const { key } = (await serverByName(context.db, 'fen'))!;
    assert.deepEqual(await rotationOf(context.db, key), ['Keep', 'Moor']);
  }
});

const event = (id: string, type: string, data: object, parts: object = {}) =>
  JSON.stringify({ version: 1, id, type, time: '2026-01-01T00:00:00Z', data, ...parts });

async function* itemsOf(text: string): AsyncGenerator<Finding<WireEvent>> {
  yield* importEvents(Readable.from([Buffer.from(text)]), 'f');
}

onEachDatabase(
  'events are imported in batches; refusals name the line, and a dry run sees earlier events',
  async (t, url) => {
    const { context, network, lines, importAll } = await contextWith(t, url);
    const player = { uuid: ANN, name: 'Ann' };
    const file = [
      event('m', 'map.published', { name: 'Keep', version: '1' }),
      ...Array.from({ length: 900 }, (_, index) => event(`l${index}`, 'player.login', { player }, { server: 'Fen' })),
      event('r', 'map.rated', { map: 'Keep', player, rate: 5 }),
      event('l0', 'player.login', { player }, { server: 'Fen' }),
      event('x', 'player.login', { player: { uuid: 'x', name: '' } }, { server: 'Fen' }),
      '7',
    ].join('\n');
    const items = () => itemsOf(file);
    for (const way of ['try', 'run'] as const) {
      lines.length = 0;
      assert.deepEqual(totals(await importAll(items(), way)), [902, 1, 2]);
      assert.deepEqual(
        lines.map((line) => line.split('|').slice(0, 2)),
        [
          ['f', 'line 904'],
          ['f', 'line 905'],
        ],
      );
      assert.equal((await network.mapNames()).length, way === 'try' ? 0 : 1);
    }
    assert.deepEqual(totals(await importAll(items())), [0, 903, 2]);
    assert.equal((await playerByUuid(context.db, ANN))!.name, 'Ann');
  },
);

/** The exported events as the text of a file. */
async function exportOf(context: AppContext): Promise<string> {
  let text = '';
  for await (const one of exportEvents(context.db)) text += `${JSON.stringify(one)}\n`;
  return text;
}

onEachDatabase(
  'exported events are imported once, including heartbeats and the largest match',
  async (t, url, dialect) => {
    const { context } = await contextWith(t, url);
    const [killer, victim] = [person(1).uuid, person(2).uuid];
    const kills = Array.from({ length: 20_000 }, () => ({ killer, victim, time: BEGINNING }));
    await sendEvents(context, configured('Alpha'), match({ teams: [team('Red', 1, 2)], kills }));
    await sendEvents(context, ...['Alpha', 'Fen'].map((server) => presence(server, { players: ['Ann'] })));
    const database = await createTestDatabase(dialect);
    const other = await contextWith(t, database.url);
    t.after(() => database.drop());
    const text = await exportOf(context);
    assert.ok(text.length > 2_000_000);
    assert.deepEqual(totals(await other.importAll(itemsOf(text))), [5, 0, 0]);
    assert.deepEqual(totals(await other.importAll(itemsOf(text))), [0, 5, 0]);
    assert.equal(await exportOf(other.context), text);
    await sendEvents(other.context, presence('Alpha', { players: ['Eve'] }, { time: '2026-03-01T12:00:01Z' }));
    assert.deepEqual(totals(await other.importAll(itemsOf(text))), [1, 4, 0]);
    assert.deepEqual(other.lines, ['f|line 4|nothing changed: a newer heartbeat is already stored']);
  },
);

onSqlite('a batch has fewer events if their lines are long', async (t, url) => {
  const { importAll, batches } = await contextWith(t, url);
  const lines = Array.from({ length: 8 }, (_, number) => JSON.stringify(login('Fen', person(number))));
  await importAll(itemsOf(lines.map((line) => line + ' '.repeat(2_000_000)).join('\n')));
  assert.deepEqual(batches, [7, 8]);
});
