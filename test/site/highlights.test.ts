import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { after, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext, type TestAppContext } from '#test/support/context.ts';
import { page } from './request.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The text of a section of the home page, without tags; undefined without the section. */
async function section(context: TestAppContext, id: string, query = ''): Promise<string | undefined> {
  const home = await page(context, `/${query}`);
  const found = new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(home)?.[1];
  return found?.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

const finished = (ms: number, data: Parameters<typeof match>[0]) =>
  match({ started: after(ms - 600_000), finished: after(ms), ...data }, { time: after(ms) });

const choose = (number: number, profile: boolean) =>
  event('player.privacy', { player: person(number).uuid, profile, online: false, names: false });

onEachDatabase('the match of the day is the newest one with most players that counts', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  assert.equal(await section(context, 'match-of-the-day'), undefined);
  const [ada, bob] = [
    { ...person(1, 'Ada'), kill_count: 9 },
    { ...person(2, 'Bob'), kill_count: 4 },
  ];
  const [, , newest] = await sendEvents(
    context,
    finished(-DAY_MS - 1, { map: 'Yesterday', teams: [team('Red', 1, 2, 3, 4, 5)] }),
    finished(-2 * HOUR_MS, { map: 'Isle', win: 'Red', teams: [team('Red', ada, bob), team('Blue', 3, 4)] }),
    finished(-HOUR_MS, { map: 'Quay', win: 'Blue', teams: [team('Red', 1, 2), team('Blue', 3, 4)] }),
    finished(-HOUR_MS / 2, { map: 'Duel', teams: [team('Red', 1), team('Blue', 2)] }),
  );
  await runJobsOnce(context);
  assert.equal(await section(context, 'match-of-the-day'), undefined, 'found once a minute');
  const next = async (query = ''): Promise<string> => {
    clock.advance(60_000);
    return (await section(context, 'match-of-the-day', query)) ?? '';
  };
  assert.match(
    await next(),
    /in the last 24 hours, among the newest 1,000\. Quay .* Red 0 Blue 0 Winner .* 4 players $/,
  );

  await db.transaction((tx) => setCounted(tx, clock, keyOf(newest!)!, false));
  assert.equal(await section(context, 'match-of-the-day'), undefined, 'excluded within the minute');
  assert.match(await next(), /Isle .* Best player Ada 9 K · 0 D $/);
  assert.match(await next('?lang=ja'), /過去 24 時間の最新 1,000 試合のうち.* Isle .*最も活躍したプレイヤー Ada/);
  await sendEvents(context, choose(1, true));
  assert.match((await section(context, 'match-of-the-day'))!, /Isle .* Best player Bob 4 K · 0 D $/);
});

const wins = (ms: number, number: number, count: number) =>
  Array.from({ length: count }, () => finished(ms, { win: 'Red', teams: [team('Red', number), team('Blue', 9)] }));

onEachDatabase('climbers gained most places by wins since the week before', async (t, url) => {
  const context = await testContext(t, url);
  const before = -7 * DAY_MS;
  await sendEvents(context, ...wins(-HOUR_MS, 3, 3), ...wins(-HOUR_MS, 4, 2), ...wins(-HOUR_MS, 1, 1));
  await runJobsOnce(context);
  assert.equal(await section(context, 'climbers'), undefined, 'the first week');
  await sendEvents(context, ...wins(before, 1, 3), ...wins(before, 2, 2), ...wins(before, 3, 1));
  await runJobsOnce(context);
  context.clock.advance(60_000);
  const climbers = 'Player3 up 2 1st Player4 up 2 2nd';
  assert.match((await section(context, 'climbers'))!, new RegExp(`came after its last place\\. ${climbers} $`));
  assert.match((await section(context, 'climbers', '?lang=ja'))!, /Player3 2 位上昇 1 位 Player4 2 位上昇 2 位 $/);
  await sendEvents(context, choose(3, true));
  assert.match((await section(context, 'climbers'))!, /\. Player4 up 2 2nd $/);
  context.clock.advance(60_000);
  assert.match(
    (await section(context, 'climbers'))!,
    /\. Player4 up 2 1st $/,
    'the places of both weeks without the player',
  );
});
