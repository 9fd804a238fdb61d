import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import { testApi, type TestApi } from '#test/support/api.ts';
import { configured, match, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';

type Match = Record<'id' | 'map' | 'started' | 'permalink_url', string>;

onEachDatabase('a list with max_id renders each match with the same bytes as the newest list', async (t, url) => {
  const { context, get } = await testApi(t, url, { TIME_ZONE: 'Asia/Tokyo' });
  const ids = await sendMatches(context, 45);
  const { text } = await get('/v1/matches?limit=100');
  const rendered = text.slice(1, -1).split(/(?<=\}),(?=\{"id":)/);
  assert.equal(rendered.length, ids.length);
  for (const max_id of [...ids, 'zz', '0', `${ids[20]!}0`]) {
    const older = ids.filter((id) => id < max_id).length;
    for (const limit of [1, 20, 100]) {
      const wanted = rendered.slice(ids.length - older).slice(0, limit);
      assert.equal((await get(`/v1/matches?max_id=${max_id}&limit=${limit}`)).text, `[${wanted.join(',')}]`);
    }
  }
});

onEachDatabase('paging through all lists returns every match except retracted ones', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const ids = await sendMatches(context, 45);
  const retracted = [0, 9, 10, 21, 22, 44].map((place) => ids[place]!);
  await retractEvents(
    context.db,
    context.clock,
    retracted.map((id) => keyOf(id)!),
  );
  const paged: string[] = [];
  for (let last = 'zz'; ;) {
    const page = (await get(`/v1/matches?limit=7&max_id=${last}`)).json as Match[];
    if (page.length === 0) break;
    paged.push(...page.map(({ id }) => id));
    last = paged.at(-1)!;
  }
  assert.deepEqual(paged, ids.filter((id) => !retracted.includes(id)).reverse());
});

onEachDatabase('two processes with different settings each render matches with their own', async (t, url) => {
  const first = await testApi(t, url, { SITE_URL: 'https://one.example' });
  const ids = await sendMatches(first.context, 30);
  const settings = { SITE_URL: 'https://two.example', TIME_ZONE: 'America/New_York' };
  const second = await testApi(t, url, settings);
  const listed = async ({ get }: TestApi): Promise<[Match, etag: string]> => {
    const { json, headers } = await get(`/v1/matches?max_id=${ids[25]!}`);
    return [(json as Match[])[0]!, headers['etag']!];
  };
  for (let time = 0; time < 2; time++) {
    const [[one, tag], [two, otherTag]] = [await listed(first), await listed(second)];
    assert.equal(one.permalink_url, `https://one.example/matches/${ids[24]!}`);
    assert.equal(two.permalink_url, `https://two.example/matches/${ids[24]!}`);
    assert.equal(two.started, '2026-03-01T06:50:00.000-05:00');
    assert.notEqual(tag, otherTag);
  }
});

async function sendMatches(context: TestApi['context'], count: number): Promise<string[]> {
  await sendEvents(context, configured('Alpha'));
  return await sendEvents(context, ...Array.from({ length: count }, (_, number) => match({ map: `Map "${number}"` })));
}
