import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Look,
  LOOKS,
  LOOKS_OF_NAVIGATION,
  LOOKS_OF_TRANSLATION,
  NARROW,
  violations,
  watch,
  WIDE,
} from '#test/support/page-watch.ts';
import type { Page } from 'playwright-core';
import { makeAccount } from '../auth/support.ts';
import { type BrowserWorld, openBrowserWorld, openClosedWorld, signInBrowser } from './browser.ts';

const LANGUAGES: readonly { locale: string; looks: readonly Look[] }[] = [
  { locale: 'en', looks: LOOKS },
  { locale: 'ja', looks: LOOKS_OF_TRANSLATION },
];

/** In a wide window: tables that need a scrollbar, and types of events and acts that take two lines. */
async function crampedTables(page: Page): Promise<string[]> {
  await page.setViewportSize(WIDE);
  return await page.evaluate<string[]>(`[
    ...[...document.querySelectorAll('main .scroll')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ scrollWidth, clientWidth }) => 'a table of ' + scrollWidth + ' pixels in ' + clientWidth),
    ...[...document.querySelectorAll('td > code')]
      .filter((code) => code.textContent.length <= 18 && code.getClientRects().length > 1)
      .map((code) => code.textContent),
  ]`);
}

test('the page that closes the console is accessible', async () => {
  await using closed = await openClosedWorld();
  const { services, browser, pages } = closed;
  const found: string[] = [];
  for (const { locale, looks } of LANGUAGES) {
    const page = await browser.newPage({ locale, viewport: NARROW, reducedMotion: 'reduce' });
    await signInBrowser(page, services, 'Mariner');
    for (const { path } of pages) await page.goto(services.site + path);
    found.push(...(await violations(page, looks)));
    await page.close();
  }
  assert.deepEqual(found, []);
});

