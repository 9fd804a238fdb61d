import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { uuidLabel } from '#text/text.ts';

/**
 * Texts with the label of a UUID in the place of a removed name: teams that bore it, reasons, names of staff, entries of the
 * audit log. Readers put the name that the player has now into them, so that they follow later names as players of matches do
 * (`merged-players.ts`).
 */

const LABELS = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{12}(?![0-9a-f])/g;

/** The present names of players by the labels of their UUIDs, also of those that were merged into them. */
type PresentNames = ReadonlyMap<string, string>;

async function presentNames(db: Queryable, texts: readonly string[]): Promise<PresentNames> {
  const names = new Map<string, string>();
  for (const label of new Set(texts.flatMap((text) => text.match(LABELS) ?? []))) {
    const [first, last] = [label.slice(0, 8), label.slice(9)];
    // A label lacks the middle of the UUID.
    const range = sql`between ${`${first}-0000-0000-0000-${last}`} and ${`${first}-ffff-ffff-ffff-${last}`}`;
    const rows = await db.tuples(sql`
      select uuid, name from players where uuid ${range}
      union all
      select a.uuid, p.name from player_aliases a join players p on p.uuid = a.into_uuid where a.uuid ${range}`);
    for (const [uuid, name] of rows as [string, string][]) if (uuidLabel(uuid) === label) names.set(label, name);
  }
  return names;
}

/** Whether the JSON of teams or objectives has a label as a name. It is the check of each match, so that it takes 1 µs instead of 60. */
export const hasUnnamed = (json: string): boolean => /"name":"[0-9a-f]{8}-[0-9a-f]{12}/.test(json);

export const withNames = (text: string, names: PresentNames): string =>
  text.replace(LABELS, (label) => names.get(label) ?? label);

/** Like `withNames`, for JSON. */
export const withNamesInJson = (json: string, names: PresentNames): string =>
  json.replace(LABELS, (label) => JSON.stringify(names.get(label) ?? label).slice(1, -1));

/** Puts present names into some columns of rows, with one more statement for each label. */
export async function withPresentNames<Row extends object>(
  db: Queryable,
  rows: Row[],
  columns: readonly (string & keyof Row)[],
  write = withNames,
): Promise<Row[]> {
  const textsOf = (row: Row): [string, string][] =>
    columns.flatMap((column) => (typeof row[column] === 'string' ? [[column, row[column]]] : []));
  const names = await presentNames(
    db,
    rows.flatMap((row) => textsOf(row).map(([, text]) => text)),
  );
  if (names.size === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...(Object.fromEntries(textsOf(row).map(([column, text]) => [column, write(text, names)])) as Partial<Row>),
  }));
}
