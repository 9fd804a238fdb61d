import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { keyOf } from '#platform/ids.ts';
import { listAudit, recordAudit } from '#store/audit/audit.ts';
import { removeFormerName } from '#store/accounts/removed-names.ts';
import { removeNameAgain } from '#store/revocations/erasures.ts';
import { findPlayer, playerByUuid } from '#store/game/players.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import {
  account,
  after,
  event,
  login,
  match,
  punishment,
  sendEvents,
  serverSender,
  team,
} from '#test/support/builders.ts';
import { onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';
import { testApi } from '#test/support/api.ts';
import { page } from '#test/site/request.ts';
import {
  checkImport,
  exported,
  FORMER,
  HISTORY,
  LABEL,
  namesAt,
  NOW,
  OLD,
  remove,
  tablesWith,
  UUID,
} from './removed-name-network.ts';

onEachDatabase('a removed name is nowhere, and the present one takes its place', async (t, url, dialect) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, event('counter.declared', { key: 'best_streak', label: { en: 'Streak' } }));
  const [, , alone, later, ban, , other] = await sendEvents(context, ...HISTORY);
  const { id } = await account(context, 'Present', UUID);
  const actor = { via: 'sign-in', account_id: id, name: FORMER, address: '' } as const;
  await db.transaction(async (tx) => {
    await recordAudit(tx, clock.now(), actor, {
      action: 'account.name',
      subject: id,
      label: FORMER,
      detail: { name: FORMER },
    });
    await recordAudit(tx, clock.now(), actor, {
      action: 'punishment.change',
      subject: ban!,
      label: FORMER,
      detail: { reason: `by ${FORMER}` },
    });
  });
  while (await projectMatches(db, 'UTC', clock.now()));
  const mirror = new Mirror(context);
  await mirror.check('before');
  assert.ok((await tablesWith(context)).length > 10);

  /** Everything that named the player by the former name shows this one now. */
  const checkShown = async (name: string): Promise<void> => {
    const whole = (await get(`/v1/matches/${alone}?fields=teams,objectives,winners,counters`)).json;
    assert.deepEqual(
      [whole.win, whole.winners, whole.teams.map((one: { name: string }) => one.name)],
      [name, [name, `${name} 2`], [name, `${name} 2`, 'Ada']],
    );
    assert.deepEqual([whole.objectives[0].team, whole.objectives[0].player], [name, name]);
    assert.deepEqual([whole.counters[0].team, whole.counters[0].name], [name, name]);
    const listed = (await get('/v1/matches')).json.find((one: { id: string }) => one.id === alone);
    assert.equal(listed.win, name);
    for (const one of [alone, later])
      assert.equal((await get(`/v1/matches/${one}`)).json.teams[0].players[0].name, name);
    const player = (await get(`/v1/players/${UUID}?fields=kills,ctw,names`)).json;
    assert.deepEqual([player.name, player.kills[0].killer, player.deaths[0].victim], [name, name, name]);
    assert.deepEqual(
      player.ctw.wool_places.map((one: { team: string }) => one.team),
      [name, 'Red', name],
    );
    const shown = (await get(`/v1/punishments/${ban}`)).json;
    assert.deepEqual([shown.reason, shown.punished.name], [`${name}, again`, name]);
    const { punisher, revocation } = (await get(`/v1/punishments/${other}?fields=revocation`)).json;
    assert.deepEqual([punisher.name, revocation.by.name], [name, name]);
    const texts = [
      JSON.stringify(player),
      JSON.stringify((await get(`/v1/players/${UUID}/punishments`)).json),
      await page(context, `/matches/${alone}`),
      await page(context, '/matches'),
      await page(context, `/players/${UUID}`),
      await page(context, `/punishments/${ban}`),
    ];
    for (const text of texts) assert.ok(!text.includes(LABEL), text);
    const acts = await listAudit(db, { actor: name }, 10);
    assert.deepEqual(
      acts.map((act) => [act.actor, act.label, Object.values(act.detail)]),
      [
        [name, name, [`by ${name}`]],
        [name, name, [name]],
      ],
    );
  };

  await remove(context, FORMER.toUpperCase());

  assert.deepEqual(await tablesWith(context), []);
  await mirror.check('after');
  assert.deepEqual(await namesAt(context), ['Present']);
  assert.equal(await findPlayer(db, FORMER), undefined);
  assert.equal((await get(`/v1/players/${FORMER}`)).status, 404);
  await checkShown('Present');

  await t.test('and everything follows later names', async () => {
    await sendEvents(context, login('Alpha', { uuid: UUID, name: 'La "ter' }, { time: after(1000) }));
    await mirror.check('renamed');
    await checkShown('La "ter');
  });

  await t.test('an import of the export has the same rows', async () => {
    assert.ok(
      !JSON.stringify(await exported(db))
        .toLowerCase()
        .includes(FORMER.toLowerCase()),
    );
    const [copy] = await twoDatabases(t, dialect, db.keyedHash);
    await checkImport(context, copy);
  });
});

