/** Rows that are read a page at a time, as they stand in a JSON array. */
export type Pages = AsyncIterable<readonly unknown[]>;

/** An object some of whose members are pages, or such objects again. */
export class Members {
  readonly all: readonly [name: string, value: unknown][];

  constructor(all: Record<string, unknown>) {
    this.all = Object.entries(all);
  }
}

/** The JSON of something too large to hold at once, in pieces. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  if (value instanceof Members) yield* members(value);
  else if (isPages(value)) yield* array(value);
  else yield JSON.stringify(value);
}

async function* members({ all }: Members): AsyncGenerator<string> {
  let before = '{\n';
  for (const [name, value] of all) {
    yield `${before}${JSON.stringify(name)}: `;
    yield* jsonPieces(value);
    before = ',\n';
  }
  yield '\n}';
}

/** A page is one piece, a row one line. */
async function* array(pages: Pages): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]' : '\n]';
}

function isPages(value: unknown): value is Pages {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
