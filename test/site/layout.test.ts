import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { openServices } from '#server/listeners.ts';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import {
  after as later,
  configured,
  login,
  map,
  match,
  person,
  presence,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { createTestDatabase, TestClock, type TestAppContext } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { everyPage, type SitePage } from './pages.ts';
import { siteSession } from './session.ts';
import { fillNetwork } from './world.ts';

interface Opened extends AsyncDisposable {
  context: TestAppContext;
  site: string;
  browser: TestBrowser;
  pages: SitePage[];
  /** Paths of pages about odd but valid data. */
  odd: Record<'freeForAll' | 'battle' | 'rightToLeft' | 'newcomer' | 'map', string>;
}

const HEBREW = 'שועלים';

async function open(): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase('sqlite');
  stack.defer(() => database.drop());
  const [port] = await freePorts(1);
  const SITE_URL = `http://127.0.0.1:${port}`;
  const settings = { SITE_URL, DATABASE_URL: database.url, LOG_LEVEL: 'silent', NETWORK_NAME: 'Gullwing Quay' };
  const context = stack.use((await openAppContext(readConfig(settings), new TestClock())) as TestAppContext);
  // The latest matches of the sample network have none of this mode at some times of the day.
  const scorers = [1, 2, 3].map((number) => ({ ...person(number), kill_count: number }));
  await sendEvents(context, match({ gamemode: 'ctw', win: 'Red', teams: [team('Red', ...scorers)] as never }));
  await fillNetwork(context);
  const objectives = Array.from({ length: 60 }, (_, index) => ({
    ...{ player: person(1), team: 'Red', type: 'wool', name: `Wool ${index}`, time: later(-index * 1000) },
  })) as never;
  const crowd = Array.from({ length: 1_000 }, (_, index) =>
    team(`Player${index}`, { ...person(index), kill_count: index }),
  );
  const [freeForAll, battle, rightToLeft] = await sendEvents(
    context,
    match({ gamemode: 'ffa', map: 'Ricochet Alley', win: 'Player7', teams: crowd as never }),
    match({ teams: [team('Red', 1), team('Blue', 2)], objectives }),
    match({ win: HEBREW, teams: [team(HEBREW, 1), team('Blue', 2)] }),
    login('Alpha', person(4242, 'Newcomer')),
    map('Ricochet Alley', { gamemodes: ['ffa'], teams: [] }),
    // The home page folds servers beyond 20.
    ...Array.from({ length: 30 }, (_, number) => configured(`Lobby of the harbour ${number}`, { order: 100, max: 40 })),
    presence('Lobby of the harbour 29', { players: ['Newcomer'], current_map: 'Ricochet Alley' }),
  );
  stack.use(await openServices(context, ['SITE']));
  const browser = stack.use(await launchBrowser());
  const pages = await everyPage(context.db);
  const odd = {
    freeForAll: `/matches/${freeForAll}`,
    battle: `/matches/${battle}`,
    rightToLeft: `/matches/${rightToLeft}`,
    newcomer: `/players/${person(4242).uuid}`,
    map: '/maps/Ricochet%20Alley',
  };
  const resources = stack.move();
  return { context, site: SITE_URL, browser, pages, odd, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const WIDTHS = [320, 360, 390, 640, 1024, 1215, 1216, 1280];

/** Links and buttons that are lower than 24 pixels and not part of a sentence. */
const SMALL_TARGETS = `[...document.querySelectorAll('a[href], button, summary, input:not([type=hidden], [type=radio]), select')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && !element.closest('.skip'))
  .filter((element) => {
    const own = element.parentElement;
    const isInSentence = [...own.childNodes].some((node) => node.nodeType === 3 && /[\\p{L}]/u.test(node.data));
    const rows = element.getClientRects();
    return !isInSentence && rows.length > 0 && element.getBoundingClientRect().height < 23.5;
  })
  .map((element) => element.outerHTML.slice(0, 120) + ' ' + element.getBoundingClientRect().height)`;

/** Words with a hyphen in headings of ours that are divided between two lines. Names of others are in \`bdi\`. */
const DIVIDED_WORDS = `[...document.querySelectorAll('h1, h2, h3')].flatMap((heading) => {
  const walker = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest('bdi, code')) continue;
    for (const word of node.data.matchAll(/\\p{L}+[-\\u2011]\\p{L}+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})`;

describe('the layout of the site in a browser', () => {
  let opened: Opened;
  before(async () => void (opened = await open()));
  after(() => opened[Symbol.asyncDispose]());

  const openPage = async (path: string, width = 390, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
    const page = await opened.browser.newPage({ viewport: { width, height: 844 }, colorScheme });
    await page.goto(opened.site + path);
    return page;
  };

  test('the header shows the whole name of the network', async () => {
    const page = await openPage('/');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      const cut = await page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)(document.querySelector('.brand bdi'))`,
      );
      assert.equal(cut, false, `${width} px`);
    }
  });

  test('the header shows the whole name of the person, on phones in the menu', async () => {
    const page = await openPage('/');
    const name = 'WWWWWWWWWWWWWWWW';
    const cookie = await siteSession(opened.context, { name });
    const [, value] = cookie.split('=');
    await page.context().addCookies([{ name: cookie.split('=')[0]!, value: value!, url: opened.site }]);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(opened.site);
      const summary = page.locator('.person summary');
      const shown = summary.locator('bdi');
      if (!(await shown.isVisible())) await summary.click();
      const found = await page.evaluate<
        unknown[]
      >(`[...document.querySelectorAll('.person summary bdi, .person-name bdi')]
        .filter((element) => element.checkVisibility())
        .map(({ textContent, scrollWidth, clientWidth, parentElement }) =>
          [textContent, scrollWidth > clientWidth, parentElement.scrollWidth > parentElement.clientWidth])`);
      assert.deepEqual(found, [[name, false, false]], `${width} px`);
      const brand = await page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)(document.querySelector('.brand bdi'))`,
      );
      assert.equal(brand, false, `the network, ${width} px`);
      assert.ok(
        await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
        `${width} px scrolls`,
      );
    }
  });

  test('the first player of a leaderboard is in the first screen', async () => {
    for (const path of ['/leaderboards?period=all', '/leaderboards?period=all&mode=ctw&by=kill']) {
      const page = await openPage(path);
      const row = (await page.locator('.board tbody tr').nth(1).boundingBox())!;
      assert.ok(row.y + row.height < 700, `${path}: ${row.y}`);
      await page.locator('.filters summary').click();
      await page.locator('.filters a', { hasText: 'Capture the Wool' }).click();
      assert.match(page.url(), /mode=ctw/);
      await page.close();
    }
  });

  test('a name of 15 letters takes one line of a leaderboard', async () => {
    for (const path of ['/leaderboards?period=all', opened.pages.find(({ name }) => /counter/.test(name))!.path]) {
      const page = await openPage(path);
      const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.board tbody th bdi')].map((name) => {
        name.textContent = 'DenaezuthYarrow';
        return name.getClientRects().length;
      })`);
      assert.deepEqual([...new Set(lines)], [1], path);
      await page.close();
    }
  });

  test('every link and button that is not part of a sentence is 24 pixels high; no heading divides a word', async () => {
    const faults: string[] = [];
    const page = await openPage('/');
    for (const { name, path } of opened.pages) {
      await page.goto(opened.site + path);
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        for (const found of await page.evaluate<string[]>(DIVIDED_WORDS)) faults.push(`${name} ${width}: ${found}`);
        if (width !== 320)
          for (const found of await page.evaluate<string[]>(SMALL_TARGETS)) faults.push(`${name} ${width}: ${found}`);
      }
    }
    assert.deepEqual(faults, []);
  });

  test('every link of the home page is 24 pixels high and wide, also with a short name and in what unfolds', async () => {
    for (const width of [390, 1280]) {
      const page = await openPage('/', width);
      const small = await page.evaluate<string[]>(`(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
        for (const name of document.querySelectorAll('main a > bdi')) name.textContent = 'iii';
        return [...document.querySelectorAll('main a[href], main summary')].flatMap((link) => {
          const { width, height } = link.getBoundingClientRect();
          return width < 23.5 || height < 23.5 ? [link.outerHTML.slice(0, 120) + ' ' + width + 'x' + height] : [];
        });
      })()`);
      assert.deepEqual(small, [], `${width} px`);
      await page.close();
    }
  });

  test('a match of 1,000 players and one of 60 objectives stay small and fold', async () => {
    const page = await openPage(opened.odd.freeForAll);
    const size = (await (await page.request.get(opened.site + opened.odd.freeForAll)).body()).length;
    assert.ok(size < 120_000, `${size} bytes`);
    assert.match(await page.locator('.banner .soft').innerText(), /^Free-for-all/);
    assert.equal(await page.locator('.scoreboard tbody tr').count(), 100);
    assert.match(await page.locator('.scoreboard tbody tr').first().innerText(), /Player7\s+Winner/);
    assert.match(await page.locator('.stretch').innerText(), /1 to 100 of 1,000/);
    await page.locator('.stretch a[rel=next]').click();
    assert.match(page.url(), /players=2#players$/);
    assert.match(await page.locator('.stretch').innerText(), /101 to 200 of 1,000/);
    const names = new Set<string>();
    for (let number = 1; number <= 10; number++) {
      await page.goto(`${opened.site}${opened.odd.freeForAll}?players=${number}`);
      for (const name of await page.locator('.scoreboard .player').allInnerTexts()) names.add(name);
    }
    assert.equal(names.size, 1_000, 'the pages show everybody once');
    for (const wrong of ['0', 'x', '-1', '99999'])
      assert.equal((await page.goto(`${opened.site}${opened.odd.freeForAll}?players=${wrong}`))!.status(), 400, wrong);

    await page.goto(opened.site + opened.odd.battle);
    assert.equal(await page.locator('.entries li').first().isVisible(), false);
    await page.locator('.more summary').click();
    assert.equal(await page.locator('.entries li').count(), 60);
    assert.ok(await page.locator('.entries li').last().isVisible());
    await page.goto(opened.site + opened.odd.map);
    assert.equal(await page.getByText('Wins by team').count(), 0, 'the winners are players');
  });

  test('the name of a team from right to left does not turn the words around', async () => {
    const page = await openPage(opened.odd.rightToLeft);
    const chip = page.locator('.team-chip', { hasText: HEBREW }).first();
    const [name, whole] = [(await chip.locator('bdi').boundingBox())!, (await chip.boundingBox())!];
    assert.match(await chip.innerText(), new RegExp(`${HEBREW} won`));
    assert.ok(name.x - whole.x < 20, 'the name is first, and "won" to the right of it');
  });

  test('the page of a player without matches says so; a missing page offers a search', async () => {
    const page = await openPage(opened.odd.newcomer);
    assert.match(await page.locator('main').innerText(), /has not played a match yet/);
    assert.equal(await page.locator('.ring').count(), 0);
    await page.goto(`${opened.site}/players/nobody-is-called-this`);
    await page.locator('main [name=q]').fill('Newc');
    await page.locator('main [name=q]').press('Enter');
    assert.match(page.url(), /\/search\?q=Newc$/);
    await page.locator('.found', { hasText: 'Newcomer' }).waitFor();
  });

  test('on paper, letters are dark on white, also in a dark browser', async () => {
    const path = opened.pages.find(({ name }) => name === 'match')!.path;
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(path, 1280, colorScheme);
      await page.emulateMedia({ media: 'print', colorScheme });
      assert.equal(await page.locator('.banner .thumb').isVisible(), false, 'the picture');
      const colours = await page.evaluate<string[]>(
        `['body', '.banner', '.banner h1', '.card'].map((name) => getComputedStyle(document.querySelector(name))).flatMap(({ color, backgroundColor }) => [color, backgroundColor])`,
      );
      for (const [index, colour] of colours.entries())
        assert.equal(colour, index % 2 === 0 ? 'rgb(0, 0, 0)' : 'rgba(0, 0, 0, 0)', `${colorScheme} ${index}`);
      await page.close();
    }
  });
});
