import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import createClient from 'openapi-fetch';
import { ENDPOINTS } from '#api/index.ts';
import { example } from '#site/developers/guide.ts';
import { testApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/context.ts';
import type { paths } from '../../packages/client/data-api.ts';
import { fill } from './filled-network.ts';

/** The data of a reply, which must be no error. */
const dataOf = <T>({ data, error }: { data?: T; error?: { error_description: string } }): T => {
  assert.equal(error, undefined);
  return data!;
};

/**
 * A client that openapi-typescript generates calls every endpoint. `npm run check` compares its types with what is read
 * here, so a change of the document that breaks such clients fails there.
 */
test('a generated client calls every endpoint', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, origin, token } = await testApi(t, database.url);
  t.after(() => database.drop());
  const network = await fill(context);
  const called = new Set<string>();
  const client = createClient<paths>({
    baseUrl: origin,
    headers: { Authorization: `Bearer ${token}` },
  });
  client.use({ onRequest: ({ schemaPath }) => void called.add(schemaPath) });

  const player = { path: { id: network.player } };

  const [server] = dataOf(await client.GET('/v1/servers'));
  assert.equal(server?.players.length, server?.player_count);
  assert.equal(dataOf(await client.GET('/v1/servers/online')).count, 2);
  assert.equal(
    dataOf(await client.GET('/v1/servers/{id}', { params: { path: { id: network.server } } })).name,
    'Alpha',
  );

  const alpha = { path: { id: network.server } };
  assert.equal(dataOf(await client.GET('/v1/live-matches'))[0]?.teams[0]?.color, 'red');
  const live = dataOf(await client.GET('/v1/servers/{id}/live-match', { params: alpha }));
  assert.deepEqual([live.phase, live.teams[1]?.players[0]?.name, live.observers], ['running', 'Player2', 3]);
  assert.equal(dataOf(await client.GET('/v1/servers/{id}/unreported-matches', { params: alpha }))[0]?.map, 'Harbour');

  const [match] = dataOf(
    await client.GET('/v1/matches', { params: { query: { limit: 1, fields: ['teams', 'objectives'] } } }),
  );
  assert.deepEqual([match?.teams?.length, match?.objectives?.[0]?.player], [2, 'Player1']);
  assert.equal(dataOf(await client.GET('/v1/matches/{id}', { params: { path: { id: network.match } } })).win, 'Red');

  const query = { rotation: 'Alpha', playing: '1', fields: ['rotation_order', 'image_url'] } as const;
  const [, map] = dataOf(await client.GET('/v1/maps', { params: { query: { ...query, fields: [...query.fields] } } }));
  assert.deepEqual(map?.rotation_order, [2]);
  assert.equal(
    dataOf(await client.GET('/v1/maps/{id}', { params: { path: { id: 'Twin Peaks' } } })).rates?.[0]?.total,
    1,
  );

  assert.equal(dataOf(await client.GET('/v1/counters'))[0]?.key, 'assists');
  const board = { path: { mode: 'ctw', period: 'all' }, query: { by: 'kill_count' } } as const;
  assert.equal(dataOf(await client.GET('/v1/leaderboards/{mode}/{period}', { params: board }))[0]?.kill_count, 2);

  const page = dataOf(await client.GET('/v1/changes', { params: { query: { types: ['match'], expand: '1' } } }));
  const [change] = page.changes;
  assert.ok(change?.type === 'match.created');
  assert.equal(change.resource?.win, 'Red');

  const [punishment] = dataOf(await client.GET('/v1/punishments', { params: { query: { limit: 2 } } }));
  const one = dataOf(await client.GET('/v1/punishments/{id}', { params: { path: { id: network.punishment } } }));
  assert.deepEqual(one, punishment);
  assert.equal(dataOf(await client.GET('/v1/players/{id}/punishments', { params: player })).length, 2);

  const fields = ['kills', 'teampvp', 'total', 'names'] as const;
  const found = dataOf(await client.GET('/v1/players/{id}', { params: { ...player, query: { fields: [...fields] } } }));
  assert.deepEqual([found.kills?.length, found.deaths?.length, found.total?.envdeath_count], [1, 1, 1]);
  assert.equal(found.teampvp?.kill_count_rank, 0);
  const asked = dataOf(await client.GET('/v1/players', { params: { query: { names: ['Player1', 'Nobody'] } } }));
  assert.deepEqual([asked[0]?.player?.name, asked[1]?.status], ['Player1', 'not_found']);
  assert.equal(dataOf(await client.GET('/v1/players/{id}/matches', { params: player }))[0]?.result, 'win');
  assert.equal(dataOf(await client.GET('/v1/players/{id}/kills', { params: player }))[0]?.location.y, 64);
  assert.equal(dataOf(await client.GET('/v1/players/{id}/deaths', { params: player }))[0]?.killer, '');

  const rivals = await client.GET('/v1/players/{id}/rivals', { params: player });
  assert.ok(Array.isArray(dataOf(rivals)));

  const { error, response } = await client.GET('/v1/matches/{id}', { params: { path: { id: 'nothing' } } });
  assert.deepEqual([response.status, error?.error], [404, 'not_found']);
  assert.deepEqual(
    [...called].sort(),
    ENDPOINTS.filter(({ isStream }) => isStream !== true)
      .map(({ path }) => path.replaceAll(/:([a-z]+)/g, '{$1}'))
      .sort(),
  );
  assert.equal(await runExample({ api: origin, token }), 'Twin Peaks: Red, Blue');
});

/** Runs the example of the developer pages, which finds the packages of this project. @returns its output */
async function runExample(known: { api: string; token: string }): Promise<string> {
  const rest = { auth: '', ingest: '', client_id: '', client_secret: '', player: '', redirect: '', server_key: '' };
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-example-'));
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'), 'junction');
  await writeFile(join(folder, 'example.mts'), example('openapi-fetch.ts.txt', { ...rest, ...known }));
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'example.mts')]);
  await rm(folder, { recursive: true });
  return stdout.trim();
}
