import assert from 'node:assert/strict';
import { changesWithFeed } from '#store/game/changes.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { siteSession, siteSessionOf } from '#test/site/session.ts';
import { account, after, application, configured, event, login, logout, match } from '#test/support/builders.ts';
import { person, presence, punishment, sendEvents, serverSender, serviceToken } from '#test/support/builders.ts';
import { statistics, team, userToken } from '#test/support/builders.ts';
import { onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { ask, clientOf } from '#test/support/request.ts';
import { createServerKey } from '#store/game/server-keys.ts';

type Test = Parameters<typeof testContext>[0];

const [ADA, QUIET] = [person(1, 'Ada'), person(2, 'Quillback')];

const privacy = (switches: Partial<Record<'profile' | 'online' | 'names', boolean>>, uuid = QUIET.uuid) =>
  event('player.privacy', { player: uuid, ...{ profile: false, online: false, names: false }, ...switches });

/** A network in which both have played, with all that is counted of them. */
async function openNetwork(t: Test, url: string) {
  const context = await testContext(t, url);
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const { client_id } = await application(context);
  const get = clientOf(API!, { token: await serviceToken(context, client_id) });
  await sendEvents(
    context,
    configured('Alpha', { max: 40 }),
    event('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'max' }),
    login('Alpha', { ...QUIET, name: 'Driftwood' }, { time: after(-1_000) }),
    login('Alpha', QUIET),
    login('Alpha', ADA),
    logout('Alpha', ADA, { time: after(1_000) }),
    match({
      win: 'Red',
      teams: [
        team(
          'Red',
          { ...QUIET, kill_count: 9, counters: { best_streak: 9 } },
          { ...ADA, kill_count: 4, counters: { best_streak: 4 } },
        ),
        team('Blue', person(3)),
      ],
      kills: [
        { killer: QUIET.uuid, victim: ADA.uuid, time: after(-1_000) },
        { killer: ADA.uuid, victim: QUIET.uuid, time: after(-1_000) },
      ],
    }),
    statistics(QUIET, { power: 77 } as never),
    punishment('one', QUIET, { reason: 'griefing' }),
    presence('Alpha', { current: 2, players: ['Ada', 'Quillback'], player_count: 2 }),
  );
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  while (await countRanks(context.db));
  return { context, get, api: API!, site: SITE!, client_id };
}

const GROUPS = 'total,teampvp,kills,matches,factions,counters';
const OWN = ['', '/matches', '/kills', '/deaths'].map((path) => `/v1/players/${QUIET.uuid}${path}`);

/** What the public reads of the player, apart from the name, the ban and the punishments. */
const PATHS = [
  `/v1/players/Quillback?fields=${GROUPS},names,private`,
  `/v1/players/${ADA.uuid}?fields=teampvp`,
  ...OWN,
  '/v1/players/Driftwood',
  '/v1/players?search=quill',
  '/v1/players?names=Driftwood,Quillback',
  `/v1/players?uuids=${QUIET.uuid}`,
  `/v1/matches?player=${QUIET.uuid}`,
  '/v1/matches?player=Driftwood',
  '/v1/leaderboards/total/all',
  '/v1/leaderboards/teampvp/all?by=kill_count',
  `/v1/players/${QUIET.uuid}/punishments`,
];
const PAGES = [
  `/players/${QUIET.uuid}`,
  `/players/${QUIET.uuid}/matches`,
  '/players/Driftwood',
  '/search?q=quillback',
  '/leaderboards?period=all',
  '/leaderboards?by=best_streak',
  '/',
  '/players',
  '/sitemap.xml',
];

onEachDatabase('a private profile tells the name and the ban alone, and comes back as it was', async (t, url) => {
  const { context, get, site } = await openNetwork(t, url);
  const { db } = context;
  const answers = async () => {
    const found = [];
    for (const path of PATHS) found.push([path, (await get(path)).text]);
    for (const path of PAGES) found.push([path, (await ask(site, path)).text]);
    return Object.fromEntries(found) as Record<string, string>;
  };
  const before = await answers();
  const card = (await ask(site, `/cards/players/${QUIET.uuid}.png`)).headers.etag;
  const head = (await changesWithFeed(db, 0, 1_000)).changes.at(-1)!.number;
  assert.equal(JSON.parse(before[PATHS[1]!]!).teampvp.kill_count_rank, 2);

  await sendEvents(context, privacy({ profile: true }));
  const hidden = await answers();
  const shown = JSON.parse(hidden[PATHS[0]!]!);
  const full = JSON.parse(before[PATHS[0]!]!);
  assert.deepEqual(Object.keys(shown), Object.keys(full), 'every member stays');
  const { id, uuid, name, banned, permalink_url, private: isPrivate } = shown;
  assert.deepEqual(
    [id, uuid, name, banned, permalink_url],
    [full.id, QUIET.uuid, 'Quillback', true, full.permalink_url],
  );
  assert.deepEqual([isPrivate, full.private], [true, false]);
  assert.deepEqual([shown.last_login, shown.last_login_server, shown.last_logout], ['', '', '']);
  assert.deepEqual([shown.names, shown.kills, shown.deaths, shown.matches], [[], [], [], []]);
  for (const group of ['total', 'teampvp', 'factions']) {
    const values = Object.values(shown[group]);
    assert.ok(
      values.every((value) => value === 0 || value === '' || (value as []).length === 0),
      group,
    );
  }
  assert.deepEqual(shown.counters, { total: { best_streak: 0 } });
  assert.equal(JSON.parse(hidden[PATHS[1]!]!).teampvp.kill_count_rank, 1, 'ranks close up in the same transaction');
  for (const path of OWN.slice(1)) assert.equal(hidden[path], '[]', path);
  assert.equal((await get('/v1/players/Driftwood')).status, 404);
  assert.equal(hidden['/v1/players?search=quill'], '[]');
  const [former, present] = JSON.parse(hidden['/v1/players?names=Driftwood,Quillback']!);
  assert.deepEqual([former.status, present.status, present.player.last_login], ['not_found', 'found', '']);
  assert.equal(hidden[`/v1/matches?player=${QUIET.uuid}`], '[]');
  for (const path of PATHS.filter((one) => one.includes('leaderboards'))) {
    const [first] = JSON.parse(hidden[path]!);
    assert.deepEqual([first.rank, first.name], [1, 'Ada'], path);
    assert.doesNotMatch(hidden[path]!, /Quillback|000000000002/, path);
  }
  for (const path of PAGES.filter((one) => one !== '/' && !one.includes(QUIET.uuid)))
    assert.doesNotMatch(hidden[path]!, /Quillback<|000000000002/, path);
  const page = hidden[PAGES[0]!]!;
  assert.match(page, /This profile is private[^]*griefing/);
  assert.match(page, /<h1><bdi>Quillback/);
  assert.match(page, /noindex/);
  assert.doesNotMatch(page, /Driftwood|Twin Peaks|Alpha/);
  assert.match(hidden[PAGES[1]!]!, /This profile is private/);
  assert.equal((await ask(site, '/players/Driftwood')).status, 404);
  assert.notEqual((await ask(site, `/cards/players/${QUIET.uuid}.png`)).headers.etag, card);
  assert.equal(hidden[PATHS.at(-1)!], before[PATHS.at(-1)!], 'punishments are not affected');
  const { changes } = (await get('/v1/changes?expand=1')).json;
  const change = changes.findLast(({ type }: { type: string }) => type === 'player.changed');
  assert.deepEqual([change.resource.id, change.resource.private, change.resource.last_login], [id, true, '']);
  assert.ok((await changesWithFeed(db, head, 10)).changes.some(({ kind }) => kind === 'player'));

  await sendEvents(context, privacy({}));
  assert.deepEqual(await answers(), before);
});

/** An answer to those who see everything differs in the field that tells. */
const withoutMark = (text: string): string => text.replace('"private":true', '"private":false');

onEachDatabase('game servers, staff and the person see a private profile', async (t, url) => {
  const { context, get, api, site, client_id } = await openNetwork(t, url);
  const { db, clock } = context;
  const owner = await account(context, 'Quillback', QUIET.uuid);
  const other = await account(context, 'Ada', ADA.uuid);
  const keyed = await serverSender(context, 'Alpha');
  const key = await createServerKey(db, clock.now(), keyed.serverKey);
  const asServer = clientOf(api, { token: key });
  const asOwner = clientOf(api, { token: await userToken(context, client_id, owner.id) });
  const asOther = clientOf(api, { token: await userToken(context, client_id, other.id) });
  const staffCookie = await siteSession(context, { name: 'Moderator', role: 'moderator' });
  const paths = PATHS.filter((path) => path.startsWith('/v1/players') && !path.includes(ADA.uuid));
  const ofServer = async () => await Promise.all(paths.map(async (path) => (await asServer(path)).text));
  const ofOwner = async () => (await asOwner(`/v1/players/me?fields=${GROUPS},names`)).text;
  const page = async (cookie: string) => (await ask(site, `/players/${QUIET.uuid}`, { headers: { cookie } })).text;
  const own = async () => await page(staffCookie);
  const [ownCookie, otherCookie] = [await siteSessionOf(context, owner), await siteSessionOf(context, other)];
  const [server, me] = [await ofServer(), await ofOwner()];
  assert.match(await own(), /Driftwood/);
  await sendEvents(context, privacy({ profile: true, online: true, names: true }));
  assert.deepEqual((await ofServer()).map(withoutMark), server);
  assert.equal(await ofOwner(), me);
  assert.match(await own(), /Driftwood/);
  assert.match(await page(ownCookie), /Driftwood[^]*Twin Peaks|Twin Peaks[^]*Driftwood/);
  assert.match(await page(otherCookie), /This profile is private/);
  assert.notEqual((await asOwner('/v1/players/me/matches')).text, '[]');
  assert.equal((await asOther(`/v1/players/${QUIET.uuid}/matches`)).text, '[]');
  assert.equal((await asOther('/v1/players?search=quill')).text, '[]');
  assert.equal((await get('/v1/players/Driftwood')).status, 404);
});

onEachDatabase('the online state and former names are private by themselves', async (t, url) => {
  const { context, get, site } = await openNetwork(t, url);
  const player = async () => (await get('/v1/players/Quillback?fields=names,total')).json;
  const online = async () => (await get('/v1/servers')).json[0].players;
  await sendEvents(context, privacy({ names: true }));
  assert.deepEqual([(await player()).names, (await get('/v1/players/Driftwood')).status], [[], 404]);
  assert.notEqual((await player()).last_login, '');
  assert.doesNotMatch((await ask(site, '/search?q=driftwood')).text, /Quillback/);
  assert.match((await ask(site, '/search?q=quillback')).text, /Quillback</);

  await sendEvents(context, privacy({ online: true }));
  assert.deepEqual([(await player()).last_login, (await player()).names.length], ['', 2]);
  assert.equal((await player()).total.kill_count, 9);
  assert.deepEqual(await online(), ['Ada']);
  await sendEvents(context, presence('Alpha', { players: ['Ada', 'Quillback'] }, { time: after(1_000) }));
  assert.deepEqual(await online(), ['Ada']);

  await sendEvents(context, privacy({}));
  await sendEvents(context, presence('Alpha', { players: ['Ada', 'Quillback'] }, { time: after(2_000) }));
  assert.deepEqual(await online(), ['Ada', 'Quillback']);
});
