import { Resolver } from 'node:dns/promises';
import { addAbortListener } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** An address of a name. */
export interface Address {
  address: string;
  family: number;
}

/** All addresses of a name. Rejects when the signal aborts. */
export type Lookup = (name: string, signal: AbortSignal) => Promise<Address[]>;

interface Sources {
  /** Left out: the name servers of the system. */
  servers?: readonly string[];
  hosts?: string;
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const TIMEOUT_MS = 2_000;

/**
 * Looks names up in the file of hosts and with name servers. The look-up of the operating system (`dns.lookup`) would occupy
 * one of the few threads of libuv for as long as a name server is silent, and two such names would delay the other requests,
 * files and the host of the database.
 */
export function nameLookup({ servers, hosts = '/etc/hosts' }: Sources = {}): Lookup {
  return async (text, signal) => {
    const name = text.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost') return LOOPBACK;
    const known = addressesIn(await readFile(hosts, 'utf8').catch(() => ''), name);
    return known.length > 0 ? known : await resolve(name, servers, signal);
  };
}

/** The addresses of a name in the text of a file of hosts. */
function addressesIn(text: string, name: string): Address[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isNamed = isIP(address) !== 0 && names.some((each) => each.toLowerCase() === name);
    return isNamed ? [{ address, family: isIP(address) }] : [];
  });
}

/** Each look-up has its own resolver, which its signal cancels. */
async function resolve(name: string, servers: Sources['servers'], signal: AbortSignal): Promise<Address[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS });
  if (servers !== undefined) resolver.setServers(servers);
  using _ = addAbortListener(signal, () => resolver.cancel());
  const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = families.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0) throw (families[0] as PromiseRejectedResult).reason;
  return found.map((address) => ({ address, family: isIP(address) }));
}
