import assert from 'node:assert/strict';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { testApi } from '#test/support/api.ts';
import { after, configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';

interface Entry {
  rank: number;
  name: string;
  uuid: string;
  win_count: number;
  kill_count: number;
  play_count: number;
}

const DAY_MS = 86_400_000;
const ZONE = 'Asia/Tokyo';

const played = (gamemode: string, winner: number, loser: number, ended = 0) =>
  match({
    ...{ gamemode, win: 'Red', started: after(ended - 600_000), finished: after(ended) },
    teams: [team('Red', winner), team('Blue', { ...person(loser), kill_count: 4, time_played: 60 })],
  });

const summary = (entries: Entry[], member: 'win_count' | 'kill_count' | 'play_count') =>
  entries.map(({ rank, name, [member]: value }) => [rank, name, value]);

onEachDatabase('a leaderboard lists the players of a mode and a period', async (t, url) => {
  const { context, get } = await testApi(t, url, { TIME_ZONE: ZONE });
  const { db, clock } = context;
  const yesterday = -DAY_MS;
  await sendEvents(context, configured('Alpha'), played('ctw', 1, 2), played('ctw', 1, 3), played('dtc', 2, 1));
  await sendEvents(
    context,
    played('ctw', 3, 1, yesterday),
    played('ctw', 3, 1, yesterday),
    played('ctw', 3, 1, yesterday),
  );
  while (await projectMatches(db, ZONE, clock.now()));
  const board = async (path: string): Promise<Entry[]> => {
    const { status, json, text } = await get(`/v1/leaderboards/${path}`);
    assert.equal(status, 200, text);
    return json as Entry[];
  };

  assert.deepEqual(summary(await board('total/all'), 'win_count'), [
    [1, 'Player3', 3],
    [2, 'Player1', 2],
    [3, 'Player2', 1],
  ]);
  assert.deepEqual(summary(await board('ctw/day'), 'win_count'), [[1, 'Player1', 2]]);
  assert.deepEqual(summary(await board('ctw/day?ago=1'), 'win_count'), [[1, 'Player3', 3]]);
  assert.deepEqual(
    summary(await board('ctw/month?by=kill_count&ago=0'), 'kill_count').map(([, name]) => name),
    ['Player3', 'Player2'],
  );
  assert.deepEqual(summary(await board('total/all?by=kill_count&limit=1'), 'kill_count'), [[1, 'Player1', 16]]);
  assert.deepEqual(summary(await board('total/all?by=play_count'), 'play_count')[0], [1, 'Player1', 6]);
  assert.deepEqual(await board('splatt/all'), []);
  const [first] = await board('total/all');
  const { json: player } = await get('/v1/players/Player3');
  assert.deepEqual(
    { ...first },
    {
      ...{ rank: 1, id: player.id, uuid: person(3).uuid, name: 'Player3' },
      ...{ kill_count: 4, death_count: 0, win_count: 3, play_count: 4, time_played: 60 },
      permalink_url: player.permalink_url,
    },
  );

  await t.test('also for the key of a game server', async () => {
    const key = await createServerKey(db, clock.now(), (await serverByName(db, 'Alpha'))!.key);
    const { status, json } = await get('/v1/leaderboards/total/all', { token: key });
    assert.deepEqual([status, json], [200, await board('total/all')]);
  });

  await t.test('a wrong mode, period or parameter is answered with the right ones', async () => {
    for (const [path, status, sentence] of [
      ['dtc/all', 404, /with this mode; it must be one of total, bowspleef, .*teampvp\.$/],
      ['total/year', 404, /with this period; it must be one of day, week, month, all\.$/],
      ['total/%00', 404, /nothing with this id/],
      ['total/%FF', 400, /percent-encoded/],
      ['total', 404, /no such path/],
      ['total/all?by=kills', 400, /^by must be win_count, kill_count, or play_count\.$/],
      ['total/all?ago=1', 400, /^ago must be at most 0 for the period all\.$/],
      ['total/week?ago=13', 400, /^ago must be at most 12 for the period week\.$/],
      ['total/day?ago=-1', 400, /^ago must be a whole number from 0\.$/],
      ['total/day?limit=0', 400, /^limit must be/],
      [
        'total/day?after=12',
        400,
        /^after must be the value that orders the list and the id of the last entry, .*12\.0000000002a\.$/,
      ],
      ['total/day?after=-1.0000000002a', 400, /^after must be/],
      ['total/day?after=1.zzzzzzzzzzz', 400, /^after must be/],
      [`total/day?after=1.${player.id}&around=Player1`, 400, /^around must not be given with after\.$/],
      ['total/all?around=Nobody', 404, /no player with this UUID or name\.$/],
      ['splatt/all?around=Player1', 404, /no player with this UUID or name\.$/],
    ] as const) {
      const reply = await get(`/v1/leaderboards/${path}`);
      assert.equal(reply.status, status, path);
      assert.match(reply.json.error_description, sentence, path);
    }
    assert.equal((await get('/v1/leaderboards/total/day?ago=30&limit=999')).status, 200);
  });
});

onEachDatabase(
  'every place can be read: equal players share one, and leave out whom others do not see',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const { db, clock } = context;
    const kills = [9, 5, 5, 5, 3, 2, 2, 1];
    const players = kills.map((kill_count, number) => ({ ...person(number), kill_count }));
    await sendEvents(context, configured('Alpha'), match({ gamemode: 'ctw', teams: [team('Red', ...players)] }));
    while (await projectMatches(db, 'UTC', clock.now()));
    const board = async (query: string): Promise<unknown[]> => {
      const { status, json, text } = await get(`/v1/leaderboards/ctw/month?by=kill_count&${query}`);
      assert.equal(status, 200, text);
      return (json as Entry[]).map(({ rank, name, kill_count }) => [rank, name, kill_count]);
    };
    const all = await board('');
    assert.deepEqual(all.map((entry) => (entry as number[])[0]), [1, 2, 2, 2, 5, 6, 6, 8]); // prettier-ignore

    await t.test('page after page, from the value and id of the last entry', async () => {
      const walked = [];
      let after = '';
      for (;;) {
        const { json } = await get(`/v1/leaderboards/ctw/month?by=kill_count&limit=3${after}`);
        if (json.length === 0) break;
        walked.push(...(json as Entry[]).map(({ rank, name, kill_count }) => [rank, name, kill_count]));
        after = `&after=${json.at(-1).kill_count}.${json.at(-1).id}`;
      }
      assert.deepEqual(walked, all);
    });

    await t.test('around a player, by name and by UUID, and with fields=places', async () => {
      assert.deepEqual(await board('around=player0'), all.slice(0, 6));
      assert.deepEqual(await board(`around=${person(7).uuid}&limit=1`), all.slice(2));
      const { json } = await get('/v1/players/Player5?fields=places');
      const ofKills = json.places.filter(({ by }: { by: string }) => by === 'kill_count');
      const expected = { by: 'kill_count', place: 6, of: 8, percentile: 37.5, value: 2 };
      assert.deepEqual(
        ofKills,
        ['month', 'all'].flatMap((period) => ['total', 'ctw'].map((mode) => ({ mode, period, ...expected }))),
      );
      assert.deepEqual(
        json.places.map(({ by }: { by: string }) => by).filter((by: string) => by === 'win_count'),
        [],
        'a board without a value of the player',
      );
    });

    await t.test('private, hidden and erased players have no place, and those of others close up', async () => {
      const key = await createServerKey(db, clock.now(), (await serverByName(db, 'Alpha'))!.key);
      await sendEvents(
        context,
        event('player.privacy', { player: person(0).uuid, profile: true, online: false, names: false }),
      );
      await setHidden(db, clock.now(), NETWORK, ['Player1']);
      const erased = await erasePlayer(db, clock.now(), person(4).uuid);
      assert.ok('uuid' in erased);
      await finishJobs(db);
      for (const around of [person(0).uuid, 'Player0', 'Player1', erased.uuid])
        for (const token of [undefined, key]) {
          const { status, json } = await get(
            `/v1/leaderboards/ctw/month?by=kill_count&around=${around}`,
            token ? { token } : {},
          );
          assert.deepEqual(
            [status, json.error_description],
            [404, 'This leaderboard has no player with this UUID or name.'],
          );
          const { json: player } = await get(`/v1/players/${around}?fields=places`, token ? { token } : {});
          assert.deepEqual(player.places, [], around);
        }
      assert.deepEqual(
        (await board('')).map((entry) => (entry as number[])[0]),
        [1, 1, 3, 3, 5],
      );
      const { json } = await get('/v1/players/Player5?fields=places');
      assert.deepEqual(json.places.find(({ by }: { by: string }) => by === 'kill_count').place, 3);
    });
  },
);
