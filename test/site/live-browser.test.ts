import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { idOf, keyOf } from '#platform/ids.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, match, presence, sendEvents, team } from '#test/support/builders.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { onSqlite, testContext, testServices } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { violations, watch, LOOKS } from '#test/support/page-watch.ts';

/** Pretends that the reader looks at another tab, or comes back. */
const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'))`);

const isStream = (url: string): boolean => url.includes('/live?');

const at = (minute: number): string => after(minute * 60_000);

onSqlite('pages follow what they show without a reload, and not in the background', async (t, url) => {
  const context = await testContext(t, url);
  const { SITE } = await testServices(context, ['SITE']);
  const present = (players: string[], minute: number) =>
    sendEvents(context, presence('Alpha', { players, current_map: 'Fen' }, { time: at(minute) }));
  await sendEvents(context, configured('Alpha', { max: 20 }));
  await present(['Ada', 'Eve'], 0);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const faults = await watch(page, { hosts: [new URL(SITE!).host], expects: () => false });
  const opened = page.waitForResponse((response) => isStream(response.url()));
  await page.goto(SITE!);
  assert.equal((await opened).headers()['content-type'], 'text/event-stream; charset=utf-8');
  await page.evaluate('globalThis.isSamePage = true');
  await page.locator('.names summary').click();
  const ada = page.getByRole('link', { name: 'Ada' });
  await ada.focus();
  await present(['Bob', 'Ada'], 1);
  await page.getByRole('link', { name: 'Bob' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Ada', 'the focus stays');
  assert.equal(await page.getByRole('link', { name: 'Eve', exact: true }).count(), 0);
  await present(['Bob', 'Cy', 'Dot'], 2);
  await page.locator('.count', { hasText: '3' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.dataset.part'), 'servers', 'or goes to the part');
  assert.equal(await page.locator('.names').getAttribute('open'), '', 'open details stay open');
  const [id] = (await sendEvents(context, match({ map: 'Fen', teams: [team('Red', 1)] }))) as [string];
  await page.getByRole('status').filter({ hasText: 'A match on Fen has ended.' }).waitFor({ state: 'attached' });
  await page.locator('.match-row').waitFor();
  assert.deepEqual(await violations(page, LOOKS), []);

  const closed = page.waitForEvent('requestfailed', (request) => isStream(request.url()));
  await setHidden(page, true);
  await closed;
  const again = page.waitForRequest((request) => isStream(request.url()));
  await present([], 3);
  await setHidden(page, false);
  await again;
  await page.locator('.count', { hasText: '0' }).waitFor();
  assert.equal(await page.evaluate('globalThis.isSamePage'), true);

  await page.goto(`${SITE}/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`);
  await present(['Ada'], 4);
  await page.getByText('1 / 20 players').waitFor();
  await page.goto(`${SITE}/matches/${id}`);
  await retractEvents(context.db, context.clock, [keyOf(id)!]);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  assert.deepEqual(faults, []);
});
