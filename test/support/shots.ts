import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';

const FOLDER = 'data/shots';
const SIZES = { narrow: { width: 390, height: 844 }, wide: { width: 1280, height: 900 } };
const THEMES = ['light', 'dark'] as const;

/** What is asked for: pictures whose names contain all of this, in a language. */
export interface Wanted {
  parts: readonly string[];
  language: string;
}

/** How pages are looked at: narrow and wide, light and dark. */
export function looksIn(language: string): { look: string; options: BrowserContextOptions }[] {
  return Object.entries(SIZES).flatMap(([size, viewport]) =>
    THEMES.map((colorScheme) => ({
      look: `${size}-${colorScheme}`,
      options: { viewport, colorScheme, locale: language, reducedMotion: 'reduce' as const },
    })),
  );
}

export const isWanted = ({ parts }: Wanted, name: string): boolean => parts.every((part) => name.includes(part));

/** The place of a picture. */
export function pictureAt(name: string): string {
  mkdirSync(FOLDER, { recursive: true });
  return join(FOLDER, `${name}.png`);
}

/** @param open the selector of an element to click first, such as a menu */
export async function shoot(page: Page, address: string, name: string, open = ''): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' });
  if (open !== '') await page.click(open);
  await page.screenshot({ path: pictureAt(name), fullPage: true });
}
