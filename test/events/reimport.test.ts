import assert from 'node:assert/strict';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { type Acting, perform } from '#admin/operation.ts';
import { mergePlayers } from '#admin/players.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { exportEvents } from '#events/export.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { createAccount } from '#store/accounts/accounts.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { login, match, person, punishment, team, event } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { canonicalDumpOf, resetTables } from './canonical-dump.ts';
import { clock } from './ingest-history.ts';

/**
 * Random histories of a network whose players are punished, erased, linked again and merged, and whose events are withdrawn,
 * are exported and imported into an empty network.
 */

const OPERATOR = { kind: 'operator' } as const;
const PLAYERS = 4;
const who = fc.nat(PLAYERS - 1);
const act = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('login' as const), who }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('match' as const), who, other: who }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('punish' as const), who }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('erase' as const), who }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('link' as const), who, byCode: fc.boolean() }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('merge' as const), who, other: who }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('undo' as const), place: fc.nat(30) }), weight: 1 },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

/** Carries acts out. Refused ones change nothing. */
class History {
  readonly #db: Db;
  readonly #acting: Acting;
  readonly #accounts = new Map<number, string>();
  readonly #receipts: string[] = [];
  #count = 0;

  constructor(context: TestAppContext) {
    this.#db = context.db;
    this.#acting = { ...context, clock, actor: { via: 'command', account_id: null, name: '', address: '' } };
  }

  async run(acts: readonly Act[]): Promise<void> {
    for (const one of acts) {
      clock.advance(1000);
      await this.#run(one);
      await finishJobs(this.#db);
    }
  }

  async #run(one: Act): Promise<void> {
    switch (one.kind) {
      case 'login':
        return await this.#send(login('Alpha', person(one.who)));
      case 'match': {
        const players =
          one.who === one.other ? [team('Red', one.who)] : [team('Red', one.who), team('Blue', one.other)];
        return await this.#send(match({ teams: players }));
      }
      case 'punish':
        return await this.#send(punishment(`p${this.#count}`, person(one.who)));
      case 'merge':
        return void (await perform(
          mergePlayers,
          this.#acting,
          { from: person(one.who).uuid, into: person(one.other).uuid },
          {},
        ));
      case 'undo': {
        const receipt = this.#receipts[one.place];
        if (receipt !== undefined) await retractEvents(this.#db, clock, [keyOf(receipt)!]);
        return;
      }
      case 'link':
        return await this.#link(one.who, one.byCode);
      case 'erase': {
        const id = this.#accounts.get(one.who);
        if (id === undefined) return void (await erasePlayer(this.#db, clock.now(), person(one.who).uuid));
        this.#accounts.delete(one.who);
        await deleteAccount(this.#db, clock.now(), id);
      }
    }
  }

  async #link(number: number, byCode: boolean): Promise<void> {
    const name = `account${this.#count++}`;
    const account = await createAccount(this.#db, clock.now(), {
      ...{ name, email: `${name}@example.org`, role: 'user', password: null, email_verified: true },
    });
    assert.ok(typeof account !== 'string', `account ${name}`);
    this.#accounts.set(number, account.id);
    if (!byCode) return void (await linkGameAccount(this.#db, clock, account.id, person(number)));
    const code = await newLinkCode(this.#db, clock.now(), account.id);
    await this.#send(event('account.link', { player: person(number), code }));
  }

  async #send(sent: WireEvent): Promise<void> {
    const time = new Date(clock.now()).toISOString();
    const one = { server: 'Alpha', ...sent, id: `e${this.#count++}`, time } as WireEvent;
    const [receipt] = await ingestEvents(this.#db, clock, OPERATOR, [one]);
    if (receipt!.status === 'accepted') this.#receipts.push(receipt!.receipt);
  }
}

async function reset(db: Db): Promise<void> {
  await resetTables(db);
  for (const table of [sql`accounts`, sql`pseudonyms`]) await db.run(sql`delete from ${table}`);
}

/** The ids of everything that events create. */
async function idsOf(db: Db): Promise<unknown> {
  const read = async (query: Sql) => (await db.tuples(query)).map(([key, ...words]) => [idOf(key as number), ...words]);
  return {
    players: await read(sql`select key, uuid, name from players order by key`),
    merged: await read(sql`select key, uuid from player_aliases where key is not null order by key`),
    matches: await read(sql`select key from matches order by key`),
    punishments: await read(sql`
      select u.key, u.reference, p.uuid from punishments u join players p on p.key = u.punished_key order by u.key`),
  };
}

onEachDatabase(
  'a history with erasures, links, merges and withdrawals is imported under the same ids',
  async (t, url, dialect) => {
    const context = await testContext(t, url);
    const database = await createTestDatabase(dialect);
    const copy = await testContext(t, database.url);
    t.after(() => database.drop());
    const [one, other] = [context.db, copy.db];
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        await Promise.all([one, other].map(reset));
        await new History(context).run(acts);
        const exported = await Array.fromAsync(exportEvents(one));
        for (const received of exported) {
          const [receipt] = await ingestEvents(other, clock, OPERATOR, [received]);
          assert.equal(receipt!.status, 'accepted', JSON.stringify({ received, receipt }));
          if (received.receipt !== undefined) assert.equal(receipt!.receipt, received.receipt);
        }
        await finishJobs(other);
        assert.deepEqual(await idsOf(other), await idsOf(one));
        const [found, wanted] = [await canonicalDumpOf(other), await canonicalDumpOf(one)];
        for (const table of ['players', 'player_names', 'player_aliases', 'player_matches', 'punishments'])
          assert.deepEqual(found[table], wanted[table], table);
        const again = await Array.fromAsync(exportEvents(other));
        assert.deepEqual(
          again.map(({ receipt }) => receipt),
          exported.map(({ receipt }) => receipt),
        );
      }),
      { numRuns: dialect === 'sqlite' ? 25 : 6 },
    );
  },
);
