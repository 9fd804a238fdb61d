import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NetworkLookup } from '#importers/core.ts';
import { importPgmMaps } from '#importers/pgm-map.ts';
import type { DataOf, WireEvent } from '#events/schema/index.ts';
import { networkLookup, folderOf, NOW, reportAll, type Reported } from './fixtures.ts';

const UUID = '11111111-2222-4333-8444-555555555555';
const OTHER = '66666666-7777-4888-9999-aaaaaaaaaaaa';

const mapOf = (inside: string, attributes = 'proto="1.4.2"') =>
  `<map ${attributes}>\n<name>Hollow Keep</name><version>1.2.0</version><objective>Take it.</objective>\n${inside}\n</map>`;

async function importAll(
  files: Record<string, string | Uint8Array>,
  known: Partial<NetworkLookup> = {},
): Promise<Reported> {
  await using folder = await folderOf(files);
  return await reportAll(importPgmMaps(folder.path, networkLookup(known)));
}

async function importOne(
  inside: string,
  known: Partial<NetworkLookup> = {},
): Promise<{ map: DataOf<'map.published'>; notes: string[] }> {
  const { events, refusals, notes } = await importAll({ 'keep/map.xml': mapOf(inside) }, known);
  assert.deepEqual(refusals, []);
  return { map: dataOf(events[0]), notes };
}

const TEAMS = '<teams><team>Red</team></teams>';

function dataOf(event: Reported['events'][number] | undefined): DataOf<'map.published'> {
  assert.ok(event?.type === 'map.published');
  return event.data;
}

const named = (name: string, version = '1.0') =>
  `<map><name>${name}</name><version>${version}</version><objective>o</objective></map>`;

test('a map is published with the values of its map.xml', async () => {
  const { events, notes, refusals } = await importAll({
    'dtc/keep/map.xml': mapOf(
      `<authors><author uuid="${UUID}" contribution="Walls"/> <!-- Mason_1 --></authors>
       <teams><team id="r" color="dark red" max="12">Red  Team</team><team id="b" color="BLUE">Blue</team></teams>
       <cores><core team="r"/></cores>`,
    ),
  });
  assert.deepEqual([notes, refusals], [[], []]);
  assert.match(events[0]!.id, /^pgm-map:[\w-]{27}:\w+$/);
  assert.equal(events[0]!.time, NOW);
  assert.deepEqual(dataOf(events[0]), {
    name: 'Hollow Keep',
    version: '1.2.0',
    proto: '1.4.2',
    objective: 'Take it.',
    authors: [{ name: 'Mason_1', uuid: UUID, contribution: 'Walls' }],
    teams: [
      { name: 'Red Team', max: 12, color: 'dark_red' },
      { name: 'Blue', max: 0, color: 'blue' },
    ],
    gamemodes: ['dtc'],
    type: 'standard',
    path: 'dtc/keep',
  });
});

test('gamemodes come from one or several elements, with or without commas', async () => {
  const { map } = await importOne(
    '<gamemode>CTW, blitz</gamemode><gamemode>kotf</gamemode><gamemode>ctw</gamemode><cores><core/></cores>',
  );
  assert.deepEqual(map.gamemodes, ['ctw', 'blitz', 'kotf']);
});

test('without <gamemode>, each module adds its mode', async () => {
  const modules = {
    ctw: '<wools team="red"><wools><wool color="red"/></wools></wools>',
    dtc: '<cores><core/></cores>',
    dtm: '<destroyables><destroyable/></destroyables>',
    ctf: '<flags><flag/></flags>',
    cp: '<control-points><control-point/></control-points>',
    koth: '<king><hills><hill/></hills></king>',
    tdm: '<score><kills>1</kills></score>',
    blitz: '<blitz><lives>1</lives></blitz>',
    rage: '<rage/>',
    bowspleef: '<bowspleef/>',
    tntrun: '<tntrun/>',
    paintball: '<paintball/>',
    splatt: '<splatt/>',
  };
  for (const [mode, module] of Object.entries(modules))
    assert.deepEqual((await importOne(TEAMS + module)).map.gamemodes, [mode]);
  const all = (await importOne(TEAMS + Object.values(modules).toReversed().join(''))).map.gamemodes;
  assert.deepEqual(
    all,
    Object.keys(modules).filter((mode) => mode !== 'koth'),
    'PGM shows hills beside control points as control points',
  );
});

