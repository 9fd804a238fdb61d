import { BlockList, isIP } from 'node:net';
import { UsageError } from '../errors.ts';

/** What depends on who can reach the addresses: plain http, whose traffic can be read on the network, and second factors. */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/**
 * RFC 1918, RFC 4193, link-local and loopback addresses; IPv4-mapped IPv6 addresses are included. By Node alone, because the
 * agent runs on machines without npm packages.
 */
const PRIVATE_RANGES = new BlockList();
for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8'])
  add(range, 'ipv4');
for (const range of ['fc00::/7', 'fe80::/10', '::1/128']) add(range, 'ipv6');
/** Names that no public server has: RFC 6762, RFC 8375, and the domains that ICANN reserves for private use. */
const PRIVATE_NAMES = /^[^.]+$|\.(local|lan|internal|localhost|home\.arpa)$/;

/** Whether only this machine can reach the address (a URL). */
export function isLoopback(address: string): boolean {
  return LOOPBACK.includes(new URL(address).hostname);
}

/** `loopback` allows plain http on this machine only, `private-network` also on hosts of a private network. */
type PlainHttp = 'loopback' | 'private-network';

/**
 * Checks the public address (a URL) of a service. All services carry sessions, tokens or keys and so need https.
 * @returns the second half of a sentence, `must be https …`; undefined if the address is right
 */
export function plainHttpProblem(address: string, allowed: PlainHttp): string | undefined {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isLoopback(address)) return undefined;
  if (isPrivate(hostname)) {
    if (allowed === 'private-network') return undefined;
    return `must be https except on loopback, unless PLAIN_HTTP=private-network allows plain http (it is ${address})`;
  }
  return `must be https except on loopback, like https://${hostname} (it is ${address})`;
}

const ADDRESSES = ['AUTH_URL', 'SITE_URL', 'API_URL', 'INGEST_URL'] as const;
type Addresses = Record<(typeof ADDRESSES)[number], string>;

/**
 * Whether operators and moderators need a second factor for the console. By default they need one as soon as other machines
 * can reach one of the addresses, which also ends the exemption of the accounts of a demo.
 */
export function staffNeedsFactor(config: Addresses & { OPERATOR_SECOND_FACTOR: string }): boolean {
  if (config.OPERATOR_SECOND_FACTOR !== '') return config.OPERATOR_SECOND_FACTOR === 'required';
  return !ADDRESSES.every((name) => isLoopback(config[name]));
}

/** @throws UsageError if data API and site are on one host, or an address may not use plain http */
export function checkAddresses(config: Addresses & { PLAIN_HTTP: PlainHttp }): void {
  const [api, site] = [new URL(config.API_URL), new URL(config.SITE_URL)];
  const isSame = isLoopback(config.API_URL) ? api.host === site.host : api.hostname === site.hostname;
  if (isSame) throw new UsageError(`SITE_URL must be on another host than API_URL (both are on ${api.host}).`);
  for (const name of ADDRESSES) {
    const problem = plainHttpProblem(config[name], config.PLAIN_HTTP);
    if (problem !== undefined) throw new UsageError(`${name} ${problem}.`);
  }
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? PRIVATE_NAMES.test(host) : isPrivateAddress(host);
}

export const isPrivateAddress = (address: string): boolean =>
  PRIVATE_RANGES.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

function add(range: string, version: 'ipv4' | 'ipv6'): void {
  const [network, prefix] = range.split('/') as [string, string];
  PRIVATE_RANGES.addSubnet(network, Number(prefix), version);
}
