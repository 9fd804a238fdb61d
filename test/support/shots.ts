import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';

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

/** @param open the selector of an element to click first, such as a menu */
export async function shoot(page: Page, address: string, name: string, open = ''): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' });
  if (open !== '') await page.click(open);
  await page.screenshot({ path: pictureAt(name), fullPage: true });
}
