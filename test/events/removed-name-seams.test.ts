import assert from 'node:assert/strict';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { move } from '#db/transfer/move.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { factsOf, listMatches } from '#store/game/matches.ts';
import { removeFormerName } from '#store/accounts/removed-names.ts';
import { findPlayer, playerByUuid } from '#store/game/players.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { resumeJob } from '#store/jobs.ts';
import { removeNameAgain } from '#store/revocations/erasures.ts';
import {
  account,
  after,
  event,
  login,
  match,
  person,
  punishment,
  sendEvents,
  serverSender,
  team,
} from '#test/support/builders.ts';
import {
  createEmptyDatabase,
  onEachDatabase,
  onSqlite,
  type TestAppContext,
  testContext,
  twoDatabases,
} from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';
import {
  checkImport,
  exported,
  FORMER,
  HISTORY,
  LABEL,
  namesAt,
  NOW,
  remove,
  tablesWith,
  UUID,
  wool,
} from './removed-name-network.ts';

const OTHER = { uuid: person(7).uuid, name: 'Bob' };

const quiet = (): void => undefined;

/** Reports from before the removal, under this UUID: by an importer, and late by a game server. */
async function reportOlder(context: TestAppContext, uuid = UUID): Promise<void> {
  const { db, clock } = context;
  const old = { uuid, name: FORMER };
  const events = [
    login('Alpha', old, { time: after(-8_500_000) }),
    match({ teams: [team('Red', old)], objectives: [wool(old, FORMER)] }),
  ];
  await sendEvents(context, ...events);
  const late = login('Alpha', old, { time: after(-8_400_000) });
  const [receipt] = await ingestEvents(db, clock, await serverSender(context, 'Alpha'), [late]);
  assert.equal(receipt!.status, 'accepted');
  await finishJobs(db);
}

onEachDatabase('a removal outlives an erasure and the return of the player', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const mirror = new Mirror(context);
  await sendEvents(context, ...HISTORY);
  await remove(context);
  assert.ok((await tablesWith(context, LABEL)).length > 3);
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), UUID)));
  const early = JSON.stringify(await exported(db));
  for (const text of [FORMER, LABEL, UUID, 'Present']) assert.doesNotMatch(early, new RegExp(text, 'i'));
  await finishJobs(db);
  for (const text of [FORMER, LABEL, UUID]) assert.deepEqual(await tablesWith(context, text), [], text);
  assert.deepEqual(await db.tuples(sql`select player_key from removed_names`), [[null]], 'no way to the pseudonym');
  await mirror.check('erased');
  const [erased, copy] = await twoDatabases(t, dialect, db.keyedHash);
  await checkImport(context, erased);

  const { id } = await account(context, 'Present');
  assert.equal(await linkGameAccount(db, clock, id, NOW), undefined);
  await sendEvents(context, login('Alpha', NOW));
  await reportOlder(context);
  assert.deepEqual([await namesAt(context), await tablesWith(context)], [['Present'], []]);
  await mirror.check('returned');
  await ingestEvents(copy, clock, { kind: 'operator' }, await exported(db));
  await reportOlder({ ...context, db: copy });
  assert.deepEqual(await namesAt({ db: copy }), ['Present']);
});

onEachDatabase('a merge joins the removed names of both', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(
    context,
    ...HISTORY,
    login('Alpha', { ...OTHER, name: FORMER }, { time: after(-2_000_000) }),
    login('Alpha', OTHER),
  );
  const mirror = new Mirror(context);
  await remove(context);
  assert.equal((await findPlayer(context.db, FORMER))?.name, 'Bob');
  await sendEvents(context, event('player.merged', { from: UUID, into: OTHER.uuid }));
  await finishJobs(context.db);
  assert.deepEqual(await tablesWith(context), []);
  for (const uuid of [UUID, OTHER.uuid]) await reportOlder(context, uuid);
  assert.deepEqual([(await namesAt(context)).sort(), await tablesWith(context)], [['Bob', 'Present'], []]);
  await mirror.check('merged');
});

onEachDatabase('a name of a merged game account goes, too', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const mirror = new Mirror(context);
  await sendEvents(context, ...HISTORY, login('Alpha', OTHER, { time: after(1_000) }));
  await sendEvents(context, event('player.merged', { from: UUID, into: OTHER.uuid }));
  await finishJobs(context.db);
  await remove(context, FORMER, OTHER.uuid);
  for (const uuid of [UUID, OTHER.uuid]) await reportOlder(context, uuid);
  assert.deepEqual([await namesAt(context), await tablesWith(context)], [['Bob', 'Present'], []]);
  await mirror.check('removed');
  const [copy] = await twoDatabases(t, dialect, context.db.keyedHash);
  await checkImport(context, copy);
});

