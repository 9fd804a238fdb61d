import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { problemsOf, README_PICTURES } from '#test/support/readme-pictures.ts';

const ROOT = join(import.meta.dirname, '../..');

test('README.md shows the pictures of its list, current in size and page', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const shown = [...readme.matchAll(/<img src="([^"]+)" alt="[^"]{20,}"/g)].map(([, file]) => file);
  assert.deepEqual(
    shown,
    README_PICTURES.map(({ file }) => file),
  );
  for (const picture of README_PICTURES) assert.deepEqual(await problemsOf(ROOT, picture), []);
});

test('a picture of another size or page is reported', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-pictures-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [picture] = README_PICTURES as [(typeof README_PICTURES)[number]];
  const file = join(folder, picture.file);
  mkdirSync(dirname(file), { recursive: true });
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const large = sharp({ create: { width: 1279, height: 900, channels: 3, background: 'white', noise } });
  writeFileSync(file, await large.webp({ lossless: true, effort: 0 }).toBuffer());
  const problems = await problemsOf(folder, picture);
  assert.match(problems[0]!, /bytes, more than 150000/);
  assert.match(problems[1]!, /1279 × 900 pixels instead of 1280 × 900/);
  assert.match(problems[2]!, /another page than match\. Run npm run shots -- --readme/);
  assert.deepEqual(await problemsOf(ROOT, { ...picture, page: 'player' }), [
    'docs/pictures/match.webp shows another page than player. Run npm run shots -- --readme.',
  ]);
});

test('each command of README.md can be typed in a checkout, or with an artefact of a release', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block!.trim().split('\n'));
  assert.ok(blocks.length > 20);
  const commands = [...blocks, ...[...readme.matchAll(/`(scorehall [^`]+)`/g)].map(([, command]) => command!)];
  const typed =
    /^(?:npm (?:run (?:-s )?)?(?<script>[a-z]+)(?: |$)|docker compose -f deploy\/compose\.yaml |curl |tar xf scorehall-|apt install \.\/scorehall_|scorehall [a-z])/;
  for (const command of commands) {
    const { script = 'start' } = typed.exec(command)?.groups ?? assert.fail(`"${command}" does not exist.`);
    assert.ok(script in scripts, `package.json has no script "${script}".`);
  }
});

test('README.md and the usage of the command list every load test', () => {
  const names = readdirSync(join(ROOT, 'loadtest')).filter((name) =>
    existsSync(join(ROOT, 'loadtest', name, 'run.ts')),
  );
  for (const file of ['README.md', 'loadtest/main.ts']) {
    const listed = readFileSync(join(ROOT, file), 'utf8').matchAll(/^ *npm run loadtest -- ([\w-]+)/gm);
    assert.deepEqual([...new Set([...listed].map(([, name]) => name!))].toSorted(), names.toSorted(), file);
  }
});

test('each document that shortens the command to scorehall says how to type it', () => {
  const silent = readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .filter((name) => {
      const text = readFileSync(join(ROOT, 'docs', name), 'utf8');
      return /(?:^|`)scorehall [a-z]/m.test(text) && !/npm run -s scorehall --|\]\(operations\.md\)/.test(text);
    });
  assert.deepEqual(silent, ['dependencies.md']);
});
