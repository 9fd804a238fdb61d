import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ENDPOINTS } from '#api/index.ts';
import { character } from '#test/support/characters.ts';
import { testApi } from '#test/support/api.ts';
import { ask, askRaw, type Reply } from '#test/support/request.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { fill, paths } from './filled-network.ts';

const WORDS = ['limit', 'max_id', 'fields', 'playing', 'gamemode', 'rotation', 'access_token', 'client_id'];
const VALUES = [
  ...['', '0', '1', '-1', '1e9', '99999999999999999999999', 'NaN', 'null', 'true', '[]', '{}', 'undefined', '1;2'],
  ...['%', '%0', '%zz', '%00', '%FF', '%C0%80', '%ED%A0%80', '%F0%9F%8E%AE', '%E2%80%AE', '%0d%0a', '+', '%2B'],
  ...["'", "' or '1'='1", '"', '\\', '../../etc/passwd', '<script>', '${7*7}', '{{7*7}}', '%27%20or%201=1--', '*'],
  ...['teams', 'teams,objectives', 'kills,matches', 'total', 'x'.repeat(300), '9'.repeat(5000), '%41'.repeat(2000)],
];
const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'PROPFIND',
  'SEARCH',
];
const IDS = ['me', 'Player1', '37598m50007', 'Twin%20Peaks', '..', '.', '%2F', '%2e%2e', 'online', '*', '~', ';', ':'];

/** Characters of a URL and encoded ones; those of fast-check's own URLs come from a table that takes a second of CPU time. */
const URL_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@";
const urlCharacter = (allowed: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...allowed.split('')) },
    { weight: 1, arbitrary: character.map(encodeURIComponent) },
  );

const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ unit: character, maxLength: 40 }).map(escaped),
  fc.string({ unit: urlCharacter(`${URL_CHARACTERS}/?`) }),
);
/** The stream has no end to wait for. */
const ENDED = ENDPOINTS.filter(({ isStream }) => isStream !== true);
const pair = fc.tuple(fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 8 }).map(escaped)), value);
const query = fc
  .array(pair, { maxLength: 5 })
  .map((pairs) => pairs.map(([name, given]) => `${name}=${given}`).join('&'));
const id = fc.oneof(
  fc.constantFrom(...IDS, ...VALUES.map((text) => escaped(text))),
  fc.string({ unit: character, maxLength: 50 }).map(escaped),
);
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...ENDED.map((endpoint) => endpoint.path)), id)
    .map(([template, name]) => template.replace(':id', name)),
  fc.array(fc.string({ unit: urlCharacter(URL_CHARACTERS) })).map((segments) => `/${segments.join('/')}`),
  fc.constantFrom(
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1//servers',
    '/v1/servers/',
    '*',
    'http://x/v1/servers',
    'http://x',
    '/v1/%',
    '/%00',
  ),
);
const target = fc.tuple(path, query).map(([where, what]) => `${where}?${what}`);
const header = fc.oneof(
  fc.constantFrom(
    'If-None-Match: *',
    'If-None-Match: "',
    'Accept-Encoding: gzip;q=x,,;',
    'Accept: text/html',
    'Range: bytes=0-1',
  ),
  fc.constantFrom(
    'Expect: 100-continue',
    'Expect: nonsense',
    'X-Forwarded-For: 1, 2',
    'X-Client-ID: \x7f\xff',
    'Cookie: a=b',
  ),
  fc.constantFrom(
    'Authorization: Basic eA==',
    'Authorization: Bearer',
    'Authorization: Bearer \xff',
    'X-HTTP-Method-Override: DELETE',
  ),
  fc.constantFrom(
    'Content-Length: 0',
    'Content-Type: application/json',
    'Upgrade: websocket',
    'TE: trailers',
    'Host: second',
  ),
  fc.constantFrom(
    'Transfer-Encoding: chunked',
    'Content-Length: 5',
    'Content-Length: -5',
    'Connection: upgrade',
    'No Colon',
  ),
);
const request = fc.record({
  method: fc.constantFrom(...METHODS),
  target,
  version: fc.constantFrom('1.1', '1.1', '1.1', '1.0', '2.0', '0.9'),
  headers: fc.array(header, { maxLength: 3 }),
  credential: fc.constantFrom(true, true, true, true, false),
  body: fc.constantFrom('', '', '', 'zz\r\n', '0\r\n\r\n', 'hello', '{"a":1}'),
});

type GeneratedRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x7e]|[?#&=]/gu, (character) => encodeURIComponent(character));
}

function bytesOf(sent: GeneratedRequest, token: string): Buffer {
  const credential = sent.credential ? [`Authorization: Bearer ${token}`] : [];
  const headers = ['Host: x', ...credential, ...sent.headers, 'Connection: close'];
  return Buffer.from(
    `${sent.method} ${sent.target} HTTP/${sent.version}\r\n${headers.join('\r\n')}\r\n\r\n${sent.body}`,
    'latin1',
  );
}

const SUCCESS = new Set([200, 204, 304]);

/** A successful response, or a 4xx error with a sentence; never a 5xx error. */
function assertNoServerError(reply: Reply | undefined, method: string): void {
  assert.ok(reply !== undefined, 'no response');
  const { status, json, text } = reply;
  assert.ok(SUCCESS.has(status) || (status >= 400 && status < 500), `${status} ${text}`);
  assert.doesNotMatch(text, /\bat .*\.ts:|node_modules|SQLITE|syntax error/);
  if (SUCCESS.has(status) || method === 'HEAD') return;
  assert.deepEqual(Object.keys(json), ['error', 'error_description']);
  assert.ok(typeof json.error === 'string' && json.error_description.length > 5);
}

