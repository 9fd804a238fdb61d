import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { ask } from '#test/support/request.ts';
import {
  after,
  BEGINNING,
  configured,
  event,
  login,
  map,
  match,
  person,
  presence,
  punishment,
  rating,
  rotation,
  serviceToken,
  statistics,
  team,
  sendEvents,
  serverSender,
} from '#test/support/builders.ts';
import {
  createTestDatabase,
  DIALECTS,
  onEachDatabase,
  testContext,
  testServices,
  twoDatabases,
} from '#test/support/context.ts';
import { canonicalDumpOf, resetTables } from './canonical-dump.ts';
import { merge, arbitraryHistory } from './generated-history.ts';
import { clock, ingestHistory } from './ingest-history.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

const OPERATOR = { kind: 'operator' } as const;
const UNLIKE = ['name_observations', 'ledger'];

async function idsOf(db: Db): Promise<unknown> {
  const read = async (table: string, word: string) =>
    (await db.tuples({ strings: [`select key, ${word} from ${table}`], values: [] })).sort(
      ([a], [b]) => Number(a) - Number(b),
    );
  return Promise.all([
    read('servers', 'name'),
    read('players', 'uuid'),
    read('maps', 'name'),
    read('matches', 'head'),
    read('punishments', 'reference'),
  ]);
}

