import type { Page } from 'playwright-core';
import { openHouse } from '#server/listeners.ts';
import { readConfig } from '#platform/config.ts';
import { openHall } from '#context/context.ts';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import { createTestDatabase, TestClock, type TestHall } from '#test/support/context.ts';
import { PASSWORD } from '#test/auth/support.ts';
import { consoleConfig, type TestConsole } from './support.ts';
import { type ConsolePage, consolePages, type ConsoleWorld, fillConsole } from './world.ts';

export interface BrowserWorld extends AsyncDisposable {
  house: TestConsole;
  world: ConsoleWorld;
  browser: TestBrowser;
  pages: ConsolePage[];
}

/** A console with something on every page, and a browser. */
export async function openBrowserWorld(): Promise<BrowserWorld> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase('sqlite');
  stack.defer(() => database.drop());
  const config = readConfig(await consoleConfig(database.url));
  const hall = stack.use((await openHall(config, new TestClock(Date.now()))) as TestHall);
  const world = await fillConsole(hall);
  const { addresses } = stack.use(await openHouse(hall, ['AUTH', 'API', 'SITE']));
  const browser = stack.use(await launchBrowser());
  const house = { hall, auth: config.AUTH_URL, api: config.API_URL, site: config.SITE_URL, listens: addresses.AUTH! };
  const pages = await consolePages(hall, world);
  const kept = stack.move();
  return { house, world, browser, pages, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Signs somebody in at the console as people do it. */
export async function signInBrowser(page: Page, { site }: TestConsole, login: string): Promise<void> {
  await page.goto(`${site}/console/sign-in`);
  await page.fill('[name=login]', login);
  await page.fill('[name=password]', PASSWORD);
  await page.click('form button');
  const consent = page.locator('form[action$="/consent"] button');
  if ((await consent.count()) > 0) await consent.click();
  await page.waitForURL(`${site}/console`);
}
