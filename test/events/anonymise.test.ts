import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { exportEvents } from '#events/export.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import {
  account,
  BEGINNING,
  configured,
  event,
  login,
  match,
  person,
  punishment,
  team,
  sendEvents,
} from '#test/support/builders.ts';
import { createTestDatabase, type Dialect, onEachDatabase, testContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';

onEachDatabase('new events get pseudonyms, whether few or many players have one', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const names: string[] = [];
  for (let number = 0; number < 5; number++) {
    const { uuid } = person(number);
    await db.transaction((tx) => pseudonymise(tx, clock.now(), uuid));
    const row = await db.tuple(sql`select name from pseudonyms where original = ${uuid}`);
    names.push(String(row![0]));
    // One player has no pseudonym. The events have more players than there are pseudonyms at first, and fewer in the end,
    // so both ways of looking pseudonyms up are used.
    const [first, last] = [login('Alpha', person(0)), login('Alpha', person(number))];
    await sendEvents(context, first, last, login('Alpha', person(100 + number)));
  }
  const rows = await db.tuples(sql`select name from players order by key`);
  assert.deepEqual(
    rows.map(([name]) => name),
    names.flatMap((name, number) => [name, `Player${100 + number}`]),
  );
  const received = await db.tuples(sql`select body from ledger where type = 'player.login'`);
  for (let number = 0; number < 5; number++) {
    assert.ok(
      !received.some(([body]) => String(body).includes(person(number).uuid)),
      'the ledger keeps the pseudonym only',
    );
  }
});

/** All stored data about players and their events, as text. */
async function storedOf({ db }: AppContext): Promise<string> {
  const tables = [
    'players',
    'player_names',
    'player_aliases',
    'player_matches',
    'name_observations',
    'player_sessions',
  ];
  const all = [...tables, 'kills', 'player_objectives', 'match_details', 'match_counters', 'ledger', 'punishments'];
  const rows = await Promise.all(all.map((table) => db.all({ strings: [`select * from ${table}`], values: [] })));
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** A network that gets the exported events has the same rows. */
async function assertExportedWhole(t: TestContext, { db }: AppContext, dialect: Dialect): Promise<void> {
  const copy = await createTestDatabase(dialect);
  t.after(() => copy.drop());
  const other = await testContext(t, copy.url);
  await sendEvents(other, ...(await Array.fromAsync(exportEvents(db))));
  await finishJobs(other.db);
  for (const table of ['players', 'player_names', 'kills', 'player_objectives', 'punishments', 'match_details']) {
    const columns = table === 'match_details' ? 'match_key, teams, objectives' : '*';
    const read = { strings: [`select ${columns} from ${table} order by 1, 2, 3`], values: [] };
    assert.deepEqual(await other.db.all(read), await db.all(read), table);
  }
}

const [LINKED, MERGED] = [person(1, 'RealName'), person(2, '.RealName')];

/** One person with two UUIDs, one merged into the other; each has a match, a kill and a ban. */
const PERSON = [
  login('Alpha', MERGED),
  login('Alpha', LINKED),
  match({
    teams: [team('Red', 1, 3), team('Blue', 2)].map((one) => ({ ...one, players: one.players.map(named) })),
    kills: [
      { killer: person(3).uuid, victim: MERGED.uuid, time: BEGINNING },
      { killer: MERGED.uuid, victim: person(3).uuid, time: BEGINNING },
    ],
    objectives: [{ player: MERGED, team: 'Blue', type: 'wool', name: 'Red Wool', time: BEGINNING }],
  }),
  punishment('one', MERGED, { punisher: LINKED }),
  punishment('two', person(3), { punisher: MERGED }),
  event('punishment.revoked', { punishment: 'two', revoker: LINKED }),
  punishment('three', person(3)),
  event('punishment.revoked', { punishment: 'three', revoker: MERGED }),
];

function named<P extends { uuid: string }>(player: P): P {
  const one = [LINKED, MERGED].find(({ uuid }) => uuid === player.uuid);
  return one === undefined ? player : { ...player, ...one };
}

/** Links a game account to a new account and deletes the account with all its traces. */
async function comeAndGo(context: AppContext, uuid: string): Promise<void> {
  const { id } = await account(context, 'Owner', uuid);
  await deleteAccount(context.db, context.clock.now(), id);
  await finishJobs(context.db);
}

onEachDatabase(
  'deleting an account removes the traces of all game accounts merged into its own',
  async (t, url, dialect) => {
    for (const uuid of [LINKED.uuid, MERGED.uuid]) {
      const database = await createTestDatabase(dialect);
      t.after(() => database.drop());
      const context = await testContext(t, uuid === LINKED.uuid ? url : database.url);
      await sendEvents(context, configured('Alpha'), ...PERSON);
      await sendEvents(context, event('player.merged', { from: MERGED.uuid, into: LINKED.uuid }));
      await comeAndGo(context, uuid);
      await sendEvents(context, login('Alpha', MERGED), login('Alpha', LINKED));
      const cached = await storedOf(context);
      for (const trace of [LINKED.uuid, MERGED.uuid, 'RealName']) assert.ok(!cached.includes(trace), trace);
      const players = await context.db.tuples(sql`select name from players where name like 'deleted-%'`);
      assert.equal(players.length, 1, 'still one player');
      await assertExportedWhole(t, context, dialect);
    }
  },
);

onEachDatabase('events behind the link of a returning player in one request keep the real player', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), login('Alpha', LINKED));
  await comeAndGo(context, LINKED.uuid);
  const { id } = await account(context, 'Again');
  const code = await newLinkCode(context.db, context.clock.now(), id);
  const link = event('account.link', { player: LINKED, code });
  await sendEvents(context, login('Alpha', LINKED), link, login('Alpha', LINKED), login('Alpha', person(3)));
  const sessions = await context.db.tuples(sql`select name from player_sessions order by ledger_key`);
  const names = sessions.map(([name]) => String(name));
  assert.deepEqual(
    names.map((name) => name.replace(/-.*/, '')),
    ['deleted', 'deleted', 'RealName', 'Player3'],
  );
});

