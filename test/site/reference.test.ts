import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiDocument } from '#api/index.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { accountByLogin } from '#store/accounts/accounts.ts';
import { openServices } from '#server/listeners.ts';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { launchBrowser } from '#test/support/browser.ts';
import {
  application,
  configured,
  punishment,
  login,
  map,
  match,
  person,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import {
  createTestDatabase,
  onEachDatabase,
  onSqlite,
  TestClock,
  type TestAppContext,
  testContext,
  testServices,
} from '#test/support/context.ts';
import { ask } from '#test/support/request.ts';
import { freePorts } from '#test/support/ports.ts';
import { get, page } from './request.ts';
import { siteSession } from './session.ts';

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- the document has no type

const PATH = '/developers/reference';

const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');

onEachDatabase(
  'the reference shows all of the OpenAPI document without a script, in both languages',
  async (t, url) => {
    const context = await testContext(t, url);
    const document: Json = apiDocument(context.config);
    for (const language of ['en', 'ja']) {
      const body = await page(context, `${PATH}?lang=${language}`);
      const parts = new Map(
        [...body.matchAll(/<details class="card unfold">([\s\S]*?)<\/details>/g)].map(([, part]) => [
          /<div id="([^"]+)"/.exec(part!)![1]!,
          textOf(part!),
        ]),
      );
      const shows = (id: string, words: unknown): void => {
        const text = String(words).replaceAll('`', '');
        assert.ok(parts.get(id)?.includes(text), `${id} shows ${text}`);
      };
      for (const [path, { get: operation }] of Object.entries<Json>(document.paths)) {
        const id = operation.operationId;
        for (const words of [`GET ${path}`, operation.summary, 'curl -H']) shows(id, words);
        for (const { name, description } of operation.parameters)
          [name, description].forEach((words) => shows(id, words));
        for (const status of Object.keys(operation.responses)) shows(id, status);
        const [{ example }] = Object.values<Json>(operation.responses[200].content);
        shows(id, typeof example === 'string' ? example : JSON.stringify(example, null, 1));
        for (const name of Object.keys(operation.responses[200].headers)) shows(id, name);
      }
      for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
        if (schema.description !== undefined) shows(`schema-${name}`, schema.description);
        for (const [member, { description = '' }] of Object.entries<Json>(schema.properties))
          [member, description].forEach((words) => shows(`schema-${name}`, words));
        assert.match(parts.get(`schema-${name}`)!, /[{[]\n /, `${name} has an example`);
      }
      const text = textOf(body);
      for (const { description, content } of Object.values<Json>(document.components.responses)) {
        for (const words of [description.replaceAll('`', ''), content['application/json'].example.error_description])
          assert.ok(text.includes(words), words);
      }
      for (const { description } of [
        ...Object.values<Json>(document.components.headers),
        ...Object.values<Json>(document.components.securitySchemes),
      ])
        assert.ok(text.includes(description.replaceAll('`', '')), description);
      assert.match(text, language === 'en' ? /Your application/ : /あなたのアプリ/);
    }
  },
);

