import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NetworkLookup } from '#importers/network-lookup.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { monthBefore, readDate } from '#importers/minecraft/date.ts';
import { readStats } from '#importers/minecraft/stats.ts';
import { passedOver } from '#importers/list-files.ts';
import { facts, folderOf, NOW, reportAll, type Reported } from './fixtures.ts';

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
  return await reportAll(importMinecraft(folder.path, facts(known), server));
}

test('dates carry a numeric zone, and are what the calendar has', () => {
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

test('every date that is written is read back', () => {
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

test('a month before counts as calendars do', () => {
  assert.equal(monthBefore(Date.UTC(2026, 2, 31, 5)), Date.UTC(2026, 1, 28, 5));
  assert.equal(monthBefore(Date.UTC(2026, 0, 15)), Date.UTC(2025, 11, 15));
});

test('names come with the moment at which the server saw them, the oldest first', async () => {
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

test('bans become punishments of the network or of the server that is named', async () => {
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
        reason: '§cLine one and two',
        expires: null,
        automatic: false,
      },
    },
  ]);
  assert.equal((await importAll(file, {}, 'Fen')).events[0]!.server, 'Fen');
});

test('who banned is a player of the cache or of the network, else nobody', async () => {
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
    'banned-players.json, entry 6, source: "Plugin" has no known UUID; the ban is taken without a punisher',
  ]);
});

test('bans that cannot be read are refused one by one; a missing name is looked up', async () => {
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
    'banned-players.json, entry 1, expires: lies before the ban was created',
    'banned-players.json, entry 2, created: "2025-02-30 00:00:00 +0000" is not a date like 2026-01-31 12:34:56 +0900',
    'banned-players.json, entry 3, uuid: "x" is not a UUID',
    'banned-players.json, entry 5, name: is empty, and no name is known for the UUID',
  ]);
});

test('files that are no list or no JSON are refused as a whole', async () => {
  const { refusals } = await importAll({
    'a/usercache.json': '{}',
    'b/usercache.json': '[{',
    'banned-players.json': 'x',
  });
  assert.equal(refusals[0], 'a/usercache.json: is not a JSON array');
  assert.match(refusals[1]!, /^b\/usercache\.json: is not JSON: /);
  assert.match(refusals[2]!, /^banned-players\.json: is not JSON: /);
});

const nested = (name: string) => ({
  stats: { 'minecraft:custom': { 'minecraft:player_kills': 3, 'minecraft:deaths': 2, [name]: 1219 } },
});

test('counters are read in both forms, under their names of every version', () => {
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
      message: 'is not a whole number from 0',
      place: 'stat.deaths',
    });
});

test('counters are events of no mode, at the moment at which their player was last seen with the name', async () => {
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
  await utimes(join(folder.path, `world/stats/${ANN}.json`), NOW / 1000 - 60, NOW / 1000 - 60);
  const received = await reportAll(importMinecraft(folder.path, facts()));
  const event = received.events.at(-1)!;
  assert.equal(event.time, Date.UTC(2025, 1, 1));
  assert.deepEqual(event.type === 'player.statistics' && event.data, {
    player: { uuid: ANN, name: 'Ann' },
    gamemode: 'vanilla',
    kill_count: 0,
    death_count: 1,
    time_played: 0,
    power: 0,
    faction: '',
  });
  assert.deepEqual(received.refusals, [
    `world/stats/${MOD}.json: is not a JSON object`,
    `world/stats/${BEN}.json: no name is known for the UUID; put usercache.json beside it`,
    'world/stats/odd.json: is not named by a UUID',
  ]);
});

const statsFile = (uuid: string) => ({ [`stats/${uuid}.json`]: { 'stat.deaths': 1 } });

