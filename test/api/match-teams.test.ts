import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { storeMatchPrivacy } from '#store/game/hidden-players.ts';
import {
  ADA,
  checkImport,
  FORMER,
  LABEL,
  NOW,
  OLD,
  remove,
  tablesWith,
  UUID,
} from '#test/events/removed-name-network.ts';
import { page } from '#test/site/request.ts';
import { testApi } from '#test/support/api.ts';
import { after, configured, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, twoDatabases } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

type Test = Parameters<typeof testApi>[0];

/** Matches of teams with names of all kinds, among them names of players. */
async function openNetwork(t: Test, url: string) {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'), login('Alpha', OLD, { time: after(-9_000_000) }));
  const played = {
    ofColours: [team('Red', 1, 2), team('Blue', 3)],
    inAnotherOrder: [team('blue', 3), team('RED', 1)],
    ofThree: [team('Red', 1), team('Blue', 3), team('Green', 4)],
    ofOne: [team('Red', 1)],
    ofAPlayer: [team('Ada', ADA), team('Red', 2)],
    ofANumberedPlayer: [team('Red', 2), team('ada 2', ADA)],
    ofSeveral: [team('Ada', ADA, 5), team('Red', 2)],
    ofNobody: [team('Red'), team('Blue')],
    underAFormerName: [team(FORMER, NOW), team('Red', 7)],
  };
  const ids = await sendEvents(context, ...Object.values(played).map((teams) => match({ win: '', teams })));
  const names = Object.keys(played) as (keyof typeof played)[];
  const idOf = (name: keyof typeof played): string => ids[names.indexOf(name)]!;
  /** The kinds of the matches of a list. */
  const listed = async (query: string): Promise<string[]> => {
    const { status, json, text } = await get(`/v1/matches?${query}`);
    assert.equal(status, 200, text);
    return (json as { id: string }[]).map(({ id }) => names[ids.indexOf(id)]!);
  };
  return { context, listed, idOf };
}

onEachDatabase('matches are listed by their two teams, unless one is a player', async (t, url) => {
  const { context, listed, idOf } = await openNetwork(t, url);
  const colours = ['ofNobody', 'inAnotherOrder', 'ofColours'];
  for (const query of ['team=Red&team=Blue', 'team=bLUE,red', 'team[]=Red&team[]=Blue'])
    assert.deepEqual(await listed(query), colours, query);
  assert.deepEqual(await listed('team=Ada,Red'), ['ofSeveral']);
  for (const nothing of ['Ada+2,Red', 'Red,Red', 'Red,Green'])
    assert.deepEqual(await listed(`team=${nothing}`), [], nothing);
  assert.deepEqual(await listed(`team=Red,Blue&player=${person(2).uuid}&map=Twin%20Peaks`), ['ofColours']);

  const link = '<a href="/matches?team=Red&amp;team=Blue">All matches Red – Blue</a>';
  assert.ok((await page(context, `/matches/${idOf('ofColours')}`)).includes(link));
  assert.match(await page(context, `/matches/${idOf('ofColours')}?lang=ja`), />Red – Blue の全試合</);
  for (const name of ['ofThree', 'ofOne', 'ofAPlayer', 'ofANumberedPlayer'] as const)
    assert.doesNotMatch(await page(context, `/matches/${idOf(name)}`), /matches\?team=/, name);

  await retractEvents(context.db, context.clock, [keyOf(idOf('ofColours'))!]);
  assert.deepEqual(await listed('team=Red,Blue'), colours.slice(0, 2), 'withdrawn');
});

const NONE = { profile: false, online: false, names: false };
const choose = (privacy: Partial<typeof NONE>) => event('player.privacy', { player: UUID, ...NONE, ...privacy });

onEachDatabase('no list of teams tells of the former name that a player keeps private', async (t, url) => {
  const { context, listed, idOf } = await openNetwork(t, url);
  const { db, clock } = context;
  const queries = ['', '&player=player7', '&gamemode=TDM', '&limit=1'].map((more) => `team=${FORMER},Red${more}`);
  const checkNone = async (): Promise<void> => {
    for (const query of [...queries, 'team=hidden,Red', 'team=Present,Red'])
      assert.deepEqual(await listed(query), [], query);
    assert.doesNotMatch(await page(context, `/matches?team=${FORMER}&team=Red`), /class="match-row"/);
    assert.doesNotMatch(await page(context, `/matches/${idOf('underAFormerName')}`), /matches\?team=/);
  };
  for (const query of queries) assert.deepEqual(await listed(query), ['underAFormerName'], query);
  for (const privacy of [{ names: true }, { profile: true }]) {
    await sendEvents(context, choose(privacy));
    await checkNone();
  }
  await storeMatchPrivacy(db, clock.now(), true);
  await checkNone();
  await storeMatchPrivacy(db, clock.now(), false);

  // The player had the name of a team of others.
  await sendEvents(context, login('Alpha', { ...NOW, name: 'Blue' }), login('Alpha', NOW, { time: after(1_000) }));
  for (const limit of [1, 2])
    assert.deepEqual(await listed(`team=Red,Blue&limit=${limit}`), ['ofNobody', 'inAnotherOrder'].slice(0, limit));
  assert.deepEqual(await listed(`team=Red,Blue&player=${person(2).uuid}`), ['ofColours']);
  await sendEvents(context, choose({}));
  for (const query of queries) assert.deepEqual(await listed(query), ['underAFormerName'], query);
});

onEachDatabase('a removed name and an erasure leave no teams, also in an import', async (t, url, dialect) => {
  const { context, listed } = await openNetwork(t, url);
  await remove(context);
  assert.deepEqual(await tablesWith(context), []);
  for (const name of [FORMER, LABEL, NOW.name]) assert.deepEqual(await listed(`team=${name},Red`), [], name);
  const [one, other] = await twoDatabases(t, dialect, context.db.keyedHash);
  await checkImport(context, one);
  assert.ok('uuid' in (await erasePlayer(context.db, context.clock.now(), ADA.uuid)));
  await finishJobs(context.db);
  assert.deepEqual(await listed('team=Ada,Red'), ['ofSeveral'], 'a team of several keeps its name');
  await checkImport(context, other);
});
