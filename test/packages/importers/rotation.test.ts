import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NetworkLookup } from '#importers/core.ts';
import type { ServerChoice } from '#importers/server-choice.ts';
import { importRotations, keyOf } from '#importers/rotation.ts';
import { networkLookup, folderOf, reportAll, type Reported } from './fixtures.ts';

const KNOWN = ['Hollow Keep', 'The Fen', '#1 Arena', 'Twin Towers'];

async function importFile(
  name: string,
  content: string,
  known: Partial<NetworkLookup> = {},
  server?: string,
): Promise<Reported> {
  await using folder = await folderOf({ [name]: content });
  const network = networkLookup({ mapNames: async () => KNOWN, rotationOf: async () => [], ...known });
  return await reportAll(importRotations(join(folder.path, name), network, { server, create: true }));
}

const rotations = ({ events }: Reported): unknown[] =>
  events.map((event) => (event.type === 'rotation.changed' ? { [event.server!]: event.data.maps } : event));

test('a text file lists one map per line, for the server named like the file', async () => {
  const received = await importFile(
    'Fen One.txt',
    '\ufeff# comment\nHollow Keep\r\n\n  the  FEN \n#1 arena\nhollow keep\nElsewhere  Now \n',
  );
  assert.deepEqual(rotations(received), [
    { 'Fen One': ['Hollow Keep', 'The Fen', '#1 Arena', 'Hollow Keep', 'Elsewhere Now'] },
  ]);
  assert.deepEqual(received.notes, [
    'Fen One.txt, line 7: "Elsewhere Now" is not a known map; it stays in the rotation as written',
  ]);
});

test('the server can be given by name, and a new server is noted', async () => {
  const received = await importFile('list', 'The Fen', { rotationOf: async () => undefined }, 'Fen');
  assert.deepEqual(rotations(received), [{ Fen: ['The Fen'] }]);
  assert.deepEqual(received.notes, ['list: server "Fen" is new']);
});

test('a rotation is unchanged only if maps and order are the same', async () => {
  const file = 'The Fen\nHollow Keep';
  assert.deepEqual(
    (await importFile('a.txt', file, { rotationOf: async () => ['The Fen', 'Hollow Keep'] })).unchanged,
    ['a.txt: a'],
  );
  assert.deepEqual(
    (await importFile('a.txt', file, { rotationOf: async () => ['Hollow Keep', 'The Fen'] })).events.length,
    1,
  );
});

test('pools become one rotation: by players, then those chosen by hand; without an order, by weight', async () => {
  const received = await importFile(
    'fen.yml',
    `pools:
  big: { type: voted, enabled: true, players: 20, maps: { rare: { weight: 0.5, maps: [R1] }, often: { weight: 2, maps: [O1, O2] }, never: { weight: 0, maps: [N1] }, usual: [U1] } }
  event: { type: ordered, enabled: yes, dynamic: false, maps: [E1, "the  fen"] }
  small:
    type: ordered
    enabled: true
    players: 5
    weight: 3
    maps:
      - The Fen # a comment
      - 2014
      - Yes
      - 1.10
  off: { enabled: false, maps: [X1] }
  bare: { type: shuffled, variants: [5v5], maps: [{ map: B1, weight: 1 }, { name: B2, weight: 4 }] }`,
  );
  assert.deepEqual(rotations(received), [
    { fen: ['B2', 'B1', 'The Fen', '2014', 'Yes', '1.10', 'O1', 'O2', 'U1', 'R1', 'E1'] },
  ]);
  assert.deepEqual(
    received.notes.filter((note) => !note.includes('not a known map')),
    [
      'fen.yml, pool off: is disabled and left out',
      'fen.yml, pool big: "N1" has weight 0 and is left out',
      'fen.yml, pool bare: plays variants of its maps; the rotation lists the maps themselves',
    ],
  );
  assert.ok(
    received.notes.includes('fen.yml, pool small: "2014" is not a known map; it stays in the rotation as written'),
  );
});

