import { invalidRequest } from '#http/errors.ts';
import type { Shape } from './endpoint.ts';

/** The query of a request as it was sent, decoded on demand. */
export class Query {
  readonly #pairs: [string, string][];

  constructor(text: string) {
    this.#pairs = text === '' ? [] : text.split('&').map(pairOf);
  }

  /** Every value of a parameter, as sent. Broken percent-encoding stays as it is: it matches nothing. */
  values(name: string): string[] {
    return this.#pairs.filter(([sent]) => sent === name).map(([, value]) => decoded(value) ?? value);
  }

  get hasToken(): boolean {
    return this.#pairs.some(([name]) => name === 'access_token');
  }

  /**
   * Reads the parameters that a row knows; others are ignored.
   * @throws HttpError 400 that names the parameter and what would be right
   */
  read(shape: Shape): Readonly<Record<string, unknown>> {
    return this.#pairs.length === 0 ? defaultsOf(shape) : this.#read(shape);
  }

  #read(shape: Shape): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const name in shape) result[name] = this.#readOne(name, shape[name]!);
    return result;
  }

  #readOne(name: string, schema: Shape[string]): unknown {
    const sent = this.#pairs.filter(([parameter]) => parameter === name);
    if (sent[0] === undefined) return defaultOf(schema);
    if (sent.length > 1) throw invalidRequest(`${name} must not be given more than once.`);
    const value = decoded(sent[0][1]);
    if (value === undefined) throw invalidRequest(`${name} must be percent-encoded UTF-8.`);
    const read = schema.safeParse(value);
    if (!read.success) throw invalidRequest(`${name} ${read.error.issues[0]!.message}.`);
    return read.data;
  }
}

const defaults = new WeakMap<Shape[string], { value: unknown }>();

/** What a parameter that was not sent stands for; worked out once. */
function defaultOf(schema: Shape[string]): unknown {
  let known = defaults.get(schema);
  if (known === undefined) defaults.set(schema, (known = { value: schema.parse(undefined) }));
  return known.value;
}

const wholeDefaults = new WeakMap<Shape, Readonly<Record<string, unknown>>>();

/** What stands for all of a shape where nothing was sent. */
function defaultsOf(shape: Shape): Readonly<Record<string, unknown>> {
  let known = wholeDefaults.get(shape);
  if (known === undefined) {
    known = Object.freeze(Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, defaultOf(schema)])));
    wholeDefaults.set(shape, known);
  }
  return known;
}

function pairOf(part: string): [string, string] {
  const at = part.indexOf('=');
  const name = at < 0 ? part : part.slice(0, at);
  return [decoded(name) ?? name, at < 0 ? '' : part.slice(at + 1)];
}

function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
