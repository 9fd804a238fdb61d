import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '#test/support/browser.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { Person } from './person.ts';
import { everySignInPage } from './pages.ts';
import { makeAccount, makeApplication, openTestAuth, PASSWORD, type TestAuth } from './support.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const LIBRARY = join(import.meta.dirname, '../../node_modules/oidc-client-ts-2/dist/browser/oidc-client-ts.min.js');

/** A site of another origin: the sign-in is on 127.0.0.1, which is another site than localhost. */
async function openSite(t: TestContext): Promise<string> {
  const library = readFileSync(LIBRARY);
  const server = createServer((request, response) => {
    if (request.url === '/oidc.js') return void response.setHeader('content-type', 'text/javascript').end(library);
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>…</h1><script src="/oidc.js"></script>');
  }).listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

async function world(t: TestContext): Promise<{ services: TestAuth; site: string; clientId: string }> {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  await makeAccount(services, 'Someone', STEVE);
  const site = await openSite(t);
  const { application } = await makeApplication(services, 'web', [`${site}/callback`]);
  return { services, site, clientId: application.client_id };
}

/** Opens the site and starts `script`, which opens a popup. @returns the site's page and the popup */
async function openPopup(browser: TestBrowser, site: string, script: string): Promise<[Page, Page]> {
  const page = await browser.newPage();
  await page.goto(site);
  const opened = page.waitForEvent('popup');
  await page.evaluate(script);
  return [page, await opened];
}

/** Goes through a wrong password, sign-in and consent. */
async function signIn(popup: Page): Promise<void> {
  await popup.getByLabel('Name or e-mail address').fill('Steve');
  await popup.getByLabel('Password').fill('wrong password');
  await popup.getByRole('button', { name: 'Sign in' }).click();
  await popup.getByText('wrong', { exact: false }).first().waitFor();
  await popup.getByLabel('Password').fill(PASSWORD);
  await popup.getByRole('button', { name: 'Sign in' }).click();
  await popup.getByRole('button', { name: 'Allow' }).click();
}

test('oidc-client-ts 2.4 signs in and out by a popup', async (t) => {
  const { services, site, clientId } = await world(t);
  await using browser = await launchBrowser();
  const settings = {
    ...{ authority: services.auth, client_id: clientId, redirect_uri: `${site}/callback`, scope: 'openid profile' },
    ...{ post_logout_redirect_uri: `${site}/callback`, loadUserInfo: true, automaticSilentRenew: false },
  };
  const [page, popup] = await openPopup(
    browser,
    site,
    `window.manager = new oidc.UserManager(${JSON.stringify(settings)});
     window.user = manager.signinPopup().then((user) => user.profile.preferred_username, (error) => String(error));
     0`,
  );
  popup.on('load', () => void callBack(popup, site, settings, 'signinPopupCallback'));
  await signIn(popup);
  assert.equal(await page.evaluate('window.user'), 'Steve');

  const opened = page.waitForEvent('popup');
  await page.evaluate(`window.done = manager.signoutPopup().then(() => 'signed out', (error) => String(error)); 0`);
  const leaving = await opened;
  leaving.on('load', () => void callBack(leaving, site, settings, 'signoutPopupCallback'));
  await leaving.getByRole('button', { name: 'Sign out' }).click();
  assert.equal(await page.evaluate('window.done'), 'signed out');
});

/** The script of the site's callback page. */
async function callBack(popup: Page, site: string, settings: object, method: string): Promise<void> {
  if (!popup.url().startsWith(`${site}/callback`)) return;
  // The callback closes the popup, so evaluating may not return.
  await popup.evaluate(`new oidc.UserManager(${JSON.stringify(settings)}).${method}()`).catch(() => undefined);
}

test('a page that follows its popup by location and closed receives the code', async (t) => {
  const { services, site, clientId } = await world(t);
  await using browser = await launchBrowser();
  const query = new URLSearchParams({
    ...{ client_id: clientId, response_type: 'code', scope: 'openid', redirect_uri: `${site}/callback`, state: 's' },
  });
  const [page, popup] = await openPopup(
    browser,
    site,
    `window.code = new Promise((resolve) => {
       const popup = window.open(${JSON.stringify(`${services.auth}/oauth/authorize?${query.toString()}`)}, 'sign-in', 'popup,width=500,height=600');
       const timer = setInterval(() => {
         if (popup.closed) return clearInterval(timer), resolve('closed');
         try {
           if (popup.location.origin !== location.origin || popup.location.pathname !== '/callback') return;
         } catch { return; }
         clearInterval(timer);
         resolve(new URLSearchParams(popup.location.search).get('code'));
         popup.close();
       }, 20);
     });
     0`,
  );
  await signIn(popup);
  assert.match(String(await page.evaluate('window.code')), /^[\w-]{43}$/);
});

test('account pages isolate themselves from the page that opened them, pages of a sign-in do not', async (t) => {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  const { anonymous, linked } = await everySignInPage(services);
  const person = new Person(services.auth);
  const isolated = async (path: string): Promise<boolean> => {
    const policy = (await person.open(path)).headers.get('cross-origin-opener-policy');
    assert.ok(policy === null || policy === 'same-origin', path);
    return policy !== null;
  };
  for (const { path } of anonymous) assert.equal(await isolated(path), false, path);
  await person.open('/sign-in');
  await person.submit({ login: 'Steve', password: PASSWORD });
  const isolatedPages: string[] = [];
  for (const { name, path } of linked) if (await isolated(path)) isolatedPages.push(name);
  assert.deepEqual(
    isolatedPages,
    linked.map(({ name }) => name).filter((name) => name.startsWith('account')),
  );
});
