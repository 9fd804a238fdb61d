import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { folderProblems } from '../../scripts/check/folders.ts';
import { nameProblems, wordsOf } from '../../scripts/check/names.ts';
import { proseProblems } from '../../scripts/check/prose.ts';
import { commentsIn, specifiersIn } from '../../scripts/check/source.ts';
import { structureProblems } from '../../scripts/check/structure.ts';

const MANIFEST = JSON.stringify({
  imports: { '#api/*': './src/api/*', '#site/*': './src/site/*', '#store/*': './src/store/*', '#db/*': './src/db/*' },
});

/** The problems of a tree with these files, for the given rules. */
function problemsOf(files: Record<string, string>, rules = ['cycles', 'imports']): string[] {
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
    'src/db/sql.ts': `import { nameKey } from '../../packages/text/text.ts';`,
    'packages/sender/index.ts': `import { queue } from './queue.ts';`,
    'packages/sender/queue.ts': `import { uuidOf } from '../text/text.ts';`,
    'packages/text/text.ts': '',
    'test/api/x.test.ts': `import '../../src/main.ts'; import '#db/sql.ts';`,
  };
  assert.deepEqual(problemsOf(files), []);
});

test('a marker of an unresolved merge is found in documents and sources', () => {
  const marked = `one\n${'<'.repeat(7)} HEAD\ntwo\n`;
  const files = { 'README.md': marked, 'docs/a.md': 'one\n=======\n', 'src/db/sql.ts': '', 'demo/a.css': marked };
  assert.deepEqual(problemsOf(files, ['markers']), [
    'README.md, line 2 is a marker of an unresolved merge',
    'demo/a.css, line 2 is a marker of an unresolved merge',
  ]);
});

test('a cycle is found through type imports, re-exports and dynamic imports', () => {
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
  ['packages/text/a.ts', '#db/b.ts', 'src/db/b.ts', 'of a layer above'],
  ['packages/text/a.ts', '../sender/b.ts', 'packages/sender/b.ts', 'imports the package'],
  ['src/api/a.ts', '../../test/b.ts', 'test/b.ts', 'not part of the service'],
] as const)
  test(`${from} must not import ${to}`, () => {
    const [first = '', ...more] = problemsOf({ [from]: `import type { B } from '${specifier}';`, [to]: '' });
    assert.ok(first.includes(from) && first.includes(to) && first.includes(problem), first);
    assert.deepEqual(more, []);
  });

test('a folder outside all layers is refused', () => {
  assert.deepEqual(problemsOf({ 'src/utils/a.ts': '' }), [
    'src/utils/a.ts belongs to no layer of scripts/check/layers.ts',
  ]);
});

/** The problems of a graph with these imports, `a.ts b.ts` for a.ts that imports b.ts. */
function foldersOf(imports: readonly string[]): string[] {
  const graph = Map.groupBy(imports, (line) => line.split(' ')[0]!);
  const targets = [...graph].map(([file, lines]) => [file, lines.map((line) => line.split(' ')[1]!)] as const);
  return folderProblems(new Map(targets));
}

test('sibling folders must not import each other, through subfolders included', () => {
  const there = 'src/events/jobs/a.ts src/events/handlers/b.ts';
  assert.deepEqual(foldersOf([there, 'src/events/jobs/b.ts src/events/handlers/groups/c.ts']), []);
  const back = 'src/events/handlers/groups/c.ts src/events/jobs/x/d.ts';
  const edges = [back, there].map((line) => `  ${line.replace(' ', ' -> ')}`);
  const pair = 'src/events/handlers and src/events/jobs';
  assert.deepEqual(foldersOf([there, back]), [[`${pair} import each other:`, ...edges].join('\n')]);
});

test('one file of a folder may import from a subfolder that imports the folder', () => {
  const up = 'src/api/auth/deep/a.ts src/api/errors.ts';
  const [first, second] = ['src/api/index.ts src/api/auth/b.ts', 'src/api/usage.ts src/api/auth/deep/c.ts'];
  assert.deepEqual(foldersOf([first, second, 'src/api/auth/b.ts src/api/auth/deep/c.ts']), []);
  assert.deepEqual(foldersOf([up, first, 'src/api/index.ts src/api/auth/deep/a.ts']), []);
  const problem =
    'src/api/auth imports its parent (src/api/auth/deep/a.ts -> src/api/errors.ts) and is imported by src/api/index.ts, src/api/usage.ts';
  assert.deepEqual(foldersOf([up, first, second]), [problem]);
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

test('the rule of names applies to every folder with source files', () => {
  const files = { 'bench/hall.ts': '', 'scripts/a.mjs': 'openDoor()', 'src/site/script/b.js': 'const x = a.sieve;' };
  assert.deepEqual(
    problemsOf(files, ['names']).map((problem) => problem.split(':')[0]),
    ['bench/hall.ts', 'scripts/a.mjs', 'src/site/script/b.js'],
  );
});

test('phrases are refused in comments and documents, not in code', () => {
  const files: Record<string, string> = {
    'a.ts': `// starts\n//   anew\nconst anew = 'anew'; /** @throws Error if a\n * file is empty, or where b is */`,
    'B.java': `String a = "// anew"; /* Starts anew. */ char b = '"'; // anew`,
    'c.md': 'renew `anew`\n\n```sh\nstart anew\n```\n\nStart it\nanew.\n',
    'd.yml': 'a: anew # anew\n# Anew, a-new, anew',
  };
  const phrases = { '[Aa]new': 'again', '@throws [^.@]* where': 'if' };
  const problems = proseProblems(Object.keys(files), (file) => files[file]!, phrases);
  assert.deepEqual(problems, [
    'a.ts:2: "anew": write again',
    'a.ts:3: "@throws Error if a file is empty, or where": write if',
    'B.java:1: "anew": write again',
    'B.java:1: "anew": write again',
    'c.md:8: "anew": write again',
    'd.yml:1: "anew": write again',
    'd.yml:2: "Anew": write again',
    'd.yml:2: "anew": write again',
  ]);
});

test('a name is split into its words', () => {
  assert.deepEqual(wordsOf('MOST_AT_ONCE'), ['most', 'at', 'once']);
  assert.deepEqual(wordsOf('parseHTTPDoor2x'), ['parse', 'http', 'door', 'x']);
  assert.deepEqual(wordsOf('open-door.test'), ['open', 'door', 'test']);
});

test('specifiers are found in imports only, not in strings or comments', () => {
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
  assert.deepEqual(specifiersIn('a.ts', source), [
    './a.ts',
    './b.ts',
    './c.ts',
    './d.ts',
    './e.ts',
    './f.ts',
    './k.ts',
  ]);
});

test('comments are found before every kind of token, and not in strings', () => {
  const source = [
    `// first`,
    `/** second */ const a = \`// no \${/* third */ b} // no\`, c = /\\/\\/no/;`,
    `function f(/* fourth */) {`,
    `  // fifth`,
    `}`,
    `// sixth`,
  ].join('\n');
  const comments = commentsIn('a.ts', source).map(({ text, at }) => {
    assert.equal(source.slice(at, at + text.length), text);
    return text.replace(/[/*]/g, '').trim().replace(/\s+/g, ' ');
  });
  assert.deepEqual(comments, ['first second', 'third', 'fourth', 'fifth', 'sixth']);
});
