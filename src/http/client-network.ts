/** Whoever asks, as far as an address tells: one household has one IPv4 address, or a whole /64 of IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4).join(':');
}
