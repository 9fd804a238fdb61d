/** Records and tables as lines of text. */

/** One line per member. */
export function recordOf(record: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  return Object.entries(record).map(
    ([name, value]) => `${name.padEnd(width)}  ${Array.isArray(value) ? linesOf(value).join(indent) : shown(value)}`,
  );
}

/** One line per record, one line for all texts. */
const linesOf = (values: readonly unknown[]): string[] =>
  values.some((value) => typeof value === 'object') ? values.map(shown) : [values.join(' ')];

/** A heading, and one line per row. */
export function tableOf(rows: readonly Record<string, unknown>[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)));
  const padded = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index]!)));
  return padded.map((line) => line.join('  ').trimEnd());
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
