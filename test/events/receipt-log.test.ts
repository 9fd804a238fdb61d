import assert from 'node:assert/strict';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { exportEvents } from '#events/export.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { type LoggedReceipt, receiptsAfter, receiptsBefore } from '#events/ledger/server-events.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, event, login, match, person, presence, team, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';
import { merge, arbitraryHistory, type GeneratedEvent } from './generated-history.ts';
import { clock, ingestHistory } from './ingest-history.ts';
import { finishJobs, retractEvents, retractSince } from '#test/support/jobs.ts';

const LAST = Number.MAX_SAFE_INTEGER;

/** The receipts of a server, read from the whole ledger and all rejections. */
async function allReceipts(db: Db, server: number): Promise<LoggedReceipt[]> {
  const accepted = await db.all(sql`select key, scope_key, event_id as id, type, received, withdrawn from ledger`);
  const refused = await db.all(sql`select key, scope_key, event_id as id, type, reason, place, received from refusals`);
  const rows = [...accepted, ...refused].filter(({ scope_key }) => scope_key === server);
  const receipts = rows.map(({ key, scope_key: _, withdrawn, ...facts }) => {
    const status = withdrawn === undefined ? 'rejected' : withdrawn === null ? 'accepted' : 'withdrawn';
    if (facts['type'] === null) delete facts['type'];
    return { receipt: idOf(key as number), status, ...facts } as LoggedReceipt;
  });
  return receipts.sort((a, b) => (a.receipt < b.receipt ? -1 : 1));
}

/** Reads all pages of a size. */
async function readPages(
  read: (from: number) => Promise<LoggedReceipt[]>,
  size: number,
  start: number,
): Promise<LoggedReceipt[]> {
  const found: LoggedReceipt[] = [];
  for (let from = start; ;) {
    const page = await read(from);
    assert.ok(page.length <= size);
    found.push(...page);
    if (page.length < size) return found;
    from = keyOf(page.at(-1)!.receipt)!;
  }
}

async function assertPages(db: Db, server: number): Promise<LoggedReceipt[]> {
  const wanted = await allReceipts(db, server);
  for (let size = 1; size <= wanted.length + 1; size++) {
    const forth = await readPages((from) => receiptsAfter(db, server, from, size), size, 0);
    assert.deepEqual(forth, wanted, `forth by ${size}`);
    const back = await readPages((from) => receiptsBefore(db, server, from, size), size, LAST);
    assert.deepEqual(back, wanted.toReversed(), `back by ${size}`);
  }
  return wanted;
}

const played = (...players: number[]) => match({ teams: [team('Red', ...players)] });

/** All pairs of type and status in the receipts of a history with some withdrawn events. */
async function receiptKindsOf(db: Db, events: GeneratedEvent[], withdraws: () => boolean): Promise<Set<string>> {
  const receipts = await ingestHistory(db, events, 3);
  const accepted = receipts.filter(({ status }) => status === 'accepted') as { receipt: string }[];
  const withdrawn = accepted.filter(withdraws).map(({ receipt }) => keyOf(receipt)!);
  await retractEvents(db, clock, withdrawn);
  const seen = new Set<string>();
  for (const [server] of [...(await db.tuples(sql`select key from servers`)), [1]]) {
    for (const { type, status } of await assertPages(db, server as number)) seen.add(`${type} ${status}`);
  }
  return seen;
}

onEachDatabase('receipts can be paged with any page size', async (t, url, dialect) => {
  const db = await openDb(url, { keyedHash: secretHash });
  t.after(() => db.close());
  await migrate(db);
  const stranger = event('map.rated', { map: 'Nowhere', player: person(1), rate: 5 });
  const sent = [played(1), login('Alpha', person(1)), played(2), stranger, played(1, 2), login('Alpha', person(2))];
  let number = 0;
  const seen = await receiptKindsOf(
    db,
    sent.map((one) => ({ sender: 0, event: one })),
    () => number++ % 3 > 0,
  );
  assert.deepEqual([...seen].sort(), [
    'map.rated rejected',
    'match.finished accepted',
    'match.finished withdrawn',
    'player.login withdrawn',
    'server.configured accepted',
  ]);
  await fc.assert(
    fc.asyncProperty(arbitraryHistory, fc.infiniteStream(fc.boolean()), fc.nat(50), async (events, coins, place) => {
      const received = place < 25 ? events.toSpliced(place, 0, merge) : events;
      await receiptKindsOf(db, received, () => coins.next().value);
    }),
    { numRuns: dialect === 'sqlite' ? 40 : 8 },
  );
});

onEachDatabase(
  'every match has a receipt of its server, also after retractions and exports',
  async (t, url, dialect) => {
    const context = await testContext(t, url);
    const { db } = context;
    const received = await sendEvents(
      context,
      configured('Alpha'),
      played(1, 2),
      login('Alpha', person(1)),
      played(1),
      played(3),
    );
    await sendEvents(
      context,
      event('server.removed', {}, { server: 'Alpha' }),
      played(2),
      configured('Alpha'),
      played(2),
    );
    await sendEvents(context, event('player.merged', { from: person(2).uuid, into: person(1).uuid }), played(1, 2));
    await db.transaction((tx) => pseudonymise(tx, context.clock.now(), person(1).uuid));
    await finishJobs(db);
    await sendEvents(context, played(1), match({}, { server: 'Beta' }), match({}, { server: 'Beta' }));
    await retractEvents(db, context.clock, [keyOf(received[1]!)!]);
    const database = await createTestDatabase(dialect);
    const other = await testContext(t, database.url);
    t.after(() => database.drop());
    await sendEvents(other, configured('Gamma'));
    for await (const one of exportEvents(db)) await sendEvents(other, one);
    for (const { db: one } of [context, other]) {
      let matches = 0;
      for (const [server] of await one.tuples(sql`select key from servers`)) {
        const receipts = await assertPages(one, server as number);
        matches += receipts.filter(({ type, status }) => type === 'match.finished' && status === 'accepted').length;
      }
      assert.deepEqual(await one.tuples(sql`select count(*) from matches`), [[matches]]);
      assert.equal(matches, 8);
    }
  },
);

onEachDatabase('retracting a server since a time withdraws its matches, other events and heartbeat', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const early = await sendEvents(
    context,
    configured('Alpha'),
    configured('Beta'),
    played(1),
    login('Alpha', person(1)),
  );
  context.clock.advance(1);
  const since = context.clock.now();
  const late = await sendEvents(
    context,
    played(1, 2),
    login('Alpha', person(2)),
    configured('Alpha', { max: 7 }),
    played(2),
    match({}, { server: 'Beta' }),
    presence('Alpha', {}, { time: after(1) }),
  );
  const server = (await serverByName(db, 'Alpha'))!.key;
  await retractEvents(db, context.clock, [keyOf(late[3]!)!]);
  assert.deepEqual(await retractSince(db, context.clock, server, since + 1), { events: 0, cascaded: 0 });
  assert.deepEqual(await retractSince(db, context.clock, server, since), { events: 2, cascaded: 0 });
  const gone = (await assertPages(db, server)).filter(({ status }) => status === 'withdrawn');
  assert.deepEqual(
    gone.map(({ receipt }) => receipt),
    [late[0], late[1], late[3]],
  );
  const matches = await db.tuples(sql`select key from matches order by key`);
  assert.deepEqual(
    matches.map(([key]) => idOf(key as number)),
    [early[2], late[4]],
  );
  assert.deepEqual(await db.tuples(sql`select server_key from presence`), []);
  assert.deepEqual(await retractSince(db, context.clock, server, 0), { events: 2, cascaded: 0 });
});
