import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { keyOf } from '#platform/ids.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { after, map, match, person, rating, rotation, sendEvents, team } from '#test/support/builders.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { onEachDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { get, page } from './request.ts';

const named = async (context: TestAppContext, query: string): Promise<string[]> => {
  const names: string[] = [];
  for (let path: string | undefined = `/maps${query}`; path !== undefined;) {
    const body: string = await page(context, path);
    names.push(...Array.from(body.matchAll(/class="cover"[^>]*aria-label="([^"]+)"/g), ([, name]) => name!));
    path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  }
  return names;
};

const votes = (name: string, ...rates: number[]): Parameters<typeof sendEvents>[1][] =>
  rates.map((rate, index) => rating(name, person(index), rate));

const played = (name: string, count: number) =>
  Array.from({ length: count }, () => match({ map: name, win: 'Red', teams: [team('Red', 1), team('Blue', 2)] }));

onEachDatabase('maps are sorted by plays and by an average of enough votes', async (t, url) => {
  const context = await testContext(t, url);
  const [, , , matchOnBirch] = await sendEvents(
    context,
    map('Alder', { gamemodes: ['ctw'] }),
    map('Birch', { gamemodes: ['ctw', 'dtc'] }),
    map('Cedar', { gamemodes: ['dtc'] }),
    ...played('Birch', 3),
    ...played('Alder', 1),
    ...votes('Alder', 4, 4, 4, 4, 5),
    ...votes('Birch', 5, 5, 5, 5),
    ...votes('Cedar', 5, 4, 5, 4, 5, 5),
    rotation('Alpha', ['Alder', 'Birch']),
  );
  await runJobsOnce(context);
  assert.deepEqual(await named(context, ''), ['Cedar', 'Birch', 'Alder']);
  assert.deepEqual(await named(context, '?sort=plays'), ['Birch', 'Alder', 'Cedar']);
  assert.deepEqual(await named(context, '?sort=rating'), ['Cedar', 'Alder', 'Birch'], 'four votes do not rank a map');
  assert.deepEqual(await named(context, '?sort=rating&gamemode=CTW'), ['Alder', 'Birch']);
  assert.deepEqual(await named(context, '?sort=plays&rotation=alpha'), ['Birch', 'Alder']);
  assert.match(await page(context, '/maps?sort=rating'), /title="4\.67 of 5 \(6 ratings\)"/);
  for (const wrong of ['sort=size', 'sort=plays&behind=1', 'sort=plays&behind=x.38ft1k2k44p'])
    assert.equal((await get(context, `/maps?${wrong}`)).status, 400, wrong);

  await retractEvents(context.db, context.clock, [keyOf(matchOnBirch!)!]);
  await sendEvents(context, map('Alder', { version: '2', gamemodes: ['koth'] }, { time: after(60_000) }));
  await runJobsOnce(context);
  assert.deepEqual(await named(context, '?sort=plays&gamemode=ctw'), ['Birch']);
  assert.deepEqual(await named(context, '?sort=plays&gamemode=koth'), ['Alder']);
  const [row] = await context.db.tuples(sql`select plays from map_ranks r join maps m on m.key = r.map_key
    where m.name = 'Birch' and r.gamemode_key = ''`);
  assert.equal(Number(row![0]), 2);
});

onEachDatabase('a sorted list pages to its end, and equal values keep their order', async (t, url) => {
  const context = await testContext(t, url);
  const names = Array.from({ length: 70 }, (_, number) => `Map ${String(number).padStart(2, '0')}`);
  await sendEvents(context, ...names.map((name) => map(name)), match({ map: 'Map 05' }));
  await runJobsOnce(context);
  const listed = await named(context, '?sort=plays');
  assert.deepEqual(listed, ['Map 05', ...names.filter((name) => name !== 'Map 05').reverse()]);
});