for (const dialect of DIALECTS) {
  test(`what is exported makes the same network, under the same ids (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, fc.infiniteStream(fc.boolean()), fc.nat(60), async (events, coins, place) => {
        const receipts = await ingestHistory(
          one,
          events.toSpliced(place, 0, ...(place < events.length ? [merge] : [])),
          3,
        );
        await ingestEvents(one, clock, OPERATOR, [presence('Delta', { current: 0, players: ['Ann'] })]);
        const withdrawn = receipts.flatMap((receipt) =>
          receipt.status === 'accepted' && coins.next().value ? keyOf(receipt.receipt)! : [],
        );
        await retractEvents(one, clock, withdrawn);
        await resetTables(other);
        for await (const received of exportEvents(one)) {
          const [receipt] = await ingestEvents(other, clock, OPERATOR, [received]);
          assert.equal(receipt!.status, 'accepted', JSON.stringify({ received, receipt }));
        }
        await finishJobs(other);
        assert.deepEqual(await idsOf(other), await idsOf(one));
        const [found, wanted] = [await canonicalDumpOf(other), await canonicalDumpOf(one)];
        for (const table of Object.keys(wanted)) {
          if (UNLIKE.includes(table)) continue;
          assert.deepEqual(found[table], wanted[table], table);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 12 },
    );
  });
}

/** Exports all events and runs an action after the first one. */
async function exported(db: Db, meanwhile: () => Promise<unknown> = async () => undefined): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const received of exportEvents(db)) if (events.push(received) === 1) await meanwhile();
  return events;
}

onEachDatabase(
  'an export is one snapshot, whatever is ingested, withdrawn or deleted at the same time',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const logins = Array.from({ length: 250 }, (_, number) => login('Alpha', person(number)));
    const ids = await sendEvents(context, configured('Alpha'), ...logins, login('Alpha', person(249)));
    await sendEvents(context, presence('Alpha', { current: 0, players: ['Ann'] }));
    const before = await exported(db);
    const found = await exported(db, async () => {
      await retractEvents(db, clock, [keyOf(ids[250]!)!]);
      await db.transaction((tx) => pseudonymise(tx, clock.now(), person(240).uuid));
      await sendEvents(context, login('Alpha', person(300)), event('server.removed', {}, { server: 'Alpha' }));
    });
    assert.deepEqual(found, before);
  },
);

onEachDatabase('a player whose deletion is not complete is exported under the pseudonym only', async (t, url) => {
  const context = await testContext(t, url);
  const known = person(1, 'Realname');
  await sendEvents(context, configured('Alpha'), login('Alpha', known), match({ teams: [team('Red', 1)] }));
  await context.db.transaction((tx) => pseudonymise(tx, context.clock.now(), known.uuid));
  const text = JSON.stringify(await exported(context.db));
  assert.match(text, /"name":"deleted-\w{6}"/);
  for (const own of [known.uuid, known.name, person(1).name]) assert.ok(!text.includes(own), own);
});

onEachDatabase(
  'a change finds its punishment after an import into a network that gives it another id',
  async (t, url, dialect) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    await sendEvents(context, configured('Alpha'), configured('Beta'));
    const alpha = await serverSender(context, 'Alpha');
    const [issued] = await ingestEvents(db, clock, alpha, [punishment('p1', person(1))]);
    const { receipt } = issued as { receipt: string };
    const beta = await serverSender(context, 'Beta');
    const lift = event('punishment.revoked', { punishment_id: receipt, reason: 'sorry' });
    assert.equal((await ingestEvents(db, clock, beta, [lift]))[0]!.status, 'accepted');
    const [network] = await sendEvents(context, punishment('p2', person(2)));
    const change = event('punishment.changed', { punishment_id: network!, level: 4 });
    assert.equal((await ingestEvents(db, clock, beta, [change]))[0]!.status, 'accepted');

    const database = await createTestDatabase(dialect);
    const other = await testContext(t, database.url);
    t.after(() => database.drop());
    other.clock.advance(86_400_000);
    await sendEvents(other, configured('Older'));
    for await (const received of exportEvents(db)) await sendEvents(other, received);
    const found = await listPunishments(other.db, Number.MAX_SAFE_INTEGER, 9, other.clock.now());
    assert.deepEqual(
      found.map(({ level, revocation }) => [level, revocation?.reason, revocation?.server]),
      [
        [4, undefined, undefined],
        [0, 'sorry', 'Beta'],
      ],
    );
    assert.notEqual(idOf(found[1]!.key), receipt);
  },
);

onEachDatabase('the events of an export that is imported into its own network are duplicates', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const ids = await sendEvents(context, ...HISTORY, configured('Beta'));
  const id = ids[8]!;
  const change = event('punishment.changed', { punishment_id: id, level: 4 });
  const lift = event('punishment.revoked', { punishment_id: id, reason: 'sorry' });
  const beta = await serverSender(context, 'Beta');
  await ingestEvents(db, clock, beta, [change, lift]);
  const receipts = await ingestEvents(db, clock, OPERATOR, await exported(db));
  // No event names the lobby. The export adds an event for it, with the stored facts.
  const events = receipts.filter((receipt) => !receipt.id.startsWith('export server '));
  assert.deepEqual(
    events.filter(({ status }) => status !== 'duplicate'),
    [],
  );
  const byId = await ingestEvents(db, clock, beta, [
    change,
    { ...lift, data: { punishment: 'p1', server: '', reason: 'sorry' } },
    { ...lift, data: { punishment: 'p1', server: '', reason: 'other' } },
    { ...lift, data: { punishment: 'p1', reason: 'sorry' } },
  ]);
  assert.deepEqual(
    byId.map(({ status }) => status),
    ['duplicate', 'duplicate', 'rejected', 'rejected'],
  );
});

const PATHS = (ids: Record<string, string>): string[] => [
  '/v1/servers',
  '/v1/servers/online',
  '/v1/matches?fields=teams,objectives&limit=100',
  `/v1/matches/${ids['match']}`,
  '/v1/maps?playing=1&limit=100',
  `/v1/maps/${ids['map']}`,
  '/v1/punishments?limit=100',
  ...[1, 2, 3, 4].map((number) => `/v1/players/${person(number).uuid}?fields=total,kills,matches,factions,ctw,teampvp`),
  `/v1/players/${person(1).uuid}/punishments`,
];

onEachDatabase(
  'a network imported from an export gives the same responses on every endpoint',
  async (t, url, dialect) => {
    const context = await testContext(t, url);
    const ids = await sendEvents(context, ...HISTORY);
    await retractEvents(context.db, context.clock, [keyOf(ids[2]!)!]);
    const database = await createTestDatabase(dialect);
    const other = await testContext(t, database.url);
    t.after(() => database.drop());
    for await (const received of exportEvents(context.db)) await sendEvents(other, received);
    const named = { match: ids[5]!, map: ids[3]! };
    const answers = await Promise.all(
      [context, other].map(async (one) => {
        const { API: origin } = await testServices(one, ['API']);
        const token = await serviceToken(one);
        const replies = await Promise.all(PATHS(named).map((path) => ask(origin!, path, { token })));
        return replies.map(({ status, text }) => [status, text]);
      }),
    );
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual([...new Set(answers[0]!.map(([status]) => status))], [200]);
  },
);

const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const HISTORY: WireEvent[] = [
  configured('Alpha', { max: 40, order: 2 }),
  presence('Lobby', { current: 0, players: ['Ann'] }),
  match({ teams: [team('Red', 1, 2), team('Blue', 3)] }),
  map('Twin Peaks', { gamemodes: ['ctw'], image: { content_type: 'image/png', data: PNG } }),
  rotation('Alpha', ['twin peaks']),
  match({
    gamemode: 'ctw',
    win: 'Red',
    teams: [team('Red', 2, 4), team('Blue', 3)],
    kills: [{ killer: person(2).uuid, victim: person(3).uuid, time: BEGINNING }],
    objectives: [{ player: person(4), team: 'Red', type: 'wool', name: 'Blue Wool', time: BEGINNING }],
  }),
  rating('Twin Peaks', person(2), 4),
  login('Alpha', person(1, 'Renamed'), { time: after(1000) }),
  punishment('p1', person(1), { reason: 'x' }),
  statistics(person(3), { kill_count: 3, faction: 'Foxes', power: 1.5 }),
  event('player.merged', { from: person(4).uuid, into: person(1).uuid }),
];
