/** What a statement may bind. Everything else (undefined, Date, boolean, objects) is refused, since drivers guess. */
export type Value = string | number | bigint | null | Uint8Array;

/** One statement: its text in pieces around its values, so that each driver writes its own placeholders. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly Value[];

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings;
    this.values = values;
  }
}

/**
 * Writes a statement: `sql\`select name from players where key = ${key}\``. A part may be a value or another `Sql`.
 * @throws TypeError for a value that no database holds as it stands
 */
export function sql(strings: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  for (const part of parts) if (part instanceof Sql) return flatten(strings, parts);
  for (const part of parts) checkValue(part as Value);
  return new Sql(strings, parts as Value[]);
}

/**
 * Values for `in (…)`. Their number is rounded up to a power of two by repeating the last one, which changes nothing
 * for `in` and keeps the number of different statements small. An empty list gives `null`, which matches nothing.
 */
export function list(values: readonly Value[]): Sql {
  if (values.length === 0) return new Sql(['null'], []);
  values.forEach(checkValue);
  const padded = [...values];
  const width = 2 ** Math.ceil(Math.log2(values.length));
  while (padded.length < width) padded.push(values[values.length - 1]!);
  return joined(padded);
}

/** The values of one row of an `insert`: `(?, ?, ?)`. */
export function row(values: readonly Value[]): Sql {
  values.forEach(checkValue);
  const inner = joined(values);
  const strings = [...inner.strings];
  strings[0] = '(' + strings[0]!;
  strings[strings.length - 1] += ')';
  return new Sql(strings, inner.values);
}

const insertTexts = new Map<string, readonly string[]>();
/** Between two statements a PostgreSQL on this machine gives way to others: none is to take long. */
const MAX_ROWS = 32;

/**
 * `head` (an `insert … values` without rows), the rows, and `tail`, in as few statements as keeps the number of different
 * ones small: their sizes are powers of two. Head and tail are code, never input.
 */
export function insertAll(head: string, rows: readonly (readonly Value[])[], tail = ''): Sql[] {
  return rows.length === 0 ? [] : withRows(head, rows[0]!.length, rows.flat(), tail);
}

/** As `insertAll`, of the values of all rows behind each other, for any statement that holds rows. */
export function withRows(head: string, columns: number, values: readonly Value[], tail = ''): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < values.length;) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2((values.length - start) / columns)));
    const end = start + size * columns;
    statements.push(statement(insertText(head, tail, size, columns), values.slice(start, end)));
    start = end;
  }
  return statements;
}

/** A statement of pieces that are kept, so that what is prepared of it is found by them. */
export function statement(strings: readonly string[], values: readonly Value[]): Sql {
  for (const value of values) checkValue(value);
  return new Sql(strings, values);
}

function insertText(head: string, tail: string, rows: number, columns: number): readonly string[] {
  const name = `${rows} ${columns} ${head} ${tail}`;
  const known = insertTexts.get(name);
  if (known !== undefined) return known;
  const strings = [`${head} (`];
  for (let place = 1; place < rows * columns; place++) strings.push(place % columns === 0 ? '), (' : ', ');
  strings.push(`) ${tail}`);
  insertTexts.set(name, strings);
  return strings;
}

/** Several statements' pieces behind each other, with a separator that is code, never input. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  const strings = [''];
  const values: Value[] = [];
  parts.forEach((part, index) => {
    addPieces(strings, index === 0 ? '' : separator, part.strings);
    values.push(...part.values);
  });
  return new Sql(strings, values);
}

/** Text that is code: the name of a table or column that the program itself knows. */
export function code(text: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(text)) throw new TypeError(`Not a name of ours: ${text}`);
  return new Sql([text], []);
}

/** The pieces of a list by how many values it has. */
const lists = new Map<number, readonly string[]>();

function joined(values: readonly Value[]): Sql {
  let strings = lists.get(values.length);
  if (strings === undefined) {
    strings = ['', ...Array.from({ length: values.length - 1 }, () => ', '), ''];
    lists.set(values.length, strings);
  }
  return new Sql(strings, values);
}

/** What a template became with statements in it: the pieces of those, in their places, and of the whole. */
interface Flat {
  inner: readonly (readonly string[] | undefined)[];
  strings: readonly string[];
}

/**
 * By template, as it was the last time: most have the same statements in them each time, and what a driver keeps of one is
 * found by its pieces, which have to be the same array then.
 */
const flats = new WeakMap<readonly string[], Flat>();

function flatten(strings: readonly string[], parts: readonly (Value | Sql)[]): Sql {
  const values: Value[] = [];
  let flat = flats.get(strings);
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place]!;
    if (part instanceof Sql) values.push(...part.values);
    else {
      checkValue(part);
      values.push(part);
    }
    if (flat?.inner[place] !== piecesOf(part)) flat = undefined;
  }
  if (flat === undefined) {
    flat = { inner: parts.map(piecesOf), strings: flatStrings(strings, parts) };
    flats.set(strings, flat);
  }
  return new Sql(flat.strings, values);
}

const piecesOf = (part: Value | Sql): readonly string[] | undefined => (part instanceof Sql ? part.strings : undefined);

function flatStrings(strings: readonly string[], parts: readonly (Value | Sql)[]): string[] {
  const flat = [strings[0]!];
  parts.forEach((part, index) => {
    if (part instanceof Sql) addPieces(flat, '', part.strings);
    else flat.push('');
    flat[flat.length - 1] += strings[index + 1]!;
  });
  return flat;
}

function addPieces(strings: string[], before: string, pieces: readonly string[]): void {
  strings[strings.length - 1] += before + pieces[0]!;
  strings.push(...pieces.slice(1));
}

function checkValue(value: Value): void {
  const type = typeof value;
  if (type === 'string' || type === 'bigint' || value === null || value instanceof Uint8Array) return;
  if (type === 'number' && Number.isFinite(value)) return;
  throw new TypeError(
    `A statement cannot bind ${type === 'object' ? Object.prototype.toString.call(value) : String(value)}`,
  );
}

/**
 * The statement with a driver's placeholders, kept by its pieces, which are the same array at every call of a template
 * literal. Each driver keeps its own, since one process may use both databases.
 */
export function textOf(
  query: Sql,
  cached: WeakMap<readonly string[], string>,
  placeholder: (place: number, before: string) => string,
): string {
  const known = cached.get(query.strings);
  if (known !== undefined) return known;
  let text = query.strings[0]!;
  for (let place = 1; place < query.strings.length; place++) {
    text += placeholder(place, query.strings[place - 1]!) + query.strings[place]!;
  }
  cached.set(query.strings, text);
  return text;
}

const reading = new WeakMap<readonly string[], boolean>();

/** Whether a statement only reads: a `select`, which begins as one. */
export function reads(query: Sql): boolean {
  let answer = reading.get(query.strings);
  if (answer === undefined) {
    answer = /^\s*(select|with)\b/i.test(query.strings[0]!);
    reading.set(query.strings, answer);
  }
  return answer;
}
