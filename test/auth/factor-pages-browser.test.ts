import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import type { Page } from 'playwright-core';
import { launchBrowser } from '#test/support/browser.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { LOOKS, LOOKS_OF_TRANSLATION, NARROW, violations } from '#test/support/page-watch.ts';
import { everyFactorPage, mailedLinks, type SignInPage } from './pages.ts';
import { freePort, makeAccount, openTestAuth, PASSWORD } from './support.ts';

const LANGUAGES = [
  { locale: 'en', looks: LOOKS },
  { locale: 'ja', looks: LOOKS_OF_TRANSLATION },
];

test('every page about factors and of a mailed link is accessible, in both languages', async (t) => {
  const database = await createTestDatabase('sqlite');
  // Passkeys belong to a domain, and an address is none.
  const services = await openTestAuth(t, database.url, { AUTH_URL: `http://localhost:${await freePort()}` });
  t.after(() => database.drop());
  const { db, clock } = services.context;
  const robin = await makeAccount(services, 'Robin');
  const links = Object.entries(await mailedLinks(services, robin)).map(([name, path]) => ({ name, path }));
  const { recoveryCode, pages, proved } = await everyFactorPage(services);
  await using browser = await launchBrowser();
  const found: string[] = [];
  for (const { locale, looks } of LANGUAGES) {
    const page = await browser.newPage({ locale, viewport: NARROW, reducedMotion: 'reduce' });
    const check = async (name: string): Promise<void> => {
      assert.equal(await page.getAttribute('html', 'lang'), locale, name);
      found.push(...(await violations(page, looks)).map((fault) => `${name}: ${fault}`));
    };
    const checkAll = async (all: readonly SignInPage[]): Promise<void> => {
      for (const { name, path, open } of all) {
        await page.goto(services.auth + path);
        if (open !== undefined) await page.click(open);
        await check(name);
      }
    };
    await checkAll(links);
    await enterPassword(page, services.auth);
    await check('second step');
    await page.fill('[name=code]', await recoveryCode());
    await page.click('form:has([name=code]) button');
    await page.waitForURL(`${services.auth}/account`);
    await checkAll(pages);
    await db.run(sql`update account_sessions set proved = ${clock.now()}`);
    await checkAll(proved);
    await page.close();
  }
  assert.deepEqual(found, []);
});

async function enterPassword(page: Page, auth: string): Promise<void> {
  await page.goto(`${auth}/sign-in`);
  await page.fill('[name=login]', 'Wren');
  await page.fill('[name=password]', PASSWORD);
  await page.click('form:has([name=password]) button');
  await page.waitForURL(`${auth}/sign-in/second`);
}
