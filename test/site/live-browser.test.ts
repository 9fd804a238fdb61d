import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { idOf, keyOf } from '#platform/ids.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, match, presence, progress, sendEvents, team } from '#test/support/builders.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { onSqlite, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { violations, watch, LOOKS } from '#test/support/page-watch.ts';

/** Pretends that the reader looks at another tab, or comes back. */
const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'))`);

const at = (minute: number): string => after(minute * 60_000);

/** Hands the pauses of `live.js` to the test, which ends them. */
const PAUSES = `const { setTimeout: start, clearTimeout: stop } = globalThis;
  Object.assign(globalThis, {
    setTimeout: (run, ms) => (run.name === 'ask' ? (globalThis.endPause = run, void reportPause(ms)) : start(run, ms)),
    clearTimeout: (timer) => (timer === undefined ? (globalThis.endPause = undefined) : stop(timer)),
  });`;

/** A page that follows, in time that the test lets pass. */
class FollowingPage {
  readonly page: Page;
  readonly #context: TestAppContext;
  readonly #pauses: number[] = [];
  #reported = Promise.withResolvers<void>();

  private constructor(page: Page, context: TestAppContext) {
    this.page = page;
    this.#context = context;
  }

  static async open(page: Page, context: TestAppContext): Promise<FollowingPage> {
    const following = new FollowingPage(page, context);
    await page.exposeFunction('reportPause', (ms: number) => {
      following.#pauses.push(ms);
      following.#reported.resolve();
    });
    await page.addInitScript(PAUSES);
    return following;
  }

  /** The next pause that the page makes, in milliseconds. */
  async paused(): Promise<number> {
    while (this.#pauses.length === 0) {
      await this.#reported.promise;
      this.#reported = Promise.withResolvers();
    }
    return this.#pauses.shift()!;
  }

  /** Waits for the next pause and ends it. @returns its length */
  async pass(): Promise<number> {
    const ms = await this.paused();
    this.#context.clock.advance(ms);
    await this.page.evaluate('endPause()');
    return ms;
  }

  /** The next pause, and the status of the response after it. */
  async next(): Promise<[ms: number, status: number]> {
    const response = this.page.waitForResponse((each) => isLive(each.url()));
    return [await this.pass(), (await response).status()];
  }

  get isPaused(): Promise<boolean> {
    return this.page.evaluate('globalThis.endPause !== undefined');
  }
}

const isLive = (url: string): boolean => new URL(url).pathname.startsWith('/live/');

