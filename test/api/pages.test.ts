import assert from 'node:assert/strict';
import { keyOf } from '#base/ids.ts';
import { keepUpOnce } from '#upkeep.ts';
import { withdrawEvents } from '#records/withdrawals.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { configured, match, tell } from '../support/builders.ts';
import { onEachDatabase } from '../support/hall.ts';

type Match = Record<'id' | 'map' | 'started' | 'permalink_url', string>;

onEachDatabase('a list is the same, to the byte, before and after its matches were put into pages', async (t, url) => {
  const { hall, get } = await testApi(t, url, { TIME_ZONE: 'Asia/Tokyo' });
  const ids = await tellMatches(hall, 45);
  const look = async (): Promise<string[]> => {
    const answers: string[] = [];
    for (const max_id of [...ids, 'zz', '0', `${ids[20]!}0`]) {
      for (const limit of [1, 20, 100]) {
        const { text, headers } = await get(`/v1/matches?max_id=${max_id}&limit=${limit}`);
        answers.push(`${text} ${String(headers['etag'])}`);
      }
    }
    return answers;
  };
  const before = await look();
  await keepUpOnce(hall);
  assert.deepEqual(await look(), before);
});

onEachDatabase('a walk through pages misses nothing and shows nothing that was taken back', async (t, url) => {
  const { hall, get } = await testApi(t, url);
  const ids = await tellMatches(hall, 45);
  await keepUpOnce(hall);
  const gone = [0, 9, 10, 21, 22, 44].map((place) => ids[place]!);
  await withdrawEvents(
    hall.db,
    hall.clock,
    gone.map((id) => keyOf(id)!),
  );
  const walked: string[] = [];
  for (let last = 'zz'; ;) {
    const page = (await get(`/v1/matches?limit=7&max_id=${last}`)).json as Match[];
    if (page.length === 0) break;
    walked.push(...page.map(({ id }) => id));
    last = walked.at(-1)!;
  }
  assert.deepEqual(walked, ids.filter((id) => !gone.includes(id)).reverse());
});

onEachDatabase('pages that were made under other settings are not shown', async (t, url) => {
  const first = await testApi(t, url, { SITE_URL: 'https://one.example' });
  const ids = await tellMatches(first.hall, 30);
  await keepUpOnce(first.hall);
  const settings = { SITE_URL: 'https://two.example', TIME_ZONE: 'America/New_York' };
  const second = await testApi(t, url, settings);
  const listed = async ({ get }: TestApi): Promise<Match> => {
    return ((await get(`/v1/matches?max_id=${ids[25]!}`)).json as Match[])[0]!;
  };
  for (const keepUp of [false, true]) {
    if (keepUp) await keepUpOnce(second.hall);
    assert.equal((await listed(first)).permalink_url, `https://one.example/matches/${ids[24]!}`);
    const { permalink_url, started } = await listed(second);
    assert.equal(permalink_url, `https://two.example/matches/${ids[24]!}`);
    assert.equal(started, '2026-03-01T06:50:00.000-05:00');
  }
});

async function tellMatches(hall: TestApi['hall'], count: number): Promise<string[]> {
  await tell(hall, configured('Alpha'));
  return await tell(hall, ...Array.from({ length: count }, (_, number) => match({ map: `Map "${number}"` })));
}
