/**
 * The part of an address that identifies one household: the whole IPv4 address, or the /64 prefix of an IPv6 address,
 * because a household gets a whole /64 and may use any address in it.
 */
export function clientNetwork(address: string): string {
  return address.includes(':') ? ipv6Groups(address).slice(0, 4).join(':') : address;
}

export interface Network {
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