/** The gamemodes of a map of a version of the format, and the notes. */
async function scoredModes(inside: string, proto?: string): Promise<string> {
  const source = mapOf(TEAMS + inside, proto === undefined ? '' : `proto="${proto}"`);
  const { events, notes } = await importAll({ 'map.xml': source });
  return [dataOf(events[0]).gamemodes.join(), ...notes].join('; ');
}

test('a score makes a deathmatch only where kills or deaths give points', async () => {
  const limit = '<score><limit>20</limit></score>';
  assert.deepEqual(
    [
      await scoredModes(limit, '1.3.5'),
      await scoredModes(limit, '1.3.6'),
      await scoredModes(limit, '1.4.0'),
      await scoredModes(limit),
    ],
    ['tdm', '', '', 'tdm'],
  );
  assert.equal(await scoredModes('<score><king/></score>', '1.3.5'), '', 'hills of an old map score by themselves');
  assert.equal(await scoredModes('<score><kills>0</kills></score>', '1.3.5'), 'tdm', 'deaths still cost a point');
  assert.equal(await scoredModes('<score><kills>0</kills><deaths>0</deaths></score>', '1.3.5'), '');
  assert.equal(await scoredModes('<score><deaths>-1</deaths></score>', '1.4.2'), 'tdm');
  assert.equal(await scoredModes('<score><box points="5"/></score>', '1.4.2'), '');
  assert.equal(await scoredModes('<score><kills>1</kills></score><score/>', '1.4.2'), '', 'the last score decides');
  assert.equal(await scoredModes('<constant id="k">2</constant><score><kills>${k}</kills></score>', '1.4.2'), 'tdm');
  assert.equal(
    await scoredModes('<score><kills>many</kills></score>', '1.4.2'),
    '; map.xml, line 3: "many" is not a number of points; 0 is used instead',
  );
});

const derivedModes = async (inside: string): Promise<string> => (await importOne(inside)).map.gamemodes.join();

test('a map without teams is free for all, unless it names its gamemodes', async () => {
  assert.equal(await derivedModes('<players max="24"/><score><kills>1</kills></score><rage/>'), 'tdm,ffa,rage');
  assert.equal(await derivedModes(''), 'ffa');
  assert.equal(await derivedModes('<teams/>'), 'ffa');
  assert.equal(await derivedModes(TEAMS), '');
  assert.equal(await derivedModes('<gamemode>sg</gamemode><players/>'), 'sg');
});

test('a module counts only as a child of <map> and with its elements inside', async () => {
  const { map } = await importOne(
    TEAMS + '<gamemode/><wools/><king><hills/></king><kits><kit><flags><flag/></flags><score/></kit></kits>',
  );
  assert.deepEqual(map.gamemodes, []);
});

test('a nested <objective> is a filter; without an objective the stored one is kept', async () => {
  const files = {
    'map.xml':
      '<map><name>Keep</name><version>1</version><filters><objective id="x">core</objective></filters><objective> </objective></map>',
  };
  const fresh = await importAll(files);
  assert.equal(dataOf(fresh.events[0]).objective, '');
  assert.deepEqual(fresh.notes, ['map.xml: has no <objective>; a stored objective is kept']);
  const known = { objectiveOf: async (name: string) => `Known of ${name}.` };
  assert.equal(dataOf((await importAll(files, known)).events[0]).objective, 'Known of Keep.');
  assert.equal((await importOne('', known)).map.objective, 'Take it.');
});

test("an author's name is that of the known player, otherwise that of the file, otherwise empty", async () => {
  const authors = `<authors>
    <author uuid="${UUID}"/> <!-- Old_Name -->
    <author uuid="${OTHER}"><!-- Inside --></author>
    <author uuid="33333333-2222-4333-8444-555555555555"/>
    <!-- on a line of its own -->
    <author contrib="Idea">A Friend</author> <!-- not the name -->
    <!-- Before --> <author uuid="44444444222243338444555555555555"/>
    <author uuid="55555555-2222-4333-8444-555555555555"/> <!-- Here --> <author uuid="66666666-2222-4333-8444-555555555555"/>
    <author uuid="77777777-2222-4333-8444-555555555555"/> <!-- <author>gone</author> -->
  </authors>`;
  const { map } = await importOne(authors, { nameOf: async (uuid) => (uuid === UUID ? 'New_Name' : undefined) });
  assert.deepEqual(
    map.authors.map(({ name }) => name),
    ['New_Name', 'Inside', '', 'A Friend', 'Before', 'Here', '', ''],
  );
  assert.deepEqual(map.authors[3], { name: 'A Friend', uuid: '', contribution: 'Idea' });
  assert.equal(map.authors[4]!.uuid, '44444444-2222-4333-8444-555555555555');
});

