import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which addresses may use plain http, where everybody on the network can read the traffic. */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const PRIVATE_RANGES = ['private', 'uniqueLocal', 'linkLocal', 'loopback'];
/** Names that no public server has: RFC 6762, RFC 8375, and the domains that ICANN reserves for private use. */
const PRIVATE_NAMES = /^[^.]+$|\.(local|lan|internal|localhost|home\.arpa)$/;

/** Whether only this machine can reach the address (a URL). */
export function isLoopback(address: string): boolean {
  return LOOPBACK.includes(new URL(address).hostname);
}

/** Where plain http is allowed: on this machine alone, or also on hosts of a private network. */
export type PlainHttp = 'loopback' | 'private-network';

/**
 * Checks the public address (a URL) of a service. All services carry sessions, tokens or keys and so need https.
 * @returns the second half of a sentence, `must be https …`; undefined where the address is right
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

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? PRIVATE_NAMES.test(host) : PRIVATE_RANGES.includes(ipaddr.process(host).range());
}
