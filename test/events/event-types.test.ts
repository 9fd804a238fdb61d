import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { effectOf } from '#events/handlers/index.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { EVENT_TYPES, type EventName, typeOf, TYPES, type WireEvent } from '#events/schema/index.ts';
import { aggregateNamed } from '#events/jobs/rebuild.ts';
import { keyOf } from '#platform/ids.ts';
import { plainCode } from '#store/accounts/link-codes.ts';
import { account, configured, event } from '#test/support/builders.ts';
import { onEachDatabase, TestClock } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { openDb } from '#db/open.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { Mirror } from '#test/support/mirror.ts';
import { canonicalDumpOf, resetTables } from './canonical-dump.ts';

const clock = new TestClock();
const BEFORE = '2026-03-01T11:00:00.000Z';

/** The event of the example of a type, on the server Alpha. */
function exampleOf(type: EventName, time?: string): WireEvent {
  const { example } = EVENT_TYPES[type];
  return event(type, example as never, { server: 'Alpha', ...(time === undefined ? {} : { time }) });
}

/** Events that must be ingested before the example of a type is accepted. */
const EARLIER: Partial<Record<EventName, EventName[]>> = {
  'map.rated': ['map.published'],
  'punishment.changed': ['punishment.issued'],
  'punishment.revoked': ['punishment.issued'],
  'counter.removed': ['counter.declared'],
};

async function send(db: Db, ...events: WireEvent[]): Promise<number> {
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, events);
  const last = receipts.at(-1)!;
  for (const receipt of receipts) assert.equal(receipt.status, 'accepted', JSON.stringify(receipt));
  return keyOf((last as { receipt: string }).receipt)!;
}

/** All that events write, and which accounts are linked. */
async function stateOf(db: Db): Promise<object> {
  const { ledger, ...dump } = await canonicalDumpOf(db);
  return { ...dump, ledger: ledger!.length, linked: await db.all(sql`select player_uuid from accounts order by id`) };
}

test('the example of every type is valid as it is, and is read again as the ledger stores it', () => {
  for (const type of TYPES) {
    const { data, example, stored } = typeOf(type);
    data.parse(example);
    if (typeof stored !== 'object') continue;
    const left = Object.fromEntries(
      Object.entries(example as object).filter(([member]) => !stored.without.includes(member)),
    );
    typeOf(stored.as as EventName).data.parse(left);
  }
});

onEachDatabase('every type of event is applied, and its retraction leaves nothing of it', async (t, url) => {
  const db = await openDb(url, { keyedHash: secretHash });
  t.after(() => db.close());
  const { id } = await account({ db, clock }, 'Owner');
  const mirror = new Mirror({ db, clock });
  for (const type of TYPES) {
    await resetTables(db);
    mirror.reset();
    await db.run(sql`delete from link_codes`);
    const code = db.keyedHash(plainCode(EVENT_TYPES['account.link'].example.code));
    await db.run(
      sql`insert into link_codes (account_id, code_hash, expires) values (${id}, ${code}, ${clock.now() + 1})`,
    );
    const earlier = (EARLIER[type] ?? []).map((one) => exampleOf(one, BEFORE));
    await send(db, configured('Alpha', { region: 'us' }), ...earlier);
    const before = await stateOf(db);
    await mirror.check(`before ${type}`);
    const key = await send(db, exampleOf(type));
    const { retract, changes } = effectOf(type);
    const recorded = new Set((await mirror.check(type)).map(({ kind }) => kind));
    assert.ok(recorded.isSubsetOf(new Set(changes)), `${type} changes ${[...recorded].join()}`);
    if (retract === 'not stored') {
      assert.deepEqual(await stateOf(db), { ...before, presence: (await canonicalDumpOf(db))['presence'] }, type);
      continue;
    }
    assert.notDeepEqual(await stateOf(db), before, type);
    if ('reversedBy' in retract) {
      assert.deepEqual(await retractEvents(db, clock, [key]), { events: 0, cascaded: 0 }, type);
      if (retract.reversedBy !== 'nothing') await send(db, exampleOf(retract.reversedBy));
      await mirror.check(`${type} reversed`);
      continue;
    }
    assert.deepEqual(await retractEvents(db, clock, [key]), { events: 1, cascaded: 0 }, type);
    assert.deepEqual(await stateOf(db), before, type);
    await mirror.check(`${type} retracted`);
  }
});

test('an aggregate of an unknown kind is an error', () => {
  assert.equal(aggregateNamed('punishment 0 ban 4711').name, '0 ban 4711');
  assert.throws(() => aggregateNamed('tournament 1'), /tournament 1/);
  assert.throws(() => aggregateNamed('maps Twin Peaks'));
});