test('counters name a player as the newest of the files and of the network does', async () => {
  const cache = { 'usercache.json': [{ name: 'Old', uuid: ANN, expiresOn: '2025-03-01 00:00:00 +0000' }] };
  const bans = { 'banned-players.json': [ban({ name: 'Mid', created: '2025-04-01 00:00:00 +0000' })] };
  const seen = async (files: Record<string, unknown>, at?: number) => {
    const sightingOf = async () => (at === undefined ? undefined : { name: 'Known', seen: at });
    const { events } = await importAll({ ...files, ...statsFile(ANN) }, { observationOf: sightingOf });
    const event = events.at(-1)!;
    return event.type === 'player.statistics' && [event.data.player.name, event.time];
  };
  assert.deepEqual(await seen(cache), ['Old', Date.UTC(2025, 1, 1)]);
  assert.deepEqual(await seen({ ...cache, ...bans }), ['Mid', Date.UTC(2025, 3, 1)]);
  assert.deepEqual(await seen({ ...cache, ...bans }, NOW), ['Known', NOW]);
  assert.deepEqual(await seen(cache, Date.UTC(2024, 0)), ['Old', Date.UTC(2025, 1, 1)]);
});

test('a ban that is known is changed where its end or its reason differs, and unchanged otherwise', async () => {
  const file = { 'banned-players.json': [ban({ reason: 'Why' })] };
  const asked: unknown[] = [];
  const received = (reason: string, expires: number | null) =>
    importAll(
      file,
      {
        punishmentOf: async (...question) => {
          asked.push(question);
          return { reason, expires };
        },
      },
      'Fen',
    );
  const reference = `minecraft-ban:${ANN}:${Date.UTC(2025, 5, 1, 8).toString(36)}`;
  assert.deepEqual((await received('Why', null)).unchanged, [`banned-players.json, entry 1: ${ANN}`]);
  assert.deepEqual(asked, [[reference, 'Fen']]);
  for (const { events } of [await received('What', null), await received('Why', NOW)]) {
    const [event] = events;
    assert.ok(event!.id.startsWith(`${reference}:`));
    assert.deepEqual(
      [event!.type, event!.server, event!.data],
      ['punishment.changed', 'Fen', { punishment: reference, reason: 'Why', expires: null }],
    );
  }
});

test('of entries for one ban the last in the newest file is taken, and others are refused by name', async () => {
  await using folder = await folderOf({
    'a/banned-players.json': JSON.stringify([ban({}), ban({ expires: '2027-01-01 00:00:00 +0000' }), ban({})]),
    'b/banned-players.json': JSON.stringify([ban({ reason: 'Older' })]),
  });
  await utimes(join(folder.path, 'b/banned-players.json'), 1, 1);
  const { events, refusals, unchanged } = await reportAll(importMinecraft(folder.path, facts()));
  assert.deepEqual(
    events.map((event) => event.type === 'punishment.issued' && [event.data.reason, event.data.expires]),
    [['Why', null]],
  );
  assert.deepEqual(refusals, [
    'a/banned-players.json, entry 2: is the ban of a/banned-players.json, entry 3, with another end or reason',
    'b/banned-players.json, entry 1: is the ban of a/banned-players.json, entry 3, with another end or reason',
  ]);
  assert.deepEqual(unchanged, [`a/banned-players.json, entry 1: ${ANN}`]);
});

test('a ban is for ever where nothing or `forever` stands; what is no date is refused, and what stands there is shown', async () => {
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

test('a reason or a source that is no text is left out, which is noted', async () => {
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
    'banned-players.json, entry 1, source: is not text, and is left out',
    'banned-players.json, entry 1, reason: is not text, and is left out',
  ]);
});

test('a ban to the end of what can be counted is one for ever', async () => {
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
        `banned-players.json, entry ${index + 1}, expires: "${text}" lies too far ahead; the ban is taken as one for ever`,
    ),
  );
});

test('marks that turn the order of text are left out of names and reasons', async () => {
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

test('a link to what is no file is passed over', async () => {
  await using folder = await folderOf({ 'usercache.json': '[]' });
  execFileSync('mkfifo', [join(folder.path, 'pipe')]);
  await symlink('pipe', join(folder.path, 'banned-players.json'));
  const { notes } = await reportAll(importMinecraft(folder.path, facts()));
  assert.deepEqual(notes, ['banned-players.json: is a link to what is neither a file nor a folder']);
});

test('a folder that may not be looked into is passed over, unless it is the one that was named', () => {
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const reason = 'may not be read: permission denied';
  assert.deepEqual(passedOver('/srv/maps', 'inside', denied), { path: 'inside', reason });
  assert.throws(() => passedOver('/srv/maps', '', denied), { name: 'UsageError', message: `/srv/maps ${reason}.` });
});
