import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLiteBans } from '#importers/databases/litebans.ts';
import type { SourceDatabase, SourceRow } from '#importers/databases/source-database.ts';
import type { ImportContext } from '#importers/databases/database-import.ts';

const COLUMNS =
  'id uuid name date reason banned_by_uuid banned_by_name time until silent ipban active removed_by_uuid removed_by_name removed_by_date';

/** Empty tables of LiteBans, and the values of the statements that read them. */
function emptyLiteBans(): { source: SourceDatabase; asked: (string | number)[][] } {
  const asked: (string | number)[][] = [];
  const layout: SourceRow[] = ['bans', 'mutes', 'warnings', 'kicks', 'history'].flatMap((table) =>
    COLUMNS.split(' ').map((column) => ({ t: `litebans_${table}`, c: column })),
  );
  const source: SourceDatabase = {
    dialect: 'mysql',
    label: 'mysql://test',
    rows: async (text, values = []) => {
      if (text.includes('information_schema')) return layout;
      asked.push([...values]);
      return [];
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { source, asked };
}

test('the first removal of a table without removals is asked for by a time that MySQL can express', async () => {
  const { source, asked } = emptyLiteBans();
  const litebans = await openLiteBans(source, undefined);
  const nothing = { rows: async () => new Map(), punishmentsOf: async () => new Map() };
  const context = { left: { rows: 0, names: 0 }, state: nothing, network: nothing } as unknown as ImportContext;
  for (const extent of ['all', 'recent'] as const) await Array.fromAsync(litebans.findings(context, extent));
  const [all, recent] = [asked.slice(0, 4), asked.slice(4)];
  assert.deepEqual(all, [[0], [0], [0], [0]]);
  // Of a time before 1970 MySQL makes null, and no removal is later than null. Kicks are never removed.
  assert.deepEqual(recent, [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0],
  ]);
});
