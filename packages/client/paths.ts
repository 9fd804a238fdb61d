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
  [P in Path]: Extract<keyof Params<P>, 'max_id' | 'after'> extends never
    ? never
    : Result<P> extends { id: string }[]
      ? P
      : never;
}[Path];

/** An item of a list; one of a leaderboard has the member that orders it. */
export type Listed = { id: string } & { readonly [member: string]: unknown };

const LEADERBOARD = '/v1/leaderboards/{mode}/{period}';

/** The parameters of the page of a list after an item. */
export function pageAfter(path: string, { by = 'win_count' }: { by?: string }, last: Listed): object {
  if (path === LEADERBOARD) return { after: `${String(last[by])}.${last.id}` };
  return path === '/v1/players/{id}/rivals' ? { after: last.id } : { max_id: last.id };
}

/** The arguments after the path: the parameters can be left out if none is required. */
export type Arguments<P extends Path, O> =
  Partial<Params<P>> extends Params<P> ? [params?: Params<P>, options?: O] : [params: Params<P>, options?: O];

/**
 * The path and query of a request. A list is written with commas, with one in a value as `NAME[]`.
 * @throws TypeError if a part of the path is missing, or would change the path (`..`)
 */
export function pathOf(path: string, params: object = {}): string {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '');
    if (/^\.{0,2}$/.test(value))
      throw new TypeError(
        `${path} needs an ${name}, which must not be "${value}"${value === '' ? '' : `; a player of this name is "name:${value}"`}`,
      );
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const pairs = [...rest].flatMap(([name, value]): string[][] => {
    const hasComma = Array.isArray(value) && value.some((one) => String(one).includes(','));
    return hasComma ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]];
  });
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

const LOOK_UP = '/v1/players';
const ENTRIES_PER_REQUEST = 10;

/** The number of requests that a path counts as: ten entries of a look-up of players are one. */
export function priceOf(path: string): number {
  const [name, query] = path.split('?');
  if (name !== LOOK_UP) return 1;
  const lists = new URLSearchParams(query);
  const entries = ['uuids', 'names'].flatMap((list) => [
    ...lists.getAll(list).flatMap((value) => value.split(',')),
    ...lists.getAll(`${list}[]`),
  ]);
  return Math.max(1, Math.ceil(entries.length / ENTRIES_PER_REQUEST));
}
