/** A value that a statement may bind. Others (undefined, Date, boolean, objects) are refused: each driver converts them differently. */
export type Value = string | number | bigint | null | Uint8Array;

/** One statement: the pieces of its text around its values. Each driver joins them with its own placeholders. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly Value[];

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings;
    this.values = values;
  }
}

/**
 * Template tag for a statement: `sql\`select name from players where key = ${key}\``. A part is a value, which becomes a
 * parameter, or another `Sql`, which becomes part of the text.
 * @throws TypeError for a value that is not a `Value`
 */
export function sql(strings: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  for (const part of parts) if (part instanceof Sql) return flatten(strings, parts);
  for (const part of parts) checkValue(part as Value);
  return new Sql(strings, parts as Value[]);
}

/**
 * Values for `in (…)`. The last value is repeated up to the next power of two: `in` ignores the duplicates, and the number
 * of different prepared statements stays small. An empty list becomes `null`, which matches nothing.
 */
export function list(values: readonly Value[]): Sql {
  if (values.length === 0) return new Sql(['null'], []);
  values.forEach(checkValue);
  const padded = [...values];
  const width = 2 ** Math.ceil(Math.log2(values.length));
  while (padded.length < width) padded.push(values[values.length - 1]!);
  return joined(padded);
}

/** Maximum values of a list that `lists` makes. */
const MAX_LISTED = 256;

/** Like `list`, for any number of values: one list for each of several statements. */
export const lists = (values: readonly Value[]): Sql[] =>
  Array.from({ length: Math.ceil(values.length / MAX_LISTED) }, (_, index) =>
    list(values.slice(index * MAX_LISTED, (index + 1) * MAX_LISTED)),
  );

/** One row of an `insert`: `(?, ?, ?)`. */
export function row(values: readonly Value[]): Sql {
  values.forEach(checkValue);
  return sql`(${joined(values)})`;
}

const insertTexts = new Map<string, readonly string[]>();
/** A PostgreSQL on this machine lets other processes run between two statements, so each statement must be short. */
const MAX_ROWS = 32;

/**
 * Inserts many rows: `head` (`insert … values`), the rows, and `tail`. The statements have a power of two of rows each, at
 * most 32, so that the number of different prepared statements stays small. Head and tail are code, never input.
 */
export function insertAll(head: string, rows: readonly (readonly Value[])[], tail = ''): Sql[] {
  return rows.length === 0 ? [] : withRows(head, rows[0]!.length, rows.flat(), tail);
}

/** Like `insertAll`, but for any statement with rows, and with the values of all rows in one flat array. */
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

/** A statement from cached pieces: drivers find the prepared statement by the identity of the array. */
export function statement(strings: readonly string[], values: readonly Value[]): Sql {
  for (const value of values) checkValue(value);
  return new Sql(strings, values);
}

function insertText(head: string, tail: string, rows: number, columns: number): readonly string[] {
  const name = `${rows} ${columns} ${head} ${tail}`;
  const cached = insertTexts.get(name);
  if (cached !== undefined) return cached;
  const strings = [`${head} (`];
  for (let place = 1; place < rows * columns; place++) strings.push(place % columns === 0 ? '), (' : ', ');
  strings.push(`) ${tail}`);
  insertTexts.set(name, strings);
  return strings;
}

/** Concatenates parts of a statement. The separator is code, never input. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  const strings = [''];
  const values: Value[] = [];
  parts.forEach((part, index) => {
    addPieces(strings, index === 0 ? '' : separator, part.strings);
    values.push(...part.values);
  });
  return new Sql(strings, values);
}

/**
 * The name of a table or column as part of the text. Only for names in the program, never for input.
 * @throws TypeError for text that is not a plain identifier
 */
export function identifier(text: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(text)) throw new TypeError(`Not a plain SQL identifier: ${text}`);
  return new Sql([text], []);
}

/** The pieces of a list by its number of values. */
const listTexts = new Map<number, readonly string[]>();

function joined(values: readonly Value[]): Sql {
  let strings = listTexts.get(values.length);
  if (strings === undefined) {
    strings = ['', ...Array.from({ length: values.length - 1 }, () => ', '), ''];
    listTexts.set(values.length, strings);
  }
  return new Sql(strings, values);
}

/** A template with nested statements, flattened: the pieces of the nested statements by part, and of the result. */
interface Flattened {
  nested: readonly (readonly string[] | undefined)[];
  strings: readonly string[];
}

/**
 * The last flattened form of each template. Most templates nest the same statements at every call, and then must return the
 * same array of pieces, by which drivers find the prepared statement.
 */
const flattenedTemplates = new WeakMap<readonly string[], Flattened>();

function flatten(strings: readonly string[], parts: readonly (Value | Sql)[]): Sql {
  const values: Value[] = [];
  let flat = flattenedTemplates.get(strings);
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place]!;
    if (part instanceof Sql) values.push(...part.values);
    else {
      checkValue(part);
      values.push(part);
    }
    if (flat?.nested[place] !== nestedPieces(part)) flat = undefined;
  }
  if (flat === undefined) {
    flat = { nested: parts.map(nestedPieces), strings: flatStrings(strings, parts) };
    flattenedTemplates.set(strings, flat);
  }
  return new Sql(flat.strings, values);
}

const nestedPieces = (part: Value | Sql): readonly string[] | undefined =>
  part instanceof Sql ? part.strings : undefined;

function flatStrings(strings: readonly string[], parts: readonly (Value | Sql)[]): string[] {
  const flat = [strings[0]!];
  parts.forEach((part, index) => {
    if (part instanceof Sql) addPieces(flat, '', part.strings);
    else flat.push('');
    flat[flat.length - 1] += strings[index + 1]!;
  });
  return flat;
}

function addPieces(strings: string[], separator: string, pieces: readonly string[]): void {
  strings[strings.length - 1] += separator + pieces[0]!;
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
 * The text of a statement with a driver's placeholders.
 * @param cache texts by the array of pieces, which is the same one at every call of a template literal; one cache a driver,
 * since a process may use both databases
 * @param placeholder gets the number of the parameter, from 1, and the text before it
 */
export function statementText(
  query: Sql,
  cache: WeakMap<readonly string[], string>,
  placeholder: (place: number, before: string) => string,
): string {
  const cached = cache.get(query.strings);
  if (cached !== undefined) return cached;
  let text = query.strings[0]!;
  for (let place = 1; place < query.strings.length; place++) {
    text += placeholder(place, query.strings[place - 1]!) + query.strings[place]!;
  }
  cache.set(query.strings, text);
  return text;
}

/** Whether a statement only reads: it begins with `select` or `with`. */
export const isSelect = ({ strings }: Sql): boolean => /^\s*(select|with)\b/i.test(strings[0]!);
