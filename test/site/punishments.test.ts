import assert from 'node:assert/strict';
import { runJobsOnce } from '#server/jobs.ts';
import { configured, event, match, pardon, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { page } from './request.ts';

const PLAYERS = ['Free', 'Banned', 'Muted', 'Pardoned', 'Expired'].map((name, place) => person(place + 1, name));
const [, BANNED, MUTED, PARDONED, EXPIRED] = PLAYERS as [object, ...(typeof PLAYERS)[number][]];

onEachDatabase('leaderboards mark the players against whom a ban is in force', async (t, url) => {
  const context = await testContext(t, url);
  const time = new Date(context.clock.now()).toISOString();
  const expires = new Date(context.clock.now() + 60_000).toISOString();
  const members = PLAYERS.map((player) => ({ ...player, counters: { wools: 3 } }));
  await sendEvents(
    context,
    configured('Alpha'),
    event('counter.declared', { key: 'wools', label: { en: 'Wools' }, modes: [] }),
    match({ gamemode: 'tdm', started: time, finished: time, teams: [team('Red', ...members)] }, { time }),
    punishment('1', BANNED!, { type: 'Ban' }, { time }),
    punishment('2', MUTED!, { type: 'mute' }, { time }),
    punishment('3', PARDONED!, {}, { time }),
    pardon('3'),
    punishment('4', EXPIRED!, { expires }, { time }),
  );
  await runJobsOnce(context, 1_000);
  const marked = async (path: string): Promise<(string | undefined)[]> =>
    Array.from(
      (await page(context, path)).matchAll(/<bdi>(\w+)<\/bdi><\/a>\s*<span class="banned">(?:Banned|BAN 中)</g),
      ([, name]) => name,
    ).toSorted((a, b) => a!.localeCompare(b!));
  const boards = [
    '/leaderboards?period=all&by=play',
    '/leaderboards?by=wools',
    '/leaderboards?period=all&by=play&lang=ja',
  ];
  for (const path of boards) assert.deepEqual(await marked(path), ['Banned', 'Expired'], path);
  context.clock.advance(60_000);
  for (const path of boards) assert.deepEqual(await marked(path), ['Banned'], path);
});

onEachDatabase('the page of a punishment in force says where to object', async (t, url) => {
  const contact = { CONTACT: 'help@example.org' };
  const own = await testContext(t, url, { ...contact, APPEAL_URL: 'https://example.org/appeals?a=1&b=2' });
  const [id] = await sendEvents(own, punishment('1', BANNED!));
  const path = `/punishments/${id}`;
  const link = '<a href="https://example.org/appeals?a=1&amp;b=2">';
  assert.match(await page(own, path), new RegExp(`To object to this punishment: ${link.replaceAll('?', '\\?')}`));
  assert.match(await page(own, `${path}?lang=ja`), /この処分への異議の申し立て：<a/);
  await sendEvents(own, pardon('1'));
  assert.doesNotMatch(await page(own, path), /To object/);
});

onEachDatabase('without APPEAL_URL the page names CONTACT, and without both nothing', async (t, url) => {
  const context = await testContext(t, url, { CONTACT: 'help@example.org' });
  const [id] = await sendEvents(context, punishment('1', BANNED!));
  assert.match(await page(context, `/punishments/${id}`), /To object[^<]*<a href="mailto:help@example.org">/);
  const config = { ...context.config, CONTACT: '' };
  assert.doesNotMatch(await page({ ...context, config }, `/punishments/${id}`), /To object/);
});
