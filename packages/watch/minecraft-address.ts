import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { GameAddress } from './core.ts';
import { PollFailed } from './status.ts';

/** Name resolution, which a test replaces. */
export interface Names {
  /** SRV records of a name, best first; empty if there are none. */
  srv(name: string): Promise<{ name: string; port: number }[]>;
  /** All addresses of a host. */
  addresses(host: string): Promise<string[]>;
}

const DEFAULT_PORT = 25_565;
const DNS_TIMEOUT_MS = 2_000;

export const systemNames: Names = {
  async srv(name) {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS });
    const records = await resolver.resolveSrv(name).catch(() => []);
    return records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
  },
  async addresses(host) {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  },
};

/** The IP addresses to try in their order, and the host name for the handshake, which proxies with virtual hosts read. */
export interface Endpoint {
  addresses: readonly string[];
  port: number;
  host: string;
}

/**
 * Resolves an address as Minecraft does: an address without a port may be redirected by an SRV record. The owner of the
 * domain chooses the target of that record, so only its public addresses are tried, unless it is the address that the
 * operator entered: a poll must not reach services on this machine or its private network that the operator did not name.
 * @throws PollFailed
 */
export async function resolveMinecraft({ host, port }: GameAddress, names: Names = systemNames): Promise<Endpoint> {
  if (port !== undefined || isIP(host) !== 0)
    return { addresses: await resolveHost(host, names), port: port ?? DEFAULT_PORT, host };
  const [record] = await names.srv(`_minecraft._tcp.${host}`);
  if (record === undefined) return { addresses: await resolveHost(host, names), port: DEFAULT_PORT, host };
  const target = record.name.toLowerCase().replace(/\.$/, '');
  const found = await resolveHost(target, names);
  const addresses = target === host ? found : found.filter(isPublic);
  if (addresses.length === 0) throw new PollFailed('private_redirect');
  return { addresses, port: record.port, host: target };
}

/** Whether the host of an address resolves. */
export async function isKnownHost(address: GameAddress, protocol: string): Promise<boolean> {
  const resolved = protocol === 'minecraft' ? resolveMinecraft(address) : resolveHost(address.host, systemNames);
  return await resolved.then(
    () => true,
    (error: unknown) => !(error instanceof PollFailed && error.reason === 'not_found'),
  );
}

/** @returns at least one address @throws PollFailed */
export async function resolveHost(host: string, names: Names): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const addresses = await names.addresses(host).catch((): string[] => []);
  if (addresses.length === 0) throw new PollFailed('not_found');
  return addresses;
}

/** IPv4-mapped IPv6 addresses are treated as IPv4. */
function isPublic(ip: string): boolean {
  return ipaddr.process(ip).range() === 'unicast';
}
