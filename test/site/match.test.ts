import assert from 'node:assert/strict';
import { after, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { page, SITE } from './request.ts';

const [ANN, BEN, CAT, DAN] = ['Ann', 'Ben', 'Cat', 'Dan'].map((name, index) => person(index + 1, name)) as [
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
];

/** Minutes after the start of the match, which lasts ten. */
const minute = (minutes: number): string => after((minutes - 10) * 60_000);
const kill = (killer: { uuid: string } | null, victim: { uuid: string }, minutes: number) => ({
  ...{ killer: killer?.uuid ?? null, victim: victim.uuid, time: minute(minutes) },
});
const flag = (player: typeof ANN | null, teamName: string, name: string, minutes: number) =>
  ({ player, team: teamName, type: 'flag', name, color: '', time: minute(minutes) }) as const;

/** The text of a page without its markup. */
const textOf = (markup: string): string => markup.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const section = (markup: string, id: string): string =>
  textOf(new RegExp(`<section class="card" aria-labelledby="${id}">([^]*?)</section>`).exec(markup)?.[1] ?? '');

onEachDatabase('a match has one time line of kills and objectives, with the first blood', async (t, url) => {
  const context = await testContext(t, url);
  const [id] = await sendEvents(
    context,
    match({
      win: 'Red',
      teams: [team('Red', ANN as never, BEN as never), team('Blue', CAT as never, DAN as never)],
      objectives: [flag(BEN, 'Red', 'Well', 4), flag(null, 'Blue', 'Hill', 8)],
      // Out of order, with a death that has no killer before the first kill.
      kills: [
        kill(ANN, DAN, 9),
        kill(null, BEN, 0.5),
        kill(CAT, ANN, 1),
        kill(ANN, CAT, 2),
        kill(DAN, ANN, 3),
        kill(BEN, CAT, 3),
        kill(ANN, CAT, 5),
      ],
    }),
  );
  const shown = await page(context, `/matches/${id}`);
  assert.match(shown, /aria-label="2 objectives and 6 kills of 2 teams over the course/);
  assert.equal(shown.match(/class="kills-bar c-/g)?.length, 2, 'a row of bars for each team');
  assert.match(
    section(shown, 'timeline'),
    /1:00 First blood Cat killed Ann 2:00 3 kills · Red 2 · Blue 1 4:00 Well captured by Ben Red 5:00 1 kill · Red 1 8:00 Hill captured by Blue 9:00 1 kill · Red 1 $/,
  );
  assert.match(section(shown, 'best'), /First blood Cat killed Ann 1:00 /);
  assert.ok(shown.includes(`href="${SITE}/matches/${id}" data-share data-copied="Link copied"`));
  assert.match(section(await page(context, `/matches/${id}?lang=ja`), 'timeline'), /最初のキル Cat が Ann を倒した/);

  const merged = person(9, 'Kit');
  await sendEvents(context, event('player.known', { player: merged }), event('player.merged', { from: CAT.uuid, into: merged.uuid })); // prettier-ignore
  const later = await page(context, `/matches/${id}`);
  assert.match(section(later, 'best'), /First blood Kit killed Ann/);
  assert.match(section(later, 'timeline'), /1:00 First blood Kit killed Ann 2:00 3 kills · Red 2 · Blue 1 /);
});

onEachDatabase('the best of each team has most objectives, then score, kills and fewest deaths', async (t, url) => {
  const context = await testContext(t, url);
  const bestOf = async (teams: unknown, objectives: unknown = []): Promise<string> => {
    const [id] = await sendEvents(context, match({ teams: teams as never, objectives: objectives as never }));
    return section(await page(context, `/matches/${id}`), 'best');
  };
  const played = (one: typeof ANN, score: number, kill_count: number, death_count: number) => ({
    ...{ ...one, score, kill_count, death_count },
  });
  const [few, many] = [played(ANN, 0, 1, 5), played(BEN, 90, 20, 0)];
  const blue = team('Blue', played(CAT, 3, 4, 2), played(DAN, 3, 4, 1));
  assert.match(
    await bestOf([team('Red', few, many), blue], [flag(ANN, 'Red', 'Well', 3)]),
    /Red Ann 1 objective · 1 K · 5 D Blue Dan 3 points · 4 K · 1 D The best of each team: most objectives, then the highest score/,
  );
  assert.match(await bestOf([team('Red', few, many), blue]), /Red Ben 90 points · 20 K · 0 D Blue Dan/);
  const elsewhere = { ...many, primary: false };
  assert.match(
    await bestOf([team('Red', few, elsewhere as never), team('Blue', BEN as never)]),
    /Red Ann 1 K · 5 D The/,
  );
  assert.equal(
    await bestOf([team('Red', ANN as never), team('Blue', BEN as never)]),
    '',
    'a player without any of them is not the best',
  );
  const alone = [few, many, played(CAT, 3, 4, 2)].map((one) => team(one.name, one));
  assert.equal(await bestOf(alone), '', 'in a free-for-all the winner decided it');
});
