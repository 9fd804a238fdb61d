import { readdirSync, readFileSync } from 'node:fs';

const MIGRATIONS = new URL('./migrations/', import.meta.url);

/** The names of all tables that a migration creates, to recognise tables that the operator added to the database. */
export function schemaTables(): ReadonlySet<string> {
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  const texts = files.map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'));
  const created = texts.flatMap((text) => [
    ...text.matchAll(/\bcreate table (?:if not exists )?(\w+)|\brename to (\w+)/g),
  ]);
  return new Set(created.map(([, table, renamed]) => (table ?? renamed)!));
}
