import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page, Request, Response } from 'playwright-core';

const FOLDER = 'data/shots';
const SIZES = { narrow: { width: 390, height: 844 }, wide: { width: 1280, height: 900 } };
const THEMES = ['light', 'dark'] as const;

/** A selection of screenshots: those whose names contain every part, in one language. */
export interface Wanted {
  parts: readonly string[];
  language: string;
}

/** The browser options of each screenshot: narrow and wide, light and dark. */
export function looksIn(language: string): { look: string; options: BrowserContextOptions }[] {
  return Object.entries(SIZES).flatMap(([size, viewport]) =>
    THEMES.map((colorScheme) => ({
      look: `${size}-${colorScheme}`,
      options: { viewport, colorScheme, locale: language, reducedMotion: 'reduce' as const },
    })),
  );
}

export const isWanted = ({ parts }: Wanted, name: string): boolean => parts.every((part) => name.includes(part));

/** The path of a screenshot. Creates its folder. */
export function pictureAt(name: string): string {
  mkdirSync(FOLDER, { recursive: true });
  return join(FOLDER, `${name}.png`);
}

interface Shot {
  address: string;
  name: string;
  /** The selector of an element to click first, such as a menu. */
  open?: string | undefined;
  /** The status of a page that shows an error on purpose. Default: 200, and no error. */
  error?: number | undefined;
}

/**
 * Takes the picture of a page.
 * @throws Error if the page shows an error that is not expected
 */
export async function shoot(page: Page, shot: Shot): Promise<void> {
  const problems = await visit(page, shot);
  if (problems.length > 0) throw new Error(`${shot.name} shows an error: ${problems.join('; ')}`);
  await page.screenshot({ path: pictureAt(shot.name), fullPage: true });
}

/** Opens a page. @returns the errors that it shows and that are not expected */
export async function visit(page: Page, { address, open = '', error }: Shot): Promise<string[]> {
  const problems: string[] = [];
  const failed = (request: Request): void => void problems.push(`${request.url()} did not load`);
  const answered = (response: Response): void => {
    if (response.status() >= 400 && !response.request().isNavigationRequest())
      problems.push(`${response.url()} has status ${response.status()}`);
  };
  page.on('requestfailed', failed).on('response', answered);
  try {
    const status = (await page.goto(address, { waitUntil: 'networkidle' }))?.status();
    const expected = error ?? 200;
    if (status !== expected) problems.push(`${address} has status ${status} instead of ${expected}`);
    if (open !== '') await page.click(open);
    if (error === undefined) problems.push(...(await errorsOn(page)));
  } finally {
    page.off('requestfailed', failed).off('response', answered);
  }
  return problems;
}

/** The texts of the visible errors of a page: error pages, alerts, notices of errors, messages at fields, broken images. */
async function errorsOn(page: Page): Promise<string[]> {
  const texts = await page
    .locator('.error-page, [role=alert], .notice.bad, .field .error')
    .filter({ visible: true })
    .allInnerTexts();
  const broken = await page.evaluate<string[]>(
    '[...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src)',
  );
  return [...texts.map((text) => `"${text}"`), ...broken.map((address) => `${address} is no image`)];
}
