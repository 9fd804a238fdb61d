import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { Page } from 'playwright-core';

const FOLDER = 'docs/pictures';
export const PICTURE_SIZE = { width: 1280, height: 900 };
const PICTURE_BYTES = 150_000;

/** The pictures in README.md: the file, and the page that it shows, by its name in `npm run shots`. */
export const README_PICTURES: readonly ReadmePicture[] = [
  { file: `${FOLDER}/match.webp`, page: 'match' },
  { file: `${FOLDER}/player.webp`, page: 'player' },
  { file: `${FOLDER}/console.webp`, page: 'console-usage' },
];

export interface ReadmePicture {
  file: string;
  page: string;
}

/** Writes the top of a page, with the name of the page in the file, so that a test finds pictures of other pages. */
export async function takeReadmePicture(page: Page, address: string, picture: ReadmePicture): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' });
  const image = sharp(await page.screenshot()).withExif({ IFD0: { ImageDescription: pageLabel(picture.page) } });
  mkdirSync(dirname(picture.file), { recursive: true });
  writeFileSync(picture.file, await image.webp({ quality: 82, effort: 6 }).toBuffer());
}

/** The problems of the pictures below `root`, in sentences. */
export async function problemsOf(root: string, { file, page }: ReadmePicture): Promise<string[]> {
  const bytes = readFileSync(join(root, file));
  const { width, height, exif } = await sharp(bytes).metadata();
  const problems: string[] = [];
  if (bytes.length > PICTURE_BYTES) problems.push(`${file} has ${bytes.length} bytes, more than ${PICTURE_BYTES}`);
  if (width !== PICTURE_SIZE.width || height !== PICTURE_SIZE.height)
    problems.push(`${file} has ${width} × ${height} pixels instead of ${PICTURE_SIZE.width} × ${PICTURE_SIZE.height}`);
  if (!exif?.includes(pageLabel(page))) problems.push(`${file} shows another page than ${page}`);
  return problems.map((problem) => `${problem}. Run npm run shots -- --readme.`);
}

const pageLabel = (page: string): string => `Page: ${page};`;
