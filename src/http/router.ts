/** What a path leads to. */
export interface Found<T> {
  route: T;
  /** The path of the route, as metrics show it: `/v1/matches/:id`. */
  path: string;
  /** The part of the path at `:id`, percent-encoded; empty if the route has none. */
  parameter: string;
}

/**
 * Finds the route of a path among those of one service. A path may contain one parameter: `/v1/matches/:id`. A path without
 * one takes precedence.
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
    for (const [fixed, route] of this.#fixed) if (fixed === path) return { route, path: fixed, parameter: '' };
    for (const { prefix, suffix, route, path: pattern } of this.#patterns) {
      if (!path.startsWith(prefix)) continue;
      const slash = path.indexOf('/', prefix.length);
      const end = slash < 0 ? path.length : slash;
      if (end > prefix.length && path.length - end === suffix.length && path.endsWith(suffix))
        return { route, path: pattern, parameter: path.slice(prefix.length, end) };
    }
    return undefined;
  }
}

interface Pattern<T> {
  path: string;
  /** The parts of the path before and after the parameter. */
  prefix: string;
  suffix: string;
  route: T;
}

function patternOf<T>([path, route]: readonly [path: string, route: T]): Pattern<T> {
  const [prefix = '', suffix = ''] = path.split(/:[a-z]+/);
  return { path, prefix, suffix, route };
}

/** The path without a slash at its end, for services whose paths may have one. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
