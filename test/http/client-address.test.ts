import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ClientAddresses } from '#http/client-address.ts';
import { UsageError } from '#platform/errors.ts';

const from = (peer: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

function assertAddresses(trusted: string[], rows: [peer: string | undefined, forwarded: string, address: string][]) {
  const addresses = new ClientAddresses(trusted);
  for (const [peer, forwarded, address] of rows)
    assert.equal(addresses.of(from(peer, forwarded)), address, `${peer} for ${forwarded}`);
}

test('without trusted proxies X-Forwarded-For is ignored', () => {
  assertAddresses(
    [],
    [
      ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
      ['::ffff:192.0.2.1', '203.0.113.9', '192.0.2.1'],
      ['2001:db8::1', '203.0.113.9', '2001:db8::1'],
      [undefined, '203.0.113.9', ''],
    ],
  );
});

test('X-Forwarded-For is trusted from trusted proxies only', () => {
  assertAddresses(
    ['10.0.0.0/8', '192.0.2.1', '2001:db8:1::/48', '::1'],
    [
      ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
      ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
      ['192.0.2.1', '203.0.113.9', '203.0.113.9'],
      ['192.0.2.2', '203.0.113.9', '192.0.2.2'],
      ['11.0.0.1', '203.0.113.9', '11.0.0.1'],
      ['2001:db8:1::7', '2001:db8:2::7', '2001:db8:2::7'],
      ['2001:db8:2::7', '203.0.113.9', '2001:db8:2::7'],
      ['::1', '203.0.113.9', '203.0.113.9'],
    ],
  );
});

test('of several hops the nearest untrusted one is the client, whatever X-Forwarded-For lists before it', () => {
  assertAddresses(
    ['10.0.0.0/8'],
    [
      ['10.0.0.1', '198.51.100.7, 203.0.113.9', '203.0.113.9'],
      ['10.0.0.1', '198.51.100.7, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
      ['10.0.0.1', '198.51.100.7,203.0.113.9 ,  10.0.0.2', '203.0.113.9'],
      ['10.0.0.1', '10.0.0.9, 10.0.0.2', '10.0.0.9'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', 'unknown', '10.0.0.1'],
      ['10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
      ['10.0.0.1', '203.0.113.9,', '10.0.0.1'],
      ['10.0.0.1', '_hidden, 10.0.0.5', '10.0.0.5'],
    ],
  );
});

test('every notation of an address becomes its canonical form, without the port', () => {
  assertAddresses(
    ['10.0.0.0/8'],
    [
      ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
      ['10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
      ['10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
      ['10.0.0.1', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
      ['10.0.0.1', '::ffff:cb00:7109', '203.0.113.9'],
    ],
  );
});

test('X-Forwarded-For is trusted over a Unix socket if TRUSTED_PROXIES contains `unix`', () => {
  assertAddresses(['unix'], [[undefined, '203.0.113.9', '203.0.113.9']]);
  assertAddresses(['unix', '10.0.0.0/8'], [[undefined, '203.0.113.9, 10.0.0.7', '203.0.113.9']]);
  assertAddresses(['10.0.0.0/8'], [[undefined, '203.0.113.9', '']]);
  assertAddresses(['unix'], [['192.0.2.1', '203.0.113.9', '192.0.2.1']]);
});

test('an invalid entry of TRUSTED_PROXIES is refused with an error that names the setting and the entry', () => {
  for (const wrong of ['proxy', '10.0.0.0/99', '10.0.0', '300.1.1.1', '::1/129', '0x0a.1', '010.0.0.1'])
    assert.throws(
      () => new ClientAddresses([wrong]),
      (error) =>
        error instanceof UsageError && error.message.includes('TRUSTED_PROXIES') && error.message.includes(wrong),
      wrong,
    );
});
