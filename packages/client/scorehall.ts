import { Changes } from './changes.ts';
import { ScorehallError } from './errors.ts';
import { type Arguments, type Listed, type ListPath, pageAfter, type Path, pathOf, type Result } from './paths.ts';
import { type CallOptions, type ClientOptions, Transport } from './transport.ts';

/** A client of the data API of one network. */
export class Scorehall {
  /** The feed of changes. */
  readonly changes: Changes;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.changes = new Changes(this.#transport);
  }

  /** Reads a path: `get('/v1/players/{id}', { id: 'Ada', fields: ['total'] })`. */
  async get<P extends Path>(path: P, ...[params, options]: Arguments<P, CallOptions>): Promise<Result<P>> {
    return (await this.#transport.json(pathOf(path, params), options)) as Result<P>;
  }

  /** Like `get`, but undefined if there is no such resource. */
  async find<P extends Path>(path: P, ...request: Arguments<P, CallOptions>): Promise<Result<P> | undefined> {
    return await this.get(path, ...request).catch((error: unknown) => {
      if (error instanceof ScorehallError && error.status === 404) return undefined;
      throw error;
    });
  }

  /** The items of a list, from the newest to the oldest, or in its order. A page is requested when its first item is. */
  async *list<P extends ListPath>(
    path: P,
    ...[params, options]: Arguments<P, CallOptions>
  ): AsyncGenerator<Result<P>[number], void, undefined> {
    let query: object = { limit: 100, ...params };
    for (let before: string | undefined; ;) {
      const page = (await this.#transport.json(pathOf(path, query), options)) as Result<P> & Listed[];
      const last = page.at(-1);
      if (last === undefined) return;
      if (last.id === before) throw new TypeError(`${path} has no pages`);
      yield* page;
      before = last.id;
      query = { ...query, ...pageAfter(path, query, last) };
    }
  }
}
