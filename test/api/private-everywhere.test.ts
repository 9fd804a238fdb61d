import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ENDPOINTS } from '#api/index.ts';
import { PAGES } from '#site/index.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { get as getPage } from '#test/site/request.ts';
import { after, event, login, match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { testApi } from '#test/support/api.ts';
import { onEachDatabase, type TestAppContext } from '#test/support/context.ts';
import { fill, type GeneratedHistory, paths } from './filled-network.ts';

const QUIET = person(1);
const OTHER = person(2);
const FORMER = 'Driftwood';
const TRACES = [QUIET.name, QUIET.uuid, FORMER];
const PLAYERS = [QUIET.uuid, QUIET.name, FORMER, OTHER.uuid];

/** Each endpoint and each query that names players; the feed of changes, which tells of the switch, is left out. */
function apiAddresses(history: GeneratedHistory): string[] {
  const known = paths(history);
  const fields =
    'fields=names,private,places,form,head_url,counters,total,teampvp,kills,matches,factions,ctw,objective';
  return [
    ...ENDPOINTS.filter(({ isFeed }) => isFeed !== true).map(({ path }) => known[path]!),
    ...PLAYERS.flatMap((player) => [
      `/v1/players/${player}?${fields}`,
      ...['matches', 'kills', 'deaths', 'punishments', 'rivals'].map((list) => `/v1/players/${player}/${list}`),
      ...['', '&map=Twin%20Peaks'].map((filter) => `/v1/matches?player=${player}&fields=teams${filter}`),
    ]),
    ...['Red,Blue', `${QUIET.name},Red`].map((teams) => `/v1/matches?team=${teams}&fields=teams`),
    `/v1/players?uuids=${QUIET.uuid},${OTHER.uuid}`,
    `/v1/players?names=${QUIET.name},${FORMER}`,
    ...['player', 'player1', 'drift'].map((search) => `/v1/players?search=${search}`),
    ...['total', 'teampvp', 'ctw'].flatMap((mode) =>
      ['week', 'all'].map((period) => `/v1/leaderboards/${mode}/${period}?by=kill_count`),
    ),
  ];
}

/** The addresses of each page, feed, picture and part that browsers read. */
function siteAddresses({ server, match: id, map, punishment: issued, player }: GeneratedHistory): string[] {
  const known: Record<string, string[]> = {
    '/maps/:id/image': [`/maps/${map}/image`],
    '/players/:id/head': PLAYERS.map((one) => `/players/${one}/head`),
    '/heads/:uuid': [`/heads/${player}`],
    '/cards/matches/:id': [`/cards/matches/${id}.png`],
    '/cards/players/:id': [`/cards/players/${player}.png`, `/cards/players/${OTHER.uuid}.png`],
    '/cards/maps/:id': [`/cards/maps/${map}.png`],
    '/cards/site.png': ['/cards/site.png'],
    '/cards/leaderboards.png': ['/cards/leaderboards.png', '/cards/leaderboards.png?period=all&by=kill'],
    '/': ['/', '/live/'],
    '/matches/:id': [`/matches/${id}`, `/live/matches/${id}`],
    '/servers/:id': [`/servers/${server}`, `/live/servers/${server}`],
    '/matches': ['/matches', '/matches?team=Red&team=Blue', `/matches?team=Red&team=Blue&player=${OTHER.uuid}`],
    '/matches.atom': ['/matches.atom'],
    '/maps': ['/maps'],
    '/maps/:id': [`/maps/${map}`],
    '/leaderboards': ['/leaderboards', '/leaderboards?period=all&by=kill', '/leaderboards?by=assists'],
    '/players': ['/players'],
    '/players/:id': PLAYERS.map((one) => `/players/${one}`),
    '/players/:id/card.png': [QUIET, OTHER].map(({ uuid }) => `/players/${uuid}/card.png`),
    '/players/:id/rivals': PLAYERS.map((one) => `/players/${one}/rivals`),
    '/players/:id/compare': [`/players/${OTHER.uuid}/compare?with=${QUIET.uuid}`, `/players/${QUIET.uuid}/compare`],
    '/players/:id/matches': PLAYERS.map((one) => `/players/${one}/matches`),
    '/punishments': ['/punishments'],
    '/punishments.atom': ['/punishments.atom'],
    '/punishments/:id': [`/punishments/${issued}`],
    '/search': ['player', QUIET.name, FORMER, player].map((text) => `/search?q=${text}`),
    '/robots.txt': ['/robots.txt'],
    '/sitemap.xml': ['/sitemap.xml'],
    '/sitemaps/:file': ['/sitemaps/players-1.xml', '/sitemaps/matches-1.xml'],
  };
  assert.deepEqual(Object.keys(known).toSorted(), Object.keys(PAGES).toSorted());
  return Object.values(known).flat();
}

interface World {
  context: TestAppContext;
  /** Moves the clocks of both processes. */
  wait: (ms: number) => void;
  /** Every public answer of both processes, each asked for twice, because caches keep what is asked for again. */
  answers: () => Promise<Map<string, string>>;
}

/** Two processes on one database, in which the player is in every kind of resource. */
async function openWorld(t: TestContext, url: string): Promise<World> {
  const [first, second] = [await testApi(t, url), await testApi(t, url)];
  const { context } = first;
  const history = await fill(context);
  await sendEvents(
    context,
    match({ teams: [team('Red', { ...OTHER, kill_count: 1 }, 3), team('Blue', { ...QUIET, kill_count: 7 })] }),
    login('Alpha', { ...QUIET, name: FORMER }, { time: after(-90_000_000) }),
    match(
      {
        teams: [team('Red', { ...QUIET, name: FORMER }, 3), team('Blue', OTHER)],
        kills: [{ killer: QUIET.uuid, victim: OTHER.uuid, time: after(-90_000_000) }],
        ...{ started: after(-90_600_000), finished: after(-90_000_000) },
      },
      { time: after(-90_000_000) },
    ),
    punishment('other', OTHER, { punisher: QUIET, reason: 'spam' }),
  );
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  while (await countRanks(context.db));
  const [ofApi, ofSite] = [apiAddresses(history), siteAddresses(history)];
  const answers = async (): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    for (const [process, { get, context: own }] of [first, second].entries()) {
      for (const path of [...ofApi, ...ofApi]) {
        const { status, text } = await get(path);
        found.set(`${process} ${path}`, `${status} ${text}`);
      }
      for (const language of process === 0 ? ['en', 'ja'] : ['en'])
        for (const path of ofSite) {
          const response = await getPage(own, path, { headers: { 'accept-language': language } });
          const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
          const { status, headers } = response;
          if (/cards?[./]/.test(path)) assert.match(headers.get('cache-control')!, /max-age=0/, path);
          if (path.endsWith('.atom')) assert.match(headers.get('cache-control')!, /max-age=0/, path);
          found.set(
            `${process} ${path} ${language}`,
            `${status} ${headers.get('location')} ${headers.get('etag')} ${body}`,
          );
        }
    }
    return found;
  };
  const wait = (ms: number): void => [first, second].forEach((one) => one.context.clock.advance(ms));
  return { context, answers, wait };
}

