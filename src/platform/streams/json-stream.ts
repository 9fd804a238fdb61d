/** The rows of one JSON array, read a page at a time. */
export type Pages = AsyncIterable<readonly unknown[]>;

/** A JSON object whose members may be `Pages` or `Members`, which are then streamed. */
export class Members {
  readonly entries: readonly [name: string, value: unknown][];

  constructor(object: Record<string, unknown>) {
    this.entries = Object.entries(object);
  }
}

/** Pages with other rows. */
export async function* mapPages<T>(pages: AsyncIterable<T[]>, show: (row: T) => object): Pages {
  for await (const rows of pages) yield rows.map(show);
}

/** Serialises a value in pieces, so that a large document is never in memory as a whole. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  if (value instanceof Members) yield* members(value);
  else if (isPages(value)) yield* array(value);
  else yield JSON.stringify(value);
}

async function* members({ entries }: Members): AsyncGenerator<string> {
  let separator = '{\n';
  for (const [name, value] of entries) {
    yield `${separator}${JSON.stringify(name)}: `;
    yield* jsonPieces(value);
    separator = ',\n';
  }
  yield '\n}';
}

/** Yields one piece per page, with one line per row. */
async function* array(pages: Pages): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => JSON.stringify(row)).join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}

function isPages(value: unknown): value is Pages {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
