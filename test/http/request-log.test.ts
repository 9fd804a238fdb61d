import assert from 'node:assert/strict';
import { pino } from 'pino';
import { ENDPOINTS } from '#api/index.ts';
import { PAGES } from '#site/index.ts';
import { openServices } from '#server/listeners.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { ask, askRaw } from '#test/support/request.ts';

const filled = (path: string): string => path.replaceAll(/:\w+/g, 'none');
const PATHS = {
  API: ['/v1/matches', '/v1/none', '/v1/openapi.json', ...ENDPOINTS.map(({ path }) => filled(path))],
  AUTH: ['/sign-in', '/none', '/oauth/jwks', '/oauth/tokeninfo', '/oauth/authorize', '/oauth/token', '/assets/none'],
  SITE: [
    '/',
    '/none',
    '/robots.txt',
    '/console',
    '/console/none',
    '/favicon.ico',
    '/matches.atom',
    ...Object.keys(PAGES).map(filled),
  ],
  INGEST: ['/events', '/none', '/openapi.json'],
} as const;

onSqlite('every answer has nosniff and the id of its request, taken over only from a trusted proxy', async (t, url) => {
  for (const proxies of ['', '127.0.0.1']) {
    const context = await testContext(t, url, { TRUSTED_PROXIES: proxies });
    await using services = await openServices(context, ['API', 'AUTH', 'SITE', 'INGEST']);
    for (const service of ['API', 'AUTH', 'SITE', 'INGEST'] as const) {
      const origin = services.addresses[service]!;
      for (const path of PATHS[service]) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
          const reply = await ask(origin, path, { method, headers: { 'x-request-id': 'proxy-4711' } });
          const id = String(reply.headers['x-request-id']);
          const name = `${service} ${method} ${path} ${reply.status}`;
          assert.equal(reply.headers['x-content-type-options'], 'nosniff', name);
          if (proxies === '') assert.match(id, /^[0-9a-f]{12}$/, name);
          else assert.equal(id, 'proxy-4711', name);
          if (reply.status !== 404 && reply.text.includes('class="error-page"'))
            assert.ok(reply.text.includes(id), name);
        }
      }
      const forged = await ask(origin, '/none', { headers: { 'x-request-id': `a b"${'c'.repeat(65)}` } });
      assert.match(String(forged.headers['x-request-id']), /^[0-9a-f]{12}$/, 'another form');
      assert.match(String((await askRaw(origin, 'nonsense\r\n\r\n'))[0]!.headers['x-request-id']), /^[0-9a-f]{12}$/);
    }
  }
});

interface Line {
  msg: string;
  request_id: string;
  service: string;
  method?: string;
  path?: string;
  route?: string;
  status: number;
  ms?: number;
  address: string;
}

onSqlite(
  'ACCESS_LOG has a line for each request or each refused one, without its query and its ids of sign-ins',
  async (t, url) => {
    for (const [setting, statuses] of [
      ['off', []],
      ['errors', [400, 400, 401, 401, 404, 404]],
      ['all', [200, 400, 400, 401, 401, 404, 404]],
    ] as const) {
      const context = await testContext(t, url, { ACCESS_LOG: setting, TRUSTED_PROXIES: '127.0.0.1' });
      const written: string[] = [];
      const log = pino({ base: null, timestamp: false }, { write: (line) => void written.push(line) });
      const services = await openServices({ ...context, log }, ['API', 'AUTH', 'SITE', 'INGEST']);
      const { API, SITE, AUTH, INGEST } = services.addresses;
      const headers = { 'x-forwarded-for': '192.0.2.7', 'x-request-id': 'from-proxy' };
      await ask(API!, '/v1/matches?access_token=hidden-1', { headers });
      await ask(SITE!, '/matches?q=hidden-2', { headers });
      await ask(SITE!, '/none?q=hidden-3', { headers });
      await ask(AUTH!, '/oauth/token?code=hidden-4', { method: 'POST', headers });
      await ask(INGEST!, '/events', { method: 'POST', token: 'hidden-5', headers });
      await askRaw(API!, 'hidden-6\r\n\r\n');
      await ask(AUTH!, `/sign-in/hidden-7${'x'.repeat(35)}/consent`, { headers });
      await services[Symbol.asyncDispose]();
      const lines = written.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');
      assert.deepEqual(
        lines.map(({ status }) => status).toSorted((a, b) => a - b),
        statuses,
        setting,
      );
      assert.ok(!written.join('').includes('hidden'));
      if (setting === 'off') continue;
      const { ms, ...refused } = lines.find(({ service }) => service === 'api')! as Line & Record<string, unknown>;
      assert.ok(ms! > 0);
      assert.deepEqual(refused, {
        ...{ level: 30, msg: 'request', request_id: 'from-proxy', service: 'api', method: 'GET', path: '/v1/matches' },
        ...{ route: '/v1/matches', status: 401, address: '192.0.2.7' },
      });
      const unreadable = lines.find(({ method }) => method === undefined)!;
      assert.deepEqual([unreadable.status, unreadable.address], [400, '127.0.0.1']);
    }
  },
);
