import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Event } from '#events/schema/index.ts';
import type { NetworkLookup } from '#importers/core.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { monthBefore, readDate } from '#importers/minecraft/date.ts';
import { readStats } from '#importers/minecraft/stats.ts';
import { skippedFolder } from '#importers/list-files.ts';
import { networkLookup, folderOf, NOW, reportAll, type Reported } from './fixtures.ts';

const ANN = '11111111-2222-4333-8444-555555555555';
const BEN = '66666666-7777-3888-9999-aaaaaaaaaaaa';
const MOD = '22222222-3333-4444-8555-666666666666';

const ban = (parts: object) => ({
  uuid: ANN,
  name: 'Ann',
  created: '2025-06-01 10:00:00 +0200',
  source: 'Server',
  expires: 'forever',
  reason: 'Why',
  ...parts,
});

async function importAll(
  files: Record<string, unknown>,
  known: Partial<NetworkLookup> = {},
  server?: string,
): Promise<Reported> {
  await using folder = await folderOf(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? content : JSON.stringify(content),
      ]),
    ),
  );
  return await reportAll(importMinecraft(folder.path, networkLookup(known), { server, create: true }));
}

test('a date needs a numeric time zone and must exist in the calendar', () => {
  assert.equal(readDate('2026-01-31 12:34:56 +0900'), Date.UTC(2026, 0, 31, 3, 34, 56));
  assert.equal(readDate(' 2026-01-31 12:34:56 -03:30 '), Date.UTC(2026, 0, 31, 16, 4, 56));
  assert.equal(readDate('2024-02-29 00:00:00 Z'), Date.UTC(2024, 1, 29));
  for (const text of [
    '',
    'forever',
    '2026-02-29 00:00:00 +0000',
    '2026-01-31 24:00:00 +0000',
    '2026-01-31 12:60:00 +0000',
    '2026-01-31 12:34:56',
    '2026-01-31T12:34:56 +0000',
    '2026-01-31 12:34:56 +1960',
    '2026-13-01 00:00:00 +0000',
    '26-01-01 00:00:00 +0000',
  ])
    assert.equal(readDate(text), undefined, text);
});

const digits = (count: number) => String(Math.floor(count)).padStart(2, '0');

