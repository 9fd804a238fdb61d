import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { giveConsent } from '#store/accounts/consents.ts';
import { issueMailToken } from '#store/accounts/mail-tokens.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { openTestConsole, type TestConsole } from '#test/console/support.ts';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import { giveApp } from '#test/support/builders.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { freePort, makeAccount, makeApplication, PASSWORD, seePlayer } from './support.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
/** The scheme of a phone app, to which the callback of its service redirects. */
const SCHEME = 'com.example.board';

/** An application on its own origin, whose callbacks redirect on: `/second` to another origin, `/scheme` to an own scheme. */
interface Board {
  origin: string;
  second: string;
  clientId: string;
}

interface World {
  services: TestConsole;
  board: Board;
  browser: TestBrowser;
  /** All messages of the browser's console. */
  messages: string[];
  mail: Mailbox;
}

async function openBoard(t: TestContext, services: TestConsole): Promise<Board> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://x');
    request.resume();
    if (pathname === '/landed') return void response.setHeader('content-type', 'text/html').end('<h1>Landed</h1>');
    const name = new URLSearchParams(search).has('error') ? 'error' : request.method;
    const target = pathname === '/scheme' ? `${SCHEME}:/landed` : `${second}/landed?${name}`;
    response.writeHead(303, { location: target }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const [origin, second] = [`http://127.0.0.1:${port}`, `http://board.localhost:${port}`];
  const { application } = await makeApplication(services, 'service', [`${origin}/second`, `${origin}/scheme`]);
  return { origin, second, clientId: application.client_id };
}

async function openWorld(t: TestContext, settings: Record<string, string> = {}): Promise<World> {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const mail = await Mailbox.open(t);
  const services = await openTestConsole(t, database.url, {
    ...{ AUTH_URL: `http://localhost:${await freePort()}`, SMTP_URL: mail.url, ...settings },
  });
  const board = await openBoard(t, services);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  return { services, board, browser, messages: [], mail };
}

async function newPage({ browser, messages }: World): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  page.on('console', (message) => messages.push(message.text()));
  return page;
}

function requestOf({ services, board }: World, path: string, more: Record<string, string> = {}): string {
  const fields = {
    client_id: board.clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: board.origin + path,
  };
  return `${services.auth}/oauth/authorize?${new URLSearchParams({ ...fields, ...more }).toString()}`;
}

async function enterPassword(page: Page, login: string): Promise<void> {
  if (await page.locator('[name=login]:visible').count()) await page.fill('[name=login]', login);
  await page.fill('[name=password]', PASSWORD);
  await page.click('form:has([name=password]) button');
}

/** Opens `url`, acts, and asserts the address of the last request for a page, which is the one that a person sees. */
async function assertEnd(page: Page, url: string | undefined, act: () => Promise<void>, end: string): Promise<void> {
  if (url !== undefined) await page.goto(url);
  const arrived = page.waitForRequest((request) => request.isNavigationRequest() && request.url() === end);
  await act();
  await arrived.catch((error: unknown) => assert.fail(`ended at ${page.url()}, not ${end}: ${String(error)}`));
  if (!end.startsWith('http')) return;
  await page.waitForURL(end);
}

const press = (page: Page, name: string | RegExp) => () => page.getByRole('button', { name }).first().click();