describe('the console in a browser', () => {
  let opened: BrowserWorld;
  before(async () => void (opened = await openBrowserWorld()));
  after(() => opened[Symbol.asyncDispose]());

  for (const { locale, looks } of LANGUAGES) {
    test(`every page is accessible, has room for its tables and asks no other host, ${locale}`, async () => {
      const { services, browser, pages } = opened;
      const page = await browser.newPage({ locale, viewport: NARROW, reducedMotion: 'reduce' });
      const faults = await watch(page, {
        hosts: [services.site, services.auth].map((address) => new URL(address).host),
        expects: (url) => url.endsWith('/console/nothing'),
      });
      await signInBrowser(page, services, 'Mariner');
      const found: string[] = [];
      for (const { name, path, press, unchecked } of pages) {
        await page.goto(services.site + path);
        if (press !== undefined) await page.click(press);
        assert.equal(await page.getAttribute('html', 'lang'), locale, name);
        const ofPage = looks === LOOKS && name === 'operator' ? LOOKS_OF_NAVIGATION : looks;
        if (unchecked === undefined) faults.push(...(await violations(page, ofPage)));
        if (path.startsWith('/console/operator')) faults.push(...(await crampedTables(page)));
        found.push(...faults.splice(0).map((fault) => `${name}: ${fault}`));
      }
      assert.deepEqual(found, []);
    });
  }

  test('the sections are beside the page in wide windows and under a button in narrow ones, without JavaScript', async () => {
    const { services, browser } = opened;
    const page = await browser.newPage({ javaScriptEnabled: false, locale: 'en', viewport: WIDE });
    await signInBrowser(page, services, 'Mariner');
    const [link, menu] = [page.locator('#sections >> text=Audit log'), page.locator('.side-button')];
    assert.deepEqual([await link.isVisible(), await menu.isVisible()], [true, false]);
    await page.setViewportSize(NARROW);
    assert.deepEqual([await link.isVisible(), await menu.isVisible()], [false, true]);
    await menu.click();
    await link.click();
    await page.waitForURL(/\/console\/operator\/audit$/);
    await page.close();
  });

  test('the header shows the whole name of the network', async () => {
    const { services, browser } = opened;
    for (const locale of ['en', 'ja']) {
      const page = await browser.newPage({ locale, viewport: NARROW });
      await signInBrowser(page, services, 'Mariner');
      await page.goto(`${services.site}/console/operator`);
      for (const width of [320, 360, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const isCut = await page.evaluate<boolean>(`(() => {
          const name = document.querySelector('.brand bdi');
          name.textContent = 'Gullwing Quay';
          return name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight;
        })()`);
        assert.equal(isCut, false, `${locale}, ${width} px`);
      }
      await page.close();
    }
  });

  test('with scripts a secret has a copy button, and a choice shows the field of another value when asked for', async () => {
    const { services, browser } = opened;
    const context = await browser.newContext({ locale: 'en' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: services.site });
    const page = await context.newPage();
    await signInBrowser(page, services, 'Mariner');
    await page.goto(`${services.site}/console/operator/servers`);
    await page.click('main th a >> nth=0');
    await page.click('button:text-is("New key")');
    await page.click('.once .copy');
    await page.waitForSelector('.once .copy:text("Copied")');
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await page.innerText('.once code'));
    await page.goto(`${services.site}/console/operator/punishments/new`);
    const other = page.locator('[name=expires_other]');
    assert.equal(await other.isVisible(), false);
    await page.selectOption('[name=expires]', '…');
    assert.equal(await other.isVisible(), true);
    await context.close();
  });

  test('without JavaScript: a new server needs a name alone, and times are picked and come back as picked', async () => {
    const { services, browser } = opened;
    const page = await browser.newPage({ javaScriptEnabled: false, locale: 'en' });
    await signInBrowser(page, services, 'Mariner');
    await page.goto(`${services.site}/console/operator/servers`);
    assert.equal(
      await page.locator('[aria-labelledby=new] :is(input:not([type=hidden]), select, textarea)').count(),
      1,
    );
    await page.fill('[aria-labelledby=new] [name=name]', 'Shipyard');
    await page.click('text=Create');
    assert.match(await page.innerText('.once code'), /^shk_[\w-]{43}$/);
    assert.equal(await page.locator('[aria-labelledby=withdraw] [type=datetime-local]').count(), 1);

    await page.goto(`${services.site}/console/operator/audit`);
    await page.fill('[name=since]', '2026-01-31');
    await page.click('form.filters button');
    assert.equal(await page.inputValue('[name=since]'), '2026-01-31');
    assert.match(page.url(), /since=2026-01-31/);

    await page.goto(`${services.site}/console/operator/punishments`);
    await page.click('main th a >> nth=0');
    const soon = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 86_400_000).toISOString().slice(0, 16);
    await page.selectOption('[name=expires]', '…');
    await page.fill('[name=expires_other]', soon);
    await page.click('[aria-labelledby=change] button');
    assert.match(await page.innerText('.notice'), /Saved/);
    assert.equal((await page.inputValue('[name=expires_other]')).slice(0, 16), soon);
    await page.close();
  });

  test('without JavaScript: register, see the secret once, upload a logo, give it an owner, delete it, sign out', async () => {
    const { services, browser } = opened;
    const page = await browser.newPage({ javaScriptEnabled: false, locale: 'en' });
    await makeAccount(services, 'Visitor');
    await signInBrowser(page, services, 'Visitor');
    await page.click('text=Register an application');
    await page.fill('[name=name]', 'Pocket Scores');
    await page.click('text=Register');
    await page.check('[value=service]');
    await page.fill('[name=redirect_uris]', 'http://example.org/callback');
    await page.click('main button');
    assert.match(await page.innerText('.error'), /must be https, except on this machine/);
    await page.fill('[name=redirect_uris]', 'https://example.org/callback');
    await page.click('main button');
    const secret = await page.innerText('.once code');
    assert.match(secret, /^shs_[\w-]{43}$/);
    await page.reload();
    assert.equal(await page.locator('.once').count(), 0);
    await page.click('text=Settings');
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.setInputFiles('[name=logo]', { name: 'logo.png', mimeType: 'image/png', buffer: bytes });
    await page.click('text=Upload');
    assert.match(await page.innerText('.notice'), /Saved/);
    const logo = await page.request.get(services.site + (await page.getAttribute('.logo', 'src')));
    assert.equal(logo.headers()['content-type'], 'image/png');
    assert.match(logo.headers()['content-security-policy']!, /sandbox/);
    await page.setInputFiles('[name=logo]', {
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from('<svg onload=x>'),
    });
    await page.click('text=Upload');
    assert.match(await page.innerText('.notice'), /must be a PNG, JPEG or WebP/);
    await page.fill('[name=owner]', 'mariner');
    await page.click('text=Add owner');
    assert.match(await page.innerText('[aria-labelledby=owners]'), /Mariner invited/);
    await page.click('a.danger');
    await page.fill('main [name=name]', 'Pocket Scores');
    await page.click('main button.danger');
    assert.match(await page.innerText('.notice'), /deleted/);
    await page.click('text=Sign out');
    await page.waitForURL((url) => url.origin === services.auth);
    await page.goto(`${services.site}/console`);
    assert.match(await page.innerText('main'), /Sign in to begin/);
  });
});
