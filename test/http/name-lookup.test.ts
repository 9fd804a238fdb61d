import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { nameLookup } from '#http/name-lookup.ts';
import { OutgoingClient, OutgoingError } from '#http/outgoing.ts';

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA' };

interface NameServer {
  address: string;
  /** The questions so far. */
  asked: string[];
}

/** A name server that gives each name its addresses of one type, and never answers for names that it does not know. */
async function nameServer(t: TestContext, names: Record<string, Record<string, number[][]>>): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at]!; length > 0; length = question[at]!) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const [name, type] = [labels.join('.'), TYPES[question.readUInt16BE(at + 1)]!];
    asked.push(`${type} ${name}`);
    const known = names[name];
    if (known === undefined) return;
    const answers = known[type] ?? [];
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0]);
    const records = answers.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(
      Buffer.concat([question.subarray(0, 2), head, question.subarray(12, at + 5), ...records]),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

const LOCAL6 = [...Array.from({ length: 15 }, () => 0), 1];

test('a name has the addresses of the name servers, of the file of hosts first', async (t) => {
  const { address, asked } = await nameServer(t, {
    'both.example': {
      A: [
        [192, 0, 2, 1],
        [192, 0, 2, 2],
      ],
      AAAA: [LOCAL6],
    },
    'four.example': { A: [[192, 0, 2, 3]] },
    'six.example': { AAAA: [LOCAL6] },
    'none.example': {},
  });
  const folder = await mkdtemp(`${tmpdir()}/hosts-`);
  t.after(() => rm(folder, { recursive: true }));
  const hosts = `${folder}/hosts`;
  await writeFile(
    hosts,
    '# 10.0.0.9 four.example\n10.0.0.1\tReceiver.lan receiver # one\nfd00::1 receiver\nwrong receiver\n',
  );
  const find = nameLookup({ servers: [address], hosts });
  const addressesOf = async (name: string): Promise<string[]> =>
    (await find(name, new AbortController().signal)).map((each) => `${each.family} ${each.address}`);
  assert.deepEqual(await addressesOf('receiver'), ['4 10.0.0.1', '6 fd00::1']);
  assert.deepEqual(await addressesOf('RECEIVER.LAN.'), ['4 10.0.0.1']);
  assert.deepEqual(await addressesOf('localhost'), ['4 127.0.0.1', '6 ::1']);
  assert.deepEqual(asked, []);
  assert.deepEqual(await addressesOf('both.example'), ['4 192.0.2.1', '4 192.0.2.2', '6 ::1']);
  assert.deepEqual(await addressesOf('four.example'), ['4 192.0.2.3']);
  assert.deepEqual(await addressesOf('six.example.'), ['6 ::1']);
  await assert.rejects(addressesOf('none.example'), { code: 'ENODATA' });
});

test('names whose name servers are silent delay no other request, and end in time', async (t) => {
  const { address, asked } = await nameServer(t, { 'quick.example': { A: [[127, 0, 0, 1]] } });
  const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  using outgoing = new OutgoingClient(
    readConfig({ WEBHOOK_NETWORKS: '127.0.0.1:*' }),
    nameLookup({ servers: [address], hosts: '/dev/null' }),
  );
  const stop = new AbortController();
  const silent = Array.from({ length: 20 }, (_, index) =>
    outgoing.request(`https://${index}.silent.example/`, { signal: stop.signal }).catch((error: unknown) => error),
  );
  while (asked.length < 40) await new Promise(setImmediate);
  const short = outgoing.request('https://silent.example/', { timeoutMs: 50 });
  await assert.rejects(short, (error) => error instanceof OutgoingError && error.reason === 'timeout');
  const quick = await outgoing.request(`http://quick.example:${port}/`);
  assert.equal(quick.body.toString(), 'ok');
  // The threads of libuv are free.
  assert.ok((await stat('/')).isDirectory());
  // `undefined` if one has ended before.
  assert.equal(await Promise.race([...silent, Promise.resolve(undefined)]), undefined);
  stop.abort();
  for (const error of await Promise.all(silent)) assert.ok(error instanceof OutgoingError);
});
