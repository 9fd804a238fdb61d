import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { launchBrowser } from './browser.ts';
import { visit } from './shots.ts';

const PAGES: Record<string, [status: number, body: string]> = {
  '/fine': [200, '<h1>Fine</h1><p class="notice">Saved.</p><p class="notice bad" hidden>Later</p>'],
  '/lost': [404, '<section class="error-page"><h1>Page not found</h1></section>'],
  '/alert': [200, '<h1>Account</h1><p class="notice bad">The mail server does not answer.</p>'],
  '/role': [200, '<h1>Reference</h1><div role="alert">Failed to load API definition.</div>'],
  '/field': [200, '<h1>Form</h1><div class="field"><input><p class="error">Enter a name.</p></div>'],
  '/script': [200, '<h1>Reference</h1><script type="module" src="/nothing.js"></script>'],
  '/image': [200, '<h1>Map</h1><img src="/fine" alt="">'],
  '/fetch': [200, '<h1>Reference</h1><script>fetch("http://127.0.0.1:1/v1/openapi.json").catch(() => 0)</script>'],
};

test('a picture is not taken of a page that shows an error', async (t) => {
  const server = createServer((request, response) => {
    const [status, body] = PAGES[request.url!] ?? [404, ''];
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<link rel="icon" href="data:,">${body}`);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const problems = async (path: string, error?: number): Promise<string> =>
    (await visit(page, { address: origin + path, name: path, error })).join('; ').replaceAll(origin, '');
  assert.equal(await problems('/fine'), '');
  assert.equal(await problems('/lost', 404), '');
  assert.equal(await problems('/lost'), '/lost has status 404 instead of 200; "Page not found"');
  assert.equal(await problems('/fine', 404), '/fine has status 200 instead of 404');
  assert.equal(await problems('/alert'), '"The mail server does not answer."');
  assert.equal(await problems('/role'), '"Failed to load API definition."');
  assert.equal(await problems('/field'), '"Enter a name."');
  assert.match(await problems('/script'), /\/nothing\.js has status 404/);
  assert.equal(await problems('/image'), '/fine is no image');
  assert.equal(await problems('/fetch'), 'http://127.0.0.1:1/v1/openapi.json did not load');
});
