import pg from 'pg';

/**
 * Two connections on which short reads follow each other without waiting for answers: a third of the CPU time of a pool
 * that hands connections out and back. A read that takes long would hold up those behind it, so it belongs on the pool.
 */
export class Pipeline {
  readonly #config: pg.ClientConfig;
  readonly #clients: (Promise<pg.Client> | undefined)[] = [undefined, undefined];
  #turn = 0;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true };
  }

  async query(query: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
    this.#turn = (this.#turn + 1) % this.#clients.length;
    const client = await (this.#clients[this.#turn] ??= this.#connect(this.#turn));
    return await client.query(query);
  }

  async close(): Promise<void> {
    const open = this.#clients.splice(0).filter((client) => client !== undefined);
    await Promise.allSettled(open.map(async (client) => (await client).end()));
  }

  async #connect(place: number): Promise<pg.Client> {
    const forget = (): void => void (this.#clients[place] = undefined);
    const client = new pg.Client(this.#config);
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
    } catch (error) {
      forget();
      throw error;
    }
    return client;
  }
}