/** The names of the authors in these lines. */
async function authorsOf(...lines: string[]): Promise<string[]> {
  const { map } = await importOne(`<authors>\n${lines.join('\n')}\n</authors>`);
  return map.authors.map(({ name }) => name);
}

test('comments on separate lines name authors only if every author has one', async () => {
  const [one, two] = [`<author uuid="${UUID}"/>`, `<author uuid="${OTHER}"/>`];
  assert.deepEqual(await authorsOf('<!-- Ann -->', one, '<!-- Ben -->', two), ['Ann', 'Ben']);
  assert.deepEqual(await authorsOf(one, '<!-- Ann -->', two, '<!-- Ben -->'), ['Ann', 'Ben']);
  assert.deepEqual(await authorsOf('<!-- Builders -->', one, two), ['', '']);
  assert.deepEqual(await authorsOf('<!-- Those who built -->', one), ['']);
});

test('contributors follow all authors, and members inherit the attributes of their group', async () => {
  const { map } = await importOne(
    `<contributors contribution="Tests"><contributor>C1</contributor></contributors>
     <authors><authors><author>A1</author></authors></authors><contributors/><authors><author>A2</author></authors>
     <contributors><contributor contribution="XML">C2</contributor></contributors>`,
  );
  assert.deepEqual(
    map.authors.map(({ name, contribution }) => `${name}/${contribution}`),
    ['A1/', 'A2/', 'C1/Tests', 'C2/XML'],
  );
});

test('an author without name and UUID is left out; an invalid UUID is dropped and the name kept', async () => {
  const { map, notes } = await importOne('<authors><author/>\n<author uuid="nonsense"/> <!-- Named --></authors>');
  assert.deepEqual(map.authors, [{ name: 'Named', uuid: '', contribution: '' }]);
  assert.deepEqual(notes, [
    'keep/map.xml, line 3: <author> has neither a UUID nor a name and is left out',
    'keep/map.xml, line 4: "nonsense" is not a UUID',
  ]);
});

const team = (color: string, rest = '') => `<team ${color} ${rest}>T</team>`;

test('colours have one spelling, the default maximum of a team is 0, and a free-for-all map has no teams', async () => {
  const { map, notes } = await importOne(
    `<teams>${['dark red', 'dark_red', 'Dark-Red', ' DARK  RED '].map((color) => team(`color="${color}"`)).join('')}${team('', 'max="many"')}</teams>`,
  );
  assert.deepEqual(
    map.teams.map(({ color }) => color),
    ['dark_red', 'dark_red', 'dark_red', 'dark_red', 'white'],
  );
  assert.deepEqual(
    map.teams.map(({ max }) => max),
    [0, 0, 0, 0, 0],
  );
  assert.deepEqual(notes, ['keep/map.xml, line 3: "many" is not a number of players']);
  assert.deepEqual((await importOne('<players max="24"/>')).map.teams, []);
});

test('versions are imported unchanged', async () => {
  for (const version of ['1.0', '2', 'Beta 3', '1.0.0-rc.1+build', 'v1.2.3.4'])
    assert.equal(dataOf((await importAll({ 'map.xml': named('Keep', version) })).events[0]).version, version);
});