onSqlite('pages follow what they show without a reload, and ask nothing in the background', async (t, url) => {
  const context = await testContext(t, url);
  const { SITE } = await testServices(context, ['SITE']);
  const present = (players: string[], minute: number) =>
    sendEvents(context, presence('Alpha', { players, current_map: 'Fen' }, { time: at(minute) }));
  await sendEvents(context, configured('Alpha', { max: 20 }));
  await present(['Ada', 'Eve'], 0);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const faults = await watch(page, { hosts: [new URL(SITE!).host], expects: (_, text) => /404/.test(text) });
  const following = await FollowingPage.open(page, context);
  await page.goto(SITE!);
  await page.evaluate('globalThis.isSamePage = true');
  await page.locator('.names summary').click();
  const ada = page.getByRole('link', { name: 'Ada' });
  await ada.focus();
  await present(['Bob', 'Ada'], 1);
  await following.pass();
  await page.getByRole('link', { name: 'Bob' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Ada', 'the focus stays');
  assert.equal(await page.getByRole('link', { name: 'Eve', exact: true }).count(), 0);
  await present(['Bob', 'Cy', 'Dot'], 2);
  await following.pass();
  await page.locator('.count', { hasText: '3' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.dataset.part'), 'servers', 'or goes to the part');
  assert.equal(await page.locator('.names').getAttribute('open'), '', 'open details stay open');
  const [id] = (await sendEvents(context, match({ map: 'Fen', teams: [team('Red', 1)] }))) as [string];
  await following.pass();
  await page.getByRole('status').filter({ hasText: 'A match on Fen has ended.' }).waitFor({ state: 'attached' });
  await page.locator('.match-row').waitFor();
  assert.deepEqual(await violations(page, LOOKS), []);

  assert.equal(await following.paused(), 3_000);
  await setHidden(page, true);
  assert.equal(await following.isPaused, false, 'a hidden page asks nothing');
  await present([], 3);
  context.clock.advance(60_000);
  await setHidden(page, false);
  await page.locator('.count', { hasText: '0' }).waitFor();
  assert.equal(await page.evaluate('globalThis.isSamePage'), true);
  await following.paused();

  await page.goto(`${SITE}/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`);
  for (const score of [4, 5]) {
    const teams = [{ ...team('Red', 1), score }, team('Blue', 2)];
    await sendEvents(context, progress({ map: 'Fen', started: at(3), teams }, { time: at(score) }));
    await following.pass();
    await page.locator('.score-value', { hasText: String(score) }).waitFor();
  }
  await page.goto(`${SITE}/matches/${id}`);
  await retractEvents(context.db, context.clock, [keyOf(id)!]);
  await following.pass();
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  assert.equal(await following.isPaused, false, 'a page that is gone asks no more');
  assert.deepEqual(faults, []);
});

onSqlite('a page asks less often while nothing changes or requests fail, and recovers', async (t, url) => {
  const context = await testContext(t, url);
  const { SITE } = await testServices(context, ['SITE']);
  await sendEvents(context, configured('Alpha', { max: 20 }));
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  await page.addInitScript('Math.random = () => 0.5');
  const faults = await watch(page, { hosts: [new URL(SITE!).host], expects: () => true });
  const following = await FollowingPage.open(page, context);
  await page.goto(SITE!);
  for (const pause of [3_000, 4_500, 6_750, 10_125, 15_000]) assert.deepEqual(await following.next(), [pause, 304]);
  await sendEvents(context, presence('Alpha', { players: ['Ada'] }));
  assert.deepEqual(await following.next(), [15_000, 200]);
  await page.locator('.count', { hasText: '1' }).waitFor();

  let fault: Fault | undefined = 503;
  await page.route('**/live/**', (route) => (fault === undefined ? route.continue() : answerWith(route, fault)));
  assert.deepEqual(await following.next(), [3_000, 503]);
  fault = 429;
  assert.deepEqual(await following.next(), [60_000, 429], '`Retry-After`, and half as much by chance');
  fault = 'network';
  assert.equal(await following.pass(), 90_000, 'at most a minute, and half as much');
  fault = undefined;
  assert.deepEqual(await following.next(), [90_000, 200], 'the server is offline now');
  assert.deepEqual(await following.next(), [3_000, 304]);

  fault = 'other parts';
  assert.deepEqual(await following.next(), [4_500, 200]);
  fault = 'other shape';
  assert.deepEqual(await following.next(), [3_000, 200]);
  fault = 404;
  assert.deepEqual(await following.next(), [9_000, 404]);
  fault = undefined;
  await sendEvents(context, presence('Alpha', { players: ['Ada', 'Eve'] }, { time: at(9) }));
  assert.deepEqual(await following.next(), [18_000, 200]);
  await page.locator('.count', { hasText: '2' }).waitFor();
  assert.deepEqual(faults, []);
});

/** What a page gets instead of its parts; the last three come from another release. */
type Fault = 503 | 429 | 'network' | 404 | 'other parts' | 'other shape';

async function answerWith(route: Route, fault: Fault): Promise<void> {
  if (fault === 'network') return await route.abort();
  if (typeof fault === 'number')
    return await route.fulfill({ status: fault, headers: { 'retry-after': '40' }, body: '' });
  const json = fault === 'other shape' ? { page: '' } : { parts: { other: '<p></p>' }, says: '', version: 'other' };
  return await route.fulfill({ json });
}
