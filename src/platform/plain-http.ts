import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that plain http may reach: whatever else reads along is on this machine, or was let in on purpose. */

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const PRIVATE_RANGES = ['private', 'uniqueLocal', 'linkLocal', 'loopback'];
/** Names that no public server answers to (RFC 6762, RFC 8375, and what ICANN keeps for private use). */
const PRIVATE_NAMES = /^[^.]+$|\.(local|lan|internal|localhost|home\.arpa)$/;

/** Whether an address is one that only this machine reaches. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.includes(new URL(address).hostname);
}

/** What plain http is allowed on: this machine alone, or also hosts of a private network. */
export type PlainHttp = 'loopback' | 'private-network';

/** What is wrong with an address of ours, in words: every one of them carries sessions, tokens or keys. */
export function plainHttpProblem(address: string, allowed: PlainHttp): string | undefined {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isLoopback(address)) return undefined;
  if (isPrivate(hostname)) {
    if (allowed === 'private-network') return undefined;
    return `must be https off loopback, or PLAIN_HTTP=private-network must allow plain http (it is ${address})`;
  }
  return `must be https off loopback, like https://${hostname} (it is ${address})`;
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? PRIVATE_NAMES.test(host) : PRIVATE_RANGES.includes(ipaddr.process(host).range());
}
