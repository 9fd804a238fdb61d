/** Compares an actual value with an expected one. @returns one sentence per difference */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Object.is(expected, actual)) return [];
  if (expected instanceof Map && actual instanceof Map) return ofEntries(expected, actual, path);
  if (Array.isArray(expected) && Array.isArray(actual)) return ofEntries(placed(expected), placed(actual), path);
  if (isObject(expected) && isObject(actual)) return ofEntries(members(expected), members(actual), path);
  return [`${path}: expected ${shown(expected)}, got ${shown(actual)}`];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);

const placed = (items: readonly unknown[]): Map<string, unknown> =>
  new Map(items.map((item, place) => [String(place), item]));

/** An undefined member counts as missing. */
const members = (value: object): Map<string, unknown> =>
  new Map(Object.entries(value).filter(([, member]) => member !== undefined));

function ofEntries(expected: Map<unknown, unknown>, actual: Map<unknown, unknown>, path: string): string[] {
  const keys = new Set([...expected.keys(), ...actual.keys()]);
  return [...keys].flatMap((key) => differences(expected.get(key), actual.get(key), `${path}/${String(key)}`));
}

const MAX_LENGTH = 200;

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAX_LENGTH);
}