test('each variant is a separate map, read with its own conditions', async () => {
  const { events } = await importAll({
    'keep/map.xml': mapOf(
      `<variant id="5v5">5v5</variant><variant id="night" override="true">Night Keep</variant><variant id="te" world="te">TE</variant>
       <constants><constant id="size">20</constant></constants>
       <if variant="5v5,te"><constant id="size">5</constant><edition>Tournament</edition></if>
       <unless variant="night"><cores><core/></cores></unless>
       <if has-variant="5v5"><blitz/></if><if has-variant="other"><rage/></if>
       <teams><team max="\${size}">Red \${size}</team></teams>`,
    ),
  });
  assert.deepEqual(
    events
      .map(dataOf)
      .map(({ name, teams, gamemodes, type }) => [name, teams[0]!.max, teams[0]!.name, gamemodes.join(), type]),
    [
      ['Hollow Keep', 20, 'Red 20', 'dtc,blitz', 'standard'],
      ['Hollow Keep: 5v5', 5, 'Red 5', 'dtc,blitz', 'tournament'],
      ['Night Keep', 20, 'Red 20', 'blitz', 'standard'],
      ['Hollow Keep: TE', 5, 'Red 5', 'dtc,blitz', 'tournament'],
    ],
  );
});

test('constants are substituted: the later wins, a fallback only without another, a deleted one removes its attribute', async () => {
  const { map, notes } = await importOne(
    `<constant id="a">1</constant><constant id="a">2</constant><constant id="gone" delete="true"/>
     <constants fallback="true"><constant id="a">3</constant><constant id="b">4</constant></constants>
     <teams><team max="\${a}\${b}" color="\${gone}">\${a} of \${b}</team><team max="\${missing}">X</team></teams>`,
  );
  assert.deepEqual(map.teams, [
    { name: '2 of 4', max: 24, color: 'white' },
    { name: 'X', max: 0, color: 'white' },
  ]);
  assert.deepEqual(notes, ['keep/map.xml, line 5: constant "missing" is used but not defined']);
  assert.equal((await importOne('<teams><team>${plain}</team></teams>')).map.teams[0]!.name, '${plain}');
});

const holds = async (condition: string) => {
  const { map, notes } = await importOne(
    `${TEAMS}<constant id="n">7</constant><constant id="w">two words</constant><constant id="d" delete="yes"/><if ${condition}><rage/></if><unless ${condition}><blitz/></unless>`,
  );
  return notes.length > 0 ? notes[0]!.replace(/^.*?: /, '') : map.gamemodes.join() === 'rage';
};

test('conditions compare constants as PGM does', async () => {
  for (const condition of [
    'constant="n"',
    'constant="n" constant-value="7"',
    'constant="w" constant-value="two words"',
    'constant="x" constant-comparison="undefined"',
    'constant="d" constant-comparison="defined delete"',
    'constant="n" constant-comparison="DEFINED_VALUE"',
    'constant="n" constant-value="5, 7" constant-comparison="contains"',
    'constant="n" constant-value="[0-9]+" constant-comparison="regex"',
    'constant="n" constant-value="5..7" constant-comparison="range"',
    'constant="n" constant-value="(6, oo)" constant-comparison="range"',
    'constant="n" constant-value="7" constant-comparison="range"',
    'constant="n" variant="default"',
    'min-server-version="1.13"',
  ])
    assert.equal(await holds(condition), true, condition);
  for (const condition of [
    'constant="x"',
    'constant="n" constant-value="70"',
    'constant="d" constant-value="7"',
    'constant="n" constant-value="[0-6]+" constant-comparison="regex"',
    'constant="n" constant-value="..6.9" constant-comparison="range"',
    'constant="n" constant-value="[0,7)" constant-comparison="range"',
    'constant="n" variant="other"',
    'variant="Default"',
    'max-server-version="1.8"',
  ])
    assert.equal(await holds(condition), false, condition);
  const problems = {
    '': '<if> has no condition; its content is left out',
    'constant="x" constant-value="1"': 'constant "x" is compared but not defined before; its content is left out',
    'constant="n" constant-comparison="regex"': '<if> has no constant-value to compare with; its content is left out',
    'constant="n" constant-value="(" constant-comparison="regex"':
      'the pattern "(" cannot be used; its content is left out',
    'constant="n" constant-value="1" constant-comparison="near"':
      'constant-comparison "near" is not known; its content is left out',
    'constant="w" constant-value="1..2" constant-comparison="range"':
      '"two words" is not a number; its content is left out',
  };
  for (const [condition, problem] of Object.entries(problems)) assert.equal(await holds(condition), problem);
});

