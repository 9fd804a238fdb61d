import assert from 'node:assert/strict';
import { setHidden } from '#store/game/hidden-players.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { testApi } from '#test/support/api.ts';
import { configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';

const [ADA, BOB, CAT, DAN] = [person(1, 'Ada'), person(2, 'Bob'), person(3, 'Cat'), person(4, 'Dan')];

const killed = (killer: { uuid: string }, victim: { uuid: string }, times: number) =>
  Array.from({ length: times }, () => ({ killer: killer.uuid, victim: victim.uuid, time: match().time }));

const fought = () =>
  match({
    ...{ win: 'Red', teams: [team('Red', ADA, CAT), team('Blue', BOB, DAN)] },
    kills: [...killed(ADA, BOB, 3), ...killed(ADA, DAN, 4), ...killed(BOB, ADA, 3), ...killed(DAN, ADA, 2)],
  });

const privacyOfDan = (profile: boolean) =>
  event('player.privacy', { player: DAN.uuid, profile, online: false, names: false });

onEachDatabase('rivals of a player, without private, hidden and erased ones', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(
    context,
    configured('Alpha'),
    fought(),
    match({ teams: [team('Red', ADA, BOB), team('Blue', CAT)] }),
  );
  while (await projectRivals(db));
  const list = async (query: string) => (await get(`/v1/players/Ada/rivals?${query}`)).json;
  const names = async (query: string): Promise<string[]> =>
    (await list(query)).map((one: { name: string }) => one.name);

  const [dan, bob] = await list('');
  assert.deepEqual([dan.name, dan.kill_count, dan.death_count, 'play_count' in dan], ['Dan', 4, 2, false]);
  assert.deepEqual([bob.name, bob.kill_count, bob.death_count], ['Bob', 3, 3]);
  assert.deepEqual(await names('by=killers'), ['Bob'], 'two kills are too few');
  const [opponent] = await list(`by=opponents&limit=1`);
  assert.deepEqual([opponent.name, opponent.play_count, opponent.win_count], ['Dan', 1, 1]);
  assert.deepEqual(await names('by=teammates'), ['Bob', 'Cat']);

  await t.test('pages follow the last id', async () => {
    assert.deepEqual(await names(`limit=1&after=${dan.id}`), ['Bob']);
    assert.deepEqual(await names(`after=${bob.id}`), []);
    assert.deepEqual(await names(`by=opponents&after=${opponent.id}`), ['Bob', 'Cat']);
    const refused = await get('/v1/players/Ada/rivals?after=x!');
    assert.equal(refused.status, 400);
    assert.match(refused.json.error_description, /after must be the id of an item of this list/);
    assert.match((await get('/v1/players/Ada/rivals?by=friends')).json.error_description, /must be victims, killers/);
  });

  await t.test('a private profile is in no list and has none, and comes back', async () => {
    const before = [await list(''), await list('by=opponents')];
    await sendEvents(context, privacyOfDan(true));
    assert.deepEqual(await names(''), ['Bob']);
    assert.deepEqual(await names('by=opponents'), ['Bob', 'Cat']);
    assert.deepEqual((await get('/v1/players/Dan/rivals?by=opponents')).json, []);
    await sendEvents(context, privacyOfDan(false));
    assert.deepEqual([await list(''), await list('by=opponents')], before);
  });

  await t.test('a hidden player is in no list', async () => {
    await setHidden(db, clock.now(), NETWORK, ['Dan']);
    assert.deepEqual(await names(''), ['Bob']);
    assert.deepEqual(await names('by=opponents'), ['Bob', 'Cat']);
    await setHidden(db, clock.now(), NETWORK, []);
  });

  await t.test('an erased player is in no list', async () => {
    await erasePlayer(db, clock.now(), BOB.uuid);
    await finishJobs(db);
    assert.deepEqual(await names(''), ['Dan']);
    assert.deepEqual(await names('by=teammates'), ['Cat']);
    assert.equal((await get(`/v1/players/${BOB.uuid}/rivals`)).status, 404);
  });

  await t.test('nor is one of an imported network, which has no row of the erasure', async () => {
    const erased = person(5, 'deleted-0abcde');
    await sendEvents(
      context,
      match({
        teams: [team('Red', ADA, erased), team('Blue', DAN)],
        kills: [...killed(ADA, erased, 5), ...killed(erased, ADA, 5)],
      }),
    );
    while (await projectRivals(db));
    assert.deepEqual(await names(''), ['Dan']);
    assert.deepEqual(await names('by=killers'), []);
    assert.deepEqual(await names('by=teammates'), ['Cat']);
  });
});

onEachDatabase('the form of a player', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const played = (win: string, kills: number, map = 'Isle') =>
    match({
      map,
      win,
      teams: [team('Red', { ...ADA, kill_count: kills, score: -1, time_played: 60 }), team('Blue', BOB)],
    });
  const [, first, best] = await sendEvents(
    context,
    ...[
      configured('Alpha'),
      played('Red', 1),
      played('Red', 5),
      played('Blue', 5, 'Peak'),
      played('', 2),
      played('Red', 0),
    ],
  );
  while (await projectRivals(context.db));
  const form = async (name: string) => (await get(`/v1/players/${name}?fields=form`)).json.form;
  assert.deepEqual(await form('Ada'), {
    ...{ results: ['win', 'draw', 'lose', 'win', 'win'], streak: 1, win_streak: 2, lose_streak: 1 },
    ...{ best_map: 'Isle', best_map_play_count: 4, best_map_win_count: 3 },
    ...{ kill_count: 5, kill_match_id: best, score: 0, score_match_id: '', time_played: 60, time_match_id: first },
  });
  await sendEvents(context, event('player.privacy', { player: ADA.uuid, profile: true, online: false, names: false }));
  const { results, win_streak, best_map } = await form('Ada');
  assert.deepEqual([results, win_streak, best_map], [[], 0, '']);
});