onEachDatabase(
  'a second delivery is a duplicate, and only a later report of a game server brings the name back',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const receipts = await sendEvents(context, ...HISTORY);
    await remove(context);
    const again = await ingestEvents(db, clock, { kind: 'operator' }, HISTORY);
    assert.deepEqual(
      again.map((one) => [one.status, 'receipt' in one && one.receipt]),
      receipts.map((one) => ['duplicate', one]),
    );

    const server = await serverSender(context, 'Alpha');
    const older = [
      login('Alpha', OLD, { time: after(0) }),
      event('player.named', { player: OLD }, { time: after(-1) }),
      match({ teams: [team('Red', OLD)] }, { time: after(120_000) }),
      match({ teams: [team(`${FORMER} 2`, NOW), team('Blue', 1)], win: `${FORMER} 2` }),
      punishment('p3', NOW, { reason: `${FORMER}: spam` }, { server: 'Alpha', time: after(-2) }),
    ];
    const send = async (...events: WireEvent[]) => await ingestEvents(db, clock, server, events);
    for (const one of await send(...older)) assert.equal(one.status, 'accepted', JSON.stringify(one));
    for (const one of await send(...older)) assert.equal(one.status, 'duplicate', JSON.stringify(one));
    await sendEvents(context, login('Alpha', OLD, { time: after(60_000) }));
    await finishJobs(db);
    assert.deepEqual([await namesAt(context), await tablesWith(context)], [['Present'], []]);

    const [back] = await send(login('Alpha', OLD, { time: after(1) }));
    assert.deepEqual(await namesAt(context), [FORMER, 'Present']);
    await retractEvents(db, clock, [keyOf((back as { receipt: string }).receipt)!]);
    assert.deepEqual(await namesAt(context), ['Present']);
    await send(login('Alpha', OLD, { time: after(-5) }));
    assert.deepEqual(await namesAt(context), ['Present']);
  },
);

onEachDatabase('what is derived later leaves a removed name out', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const receipts = await sendEvents(context, ...HISTORY);
  const keys = receipts.slice(-2).map((receipt) => keyOf(receipt)!);
  await db.transaction((tx) => removeFormerName(tx, clock.now(), UUID, FORMER));
  await retractEvents(db, clock, keys);
  await finishJobs(db);
  const player = (await playerByUuid(db, UUID))!;
  assert.deepEqual([player.name, await namesAt(context)], [LABEL, []]);
  assert.deepEqual(await tablesWith(context), []);
});

onEachDatabase('the revocation log removes a name again, in a backup even the present one', async (t, url, dialect) => {
  const { clock } = await testContext(t, url);
  const [db, backup] = await twoDatabases(t, dialect);
  const operator = { kind: 'operator' } as const;
  await ingestEvents(db, clock, operator, HISTORY);
  await ingestEvents(backup, clock, operator, HISTORY.slice(0, -2));
  const now = clock.now();
  assert.ok('job' in (await db.transaction((tx) => removeFormerName(tx, now, UUID, FORMER))));
  const lines = await db.tuples(sql`select subject, detail from revocations where kind = 'removed name'`);
  assert.ok(!JSON.stringify(lines).includes(FORMER));
  const replayed = [];
  for (const line of lines as [string, string][]) replayed.push(await removeNameAgain(backup, now, line));
  assert.deepEqual(replayed, [true]);
  await finishJobs(backup);
  assert.equal((await playerByUuid(backup, UUID))!.name, LABEL);
  assert.deepEqual(await tablesWith({ db: backup }), []);
});
