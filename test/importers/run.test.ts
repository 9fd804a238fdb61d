import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { importEvents } from '#importers/events.ts';
import type { Item } from '#importers/item.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { factsOf } from '#importers/network.ts';
import { importPgmMaps } from '#importers/pgm-map.ts';
import { importRotations } from '#importers/rotation.ts';
import { type Outcome, runImport, tryImport } from '#importers/run.ts';
import { imageOf, mapByName, rotationOf } from '#records/maps.ts';
import { isBanned } from '#records/punishments.ts';
import { statsOf } from '#records/player-stats.ts';
import { playerByUuid } from '#records/players.ts';
import { serverByName } from '#records/servers.ts';
import { onEachDatabase, testHall } from '#test/support/hall.ts';
import { folderOf } from './fixtures.ts';

const ANN = '11111111-2222-4333-8444-555555555555';
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');

/** A hall, and what imports into it and tells lines of what it heard. */
async function hallWith(t: TestContext, databaseUrl: string) {
  const hall = await testHall(t, databaseUrl);
  const facts = factsOf(hall.db, hall.clock);
  const lines: string[] = [];
  const listener = {
    refused: ({ file, place }: { file: string; place: string }, reason: string) =>
      lines.push(`${file}|${place}|${reason}`),
    noted: ({ file, place }: { file: string; place: string }, note: string) => lines.push(`${file}|${place}|${note}`),
    moved: () => {},
  };
  const how = { run: runImport, try: tryImport };
  const take = (items: AsyncIterable<Item>, way: keyof typeof how = 'run'): Promise<Outcome> =>
    how[way](hall.db, hall.clock, items, listener);
  return { hall, facts, lines, take };
}

const mapXml = (version: string, objective = '<objective>Take it.</objective>') =>
  `<map proto="1.4.2"><name>Keep</name><version>${version}</version>${objective}<authors><author uuid="${ANN}"/> <!-- Old --></authors></map>`;

const sums = ({ taken, unchanged, refused }: Outcome): number[] => [taken, unchanged, refused];

onEachDatabase('maps are taken once, changed when they change, and back again', async (t, url) => {
  const { hall, facts, take } = await hallWith(t, url);
  await using folder = await folderOf({ 'keep/map.xml': mapXml('1.0'), 'keep/map.png': PNG, 'bad/map.xml': '<map>' });
  const again = async (xml: string): Promise<number[]> => {
    await writeFile(join(folder.path, 'keep/map.xml'), xml);
    hall.clock.advance(1000);
    return sums(await take(importPgmMaps(folder.path, facts)));
  };
  assert.deepEqual(sums(await take(importPgmMaps(folder.path, facts), 'try')), [1, 0, 1]);
  assert.equal(await mapByName(hall.db, 'Keep'), undefined);
  assert.deepEqual(await again(mapXml('1.0')), [1, 0, 1]);
  assert.deepEqual(await again(mapXml('1.0')), [0, 1, 1]);
  const { key, has_image } = (await mapByName(hall.db, 'Keep'))!;
  assert.equal(has_image, true);
  assert.deepEqual(Buffer.from((await imageOf(hall.db, key))!.bytes), PNG);
  assert.deepEqual(await again(mapXml('2.0', '')), [1, 0, 1]);
  assert.equal((await mapByName(hall.db, 'Keep'))!.objective, 'Take it.');
  assert.deepEqual(await again(mapXml('2.0', '')), [0, 1, 1]);
  assert.deepEqual(await again(mapXml('1.0')), [1, 0, 1]);
  assert.deepEqual(await again(mapXml('2.0', '')), [1, 0, 1]);
  assert.equal((await mapByName(hall.db, 'Keep'))!.version, '2.0');
});

onEachDatabase('a player that is known gives maps the present name', async (t, url) => {
  const { hall, facts, take } = await hallWith(t, url);
  await using folder = await folderOf({
    'map.xml': mapXml('1'),
    'usercache.json': `[{"name":"New","uuid":"${ANN}","expiresOn":"2026-01-01 00:00:00 +0000"}]`,
  });
  await take(importPgmMaps(folder.path, facts));
  assert.equal((await mapByName(hall.db, 'Keep'))!.authors[0]!.name, 'Old');
  assert.deepEqual(sums(await take(importMinecraft(folder.path, facts))), [1, 0, 0]);
  hall.clock.advance(1);
  assert.deepEqual(sums(await take(importPgmMaps(folder.path, facts))), [1, 0, 0]);
  assert.equal((await mapByName(hall.db, 'Keep'))!.authors[0]!.name, 'New');
});

