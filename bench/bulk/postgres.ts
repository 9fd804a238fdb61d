import pg from 'pg';
import { type Cell, type Queryable, type Row, withoutKey } from '#db/db.ts';
import { type Sql, statementText, type Value } from '#db/sql.ts';
import type { Bulk } from './bulk.ts';

const statementTexts = new WeakMap<readonly string[], string>();
const INT8 = 20;
const CHUNK = 1_000_000;

/** Fills a PostgreSQL database with COPY, over one connection with asynchronous commit. */
export class BulkPostgres implements Bulk, Queryable {
  readonly keyedHash = withoutKey;
  readonly remote = true;
  readonly tx = this;
  readonly #client: pg.Client;
  /** Statements that create the dropped indexes again: building an index once, over all rows, is far cheaper. */
  readonly #indexes: string[];

  private constructor(client: pg.Client, indexes: string[]) {
    this.#client = client;
    this.#indexes = indexes;
  }

  static async open(url: string): Promise<BulkPostgres> {
    const types = { getTypeParser: (type: number) => (type === INT8 ? Number : pg.types.getTypeParser(type)) };
    const client = new pg.Client({ connectionString: url, types: types as pg.CustomTypesConfig });
    await client.connect();
    await client.query('set synchronous_commit = off');
    // Skips the foreign key checks, which only a superuser may do. The inserted rows satisfy them.
    await client.query('set session_replication_role = replica').catch(() => undefined);
    return new BulkPostgres(client, await dropIndexes(client));
  }

  /** Runs one COPY for all statements with the same table and columns. */
  async insert(statements: readonly Sql[]): Promise<void> {
    for (const [target, inserts] of Map.groupBy(statements, targetOf)) {
      const lines = inserts.flatMap((statement) => linesOf(target, statement.values));
      await this.#copy(`copy ${target} from stdin`, lines.join(''));
    }
  }

  async finish(): Promise<void> {
    await this.#client.query(`set maintenance_work_mem = '512MB'`);
    for (const index of this.#indexes) await this.#client.query(index);
    await this.#client.query('vacuum (analyze)');
  }

  async all<R = Row>(query: Sql): Promise<R[]> {
    return (
      await this.#client.query(
        statementText(query, statementTexts, (place) => `$${place}`),
        [...query.values],
      )
    ).rows as R[];
  }

  async get<R = Row>(query: Sql): Promise<R | undefined> {
    return (await this.all<R>(query))[0];
  }

  async tuples(query: Sql): Promise<Cell[][]> {
    return (await this.all(query)).map((row) => Object.values(row));
  }

  async tuple(query: Sql): Promise<Cell[] | undefined> {
    return (await this.tuples(query))[0];
  }

  async run(query: Sql): Promise<number> {
    const result = await this.#client.query(
      statementText(query, statementTexts, (place) => `$${place}`),
      [...query.values],
    );
    return result.rowCount ?? 0;
  }

  async runAll(queries: readonly Sql[]): Promise<void> {
    for (const query of queries) await this.run(query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }

  async #copy(text: string, data: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const query = new CopyIn(text, data, (error) => (error ? reject(error) : resolve()));
    this.#client.query(query);
    await promise;
  }
}

/**
 * Drops every index that is not unique.
 * @returns the statements that create the indexes again
 */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and not i.indisunique`);
  for (const { name } of rows) await client.query(`drop index "${name}"`);
  return rows.map(({ definition }) => definition);
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A COPY … FROM STDIN. `pg` has no support for it, except that it calls `handleCopyInResponse`. */
class CopyIn extends (pg.Query as unknown as new (
  text: string,
  done: (error: Error | null) => void,
) => pg.Submittable) {
  readonly #data: string;

  constructor(text: string, data: string, done: (error: Error | null) => void) {
    super(text, done);
    this.#data = data;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (let at = 0; at < this.#data.length; at += CHUNK) {
      connection.sendCopyFromChunk(Buffer.from(this.#data.slice(at, at + CHUNK)));
    }
    connection.endCopyFrom();
  }
}

/** `matches (key, head, …)` of `insert into matches (key, head, …) values (`. */
function targetOf({ strings }: Sql): string {
  const [, target] = /^insert into (\w+ \([^)]*\)) values \($/.exec(strings[0]!) ?? [];
  if (target === undefined || strings.at(-1)!.trim() !== ')') throw new TypeError(`Not a plain insert: ${strings[0]}`);
  return target;
}

function linesOf(target: string, values: readonly Value[]): string[] {
  const width = target.split(',').length;
  const lines: string[] = [];
  for (let at = 0; at < values.length; at += width) {
    lines.push(
      `${values
        .slice(at, at + width)
        .map(fieldOf)
        .join('\t')}\n`,
    );
  }
  return lines;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function fieldOf(value: Value): string {
  if (value === null) return '\\N';
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'string' ? value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character]!) : String(value);
}
