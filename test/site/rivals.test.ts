import assert from 'node:assert/strict';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testContext, type TestAppContext } from '#test/support/context.ts';
import { get, page } from './request.ts';

const [ADA, BOB, CAT] = [person(1, 'Ada'), person(2, 'Bob'), person(3, 'Cat')];

const killed = (killer: { uuid: string }, victim: { uuid: string }, times: number) =>
  Array.from({ length: times }, () => ({ killer: killer.uuid, victim: victim.uuid, time: match().time }));

async function fill(context: TestAppContext): Promise<void> {
  await sendEvents(
    context,
    configured('Alpha'),
    match({
      ...{ map: 'Isle', win: 'Red', teams: [team('Red', { ...ADA, kill_count: 6 }, CAT), team('Blue', BOB)] },
      kills: [...killed(ADA, BOB, 6), ...killed(BOB, ADA, 4)],
    }),
    match({ map: 'Isle', win: 'Red', teams: [team('Red', ADA), team('Blue', CAT)] }),
  );
  while (await projectRivals(context.db));
}

const choose = (player: { uuid: string }, profile: boolean) =>
  event('player.privacy', { player: player.uuid, profile, online: false, names: false });

/** Text without tags, with single blanks. */
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

onEachDatabase('the page of a player shows form, records, favourite victim and nemesis', async (t, url) => {
  const context = await testContext(t, url);
  await fill(context);
  const shown = textOf(await page(context, `/players/${ADA.uuid}`));
  assert.match(shown, /Won Isle Won Isle/);
  assert.match(shown, /2 wins in a row/);
  assert.match(shown, /Best map: Isle 2 won of 2, in the last 2 matches/);
  assert.match(shown, /Favourite victim: Bob 6 kills/);
  assert.match(shown, /Nemesis: Bob 4 kills/);
  assert.match(
    textOf(await page(context, `/players/${ADA.uuid}?lang=ja`)),
    /得意なマップ: Isle 直近 2 試合のうち 2 試合で 2 勝/,
  );
  await sendEvents(context, choose(BOB, true));
  assert.doesNotMatch(textOf(await page(context, `/players/${ADA.uuid}`)), /Nemesis|Favourite/);
});

onSqlite('rivals and the comparison of two players', async (t, url) => {
  const context = await testContext(t, url);
  await fill(context);
  const rivals = textOf(await page(context, `/players/${ADA.uuid}/rivals`));
  assert.match(rivals, /Killed most often In all matches, from three kills on. Bob 6 kills, 4 deaths/);
  assert.match(rivals, /Played with In the last 50 matches. Cat 1 match, 1 won/);
  assert.match(rivals, /Played against In the last 50 matches. Bob 1 match, 1 won Cat 1 match, 1 won/);

  const compare = async (text: string) => textOf(await page(context, `/players/${ADA.uuid}/compare?with=${text}`));
  const shown = await compare('bob');
  assert.match(shown, /Matches 2 1 Wins 2 0 Win rate 100 % 0 %|Matches 2 1 Wins 2 0 Win rate 100% 0%/);
  assert.match(
    shown,
    /Kills of Ada 6 Kills of Bob 4 On the same side 0 matches, 0 won On different sides 1 match, 1 won/,
  );
  assert.match(await compare('nobody'), /There is no player “nobody”. Check the spelling/);
  assert.match(await compare('Ada'), /Choose another player/);
  assert.doesNotMatch(await compare(''), /There is no player/);

  const moved = await get(context, `/players/Ada/compare?with=Bob`);
  assert.deepEqual([moved.status, moved.headers.get('location')], [302, `/players/${ADA.uuid}/compare?with=Bob`]);

  await sendEvents(context, choose(BOB, true));
  for (const text of [await compare('Bob'), textOf(await page(context, `/players/${BOB.uuid}/rivals`))]) {
    assert.match(text, /This profile is private/);
    assert.doesNotMatch(text, /Kills of|Killed most often/);
  }
});
