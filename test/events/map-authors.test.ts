import assert from 'node:assert/strict';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { isPublished } from '#events/handlers/maps.ts';
import { type DataOf, readEvent, type WireEvent } from '#events/schema/index.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { mapByName } from '#store/game/maps/maps.ts';
import { keyOf } from '#platform/ids.ts';
import { after, event, login, map, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

type Published = DataOf<'map.published'>;

const ann = person(1, 'Ann');
const authorOf = ({ uuid }: { uuid: string }) => ({ uuid, contribution: 'Walls' });

const publish = (version: string, ms: number, ...authors: object[]): WireEvent =>
  map('Isle', { version, authors }, { time: after(ms) });

onEachDatabase('an author by UUID is named when the map is stored, if the player is known', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const authors = async () => (await mapByName(db, 'Isle'))!.authors.map(({ name }) => name);
  const send = async (sent: WireEvent) => (await ingestEvents(db, clock, { kind: 'operator' }, [sent]))[0]!;

  await sendEvents(
    context,
    event('player.statistics', { player: { uuid: person(3).uuid }, gamemode: 'factions' }, { server: 'Alpha' }),
    publish('1', 1, authorOf(ann)),
  );
  assert.deepEqual(await authors(), [''], 'not known yet');
  await sendEvents(context, login('Alpha', ann));
  assert.equal((await send(publish('1', 1, authorOf(ann)))).status, 'duplicate', 'the same map at the same time');
  // The player of this transaction is known as well; one without a name is not named.
  const bob = person(2, 'Bob');
  const named = [
    authorOf(ann),
    { ...authorOf(bob), name: 'Robert' },
    authorOf(bob),
    authorOf(person(9)),
    authorOf(person(3)),
    { name: 'Eve' },
  ];
  const [, second] = await sendEvents(context, login('Alpha', bob), publish('2', 2, ...named));
  assert.deepEqual(await authors(), ['Ann', 'Robert', 'Bob', '', '', 'Eve']);
  const read = readEvent(publish('2', 2, ...named));
  assert.ok('event' in read && (await isPublished(db, read.event.data as Published)), 'an import reports no change');

  await sendEvents(context, login('Alpha', { ...ann, name: 'Anna' }, { time: after(3) }));
  assert.deepEqual(await authors(), ['Ann', 'Robert', 'Bob', '', '', 'Eve'], 'like a name that was sent');
  assert.equal((await send(publish('2', 2, ...named))).status, 'duplicate');
  const [third] = await sendEvents(context, publish('3', 4, authorOf(ann)));
  assert.deepEqual(await authors(), ['Anna']);
  await erasePlayer(db, clock.now(), ann.uuid);
  await finishJobs(db);
  await retractEvents(db, clock, [keyOf(third!)!]);
  assert.deepEqual(await authors(), ['Ann', 'Robert', 'Bob', '', '', 'Eve'], 'the ledger has the names');
  await sendEvents(context, publish('4', 5, authorOf(ann)));
  assert.deepEqual(await authors(), [''], 'nobody knows the erased player');

  const [other] = await twoDatabases(t, dialect);
  const events: WireEvent[] = [];
  for await (const exported of exportEvents(db)) events.push(exported);
  const receipts = await ingestEvents(other, clock, { kind: 'operator' }, events);
  assert.ok(receipts.every(({ status }) => status === 'accepted'));
  assert.ok(events.some(({ receipt }) => receipt === second));
  const again = receipts.find((receipt) => 'receipt' in receipt && receipt.receipt === second);
  assert.equal(again?.status, 'accepted', 'an export makes the same map');
});

onEachDatabase('known gamemodes of a map are stored as PGM tags them, in any case of others', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const sent = map('Isle', { gamemodes: ['CTW', 'Dtm', 'ctw', 'Capture The Cake'] }, { time: after(1) });
  await sendEvents(context, sent);
  const gamemodes = async () => (await mapByName(db, 'Isle'))!.gamemodes;
  assert.deepEqual(await gamemodes(), ['ctw', 'dtm', 'Capture The Cake']);
  const [again] = await ingestEvents(db, clock, { kind: 'operator' }, [{ ...sent, id: 'again' }]);
  assert.equal(again!.status, 'duplicate');
});
