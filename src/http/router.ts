/** What a path leads to. */
export interface Found<T> {
  route: T;
  /** The path of the route, as metrics show it: `/v1/matches/:id`. */
  path: string;
  /** The parts of the path at its parameters (`:id`), percent-encoded. */
  parameters: readonly string[];
}

/**
 * Finds the route of a path among those of one service. A path may contain parameters: `/v1/matches/:id`. A path without one
 * takes precedence.
 */
export class Router<T> {
  /** The paths of the routes. */
  readonly paths: readonly string[];
  readonly #fixed: readonly (readonly [path: string, route: T])[];
  readonly #patterns: readonly Pattern<T>[];

  constructor(routes: readonly (readonly [path: string, route: T])[]) {
    this.paths = routes.map(([path]) => path);
    this.#fixed = routes.filter(([path]) => !path.includes(':'));
    this.#patterns = routes.filter(([path]) => path.includes(':')).map(patternOf);
  }

  /**
   * A linear scan over the few routes. A `Map` would be slower: each new path would first have to be hashed and interned by
   * V8.
   */
  find(path: string): Found<T> | undefined {
    for (const [fixed, route] of this.#fixed) if (fixed === path) return { route, path: fixed, parameters: [] };
    for (const { prefix, others, route, path: pattern } of this.#patterns) {
      if (!path.startsWith(prefix)) continue;
      const parameters = parametersIn(path, prefix.length, others);
      if (parameters !== undefined) return { route, path: pattern, parameters };
    }
    return undefined;
  }
}

interface Pattern<T> {
  path: string;
  /** The part of the path before the first parameter, and those after each parameter. */
  prefix: string;
  others: readonly string[];
  route: T;
}

/** @returns undefined if the path has other parts than those after each parameter, or an empty parameter */
function parametersIn(path: string, start: number, others: readonly string[]): string[] | undefined {
  const parameters: string[] = [];
  for (const part of others) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    if (end === start || !path.startsWith(part, end)) return undefined;
    parameters.push(path.slice(start, end));
    start = end + part.length;
  }
  return start === path.length ? parameters : undefined;
}

function patternOf<T>([path, route]: readonly [path: string, route: T]): Pattern<T> {
  const [prefix = '', ...others] = path.split(/:[a-z]+/);
  return { path, prefix, others, route };
}

/** The path without a slash at its end, for services whose paths may have one. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
