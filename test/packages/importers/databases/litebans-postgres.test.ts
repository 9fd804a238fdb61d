import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openPostgresSource } from '#importers/databases/postgres-source.ts';
import { readSourceAddress } from '#importers/databases/source-address.ts';
import type { ServerAddress } from '#importers/databases/source-database.ts';
import { ImportedDatabase, PROGRAMS } from '#importers/databases/imported-database.ts';
import { importCore } from '#cli/import/core.ts';
import { runImport } from '#cli/import/run.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { configured, login, sendEvents } from '#test/support/builders.ts';
import { uuidLabel } from '#text/text.ts';
import { createEmptyDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { TIME, uuid } from './litebans-database.ts';

/**
 * The columns of a dump of LiteBans in the types of PostgreSQL. Its flags are bits in MySQL; here both types are
 * tried. Tables of older versions lack `template`, `ipban_wildcard` and `removed_by_reason`.
 */
const layout = (flag: string, isOld: boolean): string[] => {
  const removal = `removed_by_uuid varchar(36), removed_by_name varchar(128), removed_by_date timestamp,
    ${isOld ? '' : 'removed_by_reason varchar(2048),'}`;
  const tables = ['bans', 'mutes', 'warnings', 'kicks'].map(
    (
      kind,
    ) => `create table litebans_${kind} (id bigserial primary key, uuid varchar(36), ip varchar(45), reason varchar(2048),
      banned_by_uuid varchar(36) not null, banned_by_name varchar(128), ${kind === 'kicks' ? '' : removal}
      time bigint not null, until bigint not null, ${isOld ? '' : 'template smallint not null default 255,'}
      server_scope varchar(32), server_origin varchar(32), silent ${flag} not null, ipban ${flag} not null,
      ${isOld ? '' : `ipban_wildcard ${flag} not null,`} active ${flag} not null)`,
  );
  const history = `create table litebans_history (id bigserial primary key, date timestamp not null, name varchar(16),
    uuid varchar(36), ip varchar(45))`;
  return [...tables, history];
};

for (const [flag, isOld] of [
  ['bit(1)', false],
  ['boolean', true],
] as const) {
  onSqlite(`LiteBans on PostgreSQL with flags of the type ${flag}`, async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const created = await createEmptyDatabase('postgres');
    const client = new pg.Client(created.url);
    t.after(async () => {
      await client.end();
      await created.drop();
    });
    await client.connect();
    for (const statement of layout(flag, isOld)) await client.query(statement);
    const [yes, no] = flag === 'boolean' ? ['true', 'false'] : ["B'1'", "B'0'"];
    const ban = async (player: number, reason: string, silent = no): Promise<void> => {
      const wildcard = isOld ? ['', ''] : [', ipban_wildcard', `, ${no}`];
      await client.query(
        `insert into litebans_bans (uuid, ip, reason, banned_by_uuid, banned_by_name, time, until, server_scope, silent,
          ipban, active${wildcard[0]}) values ($1, '203.0.113.9', $2, 'CONSOLE', 'Console', $3, -1, '*', ${silent}, ${no}, ${yes}${wildcard[1]})`,
        [uuid(player), reason, TIME + player],
      );
    };
    await client.query(`insert into litebans_history (date, name, uuid) values
      ('2026-01-01', 'Old', '${uuid(1)}'), ('2026-01-02 00:00:00.5', 'Ann', '${uuid(1)}')`);
    await sendEvents(context, configured('Alpha'), login('Alpha', { uuid: uuid(2), name: 'Known' }));
    await ban(1, '&cGriefing &#ff5555red &x&f&f&5&5&5&5hex, Tom & Co');
    await ban(2, 'Without a row in the history');
    await ban(3, 'Never seen');
    await ban(4, 'Silent', yes);

    const source = await openPostgresSource(addressOf(created.url));
    await using litebans = await ImportedDatabase.of(PROGRAMS.litebans, source, importCore(db, clock), {
      create: false,
    });
    const listener = { refused: () => {}, noted: () => {}, progressed: () => {} };
    const round = async (extent: 'all' | 'recent') => {
      const { taken, refused } = await runImport(db, clock, litebans.findings(extent), listener);
      const rows = await listPunishments(db, Number.MAX_SAFE_INTEGER, 9, clock.now());
      return [taken, refused, ...rows.map((row) => [row.punished.name, row.reason, row.revocation !== null]).reverse()];
    };
    const [ann, known, unseen] = [
      ['Ann', 'Griefing red hex, Tom & Co', false],
      ['Known', 'Without a row in the history', false],
      [uuidLabel(uuid(3)), 'Never seen', false],
    ];
    assert.deepEqual(await round('all'), [3, 0, ann, known, unseen]);
    await client.query(`update litebans_bans set active = ${no}, removed_by_uuid = 'CONSOLE', removed_by_name = 'Console',
      removed_by_date = '2026-01-03 12:00:00' where uuid = '${uuid(2)}'`);
    assert.deepEqual(await round('recent'), [1, 0, ann, ['Known', 'Without a row in the history', true], unseen]);
    assert.deepEqual((await round('all')).slice(0, 2), [0, 0]);
    await assert.rejects(source.rows('insert into litebans_history (date) values (now())'), /cannot be read \(25006\)/);
  });
}

function addressOf(url: string): ServerAddress {
  const { host, port, user, password, database } = new pg.Client(url);
  return { host, port, user: user!, password: password ?? '', database: database!, tls: false };
}

const read = (operand: string) =>
  readSourceAddress(
    {
      operand,
      passwordFile: undefined,
      tls: false,
      environment: { IMPORT_PASSWORD: 'p' },
      isPrivate: (host) => host === '127.0.0.1',
    },
    ['mysql', 'postgres'],
  );

test('an address of PostgreSQL is read, and a wrong one refused with the accepted forms', async () => {
  assert.deepEqual(await read('postgresql://lite@127.0.0.1/bans'), {
    postgres: { host: '127.0.0.1', port: 5432, user: 'lite', database: 'bans', password: 'p', tls: false },
  });
  await assert.rejects(read('postgres://lite@bans.example.org/bans'), /needs --tls/);
  await assert.rejects(read('http://127.0.0.1/bans'), /mysql:\/\/USER@HOST:PORT\/DATABASE or postgres:\/\/USER@HOST/);
});

test('a PostgreSQL that cannot be reached is an outage, without its password in the message', async () => {
  const address = { host: '127.0.0.1', port: 1, user: 'lite', database: 'bans', password: 'hidden', tls: false };
  await assert.rejects(openPostgresSource(address), (error: Error) => {
    assert.equal(error.message, 'postgres://127.0.0.1:1/bans cannot be reached.');
    return true;
  });
});
