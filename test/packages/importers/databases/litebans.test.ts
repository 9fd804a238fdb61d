import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSecretKey, secretKeyOf } from '#platform/crypto/secret-key.ts';
import { idOf } from '#platform/ids.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { forgetImportSource } from '#store/imports.ts';
import { listPunishments, type Punishment } from '#store/game/punishments.ts';
import { changeSecretKey } from '#store/installation/secret-key-change.ts';
import { openLiteBans } from '#importers/databases/litebans.ts';
import type { SourceDatabase, SourceRow } from '#importers/databases/source-database.ts';
import type { ImportContext, ProgramOptions } from '#importers/databases/database-import.ts';
import { ImportedDatabase, PROGRAMS } from '#importers/databases/imported-database.ts';
import { importCore } from '#cli/import/core.ts';
import { type Outcome, runImport } from '#cli/import/run.ts';
import { onEachDatabase, onSqlite, type TestAppContext, testContext } from '#test/support/context.ts';
import { LiteBansDatabase } from './litebans-database.ts';

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
  const litebans = await openLiteBans(source);
  const nothing = { rows: async () => new Map(), punishmentsOf: async () => new Map(), now: () => 0 };
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

interface Notes {
  outcome: Outcome;
  notes: string[];
}

async function imported(
  { db, clock }: TestAppContext,
  source: SourceDatabase,
  options: ProgramOptions = {},
): Promise<Notes> {
  const notes: string[] = [];
  const database = await ImportedDatabase.of(PROGRAMS.litebans, source, importCore(db, clock), {
    create: false,
    ...options,
  });
  const listener = { refused: () => {}, noted: (_: unknown, note: string) => notes.push(note), progressed: () => {} };
  return { outcome: await runImport(db, clock, database.findings('all'), listener), notes };
}

onEachDatabase('punishments of some servers are counted in the report, or left out', async (t, url) => {
  const context = await testContext(t, url);
  const litebans = new LiteBansDatabase();
  for (const [id, scope] of ['*', 'Survival', 'survival', null, 'global', '203.0.113.9'].entries())
    litebans.ban(id + 1, id + 1, { scope });
  const counts = async (...serverScopes: string[]) => {
    const { outcome, notes } = await imported(context, litebans, { serverScopes });
    return [outcome.taken, outcome.unchanged, ...notes];
  };
  assert.deepEqual(await counts('SURVIVAL'), [
    2,
    0,
    '4 rows were left out, of other servers than --server-scope names: all servers (3), [address] (1).',
  ]);
  assert.deepEqual(await counts('*'), [
    3,
    0,
    '3 rows were left out, of other servers than --server-scope names: Survival (2), [address] (1).',
  ]);
  assert.deepEqual(await counts('*', 'survival'), [
    0,
    5,
    '1 row was left out, of other servers than --server-scope names: [address] (1).',
  ]);
  const note =
    '3 rows were imported for the whole network, but LiteBans applies them to some servers only: Survival (2), [address] (1). ' +
    "To leave them out, give --server-scope '*'.";
  assert.deepEqual(await counts(), [1, 5, note]);
  assert.deepEqual(await counts('Skyblock'), [
    0,
    0,
    '6 rows were left out, of other servers than --server-scope names: all servers (3), Survival (2), [address] (1).',
  ]);

  const hidden = new LiteBansDatabase(['server_scope']);
  hidden.ban(7, 7, { scope: 'Survival' });
  assert.deepEqual((await imported(context, hidden)).notes, [], 'a user without the right to read the scopes');
  await assert.rejects(
    imported(context, hidden, { serverScopes: ['*'] }),
    /The table litebans_bans of mysql.* has no column server_scope that this user may read/,
  );
});

onSqlite('a network without punishments of some servers gets no note', async (t, url) => {
  const context = await testContext(t, url);
  const litebans = new LiteBansDatabase();
  litebans.ban(1, 1);
  assert.deepEqual((await imported(context, litebans, { serverScopes: ['*'] })).notes, []);
  assert.deepEqual((await imported(context, litebans)).notes, []);
});

onEachDatabase('a new secret key, or a forgotten source, overwrites no edit of an operator', async (t, url) => {
  const [from, to] = ['old', 'new'].map((word) => `${word} secret that is long enough for tests`);
  const before = await testContext(t, url, { SECRET_KEY: from! });
  const litebans = new LiteBansDatabase();
  for (const id of [1, 2, 3]) litebans.ban(id, id);
  assert.equal((await imported(before, litebans)).outcome.taken, 3);
  await edit(before, 'Player1', 'Edited here');
  await edit(before, 'Player2', 'Edited here');
  litebans.edit(2, 'Edited there later');
  litebans.edit(3, 'Edited there');

  await changeSecretKey(before.db, openSecretKey(before.config), secretKeyOf(to!));
  const after = await testContext(t, url, { SECRET_KEY: to! });
  after.clock.advance(before.clock.now() - after.clock.now());
  const reasons = async () => (await punishments(after)).map(({ reason }) => reason).reverse();
  assert.equal((await imported(after, litebans)).outcome.taken, 2);
  assert.deepEqual(await reasons(), ['Edited here', 'Edited there later', 'Edited there']);
  assert.equal((await imported(after, litebans)).outcome.taken, 0);

  await edit(after, 'Player3', 'Edited here');
  assert.equal(await forgetImportSource(after.db, `litebans ${litebans.label}`), true);
  assert.equal((await imported(after, litebans)).outcome.taken, 0);
  assert.deepEqual(await reasons(), ['Edited here', 'Edited there later', 'Edited here']);
  litebans.edit(1, 'Edited there');
  assert.equal((await imported(after, litebans)).outcome.taken, 1, 'the row itself changed');
  assert.deepEqual(await reasons(), ['Edited there', 'Edited there later', 'Edited here']);
});

/** Changes a punishment as an operator does. */
async function edit(context: TestAppContext, name: string, reason: string): Promise<void> {
  context.clock.advance(1_000);
  const punishment = (await punishments(context)).find(({ punished }) => punished.name === name)!;
  const data = { punishment_id: idOf(punishment.key), reason };
  await reportAsOperator(context.db, context.clock, { type: 'punishment.changed', data });
  context.clock.advance(1_000);
}

const punishments = ({ db, clock }: TestAppContext): Promise<Punishment[]> =>
  listPunishments(db, Number.MAX_SAFE_INTEGER, 100, clock.now());
