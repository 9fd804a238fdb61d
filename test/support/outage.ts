import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { createPostgresDatabase } from './postgres.ts';

/** A PostgreSQL database that a test can make unreachable and reachable again. */
export class UnsteadyDatabase {
  readonly url: string;
  readonly #own: URL;
  readonly #socket: string;

  private constructor(own: URL, folder: string) {
    this.#own = own;
    this.#socket = join(folder, `.s.PGSQL.${own.port || 5432}`);
    const url = new URL(own);
    url.searchParams.set('host', folder);
    this.url = url.href;
  }

  /** @returns the database and the function that drops it */
  static async open(): Promise<{ database: UnsteadyDatabase; drop: () => Promise<void> }> {
    const own = await createPostgresDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'unsteady-'));
    const database = new UnsteadyDatabase(new URL(own.url), folder);
    await database.giveBack();
    return { database, drop: async () => void (await Promise.all([own.drop(), rm(folder, { recursive: true })])) };
  }

  async giveBack(): Promise<void> {
    await symlink(join(this.#own.searchParams.get('host')!, basename(this.#socket)), this.#socket);
  }

  /** Refuses new connections and terminates open ones. */
  async takeAway(): Promise<void> {
    await rm(this.#socket);
    const client = new pg.Client(this.#own.href);
    await client.connect();
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()';
    await client.query(others, [this.#own.pathname.slice(1)]);
    await client.end();
  }
}