onEachDatabase(
  'what is withdrawn and derived again after a removal does not have the name',
  async (t, url, dialect) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const mirror = new Mirror(context);
    const receipts = await sendEvents(context, ...HISTORY);
    await remove(context);
    const withdraw = async (...places: number[]): Promise<void> => {
      await retractEvents(
        db,
        clock,
        places.map((place) => keyOf(receipts[place]!)!),
      );
      await finishJobs(db);
      assert.deepEqual(await tablesWith(context), []);
      await mirror.check('withdrawn');
    };
    // A match, the punishment with the name in its reason, and the report of the present name.
    await withdraw(3, 4, 9);
    const [copy] = await twoDatabases(t, dialect, db.keyedHash);
    await checkImport(context, copy);
    // The match with the teams.
    await withdraw(2);
  },
);

onEachDatabase('a backup from before the player keeps the removal by the log', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const { clock } = context;
  const [db, backup] = await twoDatabases(t, dialect);
  await ingestEvents(db, clock, { kind: 'operator' }, HISTORY);
  await remove({ ...context, db });
  const lines = await db.tuples(sql`select subject, detail from revocations where kind = 'removed name'`);
  for (const line of lines as [string, string][]) assert.equal(await removeNameAgain(backup, clock.now(), line), false);
  await ingestEvents(backup, clock, { kind: 'operator' }, [login('Alpha', person(2)), ...HISTORY]);
  await finishJobs(backup);
  assert.notEqual((await playerByUuid(backup, UUID))!.key, (await playerByUuid(db, UUID))!.key);
  assert.deepEqual([await namesAt({ db: backup }), await tablesWith({ db: backup })], [['Present'], []]);
});

/** A change of the reason, at a time after the removal in milliseconds. */
const change = (data: object, ms: number) =>
  event('punishment.changed', { reason: `${FORMER}: grief`, ...data }, { time: after(ms), id: `${ms} ${FORMER}` });

onEachDatabase('an older change of a punishment does not bring the name back', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const mirror = new Mirror(context);
  const ban = (await sendEvents(context, ...HISTORY))[4]!;
  await remove(context);
  const server = await serverSender(context, 'Alpha');
  const older = [
    change({ punishment: 'p1' }, -5),
    change({ punishment_id: ban }, -4),
    punishment('p3', NOW, { reason: 'spam' }, { time: after(-4) }),
    change({ punishment: 'p3' }, -3),
    event('punishment.revoked', { punishment: 'p3', reason: `${FORMER} said sorry` }, { time: after(-2) }),
  ];
  for (const status of ['accepted', 'duplicate'])
    for (const one of await ingestEvents(db, clock, server, older)) assert.equal(one.status, status, one.id!);
  // An operator's report never brings it, with whatever time.
  await sendEvents(
    context,
    event('punishment.changed', { punishment: 'p1', server: 'Alpha', reason: `${FORMER} flies` }, { time: after(-1) }),
  );
  await finishJobs(db);
  assert.deepEqual(await tablesWith(context), []);
  const reasons = async (): Promise<string[]> =>
    (await listPunishments(db, Number.MAX_SAFE_INTEGER, 10, clock.now())).map(
      ({ reason, revocation }) => revocation?.reason ?? reason,
    );
  assert.deepEqual(await reasons(), ['Present said sorry', 'sorry', 'Present flies']);
  await mirror.check('changed');

  await ingestEvents(db, clock, server, [change({ punishment: 'p1' }, 1)]);
  assert.equal((await reasons()).at(-1), `${FORMER}: grief`);
});

onEachDatabase('an export has no removed name although the job has failed', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, ...HISTORY);
  assert.ok('job' in (await db.transaction((tx) => removeFormerName(tx, clock.now(), UUID, FORMER))));
  const { cursor } = (await db.get<{ cursor: string }>(sql`select cursor from jobs`))!;
  await db.run(sql`update jobs set cursor = 'nonsense'`);
  await finishJobs(db);
  assert.doesNotMatch(JSON.stringify(await exported(db)), new RegExp(FORMER, 'i'));
  await db.run(sql`update jobs set cursor = ${cursor}`);
  assert.ok(await resumeJob(db, (await db.get<{ key: number }>(sql`select key from jobs`))!.key));
  await finishJobs(db);
  assert.deepEqual(await tablesWith(context), []);
});

onSqlite('a move keeps the removal', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, ...HISTORY);
  await remove(context);
  const empty = await createEmptyDatabase('postgres');
  const target = await openDb(empty.url, { foreignKeys: false });
  await move(context.db, target, { target: empty.url, now: () => 0, progress: quiet, step: quiet });
  await target.close();
  t.after(() => empty.drop());
  const arrived = await testContext(t, empty.url);
  await reportOlder(arrived);
  assert.deepEqual([await namesAt(arrived), await tablesWith(arrived)], [['Present'], []]);
  await sendEvents(arrived, login('Alpha', { uuid: UUID, name: 'Later' }, { time: after(1_000) }));
  const { win } = (await listMatches(arrived.db, { before: Number.MAX_SAFE_INTEGER, limit: 10 }))
    .map(({ head }) => factsOf(head))
    .find((one) => one.gamemode === 'ffa')!;
  assert.equal(win, 'Later');
});
