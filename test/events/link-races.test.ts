import assert from 'node:assert/strict';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { LINK_CODE_MS, NEW_LINK_CODE_MS, newLinkCode } from '#store/accounts/link-codes.ts';
import { Keys } from '#store/sequence.ts';
import { serverByName } from '#store/game/servers.ts';
import { account, configured, event, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';

const ROUNDS = 8;

/** Two processes on one database, whose servers report that a player typed a code. */
async function openTwo(t: Parameters<typeof testContext>[0], url: string) {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'));
  const serverKey = (await serverByName(context.db, 'Alpha'))!.key;
  const other = await openDb(url, { keyedHash: context.db.keyedHash });
  t.after(() => other.close());
  const sender = { kind: 'server', serverKey, serverName: 'Alpha', credential: 0 } as const;
  const type = async (db: typeof other, player: number, code: string): Promise<string> => {
    const link = event('account.link', { player: person(player), code });
    const [receipt] = await ingestEvents(db, context.clock, sender, [link]);
    return receipt!.status === 'rejected' ? receipt!.reason : receipt!.status;
  };
  return { context, type, dbs: [context.db, other] as const };
}

const linked = async ({ db }: TestAppContext): Promise<string[]> =>
  (await db.tuples(sql`select id, player_uuid from accounts where player_uuid is not null order by id`)).map((row) =>
    row.join(' '),
  );

onEachDatabase('of concurrent uses of a link code one counts', async (t, url) => {
  const { context, type, dbs } = await openTwo(t, url);
  const [here, there] = dbs;
  const { db, clock } = context;
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = [round * 10, round * 10 + 1];
    const { id } = await account(context, `Account${round}`);
    const code = await newLinkCode(db, clock.now(), id);
    // Two players type one code, and one of them twice.
    const uses = await Promise.all([type(here, one, code), type(there, two, code), type(there, one, code)]);
    assert.deepEqual(uses.filter((use) => use === 'accepted').length, 1, uses.join());
    assert.equal((await linked(context)).filter((link) => link.startsWith(id)).length, 1);
    assert.match(await type(there, two, code), /is wrong or has expired/, 'a code is used once');

    // Two accounts have codes, and one player types both at once, while an operator links the player to a third.
    const rivals = await Promise.all(['A', 'B', 'C'].map((name) => account(context, `${name}${round}`)));
    const codes = [
      await newLinkCode(db, clock.now(), rivals[0]!.id),
      await newLinkCode(db, clock.now(), rivals[1]!.id),
    ];
    const player = round * 10 + 2;
    const all = await Promise.all([
      type(here, player, codes[0]!),
      type(there, player, codes[1]!),
      linkGameAccount(db, clock, rivals[2]!.id, person(player)).then((refusal) => refusal ?? 'accepted'),
    ]);
    assert.equal(all.filter((use) => use === 'accepted').length, 1, all.join());
    const holders = (await linked(context)).filter((link) => link.endsWith(person(player).uuid));
    assert.equal(holders.length, 1);

    // The account is deleted while its code is typed.
    const leaving = await account(context, `Leaving${round}`);
    const last = await newLinkCode(db, clock.now(), leaving.id);
    const [typed] = await Promise.all([type(there, round * 10 + 3, last), deleteAccount(db, clock.now(), leaving.id)]);
    assert.match(typed, /accepted|is wrong or has expired/);
    assert.ok(!(await linked(context)).some((link) => link.startsWith(leaving.id)));
  }
});

onEachDatabase('a link code that expires or is replaced while its use waits', async (t, url) => {
  const { context, type, dbs } = await openTwo(t, url);
  const { db, clock } = context;
  const { id } = await account(context, 'Robin');
  /** The receipt for a code that is typed while another process holds the lock and changes something. */
  const typedDuring = async (meanwhile: () => Promise<unknown>): Promise<string> => {
    const code = await newLinkCode(db, clock.now(), id);
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = dbs[1].transaction(async (tx) => {
      await Keys.lock(tx);
      hold();
      await released;
    });
    await held;
    const typed = type(db, 1, code);
    await meanwhile();
    release();
    await holding;
    return await typed;
  };
  clock.advance(1);
  const expired = await newLinkCode(db, clock.now() - LINK_CODE_MS, id);
  assert.match(await type(db, 1, expired), /is wrong or has expired/, 'in its last millisecond it is over');
  assert.equal(await typedDuring(async () => clock.advance(LINK_CODE_MS)), 'accepted', 'it was typed in time');
  assert.deepEqual(await linked(context), [`${id} ${person(1).uuid}`]);
  await db.run(sql`update accounts set player_uuid = null where id = ${id}`);
  if (db.dialect === 'sqlite') return;
  // On PostgreSQL others may write while the lock is held: the page shows a new code, so the old one is void.
  const replace = async (): Promise<string> => {
    clock.advance(NEW_LINK_CODE_MS);
    return await newLinkCode(db, clock.now(), id);
  };
  assert.match(await typedDuring(replace), /is wrong or has expired/);
  assert.deepEqual(await linked(context), []);
});

onEachDatabase('an account gets at most one new code a minute, at all processes together', async (t, url) => {
  const { context, type, dbs } = await openTwo(t, url);
  const [first, second] = dbs;
  const { id } = await account(context, 'Robin');
  const began = context.clock.now();
  const codeAfter = async (db: typeof second, ms: number): Promise<string> => await newLinkCode(db, began + ms, id);
  const code = await codeAfter(first, 0);
  const shown = [
    ...(await Promise.all([codeAfter(first, 1), codeAfter(second, 1)])),
    await codeAfter(second, NEW_LINK_CODE_MS - 1),
  ];
  assert.deepEqual(shown, [code, code, code], 'the same one');
  const next = await Promise.all([codeAfter(second, NEW_LINK_CODE_MS), codeAfter(first, NEW_LINK_CODE_MS)]);
  assert.deepEqual(next, [next[0], next[0]]);
  assert.notEqual(next[0], code);
  context.clock.advance(NEW_LINK_CODE_MS);
  assert.match(await type(first, 1, code), /is wrong or has expired/);
  assert.equal(await type(first, 1, next[0]!), 'accepted');
});
