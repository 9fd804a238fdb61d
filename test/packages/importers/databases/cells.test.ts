import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAdvancedBan } from '#importers/databases/advancedban-rows.ts';
import { AddressInRow, isAddress, reasonIn } from '#importers/databases/cells.ts';
import { readLiteBans } from '#importers/databases/litebans.ts';
import { readSourceAddress } from '#importers/databases/source-address.ts';
import type { SourceRow } from '#importers/databases/source-database.ts';

const ANN = '11111111-2222-4333-8444-555555555555';
const MOD = '22222222-3333-4444-8555-666666666666';
const NOW = Date.UTC(2026, 0, 31);
const TIME = Date.UTC(2025, 5, 1);

test('addresses are recognised in every form in which plugins write them, and nothing else is', () => {
  for (const text of [
    '203.0.113.9',
    ' 203.0.113.9 ',
    '/203.0.113.9:25565',
    '203.0.113.9:1',
    '203.0.113.*',
    '203.0.113.0/24',
    '2001:db8::1',
    '[2001:db8::1]:25565',
    'fe80::1%eth0',
    '::ffff:203.0.113.9',
  ])
    assert.equal(isAddress(text), true, text);
  for (const text of ['', 'Ann', ANN, ANN.replaceAll('-', ''), '1.8.9', 'CONSOLE', '203.0.113', 'a:b'])
    assert.equal(isAddress(text), false, text);
  const reason = '§cEvading (203.0.113.9), also 2001:db8::1!\\nUse 1.8.9\u202e';
  assert.equal(reasonIn({ reason }, 'reason'), 'Evading [address] also [address] Use 1.8.9');
  for (const [text, expected] of [
    ['Alt (ip:203.0.113.9|203.0.113.10)', 'Alt (ip:[address]|[address])'],
    ['ip=203.0.113.9,203.0.113.*/x', 'ip=[address],[address]/x'],
    ['Alt=ip:2001:db8::1; [2001:db8::2]/64', 'Alt=ip:[address]; [[address]]/64'],
    ['std::add at 10:30:45, 1.2.3 a::b.c :: x:: 12.03.2024', 'std::add at 10:30:45, 1.2.3 a::b.c :: x:: 12.03.2024'],
  ] as const)
    assert.equal(reasonIn({ reason: text }, 'reason'), expected);
});

const left = () => ({ rows: 0, names: 0 });
const names = new Map<string, SourceRow>([[ANN, { name: 'Ann' }]]);
const liteBans = (parts: SourceRow, kind: 'bans' | 'kicks' = 'bans', counts = left()) =>
  readLiteBans(
    {
      id: '17',
      uuid: ANN,
      reason: 'Why',
      banned_by_uuid: MOD,
      banned_by_name: 'Mod',
      time: String(TIME),
      until: '-1',
      active: '1',
      removed: '1748736000',
      ...parts,
    },
    { kind, table: 'litebans_bans', place: 'id 17', names, now: NOW, left: counts },
  );

test('a row of LiteBans is a punishment, revoked where it is inactive for another reason than its end', () => {
  const { reference, rowId, type, expires, punisher, punished, revocation } = liteBans({});
  assert.deepEqual(
    [reference, rowId, type, expires],
    [`litebans:bans:17:${TIME.toString(36)}`, '0000000000000017', 'ban', null],
  );
  assert.deepEqual(
    [punished, punisher, revocation],
    [{ uuid: ANN, name: 'Ann' }, { uuid: MOD, name: 'Mod' }, undefined],
  );
  const revoked = (parts: SourceRow) => liteBans({ active: '0', ...parts }).revocation;
  assert.deepEqual(revoked({ removed_by_name: 'Mod', removed_by_uuid: MOD, removed_by_reason: 'Appeal' }), {
    time: 1_748_736_000_000,
    reason: 'Appeal',
    revoker: { uuid: MOD, name: 'Mod' },
  });
  assert.equal(revoked({ removed_by_name: '#expired', until: String(TIME + 1) }), undefined);
  assert.equal(revoked({ until: String(TIME + 1) }), undefined, 'over without a word of LiteBans');
  assert.equal(revoked({ until: String(NOW + 1) })?.revoker, null, 'lifted by hand before its end');
  assert.equal(liteBans({ active: '0' }, 'kicks').revocation, undefined);
  assert.equal(liteBans({ until: '99999999999999' }).expires, 99_999_999_999_999);
  assert.equal(liteBans({ until: '999999999999999' }).expires, null, 'after the year 9999');
  assert.equal(liteBans({ until: '5' }).expires, TIME, 'an end before the beginning');
});

