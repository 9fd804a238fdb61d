import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from 'hono/html';
import { brandAssets } from '#http/assets.ts';
import { field } from '#http/fields.ts';
import { contrast, inkOn, readableOn } from '#platform/text/colours.ts';
import { readConfig } from '#platform/config/config.ts';
import { chooseLanguage } from '#http/languages.ts';
import { pageHeaders, renderPage } from '#http/page.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('any colour becomes readable on its background, and a readable colour is not changed', () => {
  fc.assert(
    fc.property(colour, fc.constantFrom('#f6f3ec', '#12151c'), (wanted, ground) => {
      const shown = readableOn([ground], wanted);
      assert.ok(contrast(shown, ground) >= 4.5, `${wanted} on ${ground} became ${shown}`);
      if (contrast(wanted, ground) >= 4.5) assert.equal(shown, wanted);
      assert.ok(contrast(inkOn(wanted), wanted) >= 4.5);
    }),
  );
});

test('the language is the explicit choice, then the preference of the browser, then English', () => {
  assert.equal(chooseLanguage(['ja'], 'en'), 'ja');
  assert.equal(chooseLanguage([undefined, 'fr ja-JP en'], undefined), 'ja');
  assert.equal(chooseLanguage(['xx'], 'de, en;q=0.3, ja;q=0.7'), 'ja');
  assert.equal(chooseLanguage([], 'ja;q=0, de'), 'en');
  assert.equal(chooseLanguage([], undefined), 'en');
  fc.assert(fc.property(fc.string(), (accepted) => ['en', 'ja'].includes(chooseLanguage([], accepted))));
});

test('a page escapes all its inputs and contains no inline script or style', async () => {
  const assets = brandAssets(readConfig({}));
  const shell = { network: '<b>"Net"', home: '/"><script>', assets, stylesheets: ['base.css'], scripts: [] };
  const link = { href: '"><script>', label: '<script>alert(2)</script>' };
  const page = await renderPage(shell, {
    language: 'en',
    title: '</title><script>',
    skip: 'Skip',
    nav: { label: '"><script>', links: [link] },
    aside: html`<p>${'<script>alert(1)</script>'}</p>`,
    main: html`<p>${'<script>alert(1)</script>'}</p>`,
    foot: { label: '"><script>', note: '<script>', links: [link] },
    url: new URL('http://here/"><script>?"><script>'),
    kind: '"><script>',
  });
  assert.ok(!/<script|<style| style=| on\w+=/i.test(page), page);
  assert.match(page, /<title>&lt;\/title&gt;&lt;script&gt; · &lt;b&gt;&quot;Net&quot;<\/title>/);
  assert.match(pageHeaders()['content-security-policy']!, /default-src 'none'; script-src 'self'; style-src 'self'/);
});

test('the URL of an asset depends on its content, and the asset is compressed on request', async () => {
  const assets = brandAssets(readConfig({}));
  const href = assets.href('base.css');
  const plain = (await assets.answer(href, undefined))!;
  const small = (await assets.answer(href, 'gzip, br'))!;
  assert.equal(small.headers.get('content-encoding'), 'br');
  assert.match(plain.headers.get('cache-control')!, /immutable/);
  assert.ok((await small.bytes()).length * 3 < (await plain.bytes()).length);
  assert.equal(await assets.answer('/assets/base.css', undefined), undefined);
});

test('only fields of text have a maximum length, which HTML does not allow in others', async () => {
  for (const [type, has] of [
    ['text', true],
    ['number', false],
    ['date', false],
  ] as const) {
    const written = String(await field({ name: 'a', label: 'A', type, maxlength: 9 }));
    assert.equal(written.includes('maxlength="9"'), has, type);
  }
});
