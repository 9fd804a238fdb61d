import type { Page } from 'playwright-core';
import { openServices } from '#server/listeners.ts';
import { openAppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { readConfig } from '#platform/config/config.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { createTestDatabase, TestClock, type TestAppContext } from '#test/support/context.ts';
import { isWanted, looksIn, shoot, type Wanted } from '#test/support/shots.ts';
import { everyFactorPage, everySignInPage } from './pages.ts';
import { freePort, PASSWORD, type TestAuth } from './support.ts';
import { shareSigningKey } from './signing-key.ts';

/**
 * Takes screenshots of the requested pages of the sign-in service.
 * @returns the number of pages
 */
export async function shootSignIn(wanted: Wanted): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase('sqlite');
  stack.defer(() => database.drop());
  const auth = `http://localhost:${await freePort()}`;
  const config = readConfig({
    ...{ AUTH_URL: auth, API_LISTEN: '127.0.0.1:0', DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    ...{ SECRET_KEY: 'a secret that is long enough for tests', NETWORK_NAME: 'Gullwing Quay' },
    ...{ CONTACT: 'hello@example.org', SMTP_URL: 'smtp://127.0.0.1:1' },
  });
  const context = stack.use((await openAppContext(config, new TestClock(Date.now()))) as TestAppContext);
  await shareSigningKey(context);
  const { addresses } = stack.use(await openServices(context, ['AUTH', 'API']));
  const services = { context, auth, api: addresses.API!, listens: addresses.AUTH! };
  const { anonymous, unlinked, linked } = await everySignInPage(services);
  const factors = await everyFactorPage(services);
  const browser = stack.use(await launchBrowser());
  let count = 0;
  for (const [login, all] of [
    ['', anonymous],
    ['Robin', unlinked],
    ['Steve', linked],
    ['Wren', factors.pages],
    ['Wren', factors.proved],
  ] as const) {
    const pages = all.filter(({ name }) => isWanted(wanted, `auth-${name}`));
    if (pages.length === 0) continue;
    count += pages.length;
    for (const { look, options } of looksIn(wanted.language)) {
      const page = await browser.newPage(options);
      if (login !== '') await signIn(page, services, { login, look, recoveryCode: factors.recoveryCode });
      const proved = all === factors.proved ? context.clock.now() : null;
      await context.db.run(sql`update account_sessions set proved = ${proved}`);
      for (const { name, path, error, open } of pages)
        await shoot(page, { address: auth + path, name: `auth-${name}-${look}`, error, open });
      await page.close();
    }
  }
  return count;
}

interface Visitor {
  login: string;
  /** In the names of pictures. */
  look: string;
  /** For the second step, which is a picture too. */
  recoveryCode: () => Promise<string>;
}

async function signIn(page: Page, { auth }: TestAuth, { login, look, recoveryCode }: Visitor): Promise<void> {
  await page.goto(`${auth}/sign-in`);
  await page.fill('[name=login]', login);
  await page.fill('[name=password]', PASSWORD);
  await page.click('form:has([name=password]) button');
  if (login === 'Wren') {
    await page.waitForURL(`${auth}/sign-in/second`);
    await shoot(page, { address: page.url(), name: `auth-factors-second-step-${look}` });
    await page.fill('[name=code]', await recoveryCode());
    await page.click('form:has([name=code]) button');
  }
  await page.waitForURL(`${auth}/account`);
}
