import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setLogo } from '#store/applications/logos.ts';
import { addOwner } from '#store/applications/owners.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { COLOURS, type Look, RULES, violations, WIDE } from '#test/support/page-watch.ts';
import { makeAccount, makeApplication, openTestAuth, PASSWORD, send, type TestAuth } from './support.ts';

const require = createRequire(import.meta.url);
const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function listen(
  t: TestContext,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A third-party site that signs people in and shows the answer of `/v1/players/me` on each visit. */
async function thirdParty(t: TestContext, services: TestAuth) {
  let credentials = { client_id: '', client_secret: '' };
  let token = '';
  const site: string = await listen(t, (request, response) => {
    const url = new URL(request.url!, site);
    const redirect_uri = `${site}/callback`;
    void (async () => {
      if (url.pathname === '/callback') {
        const code = url.searchParams.get('code') ?? '';
        const body = new URLSearchParams({ ...credentials, grant_type: 'authorization_code', code, redirect_uri });
        const answer = await fetch(`${services.auth}/oauth/token`, { method: 'POST', body });
        token = ((await answer.json()) as { access_token: string }).access_token;
        return response.writeHead(303, { location: '/' }).end();
      }
      if (token === '') {
        const query = {
          client_id: credentials.client_id,
          response_type: 'code',
          scope: 'openid profile email',
          redirect_uri,
        };
        return response
          .writeHead(303, { location: `${services.auth}/oauth/authorize?${new URLSearchParams(query).toString()}` })
          .end();
      }
      const me = await fetch(`${services.api}/v1/players/me`, { headers: { authorization: `Bearer ${token}` } });
      const { name = 'nobody' } = (await me.json()) as { name?: string };
      return response.setHeader('content-type', 'text/html').end(`<h1>${me.status} ${name}</h1>`);
    })();
  });
  const { application, secret } = await makeApplication(services, 'service', [`${site}/callback`]);
  credentials = { client_id: application.client_id, client_secret: secret! };
  const owner = await makeAccount(services, 'Ann');
  await addOwner(services.context.db, services.context.clock.now(), application.key, owner.id);
  await setLogo(services.context.db, application.key, 'image/png', PIXEL);
  return site;
}

const LIGHT: Look = { name: 'light', viewport: WIDE, colorScheme: 'light', rules: RULES };
const DARK: Look = { ...LIGHT, name: 'dark', colorScheme: 'dark', rules: COLOURS };

/** Asserts that axe finds no accessibility problem (WCAG 2.2 AA). */
async function assertAccessible(page: Page, ...looks: Look[]): Promise<void> {
  assert.deepEqual(await violations(page, [LIGHT, ...looks]), [], page.url());
}

test('registering, linking, consenting and ending access work in a browser without JavaScript', async (t) => {
  const database = await createTestDatabase('sqlite');
  const mail = await Mailbox.open(t);
  const services = await openTestAuth(t, database.url, { SMTP_URL: mail.url, CONTACT: 'help@example.org' });
  t.after(() => database.drop());
  const site = await thirdParty(t, services);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const checked = await browser.newPage({ bypassCSP: true });
  const refused: string[] = [];
  page.on('console', (message) => refused.push(message.text()));

  await page.goto(site);
  assert.match(page.url(), /\/sign-in\//);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill('Robin');
  await page.getByLabel('E-mail address').fill('robin@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Check your e‑mail').waitFor();
  const { links } = await mail.next('robin@example.org');
  await page.goto(links[0]!);
  await page.getByRole('button').click();
  await page.getByText('asks for access to your account').waitFor();

  await checked.context().addCookies(await page.context().cookies());
  for (const path of ['/account/name', '/account/link']) {
    await checked.goto(services.auth + path);
    await assertAccessible(checked);
  }
  const account = await page.context().newPage();
  await account.goto(`${services.auth}/account/link`);
  const code = (await account.getByText('/link').textContent())!.replace('/link ', '');
  assert.equal((await send(services.context, 'account.link', { player: STEVE, code })).status, 'accepted');
  await account.getByRole('button', { name: 'I have typed it' }).click();
  await account.getByText('Linked to Steve.').waitFor();
  // With JavaScript the page continues by itself.
  await checked.waitForURL(`${services.auth}/account?done=linked`);
  await checked.getByText('Linked to Steve.').waitFor();
  assert.equal(
    await checked.getByRole('link', { name: 'Steve', exact: true }).getAttribute('href'),
    `${services.context.config.SITE_URL}/players/${STEVE.uuid}`,
  );

  await page.reload();
  await page.getByText('You are signed in as Steve.').waitFor();
  await page.getByText('Its owner is Ann.').waitFor();
  await checked.context().addCookies(await page.context().cookies());
  for (const query of ['?lang=ja', '?lang=en']) {
    await checked.goto(page.url().split('?')[0]! + query);
    assert.equal(await checked.evaluate("document.querySelector('img.logo').naturalWidth"), 1);
    await assertAccessible(checked);
  }
  await page.getByRole('button', { name: 'Allow' }).click();
  assert.equal(await page.textContent('h1'), '200 Steve');

  await account.goto(`${services.auth}/account`);
  await account.getByRole('button', { name: 'Remove access: A service app' }).click();
  await account.getByText('Removed.').waitFor();
  await page.reload();
  assert.equal(await page.textContent('h1'), '401 nobody');
  assert.deepEqual(refused, [], 'the CSP blocked nothing that the pages use');

  await checked.context().addCookies(await page.context().cookies());
  for (const path of [
    '/account',
    '/account/email',
    '/mail',
    '/account/password',
    '/account/unlink',
    '/account/delete',
    '/oauth/logout',
    '/oauth/authorize?client_id=x',
    '/nowhere',
  ]) {
    await checked.goto(services.auth + path);
    if (path === '/account') await checked.getByLabel('Private profile').waitFor();
    await assertAccessible(checked, DARK);
  }
  await checked.context().clearCookies();
  for (const path of ['/sign-in', '/register', '/forgot', '/register?lang=ja', '/reset?token=x']) {
    await checked.goto(services.auth + path);
    await assertAccessible(checked);
  }
});

test('oidc-client-ts signs in from a page as a web application', async (t) => {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url);
  t.after(() => database.drop());
  await makeAccount(services, 'Someone', STEVE);
  const script = readFileSync(
    require.resolve('oidc-client-ts').replace(/dist\/.*$/, 'dist/browser/oidc-client-ts.min.js'),
  );
  const site: string = await listen(t, (request, response) => {
    if (request.url === '/oidc.js') return void response.setHeader('content-type', 'text/javascript').end(script);
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>…</h1><script src="/oidc.js"></script>');
  });
  const { application } = await makeApplication(services, 'web', [`${site}/callback`]);
  const settings = {
    ...{ authority: services.auth, client_id: application.client_id, redirect_uri: `${site}/callback` },
    ...{ scope: 'openid profile email', loadUserInfo: true, automaticSilentRenew: false },
  };
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const manager = `window.manager ??= new oidc.UserManager(${JSON.stringify(settings)})`;
  await page.goto(site);
  await page.evaluate(`void (${manager}).signinRedirect()`);
  await page.getByLabel('Name or e-mail address').fill('Steve');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(/\/callback\?/);
  const profile = (await page.evaluate(`(${manager}).signinRedirectCallback().then((user) => user.profile)`)) as Record<
    string,
    unknown
  >;
  assert.deepEqual([profile['preferred_username'], profile['uuid']], ['Steve', STEVE.uuid]);
  const fresh = (await page.evaluate(`(${manager}).signinSilent().then((user) => user.access_token)`)) as string;
  const me = (await page.evaluate(
    `fetch(${JSON.stringify(`${services.api}/v1/players/me`)}, { headers: { authorization: 'Bearer ' + ${JSON.stringify(fresh)} } }).then((r) => r.json())`,
  )) as { name: string };
  assert.equal(me.name, 'Steve');
  await page.evaluate(`(${manager}).revokeTokens()`);
  const status = await page.evaluate(
    `fetch(${JSON.stringify(`${services.auth}/oauth/userinfo`)}, { headers: { authorization: 'Bearer ' + ${JSON.stringify(fresh)} } }).then((r) => r.status)`,
  );
  assert.equal(status, 401);
});
