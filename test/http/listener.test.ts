import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { httpServer } from '#http/listener.ts';
import { askRaw, type Reply } from '#test/support/request.ts';

const echo: RequestListener = (request, response) => {
  const body = JSON.stringify({ url: request.url });
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
};

const neverAnswer: RequestListener = (request) => void request.on('error', () => undefined).resume();

type Options = Parameters<typeof httpServer>[1];

async function open(t: TestContext, listener = echo, options: Options = {}): Promise<string> {
  const server: Server = httpServer(listener, options).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type OpenOne = (t: TestContext, listener?: RequestListener) => Promise<string>;

/** Runs a test with both values of `readsBodies`. */
function testBoth(rule: string, run: (t: TestContext, open: OpenOne) => Promise<void>): void {
  for (const readsBodies of [true, false]) {
    const server = readsBodies ? 'the HTTP server' : 'the HTTP server without bodies';
    test(`${server} ${rule}`, (t) => run(t, (t, listener) => open(t, listener, { readsBodies })));
  }
}

const GET = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const CLOSE = 'Connection: close\r\n';

function assertRefusal(reply: Reply | undefined, status: number): void {
  assert.equal(reply?.status, status, String(reply?.text));
  assert.deepEqual(Object.keys(reply!.json), ['error', 'error_description']);
  assert.equal(reply!.json.error, status === 405 ? 'method_not_allowed' : 'invalid_request');
  assert.match(String(reply!.headers['content-type']), /^application\/json/);
  assert.equal(reply!.headers['connection'], 'close');
  assert.equal(reply!.headers['x-content-type-options'], 'nosniff');
}

const BROKEN: Record<string, string> = {
  'text that is not HTTP': 'hello\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'HTTP/2 by prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a version that does not exist': 'GET / HTTP/3.7\r\nHost: x\r\n\r\n',
  'no version': 'GET /\r\n\r\n',
  'a space in the path': GET('/a b'),
  'NUL in the path': GET('/\0'),
  'NUL in a header': GET('/', 'X-A: a\0b\r\n'),
  'a bare line feed in a header': GET('/', 'X-A: a\nX-B: b\r\n'),
  'a header without a colon': GET('/', 'nonsense\r\n'),
  'a space before the colon of a header': GET('/', 'X-A : b\r\n'),
  'a folded header': GET('/', 'X-A: b\r\n c\r\n'),
  'an unknown method': 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n',
  'a lower-case method': 'get / HTTP/1.1\r\nHost: x\r\n\r\n',
  'two Content-Length headers': `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  'a Content-Length that is not a number': `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n`,
  'a negative Content-Length': `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
  'both Content-Length and chunks': `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two Transfer-Encoding headers': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two different Transfer-Encoding headers': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a Transfer-Encoding before chunked': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunked twice': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  'a Transfer-Encoding without chunked': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n`,
  'the Transfer-Encoding identity in a GET': GET('/', 'Transfer-Encoding: identity\r\n'),
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'two Hosts': 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'an invalid Host': 'GET / HTTP/1.1\r\nHost: a b/c\r\n\r\n',
};

for (const [what, bytes] of Object.entries(BROKEN))
  testBoth(`answers ${what} with 400 and an error body`, async (t, open) => {
    const replies = await askRaw(await open(t), Buffer.from(bytes, 'latin1'));
    assert.equal(replies.length, 1);
    assertRefusal(replies[0], 400);
  });

testBoth('answers 431 to a path or headers that are too long, whatever their length', async (t, open) => {
  const origin = await open(t);
  const floods = [
    GET(`/${'a'.repeat(100_000)}`),
    GET('/', `X-A: ${'a'.repeat(100_000)}\r\n`),
    GET('/', 'X-A: a\r\n'.repeat(20_000)),
    GET('/', `X-A: ${'a'.repeat(4_000_000)}\r\n`),
  ];
  for (const flood of floods) {
    const replies = await askRaw(origin, flood);
    assert.equal(replies.length, 1);
    assertRefusal(replies[0], 431);
  }
});

testBoth('says that the path must be percent-encoded', async (t, open) => {
  const origin = await open(t);
  const [reply] = await askRaw(origin, Buffer.from(GET('/Ärger')));
  assertRefusal(reply, 400);
  assert.match(reply!.json.error_description, /percent-encoded/);
});

testBoth('accepts unusual requests that are valid', async (t, open) => {
  const origin = await open(t);
  const right: Record<string, string> = {
    '/a': 'GET /a HTTP/1.0\r\n\r\n',
    '/b': 'GET /b HTTP/1.0\r\nHost: x\r\n\r\n',
    '/c': GET('/c', CLOSE + 'Expect: something\r\n'),
    '/d': GET('/d', CLOSE + 'Upgrade: websocket\r\n'),
    '/e': GET('/e', 'Connection: close, upgrade\r\nUpgrade: h2c\r\n'),
    'http://other/f': GET('http://other/f', CLOSE),
    '/g': 'GET /g HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
    '/h': GET('/h', `${CLOSE}X-A: ${'a'.repeat(12_000)}\r\n`),
    '/i': `\r\n\r\n${GET('/i', CLOSE)}`,
    '/k': `POST /k HTTP/1.1\r\nHost: x\r\n${CLOSE}Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n`,
    '/j': GET('/j', CLOSE).replace('Host: x', 'Host: [::1]:80'),
  };
  for (const [url, bytes] of Object.entries(right)) {
    const replies = await askRaw(origin, bytes);
    assert.deepEqual(
      replies.map(({ status, json }) => [status, json]),
      [[200, { url }]],
      bytes,
    );
  }
});

testBoth('refuses CONNECT because it is not a proxy', async (t, open) => {
  const origin = await open(t);
  const [reply, ...others] = await askRaw(origin, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
  assertRefusal(reply, 405);
  assert.equal(reply!.headers['allow'], 'GET, HEAD, OPTIONS');
  assert.deepEqual(others, []);
});

test('a client that resets its connection after CONNECT does not end the process', async (t) => {
  const server = httpServer(echo).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    client.write('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
    if (attempt % 2 === 0) await once(server, 'connect');
    else await once(client, 'data');
    client.resetAndDestroy();
    await closed;
  }
  assert.ok(server.listening);
});

testBoth('answers earlier requests of a connection before it refuses invalid bytes', async (t, open) => {
  const waiting: ServerResponse[] = [];
  const origin = await open(t, (request, response) => {
    waiting.push(response);
    if (waiting.length < 2) return;
    for (const held of waiting.reverse()) echo(held.req, held as ServerResponse & { req: typeof request });
  });
  const replies = await askRaw(origin, GET('/1') + GET('/2') + 'garbage\r\n\r\n');
  assert.deepEqual(
    replies.map(({ status, json }) => [status, json.url]),
    [
      [200, '/1'],
      [200, '/2'],
      [400, undefined],
    ],
  );
  assertRefusal(replies[2], 400);
});

testBoth('answers pipelined requests in order', async (t, open) => {
  const origin = await open(t);
  const urls = Array.from({ length: 100 }, (_, number) => `/${number}`);
  const replies = await askRaw(origin, urls.map((url) => GET(url)).join('') + GET('/last', CLOSE));
  assert.deepEqual(
    replies.map(({ json }) => json.url),
    [...urls, '/last'],
  );
});

test('the HTTP server refuses an invalid body if the response has not begun', async (t) => {
  const origin = await open(t, (request, response) => {
    request.resume().on('end', () => echo(request, response));
    request.on('error', () => undefined);
  });
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const body of ['zz\r\n', '-1\r\n', 'ffffffffffffffffff\r\n', '1\r\nabc\r\n'])
    assertRefusal((await askRaw(origin, head + body))[0], 400);
  assertRefusal((await askRaw(origin, `${head}1;${'a'.repeat(20_000)}\r\na\r\n`))[0], 413);
});

testBoth('closes the connection when a body becomes invalid after its response', async (t, open) => {
  const origin = await open(t);
  const replies = await askRaw(
    origin,
    'POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n',
    'zz\r\n',
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200],
  );
});