test('addresses among players are left out and counted, and no error repeats a cell', () => {
  const counts = left();
  assert.equal(liteBans({ banned_by_uuid: 'CONSOLE', banned_by_name: 'Console' }, 'bans', counts).punisher, null);
  assert.deepEqual(counts, left());
  assert.equal(liteBans({ banned_by_name: '203.0.113.9' }, 'bans', counts).punisher, null);
  assert.deepEqual(counts, { rows: 0, names: 1 });
  assert.throws(() => liteBans({ uuid: '203.0.113.9' }), AddressInRow);
  for (const parts of [
    { uuid: 'x 203.0.113.9' },
    { uuid: MOD },
    { time: '203.0.113.9' },
    { time: '-5' },
    { time: '1e99' },
  ])
    assert.throws(
      () => liteBans(parts),
      (error: Error) => error.name === 'ImportRefusal' && !error.message.includes('203'),
    );
});

test('a row of AdvancedBan has a UUID without dashes and numbers as text', () => {
  const row = { id: 3, uuid: ANN.replaceAll('-', ''), name: 'Ann', reason: null, start: TIME, end: -1 };
  const read = (parts: SourceRow) =>
    readAdvancedBan({ ...row, ...parts }, { table: 'Punishments', place: 'id 3', reference: '9', operator: null });
  const ban = read({ punishmentType: 'TEMP_BAN', end: String(TIME + 5) });
  assert.deepEqual(
    [ban.reference, ban.rowId, ban.type, ban.expires, ban.reason, ban.punished.uuid],
    [`advancedban:9:${TIME.toString(36)}`, `0000000000000003:${TIME.toString(36)}`, 'ban', TIME + 5, '', ANN],
  );
  assert.deepEqual(
    [read({ punishmentType: 'KICK' }).type, read({ punishmentType: 'WARNING' }).expires],
    ['kick', null],
  );
  assert.throws(() => read({ punishmentType: 'NOTE' }), /is none of BAN, /);
  assert.throws(() => read({ punishmentType: 'BAN', uuid: 'ann' }), /is not a UUID/, 'the names of offline mode');
});

const addressOf = (operand: string | undefined, environment = {}, tls = false) =>
  readSourceAddress({ operand, passwordFile: undefined, tls, environment, isPrivate }, ['mysql']);
const isPrivate = (host: string): boolean => ['localhost', 'db', '10.1.2.3'].includes(host);

test('the password of a database is no part of a command or an error', async () => {
  assert.deepEqual(await addressOf('mysql://me@localhost/bans', { IMPORT_PASSWORD: 'pässword' }), {
    mysql: { host: 'localhost', port: 3306, user: 'me', password: 'pässword', database: 'bans', tls: false },
  });
  const hidden = await addressOf(undefined, { IMPORT_URL: 'mysql://me:p%40ss@10.1.2.3:3307/bans' });
  assert.deepEqual('mysql' in hidden && [hidden.mysql.password, hidden.mysql.port], ['p@ss', 3307]);
  const mistakes: [string | undefined, object, RegExp][] = [
    ['mysql://me:hunter2@localhost/bans', {}, /^InputError: Leave the password out of the command/],
    [undefined, {}, /Name the database to import: mysql:\/\/USER@HOST/],
    [undefined, { IMPORT_URL: 'postgres://me:hunter2@db/bans' }, /must be mysql:\/\/USER@HOST/],
    [undefined, { IMPORT_URL: 'mysql://me:hunter2@db' }, /with user, host and database/],
    [undefined, { IMPORT_URL: 'mysql://me:hunter2@db.example.org/bans' }, /needs --tls/],
    ['bans.db', {}, /a file of this program cannot be read/],
    ['me:hunter2@db/bans', {}, /must be mysql:\/\/USER@HOST/],
  ];
  for (const [operand, environment, expected] of mistakes)
    await assert.rejects(addressOf(operand, environment), (error: Error) => {
      assert.match(String(error), expected);
      assert.doesNotMatch(String(error), /hunter2/);
      return true;
    });
  assert.ok(await addressOf('mysql://me@db.example.org/bans', {}, true));
});
