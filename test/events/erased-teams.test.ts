import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from '#db/sql.ts';
import { keyOf } from '#platform/ids.ts';
import { exportEvents } from '#events/export.ts';
import { type Pseudonym, pseudonymOf } from '#store/accounts/pseudonyms.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import {
  account,
  configured,
  event,
  login,
  match,
  person,
  punishment,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';

const MIGRATIONS = new URL('../../src/db/migrations/', import.meta.url);

interface Shown {
  win: string;
  teams: string[];
}

async function shownTeams({ db }: TestAppContext): Promise<Shown[]> {
  const rows = await db.all<{ head: string; teams: string }>(sql`
    select m.head, d.teams from matches m join match_details d on d.match_key = m.key and d.head = m.head order by m.key`);
  return rows.map(({ head, teams }) => ({
    win: (JSON.parse(`${head}}`) as Shown).win,
    teams: (JSON.parse(teams) as { name: string }[]).map(({ name }) => name),
  }));
}

/** Erases a player with the job. */
async function erase({ db, clock }: TestAppContext, uuid: string): Promise<Pseudonym> {
  assert.ok('job' in (await erasePlayer(db, clock.now(), uuid)));
  await finishJobs(db);
  return (await pseudonymOf(db, uuid))!;
}

/** The results of maps are those of the matches as they are shown, and the export has the same matches. */
async function assertConsistent(context: TestAppContext): Promise<void> {
  const { db, clock } = context;
  const counted = await db.all(sql`select * from map_results order by map_key, team`);
  await db.run(sql`update projections set made_for = '' where name = 'boards'`);
  while (await projectMatches(db, 'UTC', clock.now()));
  assert.deepEqual(await db.all(sql`select * from map_results order by map_key, team`), counted);
  const exported: unknown[] = [];
  for await (const { type, data } of exportEvents(db))
    if (type === 'match.finished') exported.push({ win: data.win ?? '', teams: data.teams.map(({ name }) => name) });
  assert.deepEqual(exported, await shownTeams(context));
}

onEachDatabase('the player Red leaves team Red as it is, unless it is the only player of it', async (t, url) => {
  const context = await testContext(t, url);
  const [red, ada] = [person(1, 'Red'), person(2, 'Ada')];
  await sendEvents(
    context,
    configured('Alpha'),
    match({ win: 'Red', teams: [team('Red', red, 3), team('Blue', ada)] }),
    match({ win: 'Red', teams: [team('Red', 3, 4), team('Blue', red)] }),
    match({ win: 'Red', teams: [team('Red', 3), team('Blue', red)] }),
    match({ win: 'Red', teams: [team('Red'), team('Blue', red)] }),
    match({ win: 'Red 2', teams: [team('RED', red), team('Red 2', { ...red, primary: false }), team('Red 3', ada)] }),
    match({ teams: [team('Redd', red), team('Red two', { ...red, primary: false })] }),
  );
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  const mirror = new Mirror(context);
  await mirror.check('before');
  const { name } = await erase(context, red.uuid);
  await mirror.check('after');
  assert.deepEqual(await shownTeams(context), [
    { win: 'Red', teams: ['Red', 'Blue'] },
    { win: 'Red', teams: ['Red', 'Blue'] },
    { win: 'Red', teams: ['Red', 'Blue'] },
    { win: 'Red', teams: ['Red', 'Blue'] },
    { win: `${name} 2`, teams: [name, `${name} 2`, 'Red 3'] },
    { win: '', teams: ['Redd', 'Red two'] },
  ]);
  await assertConsistent(context);
});

onEachDatabase('objectives name the team of a player who left it as that of the pseudonym', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const [red, ada] = [person(1, 'Red'), person(2, 'Ada')];
  const scored = (player: typeof red, team: string) =>
    ({ player, team, type: 'wool', name: 'Wool', time: match().time }) as const;
  await sendEvents(
    context,
    configured('Alpha'),
    match({ teams: [team('Ada', ada)], objectives: [scored(red, 'Red'), scored(red, 'Red 2'), scored(ada, 'Ada')] }),
    match({ teams: [team('Ada', ada, red)], objectives: [scored(red, 'Red'), scored(ada, 'Red'), scored(red, 'Ada')] }),
  );
  const mirror = new Mirror(context);
  await mirror.check('before');
  const { name } = await erase(context, red.uuid);
  await mirror.check('after');
  const wanted = [
    [name, `${name} 2`, 'Ada'],
    ['Red', 'Red', 'Ada'],
  ];
  const stored = await db.tuples(sql`select objectives from match_details order by match_key`);
  const sent = await db.tuples(sql`select body from ledger where type = 'match.finished' order by key`);
  const objectives = [
    ...stored.map(([text]) => JSON.parse(text as string) as { team: string }[]),
    ...sent.map(([body]) => (JSON.parse(body as string) as { objectives: { team: string }[] }).objectives),
  ];
  assert.deepEqual(
    objectives.map((own) => own.map(({ team: shown }) => shown)),
    [...wanted, ...wanted],
  );
  const listed = await db.tuples(sql`select team from player_objectives order by match_key, number`);
  assert.deepEqual(listed.flat(), wanted.flat());
});

onEachDatabase('teams of merged players and of an older pseudonym follow the common pseudonym', async (t, url) => {
  const context = await testContext(t, url);
  const [first, second, third] = [person(1, 'Anna'), person(2, '.Anna'), person(3, 'Bella')];
  const played = match({ win: '.Anna', teams: [team('Anna', first), team('.Anna', second), team('Bella', third)] });
  await sendEvents(context, configured('Alpha'), login('Alpha', first), login('Alpha', third), played);
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  const older = await erase(context, third.uuid);
  assert.deepEqual(await shownTeams(context), [{ win: '.Anna', teams: ['Anna', '.Anna', older.name] }]);
  for (const from of [second, third])
    await sendEvents(
      context,
      event('player.merged', { from: from === third ? older.uuid : from.uuid, into: first.uuid }),
    );
  await finishJobs(context.db);
  const { name } = await erase(context, first.uuid);
  // The older pseudonym of the three is the one that all get.
  const names = [`${name} 2`, `${name} 3`, name];
  assert.deepEqual(await shownTeams(context), [{ win: names[1], teams: names }]);
  await assertConsistent(context);
});

