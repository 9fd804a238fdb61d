import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, before, after, test, type TestContext } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import type { Lookup } from '#http/name-lookup.ts';
import { OutgoingClient, OutgoingError } from '#http/outgoing.ts';

const resolving =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const unasked: Lookup = () => assert.fail('an address is not looked up');
/** With a copy of the settings, as the thread gets it that sends the requests. */
const client = (WEBHOOK_NETWORKS = '', lookup: Lookup = unasked): OutgoingClient =>
  new OutgoingClient(structuredClone(readConfig({ WEBHOOK_NETWORKS })), lookup);

const reasonOf = async (request: Promise<unknown>): Promise<string> =>
  await request.then(
    () => assert.fail('a response'),
    (error: unknown) => (error instanceof OutgoingError ? error.reason : assert.fail(String(error))),
  );

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Hosts that lead, or led in some library, to this machine or its network. */
const LITERALS = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '0', '0.0.0.0'],
  ...['１２７.０.０.１', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1'],
  ...['169.254.169.254', '0251.0376.0251.0376', '192.0.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1', '240.0.0.1'],
  ...[
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:7f00:1]',
    '[::127.0.0.1]',
  ],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]'],
  ...[
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fec0::1]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[100::1]',
  ],
];

describe('requests to addresses of other people', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  before(async () => {
    server = createServer((_request, response) => response.end('secret')).listen(0, '127.0.0.1');
    server.on('connection', () => connections++);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  after(() => void server.close());

  test('no form of a private address is requested, nor looked up', async () => {
    using outgoing = client();
    using other = client(`10.20.30.40:*, 127.0.0.1:${port + 1}`);
    for (const host of LITERALS) {
      assert.equal(await reasonOf(outgoing.request(`https://${host}/`)), 'not_public', host);
      assert.equal(await reasonOf(other.request(`http://${host}:${port}/`)), 'not_public', host);
    }
    assert.equal(connections, 0);
  });

  test('no name is requested that has a private address, alone or beside a public one', async () => {
    const answers = [
      ...[['127.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::1', '93.184.215.14'], ['::ffff:127.0.0.1']],
      ...[['64:ff9b::7f00:1'], ['2002:7f00:1::'], ['2606:2800:21f::1', 'fe80::1%lo'], ['not an address']],
    ];
    for (const addresses of answers) {
      using outgoing = client('', resolving(...addresses));
      assert.equal(await reasonOf(outgoing.request('https://hooks.example/')), 'not_public', addresses.join());
    }
    using none = client('', resolving());
    assert.equal(await reasonOf(none.request('https://hooks.example/')), 'not_found');
    using system = new OutgoingClient(readConfig({}));
    assert.equal(await reasonOf(system.request('https://LOCALHOST:443/')), 'not_public');
    assert.equal(await reasonOf(system.request('https://localhost.:443/')), 'not_public');
    assert.equal(connections, 0);
  });

  test('only https at port 443 is requested, without credentials', async () => {
    using outgoing = client('', resolving('93.184.215.14'));
    const refused = {
      'http://hooks.example/': 'scheme',
      'ftp://hooks.example/': 'scheme',
      'file:///etc/passwd': 'url',
      'data:text/plain,x': 'url',
      'hooks.example/path': 'url',
      'https://user@hooks.example/': 'credentials',
      'https://user:password@127.0.0.1/': 'credentials',
      'https://hooks.example:8443/': 'port',
      'https://93.184.215.14:22/': 'port',
      'http://hooks.example:443/': 'port',
    } as const;
    for (const [address, problem] of Object.entries(refused)) {
      assert.equal(outgoing.problemOf(address), problem, address);
      assert.equal(await reasonOf(outgoing.request(address)), 'address', address);
    }
    assert.equal(outgoing.problemOf('https://hooks.example:443/a?b=c'), undefined);
  });

  test('WEBHOOK_NETWORKS allows its networks at its ports, and connects to the address that was checked', async () => {
    let lookups = 0;
    // The second answer of a name that changes its address is never asked for.
    const rebinding: Lookup = async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    using outgoing = client(`127.0.0.0/8:${port}`, rebinding);
    const { status, body } = await outgoing.request(`http://hooks.example:${port}/`);
    assert.deepEqual([status, body.toString(), lookups, connections], [200, 'secret', 1, 1]);
    assert.equal((await outgoing.request(`http://127.0.0.1:${port}/`)).status, 200);
    assert.equal(await reasonOf(outgoing.request(`http://127.0.0.1:${port - 1}/`)), 'not_public');
    using mixed = client(`127.0.0.0/8:${port}`, resolving('127.0.0.1', '10.0.0.1'));
    assert.equal(await reasonOf(mixed.request(`http://hooks.example:${port}/`)), 'not_public');
    using beside = client(`127.0.0.0/8:${port}`, resolving('127.0.0.1', '93.184.215.14'));
    assert.equal(await reasonOf(beside.request(`http://hooks.example:${port}/`)), 'not_public');
    using port443 = client('127.0.0.1:443', resolving('127.0.0.1'));
    assert.equal(port443.problemOf('https://127.0.0.1/'), undefined);
    assert.equal(port443.problemOf('http://127.0.0.1/'), 'not_public');
  });
});

const LOOPBACK = '127.0.0.1:*';

test('a redirect is a response, and 64 kB of a body are read', async (t) => {
  const at = await serve(t, ({ url }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/large' }).end();
    else response.end(Buffer.alloc(url === '/large' ? 65_537 : 65_536, 'x'));
  });
  using outgoing = client(LOOPBACK);
  assert.equal((await outgoing.request(`${at}/moved`)).status, 302);
  const read = async (path: string) => {
    const { body, isComplete } = await outgoing.request(at + path);
    return [body.length, isComplete];
  };
  assert.deepEqual(
    [await read('/large'), await read('/full')],
    [
      [65_536, false],
      [65_536, true],
    ],
  );
});

const unansweredLookup: Lookup = async (_name, signal) => {
  await once(signal, 'abort');
  throw new Error('cancelled');
};

test('a receiver that answers slowly, wrongly or not at all ends the request alone', async (t) => {
  using outgoing = client(LOOPBACK);
  const silent = await serve(t, () => undefined);
  assert.equal(await reasonOf(outgoing.request(silent, { timeoutMs: 50 })), 'timeout');
  const endless = await serve(t, (_request, response) => {
    const drip = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(drip));
  });
  assert.equal(await reasonOf(outgoing.request(endless, { timeoutMs: 50 })), 'timeout');
  using unresolved = client('', unansweredLookup);
  assert.equal(await reasonOf(unresolved.request('https://hooks.example/', { timeoutMs: 50 })), 'timeout');

  const answers: Record<string, string> = {
    wrong_answer: 'SSH-2.0-OpenSSH_9.2\r\n',
    unreachable: '',
  };
  for (const [reason, answer] of Object.entries(answers)) {
    const server = createTcpServer((socket) => socket.end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    assert.equal(await reasonOf(outgoing.request(`http://127.0.0.1:${port}/`)), reason);
    assert.match(await reasonOf(outgoing.request(`https://127.0.0.1:${port}/`)), /^(certificate|unreachable)$/);
  }
  const upgrade = createTcpServer((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ).listen(0, '127.0.0.1');
  await once(upgrade, 'listening');
  t.after(() => void upgrade.close());
  const { port } = upgrade.address() as AddressInfo;
  assert.equal(await reasonOf(outgoing.request(`http://127.0.0.1:${port}/`)), 'wrong_answer');
});

test('a connection that the receiver closed while it was idle is replaced', async (t) => {
  let requests = 0;
  const at = await serve(t, (request, response) => {
    requests++;
    // The second request arrives on the connection of the first one, which ends without a response.
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end('ok');
  });
  using outgoing = client(LOOPBACK);
  await outgoing.request(at, { method: 'POST', body: '1' });
  assert.equal((await outgoing.request(at, { method: 'POST', body: '2' })).status, 200);
  assert.equal(requests, 3);
});

test('WEBHOOK_NETWORKS that are none are refused', () => {
  const { WEBHOOK_NETWORKS } = readConfig({
    WEBHOOK_NETWORKS: '10.0.0.0/8:8080, 127.0.0.1:*,[fd00::/8]:443,[fd00::1]:80',
  });
  assert.deepEqual(
    WEBHOOK_NETWORKS.map(({ network, port }) => `${network} ${port}`),
    ['10.0.0.0/8 8080', '127.0.0.1/32 any', 'fd00::/8 443', 'fd00::1/128 80'],
  );
  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0.0/8:70000',
    'localhost:80',
    '10.0.0.0/8:',
    '[fd00::/129]:1',
    '10.0.0:80',
    '10.0.0.0/8',
    'fd00::1',
    'fd00::1:80',
  ])
    assert.throws(() => readConfig({ WEBHOOK_NETWORKS: wrong }), /WEBHOOK_NETWORKS must list networks/, wrong);
});
