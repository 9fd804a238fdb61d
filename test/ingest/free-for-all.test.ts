import assert from 'node:assert/strict';
import { ask } from '#test/support/request.ts';
import { application, match, person, serviceToken, team } from '#test/support/builders.ts';
import { onSqlite, testServices } from '#test/support/context.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { resultsOn } from '#store/game/leaderboards/leaderboards.ts';
import { openIngestService } from './service.ts';

/** As PGM reports it: each player is a team with the name of the player. */
const freeForAll = (players: number) =>
  Array.from({ length: players }, (_, number) => team(person(number).name, person(number)));

onSqlite('a free-for-all may have as many teams as players', async (t, url) => {
  const { context, post } = await openIngestService(t, url);
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const teams = freeForAll(1_000);
  const winners = teams.slice(0, 101).map(({ name }) => name);
  const { json: receipt } = await post(match({ gamemode: 'ffa', teams, winners }));
  assert.equal(receipt.status, 'accepted', JSON.stringify(receipt));
  const other = match({ gamemode: 'ffa', teams: freeForAll(101), win: 'Player7', started: '2026-03-01T00:00:00Z' });
  assert.equal((await post(other)).json.status, 'accepted');
  const refused = await post(match({ teams: freeForAll(1_001) }));
  assert.match(refused.json.reason, /1000/);

  const { client_id } = await application(context);
  const token = await serviceToken(context, client_id, 3_600_000);
  const { json: shown } = await ask(API!, `/v1/matches/${receipt.receipt}`, { token });
  assert.equal(shown.teams.length, 1_000);
  for (const [page, numbers] of [
    [1, [0, 99]],
    [2, [100, 199]],
    [10, [900, 999]],
  ] as const) {
    const { status, text } = await ask(SITE!, `/matches/${receipt.receipt}?players=${page}`);
    assert.equal(status, 200);
    for (const number of numbers) assert.ok(text.includes(`/players/${person(number).uuid}`), String(number));
  }
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  const results = await resultsOn(context.db, 'twin peaks');
  assert.deepEqual([results.matches, results.teams], [2, []], 'its players are no teams of the map');
});
