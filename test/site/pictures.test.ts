import assert from 'node:assert/strict';
import { PICTURES } from '#site/index.ts';
import { map, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onSqlite, testContext } from '#test/support/context.ts';
import { get } from './request.ts';

const IMAGE = { content_type: 'image/png', data: 'iVBORw0KGgoAAAA=' } as const;

/** What lets a page of another origin read a picture, also with COEP. */
const readable = ({ headers }: Response): (string | null)[] =>
  ['access-control-allow-origin', 'cross-origin-resource-policy'].map((name) => headers.get(name));

onSqlite('every public picture is readable by pages of other origins, and so are its errors', async (t, url) => {
  const context = await testContext(t, url, { HEADS_URL: 'https://heads.example/{uuid}', SITE_LIMIT: '20' });
  const [matchId, mapId] = await sendEvents(
    context,
    match({ map: 'Lantern', teams: [team('Red', 1)] }),
    map('Lantern', { image: IMAGE }),
  );
  const { uuid } = person(1);
  const examples: Record<string, string> = {
    '/maps/:id/image': `/maps/${mapId}/image`,
    '/players/:id/head': `/players/${uuid}/head`,
    '/heads/:uuid': `/heads/${uuid}`,
    '/cards/matches/:id': `/cards/matches/${matchId}.png`,
    '/cards/players/:id': `/cards/players/${uuid}.png`,
    '/cards/maps/:id': `/cards/maps/${mapId}.png`,
    '/cards/site.png': '/cards/site.png',
    '/cards/leaderboards.png': '/cards/leaderboards.png?period=all',
    '/players/:id/card.png': `/players/${uuid}/card.png`,
  };
  assert.deepEqual(Object.keys(examples).sort(), Object.keys(PICTURES).sort());
  for (const path of Object.values(examples)) {
    const response = await get(context, path);
    assert.deepEqual([response.status, ...readable(response)], [200, '*', 'cross-origin'], path);
    assert.match(response.headers.get('content-type')!, /^image\//, path);
    const etag = response.headers.get('etag');
    if (etag === null) continue;
    const again = await get(context, path, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, ...readable(again)], [304, '*', 'cross-origin'], path);
  }
  const missing = await get(context, '/maps/00000000000/image');
  assert.deepEqual([missing.status, ...readable(missing)], [404, '*', 'cross-origin']);
  const page = await get(context, '/players');
  assert.deepEqual([page.status, ...readable(page)], [200, null, null]);
  let refused = await get(context, examples['/heads/:uuid']!);
  while (refused.status === 200) refused = await get(context, examples['/heads/:uuid']!);
  assert.deepEqual([refused.status, ...readable(refused)], [429, '*', 'cross-origin']);
});