test('a regular expression that backtracks without end is stopped', async () => {
  const { map, notes } = await importOne(
    `${TEAMS}<constant id="a">${'a'.repeat(40)}!</constant><if constant="a" constant-comparison="regex" constant-value="(a+)+"><rage/></if>`,
  );
  assert.deepEqual(map.gamemodes, []);
  assert.match(notes[0]!, /the pattern "\(a\+\)\+" cannot be used/);
});

test('includes in the folder are inserted at their position', async () => {
  const { events, notes } = await importAll({
    'maps/keep/map.xml':
      '<map><include id="Siege"/><include src="teams.xml"/><name>Keep</name><version>1</version></map>',
    'maps/keep/teams.xml': '<map><teams><team>Red</team></teams></map>',
    'includes/siege.xml': '<map><include id="deep"/><objective>From the include.</objective></map>',
    'includes/deep.xml': '<map><cores><core/></cores></map>',
    'includes/global.xml': '<map><blitz/></map>',
  });
  assert.deepEqual(notes, []);
  const { objective, gamemodes, teams } = dataOf(events[0]);
  assert.deepEqual([objective, gamemodes, teams[0]!.name], ['From the include.', ['dtc', 'blitz'], 'Red']);
});

test('values of the map itself take precedence over values of includes', async () => {
  const { events } = await importAll({
    'map.xml': '<map><include id="base"/><name>Keep</name><version>1</version><objective>Own.</objective></map>',
    'base.xml': '<map><objective>Common.</objective><version>9</version></map>',
  });
  assert.deepEqual([dataOf(events[0]).objective, dataOf(events[0]).version], ['Own.', '1']);
});

test('missing and broken includes are noted, and no include leads out of the folder', async () => {
  await using outside = await folderOf({
    'secret.xml': '<map><objective>Secret.</objective></map>',
    'maps/map.xml': mapOf('').replace(
      '<objective>Take it.</objective>',
      '<include src="../secret.xml"/><include src="/etc/hostname"/>',
    ),
  });
  const led = await reportAll(importPgmMaps(join(outside.path, 'maps'), networkLookup()));
  assert.equal(dataOf(led.events[0]).objective, '');
  assert.equal(led.notes.length, 3);
  const { events, notes } = await importAll({
    'map.xml': mapOf(TEAMS + '<include id="away"/>\n<include id="round"/>\n<include id="broken"/>\n<include/>'),
    'round.xml': '<map><include id="round"/><rage/></map>',
    'broken.xml': '<map><a></map>',
  });
  assert.deepEqual(dataOf(events[0]).gamemodes, ['rage']);
  assert.deepEqual(notes, [
    'map.xml, line 3: include "away" is not in the folder; its content is missing',
    'map.xml, round.xml, line 1: include round.xml includes itself and is left out',
    'map.xml, line 5: include broken.xml, line 1, column 14: is not well-formed XML: Unexpected close tag; its content is missing',
    'map.xml, line 6: include "" is not in the folder; its content is missing',
  ]);
});

test('a map whose includes multiply is refused', async () => {
  const files: Record<string, string> = { 'map.xml': mapOf('<include id="x0"/>') };
  for (let i = 0; i < 8; i++) files[`x${i}.xml`] = `<map>${`<include id="x${i + 1}"/>`.repeat(20)}</map>`;
  files['x8.xml'] = '<map><a/></map>';
  assert.deepEqual((await importAll(files)).refusals, ['map.xml: becomes too large through its includes']);
});

test('a map that is too large without its includes is refused with that reason', async () => {
  const files = { 'map.xml': mapOf(`<include id="one"/>${'<a/>'.repeat(120_000)}`), 'one.xml': '<map><b/></map>' };
  assert.deepEqual((await importAll(files)).refusals, [
    'map.xml: has more than 100000 elements, comments and pieces of text',
  ]);
});

test('of maps with one name the newest wins, then the first by path; the others are refused by name', async () => {
  const { events, refusals } = await importAll({
    'a/map.xml': named('Keep', '1.9'),
    'b/map.xml': named('Keep', '1.10'),
    'c/map.xml': named('Keep', '1.10'),
    'd/map.xml': named('keep', '1.0'),
  });
  assert.deepEqual(
    events.map(dataOf).map(({ name, path }) => `${name} ${path}`),
    ['Keep b', 'keep d'],
  );
  assert.deepEqual(refusals, [
    'a/map.xml: "Keep" 1.9 is superseded by 1.10 in b/map.xml, which is newer',
    'c/map.xml: "Keep" 1.10 is superseded by 1.10 in b/map.xml, which comes first',
  ]);
});

