import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { UsageError } from '#base/errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Tells who a request comes from: the peer, or whom a configured proxy names. */
export class Addresses {
  readonly #trusted: Network[];

  /** @param trusted addresses and CIDR networks of proxies whose `X-Forwarded-For` is believed */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.map(networkOf);
  }

  /** The address as text: IPv4 where it is IPv4, however it is written. */
  of(request: IncomingMessage): string {
    const peer = request.socket.remoteAddress ?? '';
    if (this.#trusted.length === 0) return peer.startsWith('::ffff:') ? peer.slice(7) : peer;
    return this.#behindProxies(peer, request.headers['x-forwarded-for']);
  }

  /** Walks from the peer outwards while the one that speaks is trusted; the first that is not is the caller. */
  #behindProxies(peer: string, forwarded: string | string[] | undefined): string {
    const hops = String(forwarded ?? '')
      .split(',')
      .reverse();
    let caller = parsed(peer);
    for (const hop of hops) {
      if (caller === undefined || !this.#isTrusted(caller)) break;
      const next = parsed(hop.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3'));
      if (next === undefined) break;
      caller = next;
    }
    return caller?.toString() ?? peer;
  }

  #isTrusted(address: Address): boolean {
    return this.#trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

function parsed(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function networkOf(text: string): Network {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    const sentence = 'TRUSTED_PROXIES must list addresses or networks like 10.0.0.0/8';
    throw new UsageError(`${sentence} (it has ${JSON.stringify(text)}).`);
  }
}
