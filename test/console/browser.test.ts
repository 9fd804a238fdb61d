import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COLOURS, NARROW, RULES, violations, watch, WIDE } from '#test/support/page-watch.ts';
import { type BrowserWorld, openBrowserWorld, signInBrowser } from './browser.ts';

const LOOKS = [
  { name: 'narrow, light, English', viewport: NARROW, colorScheme: 'light', locale: 'en', rules: RULES },
  { name: 'narrow, dark, Japanese', viewport: NARROW, colorScheme: 'dark', locale: 'ja', rules: COLOURS },
  { name: 'wide, light, Japanese', viewport: WIDE, colorScheme: 'light', locale: 'ja', rules: RULES },
  { name: 'wide, dark, English', viewport: WIDE, colorScheme: 'dark', locale: 'en', rules: COLOURS },
] as const;

describe('the console in a browser', () => {
  let opened: BrowserWorld;
  before(async () => void (opened = await openBrowserWorld()));
  after(() => opened[Symbol.asyncDispose]());

  for (const { name: looks, rules, ...look } of LOOKS) {
    test(`every page keeps nobody out and stays with us, ${looks}`, async () => {
      const { services, browser, pages } = opened;
      const page = await browser.newPage({ ...look, reducedMotion: 'reduce' });
      const faults = await watch(page, {
        hosts: [services.site, services.auth].map((address) => new URL(address).host),
        expects: (url) => url.endsWith('/console/nothing'),
      });
      await signInBrowser(page, services, 'Mariner');
      const found: string[] = [];
      for (const { name, path } of pages) {
        await page.goto(services.site + path);
        assert.equal(await page.getAttribute('html', 'lang'), look.locale, name);
        faults.push(...(await violations(page, rules)));
        found.push(...faults.splice(0).map((fault) => `${name}: ${fault}`));
      }
      assert.deepEqual(found, []);
    });
  }

  test('without JavaScript: register, see the secret once, upload a logo, give it an owner, delete it, sign out', async () => {
    const { services, browser } = opened;
    const page = await browser.newPage({ javaScriptEnabled: false, locale: 'en' });
    await signInBrowser(page, services, 'Newcomer');
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