test('every formatted date is read back, and any other text is refused', () => {
  const timestamp = fc.date({
    min: new Date('1970-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(timestamp, fc.integer({ min: -18 * 60, max: 18 * 60 }), (date, zone) => {
      const seconds = Math.floor(date.getTime() / 1000) * 1000;
      const local = new Date(seconds + zone * 60_000).toISOString();
      const text = `${local.slice(0, 10)} ${local.slice(11, 19)} ${zone < 0 ? '-' : '+'}${digits(Math.abs(zone) / 60)}${digits(Math.abs(zone) % 60)}`;
      assert.equal(readDate(text), seconds);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => assert.equal(typeof readDate(text), 'undefined')));
});

test('a month before the 31st is the last day of a shorter month', () => {
  assert.equal(monthBefore(Date.UTC(2026, 2, 31, 5)), Date.UTC(2026, 1, 28, 5));
  assert.equal(monthBefore(Date.UTC(2026, 0, 15)), Date.UTC(2025, 11, 15));
});

test('names are imported with the time at which the server saw them, oldest first', async () => {
  const { events, refusals } = await importAll({
    'usercache.json': [
      { name: 'Ann', uuid: ANN, expiresOn: '2026-01-10 10:00:00 +0000' },
      { name: 'Ben', uuid: BEN.replaceAll('-', '').toUpperCase(), expiresOn: '2025-12-31 10:00:00 +0000' },
      { name: 'Cid', uuid: 'nonsense', expiresOn: '2026-01-10 10:00:00 +0000' },
      { name: 'Dan', uuid: MOD, expiresOn: 'soon' },
      { name: ' ', uuid: MOD, expiresOn: '2026-01-10 10:00:00 +0000' },
      7,
    ],
  });
  assert.deepEqual(
    events.map((event) => [event.type, new Date(event.time).toISOString(), event.data]),
    [
      ['player.named', '2025-11-30T10:00:00.000Z', { player: { uuid: BEN, name: 'Ben' } }],
      ['player.named', '2025-12-10T10:00:00.000Z', { player: { uuid: ANN, name: 'Ann' } }],
    ],
  );
  assert.deepEqual(refusals, [
    'usercache.json, entry 3, uuid: "nonsense" is not a UUID',
    'usercache.json, entry 4, expiresOn: "soon" is not a date like 2026-01-31 12:34:56 +0900',
    'usercache.json, entry 5, name: has no name',
    'usercache.json, entry 6: is not a JSON object',
  ]);
});

test('bans become punishments of the network, or of the server given by name', async () => {
  const file = { 'banned-players.json': [ban({ reason: '§cLine one\nand two' })] };
  const { events } = await importAll(file);
  const id = `minecraft-ban:${ANN}:${Date.UTC(2025, 5, 1, 8).toString(36)}`;
  assert.deepEqual(events, [
    {
      version: 1,
      id,
      type: 'punishment.issued',
      time: Date.UTC(2025, 5, 1, 8),
      data: {
        punishment: id,
        punished: { uuid: ANN, name: 'Ann' },
        punisher: null,
        type: 'ban',
        level: 0,
        reason: 'Line one and two',
        expires: null,
        automatic: false,
      },
    },
  ]);
  assert.equal((await importAll(file, {}, 'Fen')).events[0]!.server, 'Fen');
});

test('the punisher is a player of usercache.json or of the network, otherwise nobody', async () => {
  const sources = ['CONSOLE', '(Unknown)', 'Server', 'modA', 'ModB', 'Plugin'];
  const { events, notes } = await importAll(
    {
      'usercache.json': [{ name: 'ModA', uuid: MOD, expiresOn: '2025-03-01 00:00:00 +0000' }],
      'banned-players.json': sources.map((source, index) =>
        ban({ source, created: `2025-06-0${index + 1} 00:00:00 +0000` }),
      ),
    },
    { uuidNamed: async (name) => (name === 'ModB' ? BEN : undefined) },
  );
  const punishers = events.flatMap((event) => (event.type === 'punishment.issued' ? [event.data.punisher] : []));
  assert.deepEqual(punishers, [null, null, null, { uuid: MOD, name: 'modA' }, { uuid: BEN, name: 'ModB' }, null]);
  assert.deepEqual(notes, [
    'banned-players.json, entry 6, source: "Plugin" has no known UUID; the ban is imported without a punisher',
  ]);
});

test('invalid bans are refused one by one; a missing name is looked up', async () => {
  const { events, refusals } = await importAll(
    {
      'banned-players.json': [
        ban({ expires: '2025-06-01 09:59:59 +0200' }),
        ban({ created: '2025-02-30 00:00:00 +0000' }),
        ban({ uuid: 'x' }),
        ban({ name: undefined, uuid: BEN, expires: '2025-07-01 00:00:00 +0000' }),
        ban({ name: null, uuid: MOD }),
        ban({ expires: null }),
      ],
    },
    { observationOf: async (uuid) => (uuid === BEN ? { name: 'Ben', seen: NOW } : undefined) },
  );
  assert.deepEqual(
    events.map((event) => (event.type === 'punishment.issued' ? [event.data.punished.name, event.data.expires] : [])),
    [
      ['Ben', Date.UTC(2025, 6, 1)],
      ['Ann', null],
    ],
  );
  assert.deepEqual(refusals, [
    'banned-players.json, entry 1, expires: is before the ban was created',
    'banned-players.json, entry 2, created: "2025-02-30 00:00:00 +0000" is not a date like 2026-01-31 12:34:56 +0900',
    'banned-players.json, entry 3, uuid: "x" is not a UUID',
    'banned-players.json, entry 5, name: is empty, and no name is known for the UUID',
  ]);
});

test('files that are not a JSON array are refused as a whole', async () => {
  const { refusals } = await importAll({
    'a/usercache.json': '{}',
    'b/usercache.json': '[{',
    'banned-players.json': 'x',
  });
  assert.equal(refusals[0], 'a/usercache.json: is not a JSON array');
  assert.match(refusals[1]!, /^b\/usercache\.json, line 1, column 3: is not JSON: /);
  assert.match(refusals[2]!, /^banned-players\.json, line 1, column 1: is not JSON: /);
});

const nested = (name: string) => ({
  stats: { 'minecraft:custom': { 'minecraft:player_kills': 3, 'minecraft:deaths': 2, [name]: 1219 } },
});

test('counters are read in both formats, under the names of every version', () => {
  const counted = { kill_count: 3, death_count: 2, time_played: 60 };
  assert.deepEqual(readStats(nested('minecraft:play_time')), counted);
  assert.deepEqual(readStats(nested('minecraft:play_one_minute')), counted);
  assert.deepEqual(
    readStats({
      'stat.playerKills': 3,
      'stat.deaths': 2,
      'stat.playOneMinute': 1219,
      'achievement.openInventory': { value: 1 },
    }),
    counted,
  );
  const nothing = { kill_count: 0, death_count: 0, time_played: 0 };
  for (const empty of [{}, { stats: {} }, { stats: { 'minecraft:custom': {} } }])
    assert.deepEqual(readStats(empty), nothing);
  for (const bad of [-1, 1.5, '3', null])
    assert.throws(() => readStats({ 'stat.deaths': bad }), {
      message: 'is not a whole number of 0 or more',
      place: 'stat.deaths',
    });
});

test('counters become events without a mode, at the time at which the player was last seen with the name', async () => {
  const stats = { 'stat.deaths': 1 };
  const files = {
    [`world/stats/${ANN}.json`]: JSON.stringify(stats),
    [`world/stats/${BEN}.json`]: JSON.stringify(stats),
    'world/stats/odd.json': '{}',
    [`world/stats/${MOD}.json`]: '[]',
    'other.json': '{',
  };
  await using folder = await folderOf({
    ...files,
    'usercache.json': JSON.stringify([{ name: 'Ann', uuid: ANN, expiresOn: '2025-03-01 00:00:00 +0000' }]),
  });
  for (const uuid of [ANN, BEN])
    await utimes(join(folder.path, `world/stats/${uuid}.json`), NOW / 1000 - 60, NOW / 1000 - 60);
  const received = await reportAll(importMinecraft(folder.path, networkLookup()));
  const of = (name?: string): Event =>
    received.events.find((event) => event.type === 'player.statistics' && event.data.player.name === name)!;
  const [event, unnamed] = [of('Ann'), of()];
  assert.deepEqual(unnamed.type === 'player.statistics' && unnamed.data.player, { uuid: BEN }, 'without a known name');
  assert.equal(unnamed.time, NOW - 60_000, 'at the time of the file');
  assert.equal(event.time, Date.UTC(2025, 1, 1));
  assert.deepEqual(event.type === 'player.statistics' && event.data, {
    player: { uuid: ANN, name: 'Ann' },
    gamemode: 'vanilla',
    kill_count: 0,
    death_count: 1,
    time_played: 0,
    power: 0,
    faction: '',
    faction_id: '',
    faction_role: '',
  });
  assert.deepEqual(received.refusals, [
    `world/stats/${MOD}.json: is not a JSON object`,
    'world/stats/odd.json: is not named after a UUID',
  ]);
});

const statsFile = (uuid: string) => ({ [`stats/${uuid}.json`]: { 'stat.deaths': 1 } });

test('counters carry the newest name of the files and the network', async () => {
  const cache = { 'usercache.json': [{ name: 'Old', uuid: ANN, expiresOn: '2025-03-01 00:00:00 +0000' }] };
  const bans = { 'banned-players.json': [ban({ name: 'Mid', created: '2025-04-01 00:00:00 +0000' })] };
  const seen = async (files: Record<string, unknown>, at?: number) => {
    const observationOf = async () => (at === undefined ? undefined : { name: 'Known', seen: at });
    const { events } = await importAll({ ...files, ...statsFile(ANN) }, { observationOf });
    const event = events.at(-1)!;
    return event.type === 'player.statistics' && [event.data.player.name, event.time];
  };
  assert.deepEqual(await seen(cache), ['Old', Date.UTC(2025, 1, 1)]);
  assert.deepEqual(await seen({ ...cache, ...bans }), ['Mid', Date.UTC(2025, 3, 1)]);
  assert.deepEqual(await seen({ ...cache, ...bans }, NOW), ['Known', NOW]);
  assert.deepEqual(await seen(cache, Date.UTC(2024, 0)), ['Old', Date.UTC(2025, 1, 1)]);
});

test('bans of an unknown server are refused as a whole, unless the server is to be created', async () => {
  await using folder = await folderOf({ 'banned-players.json': '[{ // by hand\n}]', 'usercache.json': '[,]' });
  const network = networkLookup({ serverNames: async () => ['Fen'] });
  await assert.rejects(reportAll(importMinecraft(folder.path, network, { server: 'Fne' })), {
    name: 'InputError',
    message: /^There is no server "Fne"\. Did you mean "Fen"\?/,
  });
  const { refusals } = await reportAll(importMinecraft(folder.path, network, { server: 'fen' }));
  assert.deepEqual(refusals, [
    "usercache.json, line 1, column 2: is not JSON: invalid character ','",
    'banned-players.json, entry 1, uuid: "" is not a UUID',
  ]);
});

test('what a management connection added to a reason is left out', async () => {
  const reasons = {
    'Why\nPunishment: 38ft1k2k44p\nTo object: https://example.org/appeals': 'Why',
    'To object: the staff': '',
    'Why\nTo object: the staff': 'Why',
    'Why\nPunishment: short\nTo object: the staff': 'Why Punishment: short',
    'Why\nPunishment: 38ft1k2k44p': 'Why Punishment: 38ft1k2k44p',
    'I want To object: this': 'I want To object: this',
  };
  const entries = Object.keys(reasons).map((reason, place) => ban({ reason, created: `2025-06-1${place} 00:00:00 Z` }));
  const { events } = await importAll({ 'banned-players.json': entries });
  const found = events.map((event) => event.type === 'punishment.issued' && event.data.reason);
  assert.deepEqual(found, Object.values(reasons));
});

test('a known ban is changed if its expiry or reason differs, and unchanged otherwise', async () => {
  const file = { 'banned-players.json': [ban({ reason: 'Why' })] };
  const lookups: unknown[] = [];
  const importWith = (reason: string, expires: number | null) =>
    importAll(
      file,
      {
        punishmentOf: async (...lookup) => {
          lookups.push(lookup);
          return { reason, expires };
        },
      },
      'Fen',
    );
  const reference = `minecraft-ban:${ANN}:${Date.UTC(2025, 5, 1, 8).toString(36)}`;
  assert.deepEqual((await importWith('Why', null)).unchanged, [`banned-players.json, entry 1: ${ANN}`]);
  assert.deepEqual(lookups, [[reference, 'Fen']]);
  for (const { events } of [await importWith('What', null), await importWith('Why', NOW)]) {
    const [event] = events;
    assert.ok(event!.id.startsWith(`${reference}:`));
    assert.deepEqual(
      [event!.type, event!.server, event!.data],
      ['punishment.changed', 'Fen', { punishment: reference, reason: 'Why', expires: null }],
    );
  }
});

const banAt = (time: string) => ban({ created: time, expires: time });

test('a ban of the future is imported with the time of the file, and a note (MC-112684)', async () => {
  await using folder = await folderOf({
    'banned-players.json': JSON.stringify([
      { ...banAt('2031-01-01 12:00:00 +0000'), uuid: BEN },
      banAt('2019-01-01 12:00:00 +0000'),
      { ...banAt('2026-01-31 12:01:00 +0000'), uuid: MOD },
    ]),
    'usercache.json': JSON.stringify([{ uuid: ANN, name: 'Ann', expiresOn: '2031-01-01 12:00:00 +0000' }]),
  });
  const written = NOW - 3_600_000;
  for (const file of ['banned-players.json', 'usercache.json'])
    await utimes(join(folder.path, file), written / 1000, written / 1000);
  const { events, refusals, notes } = await reportAll(importMinecraft(folder.path, networkLookup()));
  assert.deepEqual(refusals, []);
  assert.deepEqual(
    events.map(({ type, time, id }) => [type, time, id.split(':')[2]]),
    [
      ['player.named', written, events[0]!.id.split(':')[2]],
      ['punishment.issued', Date.UTC(2019, 0, 1, 12), Date.UTC(2019, 0, 1, 12).toString(36)],
      // The reference has the recorded time, so that the file is recognised when it is imported again.
      ['punishment.issued', written, Date.UTC(2031, 0, 1, 12).toString(36)],
      ['punishment.issued', NOW + 60_000, (NOW + 60_000).toString(36)],
    ],
  );
  assert.deepEqual(notes, [
    'banned-players.json, entry 1, created: "2031-01-01 12:00:00 +0000" is in the future; the ban is imported with the time of the file',
  ]);
});

test('a folder of another program is called by its name', async () => {
  // The files that the programs create: resources/pocketmine.yml of pmmp/PocketMine-MP, nukkit.yml of CloudburstMC/Nukkit,
  // pnx.yml of PowerNukkitX, modules.yml of SpigotMC/BungeeCord, velocity.toml of PaperMC/Velocity.
  for (const [file, expected] of [
    ['pocketmine.yml', /is the folder of PocketMine-MP, a server of Bedrock Edition, .*--protocol minecraftbedrock/],
    ['nukkit.yml', /is the folder of Nukkit, a server of Bedrock Edition/],
    ['pnx.yml', /is the folder of Nukkit, a server of Bedrock Edition/],
    ['modules.yml', /is the folder of BungeeCord, a proxy, .*: name the folder of a game server behind it/],
    ['velocity.toml', /is the folder of Velocity, a proxy/],
    ['server.properties', /has no usercache\.json, banned-players\.json or stats\/UUID\.json/],
  ] as const) {
    await using folder = await folderOf({ [file]: '' });
    await assert.rejects(reportAll(importMinecraft(folder.path, networkLookup())), expected);
  }
});

test('of several entries for one ban the last in the newest file is imported, the others are refused by name', async () => {
  await using folder = await folderOf({
    'a/banned-players.json': JSON.stringify([ban({}), ban({ expires: '2027-01-01 00:00:00 +0000' }), ban({})]),
    'b/banned-players.json': JSON.stringify([ban({ reason: 'Older' })]),
  });
  await utimes(join(folder.path, 'b/banned-players.json'), 1, 1);
  const { events, refusals, unchanged } = await reportAll(importMinecraft(folder.path, networkLookup()));
  assert.deepEqual(
    events.map((event) => event.type === 'punishment.issued' && [event.data.reason, event.data.expires]),
    [['Why', null]],
  );
  assert.deepEqual(refusals, [
    'a/banned-players.json, entry 2: is the same ban as a/banned-players.json, entry 3, but with another expiry or reason',
    'b/banned-players.json, entry 1: is the same ban as a/banned-players.json, entry 3, but with another expiry or reason',
  ]);
  assert.deepEqual(unchanged, [`a/banned-players.json, entry 1: ${ANN}`]);
});

test('a ban is permanent without an expiry or with `forever`; a wrong date is refused and shown', async () => {
  const ends = [undefined, null, '', ' Forever ', 1590969600000, 0, false, {}, [], 'never'];
  const { events, refusals } = await importAll({
    'banned-players.json': ends.map((expires, index) => ban({ expires, created: `2025-06-${index + 10} 00:00:00 Z` })),
  });
  assert.equal(events.length, 4);
  assert.ok(events.every((event) => event.type === 'punishment.issued' && event.data.expires === null));
  const wrong = ['1590969600000', '0', 'false', 'an object', 'an array', '"never"'];
  assert.deepEqual(
    refusals,
    wrong.map(
      (text, index) =>
        `banned-players.json, entry ${index + 5}, expires: ${text} is not a date like 2026-01-31 12:34:56 +0900`,
    ),
  );
  const other = await importAll({ 'banned-players.json': [ban({ created: 1590969600000 }), ban({ uuid: 7 })] });
  assert.deepEqual(other.refusals, [
    'banned-players.json, entry 1, created: 1590969600000 is not a date like 2026-01-31 12:34:56 +0900',
    'banned-players.json, entry 2, uuid: 7 is not a UUID',
  ]);
});

test('a reason or source that is not text is left out with a note', async () => {
  const { events, notes } = await importAll({
    'banned-players.json': [ban({ reason: { text: 'Why' }, source: 5 }), ban({ uuid: BEN, reason: null })],
  });
  assert.deepEqual(
    events.map((event) => event.type === 'punishment.issued' && [event.data.reason, event.data.punisher]),
    [
      ['', null],
      ['', null],
    ],
  );
  assert.deepEqual(notes, [
    'banned-players.json, entry 1, source: is not text and is left out',
    'banned-players.json, entry 1, reason: is not text and is left out',
  ]);
});

test('a ban that ends after the largest date is permanent', async () => {
  const far = ['9999-12-31 23:59:59 +0000', '9999-12-31 23:59:59 -1200', '292278994-08-17 07:12:55 +0000'];
  const { events, notes } = await importAll({
    'banned-players.json': [...far, '9999-12-30 23:59:59 +0000'].map((expires, index) =>
      ban({ expires, created: `2025-06-${index + 10} 00:00:00 Z` }),
    ),
  });
  assert.deepEqual(
    events.map((event) => event.type === 'punishment.issued' && event.data.expires),
    [null, null, null, Date.UTC(9999, 11, 30, 23, 59, 59)],
  );
  assert.deepEqual(
    notes,
    far.map(
      (text, index) =>
        `banned-players.json, entry ${index + 1}, expires: "${text}" is too far in the future; the ban is imported as permanent`,
    ),
  );
});

test('bidirectional control characters are removed from names and reasons', async () => {
  const { events, refusals } = await importAll({
    'banned-players.json': [ban({ name: '\u202eAnn', reason: '\u2067Why\u2069\u0000 \u202anot\u200f' })],
  });
  assert.deepEqual(refusals, []);
  const [event] = events;
  assert.deepEqual(event?.type === 'punishment.issued' && [event.data.punished.name, event.data.reason], [
    'Ann',
    'Why not\u200f',
  ]);
});

test('a link to a pipe is skipped', async () => {
  await using folder = await folderOf({ 'usercache.json': '[]' });
  execFileSync('mkfifo', [join(folder.path, 'pipe')]);
  await symlink('pipe', join(folder.path, 'banned-players.json'));
  const { notes } = await reportAll(importMinecraft(folder.path, networkLookup()));
  assert.deepEqual(notes, ['banned-players.json: is a link to something other than a file or a folder']);
});

test('an unreadable folder is skipped, unless it is the imported folder itself', () => {
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const reason = 'cannot be read: permission denied';
  assert.deepEqual(skippedFolder('/srv/maps', 'inside', denied), { path: 'inside', reason });
  assert.throws(() => skippedFolder('/srv/maps', '', denied), { name: 'InputError', message: `/srv/maps ${reason}.` });
});