onEachDatabase('deleting an account keeps the data of other accounts, merged or not', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), ...PERSON);
  await account(context, 'Other', LINKED.uuid);
  await sendEvents(context, event('player.merged', { from: MERGED.uuid, into: LINKED.uuid }));
  await comeAndGo(context, MERGED.uuid);
  const cached = await storedOf(context);
  assert.ok(!cached.includes(MERGED.uuid));
  const [player] = await context.db.all(sql`select uuid from players where uuid = ${LINKED.uuid}`);
  assert.equal(player!['uuid'], LINKED.uuid);
});

onEachDatabase('a player that two deleted accounts had remains one player', async (t, url) => {
  const context = await testContext(t, url);
  const third = person(4, 'Third');
  await sendEvents(context, configured('Alpha'), ...PERSON, login('Alpha', third));
  const first = await account(context, 'One', LINKED.uuid);
  for (const { uuid } of [MERGED, third])
    await sendEvents(context, event('player.merged', { from: uuid, into: LINKED.uuid }));
  const second = await account(context, 'Two', MERGED.uuid);
  for (const { id } of [first, second]) {
    await deleteAccount(context.db, context.clock.now(), id);
    await finishJobs(context.db);
  }
  await sendEvents(context, login('Alpha', LINKED), login('Alpha', MERGED), login('Alpha', third));
  const cached = await storedOf(context);
  for (const trace of [LINKED.uuid, MERGED.uuid, third.uuid, 'RealName', 'Third'])
    assert.ok(!cached.includes(trace), trace);
  assert.equal((await context.db.tuples(sql`select key from players where name like 'deleted-%'`)).length, 1);
});

onEachDatabase('people of one player who are deleted one after another have one name', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const { db } = context;
  const erase = async ({ uuid }: { uuid: string }): Promise<void> => {
    const isDone = await db.get(sql`select 1 as found from pseudonyms where uuid_hash = ${db.keyedHash(uuid)}`);
    if (!isDone) await db.transaction((tx) => pseudonymise(tx, context.clock.now(), uuid));
  };
  await sendEvents(context, configured('Alpha'));
  const earlier = new Set<string>();
  for (const [place, deletedFirst] of [[0, 1], [0], [2], [2, 0], [0, 1, 2]].entries()) {
    const order = `first: ${deletedFirst.join(', ')}`;
    const people = ['Anna', 'Bella', 'Clara'].map((name, number) => person(10 * place + number, `${name}${place}`));
    const play = async (): Promise<void> => {
      const players = people.map((one) => match({ teams: [{ name: 'Red', players: [one] }] }));
      await sendEvents(context, ...players, ...people.map((one) => login('Alpha', one)));
    };
    await play();
    for (const number of deletedFirst) await erase(people[number]!);
    await finishJobs(db);
    for (const from of people.slice(0, 2)) {
      await sendEvents(context, event('player.merged', { from: from.uuid, into: people[2]!.uuid }));
    }
    await play();
    for (const one of people.toReversed()) await erase(one);
    const shown = await db.all<{ name: string }>(sql`select name from players`);
    for (const { name } of shown) assert.match(name, /^deleted-/, `at once (${order})`);
    await finishJobs(db);
    assert.deepEqual(await db.all(sql`select kind, error from jobs where state = 'failed'`), [], order);
    await play();

    const stored = await storedOf(context);
    for (const { uuid, name } of people)
      assert.ok(!stored.includes(uuid) && !stored.includes(name), `${name} (${order})`);
    const names = new Set(stored.match(/deleted-\w{6}/g)).difference(earlier);
    const own = shown.map(({ name }) => name).filter((name) => !earlier.has(name));
    if (deletedFirst.length < 3) assert.deepEqual([...names], own.slice(0, 1), order);
    for (const name of names) earlier.add(name);
  }
  await assertExportedWhole(t, context, dialect);
});
