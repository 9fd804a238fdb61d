import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import { createTestDatabase, TestClock, type TestAppContext } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { LOOKS, LOOKS_OF_NAVIGATION, NARROW, violations, watch } from '#test/support/page-watch.ts';
import { everyPage, type SitePage } from './pages.ts';
import { fillNetwork, makePrivate } from './world.ts';

interface OpenedSite extends AsyncDisposable {
  context: TestAppContext;
  site: string;
  browser: TestBrowser;
  pages: SitePage[];
}

/** Starts the site and the data API with the sample network, and a browser. */
async function open(): Promise<OpenedSite> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase('sqlite');
  stack.defer(() => database.drop());
  const [api, site] = await freePorts(2);
  const addresses = { API_URL: `http://127.0.0.1:${api}`, SITE_URL: `http://127.0.0.1:${site}` };
  const config = readConfig({
    ...addresses,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    CONTACT: 'a@example.org',
  });
  const context = stack.use((await openAppContext(config, new TestClock())) as TestAppContext);
  await fillNetwork(context);
  await makePrivate(context);
  stack.use(await openServices(context, ['SITE', 'API']));
  const browser = stack.use(await launchBrowser());
  const resources = stack.move();
  const pages = await everyPage(context.db);
  return { context, site: config.SITE_URL, browser, pages, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe('the site in a browser', () => {
  let opened: OpenedSite;
  before(async () => void (opened = await open()));
  after(() => opened[Symbol.asyncDispose]());

  test('every page loads without errors and meets the accessibility rules, narrow and wide, light and dark', async () => {
    const { site, browser, pages } = opened;
    const page = await browser.newPage({ viewport: NARROW, colorScheme: 'light', reducedMotion: 'reduce' });
    const faults = await watch(page, {
      hosts: [new URL(site).host],
      data: true,
      expects: (url, text) => url.endsWith('/matches/nothing') && text.includes('404'),
    });
    assert.ok(
      pages.some(({ name }) => name === 'server'),
      'a match is running',
    );
    assert.ok(pages.some(({ name }) => name === 'private-player'));
    const found: string[] = [];
    for (const { name, path } of pages) {
      await page.goto(site + path, { waitUntil: 'load' });
      faults.push(...(await violations(page, name === 'matches' ? LOOKS_OF_NAVIGATION : LOOKS)));
      found.push(...faults.splice(0).map((fault) => `${name}: ${fault}`));
    }
    assert.deepEqual(found, []);
  });

  test('pages work without scripts', async () => {
    const { site, browser, pages } = opened;
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
    for (const { path } of pages) {
      const html = await (await fetch(site + path)).text();
      assert.match(html, /<main[^]*<h1[^>]*>(\s|<(?!\/h1)[^>]+>)*[^<\s]/, path);
    }
    await page.goto(site);
    const name = 'a';
    await page.fill('.find input', name);
    await page.press('.find input', 'Enter');
    assert.match(page.url(), /\/search\?q=a$/);
    await page.locator('.found .player').first().click();
    assert.match(page.url(), /\/players\/[0-9a-f-]{36}$/);
    assert.match(await page.locator('.profile time').first().innerText(), /UTC/);
  });

  test("with scripts, times are in the reader's zone, '/' focuses the search and examples have a copy button", async () => {
    const { site, browser, pages } = opened;
    const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const match = pages.find(({ name }) => name === 'match')!;
    await page.goto(site + match.path);
    const timestamp = page.locator('.banner time');
    const iso = (await timestamp.getAttribute('datetime'))!;
    const tokyo = new Intl.DateTimeFormat('en-GB', {
      ...{
        timeZone: 'Asia/Tokyo',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
      },
      ...{ hourCycle: 'h23', timeZoneName: 'short' },
    });
    assert.equal(await timestamp.innerText(), tokyo.format(new Date(iso)));
    assert.match(await timestamp.innerText(), / GMT\+9$/);
    assert.match((await timestamp.getAttribute('title'))!, /UTC/);
    await page.goto(site);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.name'), 'q');
    await page.goto(`${site}/developers`);
    assert.equal(await page.locator('.copy').first().innerText(), 'Copy');
  });
});
