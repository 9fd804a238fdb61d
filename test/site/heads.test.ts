import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { match, person, sendEvents, team } from '#test/support/builders.ts';
import { createTestDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { get, page } from './request.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64)]);

/** A site whose heads come from a server with this behaviour; counts its requests. */
async function siteWithHeads(
  t: TestContext,
  listener: RequestListener,
): Promise<{ context: TestAppContext; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const database = await createTestDatabase('sqlite');
  const { port } = server.address() as AddressInfo;
  const context = await testContext(t, database.url, {
    HEADS_URL: `http://127.0.0.1:${port}/{uuid}?size=64`,
    WEBHOOK_NETWORKS: '127.0.0.1:*',
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  t.after(() => database.drop());
  await sendEvents(context, match({ teams: [team('Red', 1, 2)] }));
  return { context, asked };
}

test('heads are fetched once, from our own address, and only of known players', async (t) => {
  const { context, asked } = await siteWithHeads(t, (_request, response) => response.end(PNG));
  const { uuid } = person(1);
  assert.match(
    await page(context, `/players/${uuid}`),
    new RegExp(`<img\\s+class="identicon"\\s+src="/heads/${uuid}"`),
  );
  const [first, second] = await Promise.all([get(context, `/heads/${uuid}`), get(context, `/heads/${uuid}`)]);
  assert.equal(first.headers.get('content-type'), 'image/png');
  assert.match(first.headers.get('cache-control')!, /^public, max-age=86400$/);
  assert.deepEqual(Buffer.from(await second.arrayBuffer()), PNG);
  const etag = first.headers.get('etag')!;
  assert.equal((await get(context, `/heads/${uuid}`, { headers: { 'if-none-match': etag } })).status, 304);
  assert.deepEqual(asked, [`/${uuid}?size=64`]);
  for (const unknown of [person(9).uuid, 'x', uuid.toUpperCase() + 'A'])
    assert.equal((await get(context, `/heads/${unknown}`)).status, 404, unknown);
  context.clock.advance(25 * 3_600_000);
  await get(context, `/heads/${uuid}`);
  assert.equal(asked.length, 2, 'a day later it is fetched again');
});

test('the cards show the faces, also if the renderer cannot read one', async (t) => {
  const { context, asked } = await siteWithHeads(t, (_request, response) => response.end(PNG));
  const { uuid } = person(1);
  const card = await get(context, `/players/${uuid}/card.png`);
  assert.deepEqual([card.status, card.headers.get('content-type')], [200, 'image/png']);
  assert.deepEqual(asked, [`/${uuid}?size=64`]);
});

const FAILURES: Record<string, RequestListener> = {
  'an error': (_request, response) => response.writeHead(500).end(PNG),
  'a page': (_request, response) => response.end('<html><script>alert(1)</script>'),
  'a redirect': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'an endless picture': (_request, response) => {
    response.write(PNG);
    response.write(Buffer.alloc(70_000));
  },
  'a closed connection': (request) => request.socket.destroy(),
};

test('a service that fails is left alone for five minutes, and the identicon is shown', async (t) => {
  for (const [name, listener] of Object.entries(FAILURES)) {
    const { context, asked } = await siteWithHeads(t, listener);
    for (let index = 0; index < 2; index++) {
      const response = await get(context, `/heads/${person(1).uuid}`);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/svg+xml'], name);
      assert.match(response.headers.get('content-security-policy')!, /sandbox/);
    }
    assert.equal(asked.length, 1, name);
  }
});

test('without HEADS_URL there are no heads, and a wrong one is refused', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(context, match({ teams: [team('Red', 1)] }));
  assert.equal((await get(context, `/heads/${person(1).uuid}`)).status, 404);
  for (const wrong of ['ftp://x/{uuid}', 'https://heads.example/', 'https://{uuid}.example/x', 'heads'])
    assert.throws(() => readConfig({ HEADS_URL: wrong }), /HEADS_URL must be an http address with \{uuid\}/, wrong);
});