function withVariants(count: number): string {
  return mapOf(Array.from({ length: count }, (_, id) => `<variant id="v${id}">${id}</variant>`).join(''));
}

test('a file with too many variants is refused', async () => {
  assert.equal((await importAll({ 'map.xml': withVariants(99) })).events.length, 100);
  assert.deepEqual((await importAll({ 'map.xml': withVariants(100) })).refusals, [
    'map.xml: has more than 100 variants',
  ]);
});

test('a bad file never stops the rest', async () => {
  const { events, refusals } = await importAll({
    'a/map.xml': '<map><name>A</name>',
    'b/map.xml': '<!DOCTYPE map><map/>',
    'c/map.xml': '<plan/>',
    'd/map.xml': '<map><version>1</version></map>',
    'e/map.xml': Buffer.alloc(5_000_001, ' '),
    'f/map.xml': named('F'),
    'g/map.xml': named('G'.repeat(129)),
  });
  assert.deepEqual(
    events.map(dataOf).map(({ name }) => name),
    ['F'],
  );
  assert.deepEqual(
    refusals.map((line) => line.replace(/^([a-e])\/map\.xml(, line \d+, column \d+)?: /, '$1 ')),
    [
      'a is not well-formed XML: Unclosed root tag',
      'b has a document type declaration; DTDs and entities are not read',
      'c is not a map: its root element is <plan>, not <map>',
      'd has no <name>',
      'e is larger than 5 MB',
      'g/map.xml: `data.name` must have at most 128 characters.',
    ],
  );
});

test('a map that is already published with the same values is unchanged', async () => {
  const seen: unknown[] = [];
  const files = { 'map.xml': named('Keep') };
  const isPublished = async ({ data }: WireEvent) => seen.push(data) > 0;
  const { events, unchanged } = await importAll(files, { isPublished });
  assert.deepEqual([events, unchanged], [[], ['map.xml: Keep']]);
  assert.deepEqual(seen, [dataOf((await importAll(files)).events[0])]);
});

test('links that leave the folder or form a circle are not followed', async () => {
  await using outside = await folderOf({ 'map.xml': named('Outside') });
  await using folder = await folderOf({
    'a/map.xml': named('A'),
    'shared/b.xml': named('B'),
    '.git/map.xml': named('Hidden'),
  });
  await symlink(folder.path, join(folder.path, 'a/round'));
  await symlink(outside.path, join(folder.path, 'away'));
  await symlink(join(folder.path, 'shared/b.xml'), join(folder.path, 'shared/map.xml'));
  await symlink(join(folder.path, 'nowhere'), join(folder.path, 'shared/dead'));
  const { events, notes } = await reportAll(importPgmMaps(folder.path, networkLookup()));
  assert.deepEqual(
    events.map(dataOf).map(({ name, path }) => `${name} ${path}`),
    ['A a', 'B shared'],
  );
  assert.deepEqual(notes, [
    'away: is a link that leads out of the folder; it is not followed',
    'shared/dead: does not exist',
  ]);
});

const run = (path: string) => reportAll(importPgmMaps(path, networkLookup()));

test('a path that is not a folder is a usage error', async () => {
  await using folder = await folderOf({ 'map.xml': named('A') });
  await assert.rejects(run(join(folder.path, 'none')), { name: 'InputError', message: /none does not exist\.$/ });
  await assert.rejects(run(join(folder.path, 'map.xml')), { name: 'InputError', message: /is not a folder\.$/ });
});

test('a map whose constants multiply is refused before it fills the memory', async () => {
  const constants = `<constants><constant id="a">${'x'.repeat(1_000_000)}</constant></constants>`;
  const bomb = `<map>${constants}<name>Bomb</name><version>1</version><objective>${'${a}'.repeat(900_000)}</objective></map>`;
  const before = process.memoryUsage().rss;
  const { events, refusals } = await importAll({ 'bomb/map.xml': bomb, 'other/map.xml': named('Other') });
  assert.equal(events.length, 1);
  assert.match(refusals.join(), /becomes too large through its constants/);
  assert.ok(process.memoryUsage().rss - before < 300_000_000);
});
