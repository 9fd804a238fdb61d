import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { specifiersIn } from '../../scripts/check/imports.ts';
import { nameProblems, wordsOf } from '../../scripts/check/names.ts';
import { structureProblems } from '../../scripts/check/structure.ts';
import { tokensOf } from '../../scripts/check/tokens.ts';

const MANIFEST = JSON.stringify({
  imports: { '#api/*': './src/api/*', '#site/*': './src/site/*', '#store/*': './src/store/*', '#db/*': './src/db/*' },
});

/** What the check says of a tree of these files, without what it says of names unless they are asked for. */
function problemsOf(files: Record<string, string>, rules = ['cycles', 'imports', 'folders']): string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'structure-'));
  for (const [path, text] of Object.entries({ 'package.json': MANIFEST, ...files })) {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return structureProblems(folder.path, rules);
}

test('a tree whose imports point down passes', () => {
  const files = {
    'src/main.ts': `const load = () => import('./cli/serve.ts');`,
    'src/cli/serve.ts': `import '../server/listeners.ts'; import { send } from '../../packages/sender/index.ts';`,
    'src/server/listeners.ts': `import { service } from '#api/service.ts';`,
    'src/api/service.ts': `import type { Match } from '#store/game/matches.ts'; import { x } from './x.ts';`,
    'src/api/x.ts': `export { sql } from '#db/sql.ts';`,
    'src/store/game/matches.ts': `import { sql } from '#db/sql.ts';`,
    'src/db/sql.ts': '',
    'packages/sender/index.ts': `import { queue } from './queue.ts';`,
    'packages/sender/queue.ts': '',
    'test/api/x.test.ts': `import '../../src/main.ts'; import '#db/sql.ts';`,
  };
  assert.deepEqual(problemsOf(files), []);
});

test('a cycle is found through types, re-exports and imports while running', () => {
  const files = {
    'src/api/a.ts': `import type { B } from './b.ts';`,
    'src/api/b.ts': `export * from './c.ts';`,
    'src/api/c.ts': `const a = await import('#api/a.ts');`,
    'src/api/d.ts': `import './a.ts';`,
  };
  const edges = ['src/api/a.ts -> src/api/b.ts', 'src/api/b.ts -> src/api/c.ts', 'src/api/c.ts -> src/api/a.ts'];
  assert.deepEqual(problemsOf(files), [['A cycle of imports:', ...edges.map((edge) => `  ${edge}`)].join('\n')]);
});

for (const [from, specifier, to, problem] of [
  ['src/store/a.ts', '#api/b.ts', 'src/api/b.ts', 'of a layer above'],
  ['src/api/a.ts', '#site/b.ts', 'src/site/b.ts', 'of the same layer'],
  ['src/api/a.ts', '../../packages/sender/b.ts', 'packages/sender/b.ts', 'imports the package'],
  ['packages/sender/a.ts', '#db/b.ts', 'src/db/b.ts', 'a package imports nothing'],
  ['src/api/a.ts', '../../test/b.ts', 'test/b.ts', 'no part of the service'],
] as const)
  test(`${from} must not import ${to}`, () => {
    const [first = '', ...more] = problemsOf({ [from]: `import type { B } from '${specifier}';`, [to]: '' });
    assert.ok(first.includes(from) && first.includes(to) && first.includes(problem), first);
    assert.deepEqual(more, []);
  });

test('a folder that no layer names is refused', () => {
  assert.deepEqual(problemsOf({ 'src/utils/a.ts': '' }), [
    'src/utils/a.ts belongs to no layer of scripts/check/layers.ts',
  ]);
});

/** So many files directly in one folder, and one in a folder below. */
const crowded = (count: number): Record<string, string> => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/api/f${index}.ts`, ''])),
  'src/api/auth/more.ts': '',
});

test('a folder may hold 25 files and no more, those of its folders apart', () => {
  assert.deepEqual(problemsOf(crowded(25)), []);
  assert.deepEqual(problemsOf(crowded(26)), ['src/api has 26 files; 25 are the most']);
});

test('names are refused in identifiers and paths, not in strings, comments or regular expressions', () => {
  const source = [
    `// a door`,
    `const text = 'door', more = "it's a door", rows = sql\`select door from \${table} where hall\`;`,
    `const pattern = /door[/"]/g, ratio = halls / 2 / openDoor;`,
    `class A { #moments = \`\${\`\${sieveOf(1)} door\`}\`; }`,
    `const indoor = { atOnce: once, Kit: kit };`,
  ].join('\n');
  assert.deepEqual(
    nameProblems('src/api/a.ts', source).map((problem) => problem.replace(/: write .*/, '')),
    [
      'src/api/a.ts:3: "hall" in halls',
      'src/api/a.ts:3: "door" in openDoor',
      'src/api/a.ts:4: "moment" in #moments',
      'src/api/a.ts:4: "sieve" in sieveOf',
      'src/api/a.ts:5: "at once" in atOnce',
      'src/api/a.ts:5: "Kit" in Kit',
    ],
  );
  for (const path of ['src/api/door-thread.ts', 'test/porch/a.ts', 'src/store/along.ts', 'src/api/kept.test.ts'])
    assert.equal(nameProblems(path, undefined).length, 1, path);
  for (const path of ['src/api/indoors.ts', 'src/api/scope.ts', 'src/api/once-more.ts'])
    assert.deepEqual(nameProblems(path, undefined), []);
});

test('the rule of names reads every folder of ours', () => {
  const files = { 'bench/hall.ts': '', 'scripts/a.mjs': 'openDoor()', 'src/site/script/b.js': 'const x = a.sieve;' };
  assert.deepEqual(
    problemsOf(files, ['names']).map((problem) => problem.split(':')[0]),
    ['bench/hall.ts', 'scripts/a.mjs', 'src/site/script/b.js'],
  );
});

test('words of a name', () => {
  assert.deepEqual(wordsOf('MOST_AT_ONCE'), ['most', 'at', 'once']);
  assert.deepEqual(wordsOf('parseHTTPDoor2x'), ['parse', 'http', 'door', 'x']);
  assert.deepEqual(wordsOf('open-door.test'), ['open', 'door', 'test']);
});

test('only imports are read as imports', () => {
  const source = `
    import a from './a.ts';
    import type { B } from "./b.ts";
    import './c.ts'; // import './no.ts'
    export type { D } from './d.ts';
    /* import './no.ts' */ type E = typeof import('./e.ts');
    const f = \`\${await import('./f.ts')} import './no.ts'\`;
    const g = Array.from('./no.ts'), h = "import './no.ts'", i = sql\`\${from}./no.ts\`;
    const j = x / 2; const k = /'/; import './k.ts';
    worker(new URL('./no.ts', import.meta.url));`;
  assert.deepEqual(specifiersIn(source), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './k.ts']);
});

test('tokens know their line', () => {
  const lines = tokensOf('a\n/* \n */ b `\n${c}`\n\nd').filter(({ kind }) => kind === 'word');
  assert.deepEqual(
    lines.map(({ text, line }) => `${text}${line}`),
    ['a1', 'b3', 'c4', 'd6'],
  );
});
