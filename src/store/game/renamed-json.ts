import { uuidOf } from '#platform/text/text.ts';

interface NamedPlayer {
  uuid: string;
  name: string;
}

/** Like `rename`, for JSON. */
export const renamedJson = (
  json: string,
  renamed: ReadonlyMap<string, NamedPlayer>,
  replacedNames?: Set<string>,
): string => JSON.stringify(rename(JSON.parse(json), renamed, replacedNames));

/**
 * Copies a value and replaces every renamed UUID, and the member `name` of an object with its `uuid`.
 * @param replacedNames gets the names that were replaced
 */
export function rename(
  value: unknown,
  renamed: ReadonlyMap<string, NamedPlayer>,
  replacedNames?: Set<string>,
): unknown {
  if (typeof value === 'string') return renamed.get(uuidOf(value) ?? '')?.uuid ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, renamed, replacedNames));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, rename(part, renamed, replacedNames)]),
  );
  const { uuid, name } = value as { uuid?: unknown; name?: unknown };
  const other = typeof uuid === 'string' ? renamed.get(uuidOf(uuid) ?? '') : undefined;
  if (other === undefined) return copy;
  if (typeof name === 'string') replacedNames?.add(name);
  return { ...copy, name: other.name };
}
