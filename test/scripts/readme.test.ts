import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
