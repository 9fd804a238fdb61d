import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UsageError } from '#platform/errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const UNIX = 'unix';

/** Tells who a request comes from: the peer, or whom a configured proxy names. */
export class ClientAddresses {
  readonly #trusted: Network[];
  readonly #trustsSocketFile: boolean;

  /** @param trusted proxies whose `X-Forwarded-For` is believed: addresses, CIDR networks, `unix` for a socket file */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.filter((text) => text !== UNIX).map(networkOf);
    this.#trustsSocketFile = trusted.includes(UNIX);
  }

  /** The address as text: IPv4 where it is IPv4, however it is written. */
  of(request: IncomingMessage): string {
    const peer = request.socket.remoteAddress ?? '';
    if (this.#trusted.length === 0 && !this.#trustsSocketFile) return peer.startsWith('::ffff:') ? peer.slice(7) : peer;
    return this.#behindProxies(peer, request.headers['x-forwarded-for']);
  }

  /** Walks from the peer outwards while the one that speaks is trusted; the first that is not is the caller. */
  #behindProxies(peer: string, forwarded: string | string[] | undefined): string {
    const hops = String(forwarded ?? '')
      .split(',')
      .reverse();
    let caller = parsed(peer);
    for (const hop of hops) {
      if (!this.#believes(caller)) break;
      const next = parsed(hop.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3'));
      if (next === undefined) break;
      caller = next;
    }
    return caller?.toString() ?? peer;
  }

  /** Whoever comes through a socket file has no address. */
  #believes(speaker: Address | undefined): boolean {
    if (speaker === undefined) return this.#trustsSocketFile;
    return this.#trusted.some(([network, bits]) => network.kind() === speaker.kind() && speaker.match(network, bits));
  }
}

function parsed(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

function networkOf(text: string): Network {
  try {
    const address = parsed(text.split('/')[0]!);
    if (address !== undefined && text.includes('/')) return ipaddr.parseCIDR(text);
    if (address !== undefined) return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    // The width of the network is what is wrong.
  }
  const sentence = 'TRUSTED_PROXIES must list addresses, networks like 10.0.0.0/8, or unix for a socket file';
  throw new UsageError(`${sentence} (it has ${JSON.stringify(text)}).`);
}
