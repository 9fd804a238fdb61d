import type { paths } from './data-api.ts';

type Operation<P extends keyof paths> = paths[P]['get'];
type Json<O> = O extends { responses: { 200: { content: { 'application/json': infer T } } } } ? T : never;
type PathParams<O> = O extends { parameters: { path: infer T } } ? T : unknown;
type QueryParams<O> = O extends { parameters: { query?: infer T } } ? ([T] extends [undefined] ? unknown : T) : unknown;

/** A path of the data API, as the OpenAPI document writes it: `/v1/players/{id}/matches`. */
export type Path = { [P in keyof paths]: [Json<Operation<P>>] extends [never] ? never : P }[keyof paths];

/** The parameters of a path, in the path and in the query. */
export type Params<P extends Path> = PathParams<Operation<P>> & NonNullable<QueryParams<Operation<P>>>;

/** What a path answers. */
export type Result<P extends Path> = Json<Operation<P>>;

/** A path that answers a list in pages. */
export type ListPath = {
  [P in Path]: 'max_id' extends keyof Params<P> ? (Result<P> extends { id: string }[] ? P : never) : never;
}[Path];

/** The arguments after the path: the parameters can be left out if none is required. */
export type Arguments<P extends Path, O> =
  Partial<Params<P>> extends Params<P> ? [params?: Params<P>, options?: O] : [params: Params<P>, options?: O];

/**
 * The path and query of a request. A list is written with commas.
 * @throws TypeError if a part of the path is missing, or would change the path (`..`)
 */
export function pathOf(path: string, params: object = {}): string {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${path} needs an ${name}, which must not be "${value}"`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? filled : `${filled}?${query}`;
}
