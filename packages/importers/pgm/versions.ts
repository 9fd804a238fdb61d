/** Whether version `a` is newer than `b`: parts are compared as numbers, and a number is newer than a word. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? 0, right[i] ?? 0];
    if (x === y) continue;
    if (typeof x === 'number' && typeof y === 'number') return x > y;
    return typeof x === typeof y ? x > y : typeof x === 'number';
  }
  return false;
}

function parts(version: string): (number | string)[] {
  const found = version.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  return found.map((part) => (/^\d/.test(part) ? Number(part) : part));
}