test('the older rotations.yml and plain lists are read too', async () => {
  const old = 'rotations:\n  default:\n    enabled: true\n    maps:\n      - The Fen\n';
  for (const [name, content] of Object.entries({
    'a.yaml': old,
    a: old,
    'a.yml': '- The Fen',
    'a.json': '["The Fen"]',
    'a.txt': '{"maps":["The Fen"]}',
  }))
    assert.deepEqual(rotations(await importFile(name, content)), [{ a: ['The Fen'] }], name);
  assert.deepEqual(rotations(await importFile('a.txt', '[Beta] Keep')), [{ a: ['[Beta] Keep'] }]);
});

test('TGM rotations are ordered by their number of players, then those that are not default', async () => {
  const received = await importFile(
    'tgm.json',
    JSON.stringify([
      { name: 'Hand', maps: ['Twin Towers'] },
      { name: 'Large', default: true, requirements: { min: 30, max: 90 }, maps: ['The Fen', 'Hollow Keep '] },
      { name: 'Small', default: true, requirements: { min: 0, max: 29 }, maps: ['Hollow  Keep'] },
    ]),
  );
  assert.deepEqual(rotations(received), [{ tgm: ['Hollow Keep', 'The Fen', 'Twin Towers'] }]);
});

test('one JSON file can list the rotations of several servers, and is then refused with --server', async () => {
  const file = JSON.stringify({ Fen: ['The Fen'], Moor: ['Hollow Keep'] });
  assert.deepEqual(rotations(await importFile('all.json', file)), [{ Fen: ['The Fen'] }, { Moor: ['Hollow Keep'] }]);
  assert.deepEqual((await importFile('all.json', file, {}, 'Fen')).refusals, [
    'all.json: is for 2 servers; import it without --server',
  ]);
});

const refusal = async (name: string, content: string) => (await importFile(name, content)).refusals[0];

test('a file without a rotation is refused and never empties a rotation', async () => {
  assert.equal(await refusal('a.txt', '\n \n'), 'a.txt: contains no map for server "a"; its rotation is unchanged');
  assert.equal(
    await refusal('a.yml', 'pools:\n  a: { enabled: false, maps: [X] }'),
    'a.yml: contains no map for server "a"; its rotation is unchanged',
  );
  assert.match((await refusal('a.yml', 'pools:\n  - [a\nb: c'))!, /^a\.yml, line \d+, column \d+: is not YAML: /);
  assert.equal(await refusal('a.json', '[1,'), 'a.json, line 1, column 4: is not JSON: invalid end of input');
  assert.match((await refusal('a.json', '{"a":1}'))!, /contains no rotation: expected a list of map names/);
  assert.equal(await refusal('a.json', '[["x"]]'), 'a.json, entry 1: is not the name of a map');
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdef'[i]}`).join()}]`).join('\n')}\npools: *g`;
  assert.match((await refusal('a.yml', bomb))!, /cannot be read: Excessive alias count/);
});

test('a folder contains one file per server; a bad file does not stop the rest', async () => {
  await using folder = await folderOf({
    'eu/Fen.txt': 'The Fen',
    'eu/Moor.json': '[',
    'us/Bay.yml': '[Hollow Keep]',
    'README.md': 'no',
  });
  const network = networkLookup({ mapNames: async () => KNOWN, rotationOf: async () => [] });
  const received = await reportAll(importRotations(folder.path, network, { create: true }));
  assert.deepEqual(rotations(received), [{ Fen: ['The Fen'] }, { Bay: ['Hollow Keep'] }]);
  assert.match(received.refusals[0]!, /^eu\/Moor\.json, line 1, column 2: is not JSON/);
  await assert.rejects(reportAll(importRotations(folder.path, network, { server: 'Fen', create: true })), {
    name: 'InputError',
    message: /contains 3 files/,
  });
  await assert.rejects(reportAll(importRotations(join(folder.path, 'none'), network)), { name: 'InputError' });
});

