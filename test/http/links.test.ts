import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestLanguage } from '#http/cookies.ts';
import { contactLink, languageLink, linkTo } from '#http/links.ts';
import { keyCursor, listed, pager } from '#http/pager.ts';

test('a contact becomes a link only if it is a web or e-mail address', () => {
  assert.equal(contactLink('https://example.org/help'), 'https://example.org/help');
  assert.equal(contactLink('help@example.org'), 'mailto:help@example.org');
  assert.equal(contactLink('mailto:help@example.org'), 'mailto:help@example.org');
  for (const text of ['', 'ask in the game', 'javascript:alert(1)', 'a b@example.org'])
    assert.equal(contactLink(text), undefined);
});

test('links to a page keep its filters and leave out language, flash message and position in the list', () => {
  const url = new URL('http://here//list?server=a&lang=ja&done=saved&before=x&max_id=y');
  assert.equal(linkTo(url), '/list?server=a');
  assert.equal(linkTo(url, { server: undefined }), '/list');
  assert.equal(linkTo(url, { before: 'z' }), '/list?server=a&before=z');
  assert.equal(languageLink(new URL('http://here//list?before=x'), 'ja'), '/list?before=x&lang=ja');
});

test('a list has pages with cursors, and the pager links to the first and the next page', async () => {
  const [first, last] = [
    listed([{ key: 3 }, { key: 2 }, { key: 1 }], 2, keyCursor),
    listed([{ key: 1 }], 2, keyCursor),
  ];
  assert.deepEqual([first.items.length, first.next, last.next], [2, keyCursor({ key: 2 }), undefined]);
  const texts = { label: 'Pages', first: 'Newest', next: 'Next', end: 'End' };
  const shown = async (path: string, next?: string): Promise<string> =>
    String(await pager(new URL(path, 'http://here'), texts, next, 'max_id'));
  assert.equal(await shown('/list'), '');
  assert.match(await shown('/list?a=1', 'k'), /href="\/list\?a=1&amp;max_id=k"/);
  assert.match(await shown('/list?a=1&max_id=k'), /href="\/list\?a=1">Newest<[\s\S]*End/);
});

test('the language comes from the link, then the cookie, then the application, then the browser', () => {
  const headers = { cookie: 'lang=en; scorehall_language=ja', 'accept-language': 'en' };
  assert.equal(requestLanguage(headers, 'en'), 'en');
  assert.equal(requestLanguage(headers, undefined, 'en'), 'ja');
  assert.equal(requestLanguage({ 'accept-language': 'en' }, undefined, 'ja'), 'ja');
  assert.equal(requestLanguage({ cookie: 'lang=ja; scorehall_language=%ff' }, 'xx'), 'en');
});