onEachDatabase('no request, however malformed, causes a server error', async (t, url) => {
  const { context, origin, token, get } = await testApi(t, url);
  await fill(context);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 8, maxLength: 16 }), async (asked) => {
      const answers = await Promise.all(asked.map((one) => askRaw(origin, bytesOf(one, token))));
      answers.forEach(([reply], place) => {
        assertNoServerError(reply, asked[place]!.method);
        seen.set(reply!.status, (seen.get(reply!.status) ?? 0) + 1);
      });
    }),
    { numRuns: 150 },
  );
  for (const status of [200, 400, 401, 404, 405]) assert.ok((seen.get(status) ?? 0) > 10, `${status} was too rare`);
  assert.equal((await get('/v1/servers')).status, 200);
});

onEachDatabase(
  'invalid values of every parameter are refused with an error that names the parameter',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const history = paths(await fill(context));
    for (const endpoint of ENDED)
      for (const [name, schema] of Object.entries(endpoint.query)) {
        const where = history[endpoint.path]!.split('?')[0]!;
        const isList = schema.meta()?.['type'] === 'array';
        const once = VALUES.map((given) => `${name}=${escaped(given)}`);
        // Two values of what is no list are refused before the values are read.
        const twice = (isList ? once : once.slice(0, 4)).map((one) => `${one}&${one}`);
        const replies = await Promise.all([...once, ...twice].map((given) => get(`${where}?${given}`)));
        replies.forEach((reply, place) => {
          assertNoServerError(reply, 'GET');
          if (place >= once.length && !isList) assert.equal(reply.status, 400, `${name} twice`);
          if (reply.status === 400)
            assert.match(reply.json.error_description, new RegExp(`^(${name}|uuids, names or search) must `));
        });
      }
  },
);

onEachDatabase('oversized and invalid requests do not stop the data API', async (t, url) => {
  const { origin, token, get } = await testApi(t, url);
  const rest = ` HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
  const bad: [string, number][] = [
    [`GET /v1/maps/${'a'.repeat(100_000)}${rest}\r\n`, 431],
    [`GET /v1/maps?gamemode=${'%41'.repeat(50_000)}${rest}\r\n`, 431],
    [`GET /v1/maps${rest}${'X-A: b\r\n'.repeat(5_000)}\r\n`, 431],
    [`GET /v1/maps/${'a'.repeat(15_000)}${rest}\r\n`, 404],
    [`GET /v1/maps${rest}${'X-A: b\r\n'.repeat(900)}\r\n`, 200],
    [`GET /v1/players/${'%00'.repeat(10)}${rest}\r\n`, 404],
    [`CONNECT 127.0.0.1:1${rest}\r\n`, 405],
    [`GET /v1/maps HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`, 400],
    [`GET /v1/maps HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`, 200],
    [`GET https://elsewhere/v1/maps/?${rest}\r\n`, 200],
    ['\0'.repeat(100_000), 400],
  ];
  for (const [bytes, status] of bad) {
    const [reply, ...others] = await askRaw(origin, bytes);
    assertNoServerError(reply, 'GET');
    assert.equal(reply!.status, status, bytes.slice(0, 60));
    assert.deepEqual(others, []);
  }
  assert.equal((await get('/v1/maps')).status, 200);
});

onSqlite('a path that does not exist is told what is near, and events their address', async (t, url) => {
  const { get, origin, context } = await testApi(t, url);
  const near: [path: string, meant: string][] = [
    ['/v1/player', '/v1/players'],
    ['/v1/player/Steve', '/v1/players/Steve'],
    ['/v1/Players/Steve/', '/v1/players/Steve'],
    ['/v1/player/Steve%20X/match', '/v1/players/Steve%20X/matches'],
    ['/v1/match', '/v1/matches'],
    ['/v1/punishment/7', '/v1/punishments/7'],
    ['/v1/leaderboard/ctw/week', '/v1/leaderboards/ctw/week'],
    ['/v1/change/stream', '/v1/changes/stream'],
    ['/v1/openapi', '/v1/openapi.json'],
    ['/v1/openapi.yaml', '/v1/openapi.json'],
    ['/v1//matches', '/v1/matches'],
    ['/players/Steve', '/v1/players/Steve'],
    ['/api/v1/matches', '/v1/matches'],
    ['/v2/matches', '/v1/matches'],
  ];
  for (const [path, meant] of near) {
    const { status, json } = await get(path);
    assert.equal(status, 404, path);
    assert.ok(
      json.error_description.startsWith(`There is no such path. Did you mean "${meant}"?`),
      `${path}: ${json.error_description}`,
    );
  }
  for (const path of [
    '/',
    '/v1',
    '/v1/weather',
    '/robots.txt',
    `/v1/${'a/'.repeat(200)}`,
    `/v1/player/${'x'.repeat(4_000)}`,
  ])
    assert.match((await get(path)).json.error_description, /^There is no such path\. See \/v1\/openapi\.json/, path);
  for (const [path, wish] of [
    ['/events', { method: 'POST', body: '[]' }],
    ['/events/?dry_run=1', { method: 'POST', token: undefined }],
    ['/receipts', {}],
  ] as const) {
    const { status, json } = await ask(origin, path, wish);
    assert.equal(status, 404, path);
    const name = path.split(/\/?\?/)[0]!;
    assert.equal(
      json.error_description,
      `This is the data API; game servers send events to ${context.config.INGEST_URL}${name}.`,
    );
  }
});