test('only known servers are accepted, in any case of the name, unless new ones were asked for', async () => {
  await using folder = await folderOf({ 'Fen.txt': 'The Fen', 'README.txt': 'Twin Towers' });
  const known = networkLookup({ mapNames: async () => KNOWN, serverNames: async () => ['FEN', 'Moor'] });
  const report = (choice: ServerChoice, file = '') =>
    reportAll(importRotations(join(folder.path, file), known, choice));
  const strict = await report({});
  assert.deepEqual(rotations(strict), [{ Fen: ['The Fen'] }]);
  assert.deepEqual(strict.refusals, [
    'README.txt: there is no server "README". Use --server NAME for a known server, or --create for a new one',
  ]);
  assert.equal((await report({ create: true })).events.length, 2);
  await assert.rejects(report({ server: 'Mor' }, 'Fen.txt'), {
    name: 'InputError',
    message:
      'There is no server "Mor". Did you mean "Moor"? Use --server NAME for a known server, or --create for a new one.',
  });
  assert.deepEqual(rotations(await report({ server: 'moor' }, 'README.txt')), [{ moor: ['Twin Towers'] }]);
});

test('JSON is read as TGM reads it: with comments, trailing commas, single quotes and bare member names', async () => {
  const file = `// Rotation of the weekend
    [{ name: 'T', "default": true, /* always */ maps: ['The Fen', "Twin Towers",], },]`;
  assert.deepEqual(rotations(await importFile('tgm.json', file)), [{ tgm: ['The Fen', 'Twin Towers'] }]);
  assert.deepEqual((await importFile('tgm.json', '{\n maps: [The Fen] }')).refusals, [
    "tgm.json, line 2, column 9: is not JSON: invalid character 'T'",
  ]);
  assert.deepEqual(rotations(await importFile('list', '[2v2] Keep')), [{ list: ['[2v2] Keep'] }], 'text stays text');
});

test('names are equal regardless of case and spacing, and otherwise different', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((word) => /^\S+$/.test(word.normalize('NFC')) && !/[\p{Cc}\s]/u.test(word));
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\u00a0'), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), blanks, blanks, (words, between, around) => {
      const key = keyOf(words.join(' '));
      assert.equal(keyOf(around + words.join(between) + around), key);
      assert.equal(keyOf(key), key);
      assert.notEqual(keyOf([...words, 'x'].join(between)), key);
    }),
  );
});

const network = networkLookup({ mapNames: async () => KNOWN, rotationOf: async () => [] });

test('of several files or keys for one server, in any case, the first wins and the others are refused by name', async () => {
  await using folder = await folderOf({
    'one/Fen.txt': '\n',
    'two/Fen.txt': 'The Fen\nHollow Keep',
    'two/fen.json': '["The Fen"]',
    'two/more.json': '{"FEN": ["The Fen"], "Moor": [], "Bay": ["The Fen"], "bay": ["Hollow Keep"]}',
  });
  const received = await reportAll(importRotations(folder.path, network, { create: true }));
  assert.deepEqual(rotations(received), [{ Fen: ['The Fen', 'Hollow Keep'] }, { Bay: ['The Fen'] }]);
  assert.deepEqual(received.refusals, [
    'one/Fen.txt: contains no map for server "Fen"; its rotation is unchanged',
    'two/fen.json: is for server "fen", whose rotation already comes from two/Fen.txt',
    'two/more.json: is for server "FEN", whose rotation already comes from two/Fen.txt',
    'two/more.json: contains no map for server "Moor"; its rotation is unchanged',
    'two/more.json: is for server "bay", whose rotation already comes from two/more.json',
  ]);
});

test('a key with a value is a name with a colon, or a map with its weight', async () => {
  const known = { mapNames: async () => ['Foo', 'Foo: Mini', 'Arid', 'Abood'] };
  const pool = 'pools: { a: { maps: [- Foo: Mini, - Foo] } }'.replaceAll('- ', '');
  const received = await importFile('a.yml', pool, known);
  assert.deepEqual([rotations(received), received.notes], [[{ a: ['Foo: Mini', 'Foo'] }], []]);
  const weights = 'pools: { a: { type: voted, maps: { Arid: 2, Abood: 5.5, more: { Foo: 3 }, none: } } }';
  const weighed = await importFile('a.yml', weights, known);
  assert.deepEqual(rotations(weighed), [{ a: ['Abood', 'Foo', 'Arid'] }]);
  assert.deepEqual(weighed.notes, ['a.yml, pool a: "none" is empty and is left out']);
  const json = JSON.stringify([{ name: 'T', maps: [{ Arid: 5 }, { Foo: 'Mini' }, { name: 'x', maps: ['Abood'] }] }]);
  assert.deepEqual(rotations(await importFile('a.json', json, known)), [{ a: ['Arid', 'Foo: Mini', 'Abood'] }]);
  assert.deepEqual((await importFile('a.yml', '- Foo\n- Foo: Mini\n', known)).refusals, [
    'a.yml, entry 2: is not the name of a map; a name that contains a colon must be quoted: "Foo: Mini"',
  ]);
});

