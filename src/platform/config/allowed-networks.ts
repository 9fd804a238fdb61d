import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Addresses and a port to which the operator allows requests that would be refused otherwise. Text, because threads get copies of
 * the settings, which have no methods.
 */
export interface AllowedNetwork {
  /** `10.0.0.0/8` */
  network: string;
  port: number | 'any';
}

const FORM = /^(?:\[([\da-f:.]+(?:\/\d+)?)\]|([\d.]+(?:\/\d+)?)):(\d{1,5}|\*)$/i;
const PROBLEM = 'must list networks, each with its port or *, like 10.0.0.0/8:8080, 192.168.1.5:* or [fd00::/8]:443';

/** Networks with their ports, separated by commas. `*` is every port. */
export const allowedNetworks = z.string().transform((value, ctx): AllowedNetwork[] => {
  const parts = value.split(',').map((part) => part.trim());
  const networks = parts.filter((part) => part !== '').map(readNetwork);
  if (!networks.includes(undefined)) return networks as AllowedNetwork[];
  ctx.addIssue({ code: 'custom', message: PROBLEM });
  return z.NEVER;
});

function readNetwork(text: string): AllowedNetwork | undefined {
  const [, bracketed, v4, port] = FORM.exec(text) ?? [];
  const [address = '', bits] = (bracketed ?? v4 ?? '').split('/');
  if (isIP(address) === 0 || Number(port) > 65_535) return undefined;
  const longest = isIP(address) === 4 ? 32 : 128;
  const length = bits === undefined ? longest : Number(bits);
  if (length > longest) return undefined;
  return { network: `${address}/${length}`, port: port === '*' ? 'any' : Number(port) };
}

export const isAllowed = (networks: readonly AllowedNetwork[], address: Address, port: number): boolean =>
  networks.some(({ network, port: allowed }) => {
    const [first, bits] = ipaddr.parseCIDR(network);
    return first.kind() === address.kind() && address.match(first, bits) && (allowed === 'any' || allowed === port);
  });
