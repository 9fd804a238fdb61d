import assert from 'node:assert/strict';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { testApi } from '#test/support/api.ts';
import { after, configured, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

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
    ] as const) {
      const reply = await get(`/v1/leaderboards/${path}`);
      assert.equal(reply.status, status, path);
      assert.match(reply.json.error_description, sentence, path);
    }
    assert.equal((await get('/v1/leaderboards/total/day?ago=30&limit=999')).status, 200);
  });
});