test('a weight that is not a number above 0 is noted', async () => {
  const maps =
    '[{ map: The Fen, weight: 0 }, { map: Hollow Keep, weight: -1 }, { map: "#1 Arena", weight: abc }, { weight: "2,5", maps: [Twin Towers] }]';
  const received = await importFile('a.yml', `pools: { a: { players: many, weight: [1], maps: ${maps} } }`);
  assert.deepEqual(rotations(received), [{ a: ['#1 Arena', 'Twin Towers'] }]);
  assert.deepEqual(received.notes, [
    'a.yml, pool a: weight is not a number; 1 is used instead',
    'a.yml, pool a: weight "abc" is not a number; 1 is used instead',
    'a.yml, pool a: weight "2,5" is not a number; 1 is used instead',
    'a.yml, pool a: players "many" is not a number; 0 is used instead',
    'a.yml, pool a: "The Fen" has weight 0 and is left out',
    'a.yml, pool a: "Hollow Keep" has weight -1 and is left out',
  ]);
});

test('a pool inherits values through a merge key', async () => {
  const received = await importFile(
    'a.yml',
    `base: &base { enabled: false, maps: [The Fen] }
pools:
  off:
    <<: *base
    maps: [Twin Towers]
  on: { enabled: true, <<: *base }
  own: { "<<": *base, maps: [Hollow Keep] }`,
  );
  assert.deepEqual(rotations(received), [{ a: ['The Fen', 'Hollow Keep'] }]);
  assert.deepEqual(received.notes, ['a.yml, pool off: is disabled and left out']);
  assert.match((await refusal('a.yml', 'pools: { <<: 5 }'))!, /^a\.yml: cannot be read: Merge sources must be maps/);
});

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('a file that nests too deeply is refused, and the import continues', async () => {
  const deep = nested(200_000);
  await using folder = await folderOf({
    'a.json': `{"pools":{"a":{"maps":${deep}}}}`,
    'b.json': `[{"name":"T","maps":${deep}}]`,
    'c.json': deep,
    'd.yml': `pools: { a: { maps: ${nested(5_000)} } }`,
    'e.txt': 'The Fen',
  });
  const received = await reportAll(importRotations(folder.path, network, { create: true }));
  assert.deepEqual(rotations(received), [{ e: ['The Fen'] }]);
  assert.deepEqual(received.refusals.slice(0, 3), [
    'a.json, pool a: nests lists deeper than 100',
    'b.json, pool T: nests lists deeper than 100',
    'c.json, entry 1: is not the name of a map',
  ]);
  assert.match(received.refusals[3]!, /^d\.yml, /);
});

test('skipped links are noted', async () => {
  await using outside = await folderOf({ 'Fen.txt': 'The Fen' });
  await using folder = await folderOf({ 'Moor.txt': 'The Fen' });
  await symlink(join(outside.path, 'Fen.txt'), join(folder.path, 'Fen.txt'));
  const received = await reportAll(importRotations(folder.path, network, { create: true }));
  assert.deepEqual(rotations(received), [{ Moor: ['The Fen'] }]);
  assert.deepEqual(received.notes, ['Fen.txt: is a link that leads out of the folder; it is not followed']);
});

test('an unreadable file that the operator named is a usage error', async () => {
  await using folder = await folderOf({});
  const path = join(folder.path, 'Fen.txt');
  const server = createServer().listen(path);
  await once(server, 'listening');
  try {
    await assert.rejects(reportAll(importRotations(path, network)), { name: 'InputError', message: /cannot be read/ });
  } finally {
    server.close();
  }
});
