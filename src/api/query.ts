import { invalidRequest } from '#http/errors.ts';
import type { Shape } from './endpoint.ts';
import type { Headers } from './headers.ts';

/** The query string of a request, decoded on demand. */
export class Query {
  readonly #pairs: [string, string][];

  constructor(text: string) {
    this.#pairs = text === '' ? [] : text.split('&').map(parsePair);
  }

  /** Every value of a parameter. A value with invalid percent-encoding is returned undecoded and so matches nothing. */
  values(name: string): string[] {
    return this.#pairs.filter(([parameter]) => parameter === name).map(([, value]) => decoded(value) ?? value);
  }

  get hasToken(): boolean {
    return this.#pairs.some(([name]) => name === 'access_token');
  }

  /** The names of parameters that an endpoint does not have, each once. */
  namesOutside(shape: Shape): string[] {
    if (this.#pairs.length === 0) return [];
    const names = new Set(this.#pairs.map(([name]) => name));
    const isKnown = (name: string): boolean => {
      const schema = shape[listOf(name) ?? ''];
      return Object.hasOwn(shape, name) || (schema !== undefined && isList(schema));
    };
    return [...names].filter((name) => name !== '' && !isKnown(name));
  }

  /**
   * Parses the parameters of an endpoint and ignores all others. An empty one, or an empty value of a list, counts as not given.
   * @throws HttpError 400 with the parameter's name and what it must be
   */
  read(shape: Shape): Readonly<Record<string, unknown>> {
    return this.#pairs.length === 0 ? shapeDefaults(shape) : this.#read(shape);
  }

  #read(shape: Shape): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const name in shape) {
      const schema = shape[name]!;
      result[name] = isList(schema) ? this.#readList(name, schema) : this.#readOne(name, schema);
    }
    return result;
  }

  #readOne(name: string, schema: Shape[string]): unknown {
    const sent = this.#pairs.filter(([parameter]) => parameter === name);
    if (sent.length > 1) throw invalidRequest(`${name} must not be given more than once.`);
    const value = sent[0] === undefined ? '' : requireDecoded(name, sent[0][1]);
    return value === '' ? parameterDefault(schema) : parse(name, schema, value);
  }

  /** Only between values of `NAME` a comma separates: one in `NAME[]` or `NAME[0]` belongs to the value. */
  #readList(name: string, schema: Shape[string]): unknown {
    const values = this.#pairs.flatMap(([parameter, text]): string[] => {
      if (parameter === name) return requireDecoded(name, text).split(',');
      return listOf(parameter) === name ? [requireDecoded(name, text)] : [];
    });
    const given = values.map((value) => value.trim()).filter((value) => value !== '');
    return given.length === 0 ? parameterDefault(schema) : parse(name, schema, given);
  }
}

/** The list to which a parameter adds one value: the notations of PHP and of many libraries. */
const listOf = (parameter: string): string | undefined => /^(.+)\[\d*\]$/.exec(parameter)?.[1];

function requireDecoded(name: string, text: string): string {
  const value = decoded(text);
  if (value === undefined) throw invalidRequest(`${name} must be percent-encoded UTF-8.`);
  return value;
}

function parse(name: string, schema: Shape[string], value: string | string[]): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(`${name} ${parsed.error.issues[0]!.message}.`);
  return parsed.data;
}

/** Whether a parameter is a list, whose values clients send with commas or one by one. */
const isList = (schema: Shape[string]): boolean => schema.meta()?.['type'] === 'array';

const parameterDefaults = new WeakMap<Shape[string], unknown>();

/** The default of a parameter, cached by its schema. */
const parameterDefault = (schema: Shape[string]): unknown =>
  parameterDefaults.getOrInsertComputed(schema, () => schema.parse(undefined));

const queryDefaults = new WeakMap<Shape, Readonly<Record<string, unknown>>>();

/** The parsed form of an empty query, cached by the shape. */
function shapeDefaults(shape: Shape): Readonly<Record<string, unknown>> {
  return queryDefaults.getOrInsertComputed(shape, () => {
    const entries = Object.entries(shape).map(([name, schema]) => [name, parameterDefault(schema)]);
    return Object.freeze(Object.fromEntries(entries)) as Record<string, unknown>;
  });
}

function parsePair(part: string): [string, string] {
  const at = part.indexOf('=');
  const name = at < 0 ? part : part.slice(0, at);
  return [decoded(name) ?? name, at < 0 ? '' : part.slice(at + 1)];
}

/** The decoded text; undefined if its percent-encoding is invalid. */
function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Parameters that `readCredentials` reads. */
const CREDENTIALS: ReadonlySet<string> = new Set(['access_token', 'client_id']);
const MAX_NAMES = 10;
const MAX_NAME = 64;

/** Names the parameters of a request that its endpoint does not have and ignores, percent-encoded. */
export function addIgnored(headers: Headers, query: Query, shape: Shape): void {
  const ignored = query.namesOutside(shape).filter((name) => !CREDENTIALS.has(name));
  if (ignored.length === 0) return;
  const named = ignored.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, MAX_NAME).toWellFormed()));
  headers.push('x-ignored-parameters', named.join(', '));
}
