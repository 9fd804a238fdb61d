import assert from 'node:assert/strict';
import { configured, event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { page } from './request.ts';

const [ADA, BOB] = [person(1, 'Ada'), person(2, 'Bob')];

const counters = (wools: number, flags = 0) => ({ counters: { wools, flags, rogue: 7 } });

onEachDatabase("a network's own counters are shown on player, match and leaderboard pages", async (t, url) => {
  const context = await testContext(t, url);
  const label = { en: 'Wools <b>', ja: '羊毛' };
  const [, , , ctw] = await sendEvents(
    context,
    configured('Alpha'),
    event('counter.declared', { key: 'wools', label, modes: ['ctw', 'teampvp'] }),
    event('counter.declared', { key: 'flags', label: { en: 'Flags' }, modes: ['objective'] }),
    match({
      gamemode: 'ctw',
      winners: ['Red', 'Blue'],
      teams: [
        { ...team('Red', { ...ADA, ...counters(31, 4) }, 3), color: '#0000EE' },
        team('Blue', { ...BOB, ...counters(12) }),
        team('Green', { ...ADA, primary: false, ...counters(5) }),
      ],
    }),
    match({ gamemode: 'tdm', teams: [team('Red', { ...ADA, ...counters(100) })] }),
  );
  const player = await page(context, `/players/${ADA.uuid}`);
  assert.match(player, /Wools &lt;b&gt;[^]*>131<[^]*>31<[^]*>100</);
  assert.doesNotMatch(player, /Flags|rogue/);
  const shown = await page(context, `/matches/${ctw}`);
  assert.match(shown, /Wools &lt;b&gt;[^]*data-label="Wools &lt;b&gt;">31<[^]*>12<[^]*>5</);
  assert.doesNotMatch(shown, /Flags|rogue/);
  assert.match(shown, /class="team-chip c-[a-z-]*blue"><bdi>Red<\/bdi> won[^]*<bdi>Blue<\/bdi> won/);
  assert.match(shown, /changed sides/);
  assert.match(shown, /class="score c-[a-z-]*blue won"/);
  assert.match(await page(context, `/matches/${ctw}?lang=ja`), /羊毛/);
  const board = await page(context, '/leaderboards?by=wools');
  assert.match(board, /Leaderboard: Wools &lt;b&gt;, All modes, all time[^]*Ada[^]*>131<[^]*Bob[^]*>12</);
  const ofMode = await page(context, '/leaderboards?by=wools&mode=ctw');
  assert.match(ofMode, /Ada[^]*>31<[^]*Bob[^]*>12</);
  const week = /href="([^"]*period=week[^"]*)"/.exec(ofMode)![1]!;
  assert.doesNotMatch(week, /by=/, 'other periods have boards of fixed counters only');
  assert.match(
    await page(context, '/leaderboards'),
    /href="[^"]*period=all&amp;by=wools"|href="[^"]*by=wools&amp;period=all/,
  );
});

onEachDatabase('equal values of a counter share a place, on every page', async (t, url) => {
  const context = await testContext(t, url);
  const values = [9, 8, 8, ...Array.from({ length: 40 }, () => 5), 1];
  const players = values.map((wools, number) => ({ ...person(number), counters: { wools } }));
  await sendEvents(
    context,
    event('counter.declared', { key: 'wools', label: { en: 'Wools' } }),
    match({ gamemode: 'ctw', teams: [team('Red', ...players)] }),
    event('player.privacy', { player: person(1).uuid, profile: true, online: false, names: false }),
  );
  const places: string[] = [];
  for (let path: string | undefined = '/leaderboards?by=wools'; path !== undefined;) {
    const board: string = await page(context, path);
    places.push(...[...board.matchAll(/<td class="n rank">(\d+)</g)].map(([, place]) => place!));
    path = /rel="next" href="([^"]+behind[^"]+)"/.exec(board)?.[1]!.replaceAll('&amp;', '&');
  }
  assert.deepEqual(places, ['1', '2', ...Array.from({ length: 40 }, () => '3'), '43']);
});