onEachDatabase(
  'an upgrade renames the teams of the pseudonyms that exist, also in withdrawn matches',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const erased = person(1, 'deleted-abc123');
    const another = person(2, 'deleted-xyz789');
    const [alone, withdrawn] = [
      match({ win: 'RealName', teams: [team('RealName', erased), team('Ada', 3), team('Other', another)] }),
      match({ teams: [team('RealName', erased)] }),
    ];
    const inTeams = match({ win: 'RealName', teams: [team('RealName', erased), team('Blue', 3, 4)] });
    const ids = await sendEvents(context, configured('Alpha'), alone, withdrawn, inTeams);
    while (await projectMatches(db, 'UTC', clock.now()));
    await retractEvents(db, clock, [keyOf(ids[2]!)!]);
    const mirror = new Mirror(context);
    await mirror.check('before');
    const file = readdirSync(MIGRATIONS).find((one) => one.endsWith('-teams-of-pseudonyms.sql'))!;
    await db.migrating((tx) => tx.script(readFileSync(new URL(file, MIGRATIONS), 'utf8')));
    await finishJobs(db);
    assert.deepEqual(await db.all(sql`select kind, error from jobs where state <> 'done'`), []);
    await mirror.check('after');
    assert.deepEqual(await shownTeams(context), [
      { win: erased.name, teams: [erased.name, 'Ada', another.name] },
      { win: 'RealName', teams: ['RealName', 'Blue'] },
    ]);
    const rows = await db.tuples(sql`select body from ledger where body like '%RealName%'`);
    assert.equal(rows.length, 1);
    await assertConsistent(context);
  },
);

onEachDatabase('names in reasons: whole words in any case, and only of the punished player', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const ann = person(1, 'Ann');
  const reasons = ['ANN, ann_ and Anna: (Ann) x.Ann', 'Ann', 'Annex'];
  await sendEvents(
    context,
    login('Alpha', { ...ann, name: 'Bo' }),
    ...reasons.map((reason, number) => punishment(`p${number}`, ann, { reason: `${reason} bo` })),
    punishment('other', person(2), { reason: 'by Ann', punisher: ann }),
    punishment('revoked', ann),
    event('punishment.revoked', { punishment: 'revoked', reason: 'Ann again' }),
    event('punishment.changed', { punishment: 'revoked', reason: 'ann' }),
  );
  const { name } = await erase(context, ann.uuid);
  const rows = await db.all<Record<string, string>>(sql`select reason, revoke_reason from punishments order by key`);
  assert.deepEqual(
    rows.map(({ reason, revoke_reason }) => [reason, revoke_reason]),
    [
      [`${name}, ann_ and Anna: (${name}) x.${name} bo`, ''],
      [`${name} bo`, ''],
      ['Annex bo', ''],
      ['by Ann', ''],
      [name, `${name} again`],
    ],
  );
});

onEachDatabase('a player of whom all events are withdrawn is erased from them', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const gone = person(1, 'Withdrawn');
  const sent = match({ teams: [team('Withdrawn', { ...gone, uuid: gone.uuid.toUpperCase() })] });
  const [, id] = await sendEvents(context, configured('Alpha'), sent);
  await retractEvents(db, clock, [keyOf(id!)!]);
  assert.deepEqual(await erasePlayer(db, clock.now(), person(2).uuid), { refusal: 'no player' });
  await erase(context, gone.uuid);
  const bodies = (await db.tuples(sql`select body from ledger where type = 'match.finished'`)).flat().join();
  assert.doesNotMatch(bodies, /Withdrawn|00000000-0000-4000/);
  assert.deepEqual(await erasePlayer(db, clock.now(), gone.uuid), { refusal: 'erased already' });
});

onEachDatabase('the references of bans return with the game account', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const ban = person(1, 'Banned');
  const reference = `minecraft-ban:${ban.uuid}:1`;
  const issue = (): Promise<string[]> => sendEvents(context, punishment(reference, ban, {}, { id: reference }));
  await issue();
  const stored = () =>
    db.tuples(sql`
    select u.reference, l.aggregate, l.body from punishments u join ledger l on l.key = u.key`);
  const before = await stored();
  await erasePlayer(db, clock.now(), ban.uuid);
  await assert.rejects(issue, /duplicate/, 'before the job has replaced the id, too');
  await finishJobs(db);
  assert.doesNotMatch(JSON.stringify(await stored()), new RegExp(ban.uuid));
  await assert.rejects(issue, /duplicate/, 'the same event is recognised');
  const change = event('punishment.changed', { punishment: reference, reason: 'Appealed' }, { id: `${reference}:2` });
  await sendEvents(context, change);
  const { id } = await account(context, 'Again');
  const code = await newLinkCode(db, clock.now(), id);
  await sendEvents(context, event('account.link', { player: ban, code }));
  await finishJobs(db);
  const after = await stored();
  assert.deepEqual(
    after.map(([name, aggregate]) => [name, aggregate]),
    before.map(([name, aggregate]) => [name, aggregate]),
  );
  assert.deepEqual(JSON.parse(after[0]![2] as string), JSON.parse(before[0]![2] as string));
  await sendEvents(context, { ...change, id: 'another' });
});