onSqlite('commands and forms have ids of this network, with which they succeed', async (t, url) => {
  const context = await testContext(t, url);
  const { client_id } = await application(context);
  const idsOf = async (): Promise<string[]> => {
    const body = await page(context, `${PATH}?client_id=${client_id}`);
    const fields = [...body.matchAll(/name="id"\s+maxlength="256"\s+value="([^"]+)"\s+required/g)].map(([, id]) => id!);
    const commands = [...body.matchAll(/<code class="curl">([^<]+)</g)].map(([, text]) => textOf(text!));
    for (const [, id] of commands.join('\n').matchAll(/\/v1\/(?:matches|maps|players|punishments|servers)\/([^/'?]+)/g))
      if (id !== 'online') assert.ok(fields.includes(id!), `${id} is also in a form`);
    return [...new Set(fields)];
  };
  assert.ok((await idsOf()).length > 0, 'those of the examples, while the network has none');
  const played = match({ teams: [team('Red', 1)] });
  await sendEvents(context, configured('Alpha'), map('Twin Peaks'), played, punishment('a', person(1)));
  const ids = await idsOf();
  assert.equal(ids.length, 5);
  const { API } = await testServices(context, ['API']);
  const body = await page(context, `${PATH}?client_id=${client_id}`);
  const paths = [...body.matchAll(/(?<=<code class="curl">[^<]+)http:[^<]+?(\/v1\/[^<&']*)/g)].map(([, path]) => path!);
  const single = paths.filter((path) => ids.some((id) => path.includes(id)));
  assert.ok(single.length >= 9, single.join(' '));
  for (const path of single) {
    const { status, json } = await ask(API!, path, { clientId: client_id });
    assert.ok(status === 200 || /live-match$/.test(path), `${path}: ${json.error_description}`);
  }
});

onEachDatabase('a form without a script leads to the data API with the Client ID and nothing else', async (t, url) => {
  const context = await testContext(t, url);
  const { API_URL } = context.config;
  const run = (query: Record<string, string>) => get(context, `${PATH}/run?${new URLSearchParams(query).toString()}`);
  const target = async (query: Record<string, string>) => (await run(query)).headers.get('location');
  assert.equal(
    await target({ path: '/v1/matches', client_id: 'c1', limit: '2', max_id: '', access_token: 'x', evil: '1' }),
    `${API_URL}/v1/matches?limit=2&client_id=c1`,
  );
  assert.equal(
    await target({ path: '/v1/players/{id}', client_id: 'c1', id: '../..//evil?x=1#' }),
    `${API_URL}/v1/players/..%2F..%2F%2Fevil%3Fx%3D1%23?client_id=c1`,
  );
  const board = { path: '/v1/leaderboards/{mode}/{period}', mode: 'ctw', period: 'a/b', by: 'kill_count' };
  assert.equal(
    await target({ ...board, client_id: 'c1' }),
    `${API_URL}/v1/leaderboards/ctw/a%2Fb?by=kill_count&client_id=c1`,
  );
  for (const path of ['', '//evil.example', 'https://evil.example/', '/v1/nothing', '__proto__', 'constructor']) {
    const refused = await run({ path, client_id: 'c1' });
    assert.deepEqual([refused.status, refused.headers.get('location')], [400, null], path);
  }
  const policy = (await get(context, PATH)).headers.get('content-security-policy')!;
  assert.match(policy, new RegExp(`connect-src 'self' ${API_URL};.*form-action 'self' ${API_URL};`));
  assert.doesNotMatch(policy, /unsafe/);
});

onEachDatabase("the reference uses the reader's application, or the Client ID in the address", async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const cookie = await siteSession(context, { name: 'Wharfinger' });
  const signedIn = (path: string) => page(context, path, { headers: { cookie } });
  assert.match(
    await signedIn(PATH),
    /YOUR_CLIENT_ID[\s\S]*Register an application|Register an application[\s\S]*YOUR_CLIENT_ID/,
  );
  const owner = (await accountByLogin(db, 'Wharfinger'))!;
  const made = await Promise.all(['First', 'Second'].map((name) => application(context, { name })));
  for (const { client_id } of made) {
    await addOwner(db, clock.now(), (await applicationByClientId(db, client_id))!.key, owner.id);
  }
  const body = await signedIn(PATH);
  assert.match(body, /<option value="[^"]+" selected>\s*(First|Second)/);
  const chosen = await signedIn(`${PATH}?client_id=${made[0]!.client_id}`);
  assert.match(chosen, new RegExp(`<option value="${made[0]!.client_id}" selected>\\s*First`));
  assert.ok(chosen.includes(`X-Client-ID: ${made[0]!.client_id}`), 'the command has it');
  assert.ok((await page(context, `${PATH}?client_id=somebody`)).includes('X-Client-ID: somebody'));
  assert.doesNotMatch(await page(context, PATH), /First|Wharfinger/, 'a page without a session names no application');
  for (const value of ["x'; rm -rf /", 'a b', 'x'.repeat(65), '<b>'])
    assert.equal((await get(context, `${PATH}?client_id=${encodeURIComponent(value)}`)).status, 400, value);
});

test('in a browser "Run" shows the response below the form, and opens it in a new tab without scripts', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const [api, site] = await freePorts(2);
  const addresses = { API_URL: `http://127.0.0.1:${api}`, SITE_URL: `http://127.0.0.1:${site}` };
  const config = readConfig({ ...addresses, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  await using context = (await openAppContext(config, new TestClock(Date.now()))) as TestAppContext;
  await sendEvents(context, login('Alpha', person(1, 'Ada')));
  const { client_id } = await application(context, { name: 'Board', access: 'approved' });
  await using stack = new AsyncDisposableStack();
  stack.use(await openServices(context, ['SITE', 'API']));
  await using browser = await launchBrowser();
  const path = `${addresses.SITE_URL}${PATH}?client_id=${client_id}`;

  const scripted = await browser.newPage();
  const faults: string[] = [];
  scripted.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  await scripted.goto(`${path}#getPlayersId`);
  const part = scripted.locator('details', { has: scripted.locator('#getPlayersId') });
  await part.locator('[name=id]').fill('Ada');
  await part.locator('[name=fields]').fill('names');
  assert.equal(
    await part.locator('.curl').innerText(),
    `curl -H 'X-Client-ID: ${client_id}' '${addresses.API_URL}/v1/players/Ada?fields=names'`,
  );
  await part.locator('button').click();
  await part.locator('.answer', { hasText: '"name": "Ada"' }).waitFor();
  assert.match(await part.locator('.answer').innerText(), /^200 X-RateLimit-Limit: \d+ · X-RateLimit-Remaining: \d+/);
  const boards = scripted.locator('details', { has: scripted.locator('#getLeaderboardsModePeriod') });
  await boards.locator('summary').click();
  await boards.locator('[name=period]').selectOption('week');
  const board = `${addresses.API_URL}/v1/leaderboards/{mode}/week`;
  assert.ok((await boards.locator('.curl').innerText()).endsWith(`'${board}'`), 'the mode is missing');
  await boards.locator('[name=mode]').selectOption('ctw');
  await boards.locator('button').click();
  await boards.locator('.answer', { hasText: '[]' }).waitFor();
  assert.deepEqual(faults, []);

  const plain = await browser.newContext({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(path);
  await page.locator('summary', { hasText: '/v1/servers' }).first().click();
  const opened = plain.waitForEvent('page');
  await page.locator('details[open] button').click();
  const tab = await opened;
  await tab.waitForURL(`${addresses.API_URL}/v1/servers?client_id=${client_id}`);
  assert.match((await tab.textContent('body'))!, /"name":"Alpha"/);
});