test('in Chromium each form of the sign-in ends where the site, the console or the application leads', async (t) => {
  const world = await openWorld(t);
  const { services, board, messages, mail } = world;
  const { db, clock } = services.context;
  const robin = await makeAccount(services, 'Robin');
  const landed = `${board.second}/landed?GET`;

  const newcomer = await newPage(world);
  await newcomer.goto(services.site);
  await newcomer.getByRole('link', { name: 'Sign in' }).click();
  await newcomer.getByRole('link', { name: 'Create an account' }).click();
  await newcomer.fill('[name=name]', 'Wren');
  await newcomer.fill('[name=email]', 'wren@example.org');
  await newcomer.fill('[name=password]', PASSWORD);
  await press(newcomer, 'Create account')();
  await newcomer.getByText('Check your e‑mail').waitFor();
  const { links } = await mail.next('wren@example.org');
  await assertEnd(newcomer, links[0], press(newcomer, 'Create account'), `${services.site}/`);
  await newcomer.locator('details.person').click();
  await press(newcomer, 'Sign out')();
  await newcomer.waitForURL(/\/oauth\/logout\?/);
  await assertEnd(newcomer, undefined, press(newcomer, 'Sign out'), `${services.site}/`);

  const byLink = await newPage(world);
  const openLink = async (): Promise<string> => {
    await byLink.goto(`${services.site}/console/sign-in`);
    const flow = new URL(byLink.url()).pathname.split('/').at(-1)!;
    await byLink.context().addCookies([{ name: 'scorehall_flow', value: flow, url: services.auth }]);
    const token = { kind: 'sign-in', account_id: robin.id, data: {} } as const;
    const secret = await db.transaction((tx) => issueMailToken(tx, clock.now() + 60_000, token, robin.email));
    return `${services.auth}/sign-in-link?token=${secret}`;
  };
  const console = `${services.site}/console`;
  await assertEnd(byLink, await openLink(), press(byLink, 'Sign in'), console);
  await byLink.context().clearCookies();
  await giveApp(services.context, robin.id);
  const codes = await db.transaction((tx) => renewRecoveryCodes(tx, clock.now(), robin.id));
  const enterCode = async (): Promise<void> => {
    await byLink.fill('[name=code]', codes.pop()!);
    await byLink.click('form:has([name=code]) button');
  };
  await byLink.goto(await openLink());
  await press(byLink, 'Sign in')();
  await byLink.waitForURL(/\/sign-in\/second$/);
  await assertEnd(byLink, undefined, enterCode, console);
  await byLink.context().clearCookies();
  await byLink.goto(console + '/sign-in');
  await enterPassword(byLink, 'Robin');
  await byLink.waitForURL(/\/second$/);
  await assertEnd(byLink, undefined, enterCode, console);

  await makeAccount(services, 'Steve', STEVE);
  const page = await newPage(world);
  const password = (): Promise<void> => enterPassword(page, 'Steve');
  await page.goto(requestOf(world, '/second'));
  await password();
  await assertEnd(page, undefined, press(page, 'Allow'), landed);
  const ends: [prompt: string, path: string, act: () => Promise<void>, end: string, more?: Record<string, string>][] = [
    ['login', '/second', password, landed],
    ['select_account', '/second', press(page, /Continue as/), landed],
    ['consent', '/second', press(page, 'Cancel'), `${board.second}/landed?error`],
    ['consent', '/scheme', press(page, 'Allow'), `${SCHEME}:/landed`],
    ['login', '/scheme', password, `${SCHEME}:/landed`],
    ['consent', '/second', press(page, 'Allow'), `${board.second}/landed?POST`, { response_mode: 'form_post' }],
  ];
  for (const [prompt, path, act, end, more = {}] of ends)
    await assertEnd(page, requestOf(world, path, { prompt, ...more }), act, end);
  await page.goto(requestOf(world, '/second', { prompt: 'consent' }));
  await press(page, 'Not you?')();
  await password();
  await page.waitForURL(/\/sign-in\//);

  const signOut = new URLSearchParams({
    client_id: board.clientId,
    post_logout_redirect_uri: `${board.origin}/second`,
  });
  await assertEnd(page, `${services.auth}/oauth/logout?${signOut.toString()}`, press(page, 'Sign out'), landed);
  await assertEnd(page, `${services.auth}/oauth/logout?${signOut.toString()}`, press(page, 'Continue'), landed);
  assert.deepEqual(
    messages.filter((message) => message.includes('form-action')),
    [],
  );
});

test('in Chromium the form of the game account continues with the application', async (t) => {
  const world = await openWorld(t, { REGISTRATION: 'linked' });
  const { services, board, messages } = world;
  const { db, clock } = services.context;
  const steve = await makeAccount(services, 'Someone');
  await giveConsent(db, clock.now(), steve.id, board.clientId, ['openid']);
  const page = await newPage(world);
  await page.goto(requestOf(world, '/second'));
  await enterPassword(page, 'Someone');
  await page.getByText('/link').waitFor();
  await seePlayer(services.context, STEVE);
  await db.transaction((tx) => linkPlayer(tx, steve.id, STEVE));
  await assertEnd(page, undefined, press(page, 'I have typed it'), `${board.second}/landed?GET`);
  assert.deepEqual(messages, []);
});
