import { uuidOf } from '#platform/text/text.ts';

interface NamedPlayer {
  uuid: string;
  name: string;
}

/** Like `rename`, for JSON. */
export const renamedJson = (json: string, renamed: ReadonlyMap<string, NamedPlayer>): string =>
  JSON.stringify(rename(JSON.parse(json), renamed));

/** Copies a value and replaces every renamed UUID, and the member `name` of an object with its `uuid`. */
export function rename(value: unknown, renamed: ReadonlyMap<string, NamedPlayer>): unknown {
  if (typeof value === 'string') return renamed.get(uuidOf(value) ?? '')?.uuid ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, renamed));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rename(part, renamed)]));
  const { uuid } = value as { uuid?: unknown };
  const other = typeof uuid === 'string' ? renamed.get(uuidOf(uuid) ?? '') : undefined;
  return other === undefined ? copy : { ...copy, name: other.name };
}
