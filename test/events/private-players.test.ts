import assert from 'node:assert/strict';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { leaders } from '#store/game/leaderboards/leaderboards.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { privacyOf } from '#store/game/private-players.ts';
import { playerByUuid } from '#store/game/players.ts';
import { statsOf } from '#store/game/player-stats.ts';
import { readTeampvpRanks } from '#store/game/teampvp-ranks.ts';
import { account, configured, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext, type TestAppContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { bucketsIn } from '#store/game/time-buckets.ts';
import { Mirror } from '#test/support/mirror.ts';
import { secretHash } from '#platform/crypto/secrets.ts';

const [ADA, QUIET, OLD] = [person(1, 'Ada'), person(2, 'Quillback'), person(3, 'Driftwood')];
const ON = { profile: true, online: false, names: false };

const choose = (player: string, choice = ON) => event('player.privacy', { player, ...choice });

async function fill(context: TestAppContext): Promise<void> {
  const players = [ADA, QUIET, OLD].map((player, place) => ({ ...player, kill_count: place + 1 }));
  await sendEvents(context, configured('Alpha'), login('Alpha', QUIET), match({ teams: [team('Red', ...players)] }));
}

/** The names on the board of all time, after all matches are counted. */
async function board({ db, clock }: TestAppContext): Promise<string[]> {
  while (await projectMatches(db, 'UTC', clock.now()));
  const found = await leaders(db, {
    bucket: bucketsIn('UTC')(clock.now()).all,
    mode: 'total',
    metric: 'kill',
    limit: 10,
  });
  return found.map(({ name }) => name);
}

async function rankOf({ db }: TestAppContext, uuid: string): Promise<number> {
  const { key } = (await playerByUuid(db, uuid))!;
  return (await readTeampvpRanks(db, key, await statsOf(db, key))).kill;
}

for (const chooser of [QUIET, OLD]) {
  onEachDatabase(`a merged player is private if ${chooser.name} was, and can be public again`, async (t, url) => {
    const context = await testContext(t, url);
    const { db } = context;
    const mirror = new Mirror(context);
    await fill(context);
    await sendEvents(context, choose(chooser.uuid));
    await sendEvents(context, event('player.merged', { from: OLD.uuid, into: QUIET.uuid }));
    assert.deepEqual(await privacyOf(db, QUIET.uuid), ON);
    assert.deepEqual(await board(context), ['Ada'], 'before the records are moved');
    assert.equal(await rankOf(context, ADA.uuid), 1);
    await finishJobs(db);
    assert.deepEqual(await board(context), ['Ada']);
    await mirror.check('after the merge');
    await sendEvents(context, choose(OLD.uuid, { profile: false, online: false, names: false }));
    assert.equal((await board(context)).length, 2);
    assert.deepEqual(await db.all(sql`select uuid from private_players`), []);
  });
}

onEachDatabase('an import of the export keeps the choice under the same ids', async (t, url, dialect) => {
  const context = await testContext(t, url);
  await fill(context);
  await sendEvents(context, choose(QUIET.uuid));
  await sendEvents(context, login('Alpha', person(4)));
  const exported: WireEvent[] = [];
  for await (const one of exportEvents(context.db)) exported.push(one);
  const target = await createTestDatabase(dialect);
  const db = await openDb(target.url, { keyedHash: secretHash });
  t.after(async () => {
    await db.close();
    await target.drop();
  });
  const receipts = await ingestEvents(db, context.clock, { kind: 'operator' }, exported);
  assert.ok(receipts.every(({ status }) => status === 'accepted'));
  const players = sql`select key, uuid from players order by key`;
  assert.deepEqual(await db.all(players), await context.db.all(players));
  assert.deepEqual(await privacyOf(db, QUIET.uuid), ON);
});

onEachDatabase('the choice outlives the account, and belongs to the pseudonym after an erasure', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await fill(context);
  await sendEvents(context, choose(QUIET.uuid));
  const { id } = await account(context, 'Quillback', QUIET.uuid);
  await unlinkPlayer(db, id);
  assert.deepEqual(await privacyOf(db, QUIET.uuid), ON);
  const erased = await erasePlayer(db, clock.now(), QUIET.uuid);
  assert.ok('uuid' in erased);
  await finishJobs(db);
  assert.deepEqual(await db.tuples(sql`select uuid from private_players`), [[erased.uuid]]);
  assert.deepEqual(await board(context), ['Driftwood', 'Ada']);
  const bodies = await db.tuples(sql`select body from ledger where type = 'player.privacy'`);
  assert.doesNotMatch(String(bodies), new RegExp(QUIET.uuid));
  await new Mirror(context).check('after the erasure');
});