const choose = (profile: boolean) =>
  event('player.privacy', { player: QUIET.uuid, profile, online: false, names: false });

/** Where the name stays: reports of servers, matches and deaths of others, punishments, and answers about the player. */
const NAMED = [
  /servers/,
  /matches/,
  /live/,
  /deaths/,
  /fields=/,
  /punishments/,
  /heads/,
  /players\?(uuids|names)=/,
  /compare\?with=/,
  /q=Player1/,
  /^. \/ /,
  new RegExp(`/players/(${QUIET.name}|${QUIET.uuid})`),
];

onEachDatabase('every public answer of two processes obeys the switch, and is as before without it', async (t, url) => {
  const { context, answers, wait } = await openWorld(t, url);
  const before = await answers();
  await sendEvents(context, choose(true));
  wait(1_000);
  for (const [address, text] of await answers()) {
    const traces = TRACES.filter((trace) => !address.includes(trace) && text.includes(trace));
    assert.ok(!traces.includes(FORMER), address);
    if (!NAMED.some((one) => one.test(address))) assert.deepEqual(traces, [], address);
    if (address.includes(FORMER) && !address.includes('?')) assert.match(text, /^404/, address);
    if (/v1.*punishments/.test(address) && !address.includes(FORMER)) assert.equal(text, before.get(address), address);
  }
  await sendEvents(context, choose(false));
  wait(-1_000);
  const again = await answers();
  for (const [address, text] of before) assert.equal(again.get(address), text, address);
});
