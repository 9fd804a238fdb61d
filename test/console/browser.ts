import type { Page } from 'playwright-core';
import { openServices } from '#server/listeners.ts';
import { type Environment, readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import { createTestDatabase, TestClock, type TestAppContext } from '#test/support/context.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { PASSWORD } from '#test/auth/support.ts';
import { consoleConfig, type TestConsole } from './support.ts';
import { type ConsolePage, consolePages, type ConsoleWorld, fillConsole, makePerson } from './world.ts';
import { setRole } from '#store/accounts/account-changes.ts';

export interface BrowserWorld extends AsyncDisposable {
  services: TestConsole;
  world: ConsoleWorld;
  browser: TestBrowser;
  pages: ConsolePage[];
}

/** A browser and the console of a network without servers, players or applications, with an operator. */
export async function openEmptyWorld(): Promise<Omit<BrowserWorld, 'world'>> {
  return await openWorld(async (context) => {
    await setRole(context.db, (await makePerson(context, 'Mariner')).id, 'operator');
    const names = ['applications', 'operator', 'operator/servers', 'operator/players', 'operator/punishments'];
    const pages = names.map((path) => ({ name: path.replace('/', '-'), path: `/console/${path}` }));
    return { pages: pages.with(0, { name: 'applications', path: '/console/applications' }) };
  });
}

/** A console with data on every page, and a browser. */
export async function openBrowserWorld(settings: Environment = {}): Promise<BrowserWorld> {
  return await openWorld(async (context) => {
    const world = await fillConsole(context);
    return { world, pages: await consolePages(context, world) };
  }, settings);
}

/** A browser and the console that is closed to an operator without a second factor. */
export async function openClosedWorld(): Promise<Omit<BrowserWorld, 'world'>> {
  return await openWorld(
    async (context) => {
      await setRole(context.db, (await makePerson(context, 'Mariner')).id, 'operator');
      return { pages: [{ name: 'second-factor', path: '/console/operator', error: 403 }] };
    },
    { OPERATOR_SECOND_FACTOR: 'required', CONTACT: 'https://example.org/staff' },
  );
}

type Filled = Pick<BrowserWorld, 'pages'>;

async function openWorld<F extends Filled>(
  fill: (context: TestAppContext) => Promise<F>,
  settings: Environment = {},
): Promise<Omit<BrowserWorld, 'world' | 'pages'> & F> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase('sqlite');
  stack.defer(() => database.drop());
  const config = readConfig(await consoleConfig(database.url, settings));
  const context = stack.use((await openAppContext(config, new TestClock())) as TestAppContext);
  const filled = await fill(context);
  await shareSigningKey(context);
  const { addresses } = stack.use(await openServices(context, ['AUTH', 'API', 'SITE']));
  const browser = stack.use(await launchBrowser());
  const services = {
    context,
    auth: config.AUTH_URL,
    api: config.API_URL,
    site: config.SITE_URL,
    listens: addresses.AUTH!,
  };
  const resources = stack.move();
  return { services, browser, ...filled, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Signs somebody in at the console through the pages of the sign-in. */
export async function signInBrowser(page: Page, { site }: TestConsole, login: string): Promise<void> {
  await page.goto(`${site}/console/sign-in`);
  await page.fill('[name=login]', login);
  await page.fill('[name=password]', PASSWORD);
  await page.click('form button');
  await page.waitForURL(new RegExp(`^${site}/console(/operator.*)?$`));
}
