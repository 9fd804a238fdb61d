import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { RateLimits } from '#http/rate-limits.ts';
import { UsageMeter } from '#api/usage-meter.ts';
import { type Endpoint, endpoint } from '#api/endpoint.ts';
import { openapiDocument } from '#api/openapi.ts';
import { Api } from '#api/service.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { application, serviceToken } from '#test/support/builders.ts';
import { createTestDatabase, testContext } from '#test/support/context.ts';

const testEndpoint = (path: string, facts: Partial<Endpoint> = {}): Endpoint =>
  endpoint({
    ...{ path, tag: 'Tests', summary: 'A test', query: {}, response: z.object({ path: z.string() }) },
    ...(path.includes(':id') ? { id: 'Any' } : {}),
    cachedUnder: 'anything',
    handle: () => Promise.resolve({ path }),
    ...facts,
  });

const OLD = { since: '2026-03-01', sunset: '2026-09-01', link: '/developers/deprecation#old' };
const ENDPOINTS = [
  testEndpoint('/v1/old/:id', { deprecated: OLD }),
  testEndpoint('/v1/old/me'),
  testEndpoint('/v1/aging', { deprecated: { since: '2026-03-01T12:00:00Z', link: 'https://news.example/aging' } }),
  testEndpoint('/v1/new'),
];

/** Serves a data API with these endpoints. */
async function open(t: TestContext): Promise<{ origin: string; get: (path: string) => Promise<Reply> }> {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url, { SITE_URL: 'https://site.example' });
  t.after(() => database.drop());
  const limits = new RateLimits(context);
  const meter = new UsageMeter(context, assert.ifError);
  const api = new Api(context, { limits, meter, streams: {} as never }, ENDPOINTS, () => ({}));
  const server = createServer((request, response) => void api.serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = context[Symbol.asyncDispose].bind(context);
  context[Symbol.asyncDispose] = async () => {
    server.closeAllConnections();
    server.close();
    await meter[Symbol.asyncDispose]();
    await close();
  };
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = await serviceToken(context, (await application(context)).client_id);
  return { origin, get: (path) => ask(origin, path, { token }) };
}

const deprecationHeaders = ({ headers }: Reply) => ['deprecation', 'sunset', 'link'].map((name) => headers[name]);
const OLD_HEADERS = [
  '@1772323200',
  'Tue, 01 Sep 2026 00:00:00 GMT',
  '<https://site.example/developers/deprecation#old>; rel="deprecation"',
];
const NONE = [undefined, undefined, undefined];

test('every response of a deprecated endpoint has the deprecation headers, and no other response has them', async (t) => {
  const { origin, get } = await open(t);
  for (let asked = 0; asked < 4; asked++) {
    assert.deepEqual(deprecationHeaders(await get('/v1/old/x')), OLD_HEADERS);
    assert.deepEqual(deprecationHeaders(await get('/v1/new')), NONE);
  }
  assert.deepEqual(deprecationHeaders(await get('/v1/old/me')), NONE, 'a separate endpoint');
  assert.deepEqual(deprecationHeaders(await get('/v1/nothing')), NONE);
  assert.deepEqual(deprecationHeaders(await get('/v1/aging/')), [
    '@1772366400',
    undefined,
    '<https://news.example/aging>; rel="deprecation"',
  ]);
  const broken = await get('/v1/old/%ff');
  assert.deepEqual([broken.status, deprecationHeaders(broken)], [400, OLD_HEADERS]);
  const unauthenticated = await ask(origin, '/v1/old/x');
  assert.deepEqual([unauthenticated.status, deprecationHeaders(unauthenticated)], [401, OLD_HEADERS]);
  const exposed = String(unauthenticated.headers['access-control-expose-headers']);
  for (const name of ['Deprecation', 'Sunset', 'Link']) assert.ok(exposed.split(', ').includes(name), name);
});

test('the OpenAPI document marks deprecated endpoints', () => {
  const facts = {
    API_URL: 'https://api.example',
    NETWORK_NAME: 'Probe',
    AUTH_URL: 'https://auth.example',
    SITE_URL: 'https://site.example',
  };
  const { paths } = openapiDocument(ENDPOINTS, facts) as { paths: Record<string, { get: { deprecated?: boolean } }> };
  const marks = Object.entries(paths).map(([path, { get }]) => [path, get.deprecated]);
  assert.deepEqual(marks, [
    ['/v1/old/{id}', true],
    ['/v1/old/me', undefined],
    ['/v1/aging', true],
    ['/v1/new', undefined],
  ]);
});