test('the HTTP server answers 408 to a request that is not complete in time', async (t) => {
  const timeouts = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 };
  const origin = await open(t, neverAnswer, { timeouts });
  const slow = ['', 'GET / HTTP/1.1\r\nHost:', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab'];
  const replies = await Promise.all(slow.map((bytes) => askRaw(origin, bytes)));
  for (const [reply, ...others] of replies) {
    assertRefusal(reply, 408);
    assert.deepEqual(others, []);
  }
});

testBoth('continues to serve after clients reset their connections', async (t, open) => {
  const origin = await open(t);
  for (const bytes of ['', 'GET', GET('/'), 'nonsense\r\n']) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(bytes);
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  assert.equal((await askRaw(origin, GET('/', CLOSE)))[0]!.status, 200);
});

for (const [what, more] of [
  ['stops', ''],
  ['becomes invalid', 'zz\r\n'],
] as const)
  test(`the HTTP server closes the connection if a body ${what} after the response has begun`, async (t) => {
    const timeouts = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 };
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const begin: RequestListener = (request, response) => {
      request
        .on('error', () => undefined)
        .on('close', resolve)
        .resume();
      response.write('begun\n');
    };
    const origin = await open(t, begin, { timeouts });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
    await once(socket, 'data');
    socket.write(more);
    await Promise.all([over, once(socket.resume(), 'close')]);
  });