onEachDatabase('rotations change as often as files do', async (t, url) => {
  const { hall, facts, lines, take } = await hallWith(t, url);
  await using folder = await folderOf({ 'Fen.txt': '', 'map.xml': mapXml('1') });
  await take(importPgmMaps(folder.path, facts));
  const again = async (text: string): Promise<number[]> => {
    await writeFile(join(folder.path, 'Fen.txt'), text);
    hall.clock.advance(1000);
    return sums(await take(importRotations(join(folder.path, 'Fen.txt'), facts)));
  };
  for (const text of ['keep \nMoor', 'Moor', ' KEEP\nMoor', 'Moor']) {
    assert.deepEqual(await again(text), [1, 0, 0]);
    assert.deepEqual(await again(text), [0, 1, 0]);
  }
  assert.deepEqual(await again(''), [0, 0, 1]);
  const { key } = (await serverByName(hall.db, 'fen'))!;
  assert.deepEqual(await rotationOf(hall.db, key), ['Moor']);
  await again('keep\nMoor');
  assert.deepEqual(await rotationOf(hall.db, key), ['Keep', 'Moor']);
  assert.equal(lines.filter((line) => line === 'Fen.txt||server "Fen" is new').length, 1);
});

onEachDatabase(
  "a Minecraft server's players are known and banned, and its counters count in no group",
  async (t, url) => {
    const { hall, facts, take } = await hallWith(t, url);
    await using folder = await folderOf({
      'banned-players.json': `[{"uuid":"${ANN}","name":"Ann","created":"2025-06-01 10:00:00 +0200","source":"Server","expires":"forever","reason":"x"}]`,
      [`stats/${ANN}.json`]: '{"stat.deaths":3,"stat.playerKills":11,"stat.playOneMinute":72000}',
    });
    hall.clock.advance(Date.now() - hall.clock.now());
    assert.deepEqual(sums(await take(importMinecraft(folder.path, facts))), [2, 0, 0]);
    assert.deepEqual(sums(await take(importMinecraft(folder.path, facts))), [0, 2, 0]);
    const { key, name } = (await playerByUuid(hall.db, ANN))!;
    assert.equal(name, 'Ann');
    assert.equal(await isBanned(hall.db, key, hall.clock.now()), true);
    const counted = Object.values(await statsOf(hall.db, key)).flatMap((group) => Object.values(group));
    assert.ok(counted.every((count) => count === 0));
  },
);

const event = (id: string, type: string, data: object, parts: object = {}) =>
  JSON.stringify({ version: 1, id, type, time: '2026-01-01T00:00:00Z', data, ...parts });

onEachDatabase(
  'events come in batches; what is refused says where, and a trial sees what came before',
  async (t, url) => {
    const { hall, facts, lines, take } = await hallWith(t, url);
    const player = { uuid: ANN, name: 'Ann' };
    const file = [
      event('m', 'map.published', { name: 'Keep', version: '1' }),
      ...Array.from({ length: 900 }, (_, index) => event(`l${index}`, 'player.login', { player }, { server: 'Fen' })),
      event('r', 'map.rated', { map: 'Keep', player, rate: 5 }),
      event('l0', 'player.login', { player }, { server: 'Fen' }),
      event('x', 'player.login', { player: { uuid: 'x', name: '' } }, { server: 'Fen' }),
      '7',
    ].join('\n');
    const items = () =>
      importEvents(
        (async function* () {
          yield Buffer.from(file);
        })(),
        'f',
      );
    for (const way of ['try', 'run'] as const) {
      lines.length = 0;
      assert.deepEqual(sums(await take(items(), way)), [902, 1, 2]);
      assert.deepEqual(
        lines.map((line) => line.split('|').slice(0, 2)),
        [
          ['f', 'line 904, data.player.uuid'],
          ['f', 'line 905'],
        ],
      );
      assert.equal((await facts.mapNames()).length, way === 'try' ? 0 : 1);
    }
    assert.deepEqual(sums(await take(items())), [0, 903, 2]);
    assert.equal((await playerByUuid(hall.db, ANN))!.name, 'Ann');
  },
);
