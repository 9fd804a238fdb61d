import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UsageError } from '#platform/errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type TrustedNetwork = [Address, number];

const UNIX = 'unix';

/** Determines the client address of a request: the peer's address, or the address that a trusted proxy forwards. */
export class ClientAddresses {
  readonly #trusted: TrustedNetwork[];
  readonly #trustsSocketFile: boolean;

  /**
   * @param trusted the proxies whose `X-Forwarded-For` is trusted: addresses, CIDR networks, `unix` for a Unix socket
   * @throws UsageError if one of them is neither
   */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.filter((text) => text !== UNIX).map(parseNetwork);
    this.#trustsSocketFile = trusted.includes(UNIX);
  }

  /** The client address in canonical form. An IPv4-mapped IPv6 address becomes IPv4. */
  of(request: IncomingMessage): string {
    const peer = request.socket.remoteAddress ?? '';
    if (this.#trusted.length === 0 && !this.#trustsSocketFile) return peer.startsWith('::ffff:') ? peer.slice(7) : peer;
    return this.#behindProxies(peer, request.headers['x-forwarded-for']);
  }

  /** Whether the other end of the connection is a trusted proxy. */
  trustsPeer({ socket }: IncomingMessage): boolean {
    return this.#isTrusted(parsed(socket.remoteAddress ?? ''));
  }

  /** Reads `X-Forwarded-For` from right to left while the hops are trusted; the first untrusted address is the client. */
  #behindProxies(peer: string, forwarded: string | string[] | undefined): string {
    const hops = String(forwarded ?? '')
      .split(',')
      .reverse();
    let client = parsed(peer);
    for (const hop of hops) {
      if (!this.#isTrusted(client)) break;
      // Some proxies add the port: `[2001:db8::1]:4711`, `203.0.113.9:4711`.
      const next = parsed(hop.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3'));
      if (next === undefined) break;
      client = next;
    }
    return client?.toString() ?? peer;
  }

  /** @param address undefined for the peer of a Unix socket, which has no address */
  #isTrusted(address: Address | undefined): boolean {
    if (address === undefined) return this.#trustsSocketFile;
    return this.#trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

function parsed(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

function parseNetwork(text: string): TrustedNetwork {
  try {
    const address = parsed(text.split('/')[0]!);
    if (address !== undefined && text.includes('/')) return ipaddr.parseCIDR(text);
    if (address !== undefined) return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    // The prefix length is invalid; the error below covers it.
  }
  const sentence = 'TRUSTED_PROXIES must list IP addresses, networks like 10.0.0.0/8, or unix for a Unix socket';
  throw new UsageError(`${sentence} (${JSON.stringify(text)} is none of these).`);
}

/**
 * The part of an address that identifies one household: the whole IPv4 address, or the /64 prefix of an IPv6 address,
 * because a household gets a whole /64 and may use any address in it.
 */
export function clientNetwork(address: string): string {
  return address.includes(':') ? ipv6Groups(address).slice(0, 4).join(':') : address;
}

interface Network {
  name: string;
  /** By how much a limit for one household is higher for this network, because more households share it. */
  factor: number;
}

/**
 * The networks of an address that one household or attacker may have: the IPv4 address, or the /64, /56 and /48 prefixes
 * of an IPv6 address, because providers assign all three.
 */
export function clientNetworks(address: string): Network[] {
  const household = { name: clientNetwork(address), factor: 1 };
  if (!address.includes(':')) return [household];
  const [first = '0', second = '0', third = '0', fourth = '0'] = ipv6Groups(address);
  const subnet = (Number.parseInt(fourth, 16) >> 8).toString(16);
  return [
    household,
    { name: `${first}:${second}:${third}:${subnet}/56`, factor: 2 },
    { name: `${first}:${second}:${third}/48`, factor: 8 },
  ];
}

/** The eight groups of an IPv6 address. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
}
