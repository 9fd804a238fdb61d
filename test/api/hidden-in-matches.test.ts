import assert from 'node:assert/strict';
import { storeMatchPrivacy } from '#store/game/match-privacy.ts';
import { recordNextShown } from '#store/game/renamed-players.ts';
import { account, after, application, configured, event, match, person, presence } from '#test/support/builders.ts';
import { progress, sendEvents, serviceToken, team, userToken } from '#test/support/builders.ts';
import { onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { Mirror } from '#test/support/mirror.ts';
import { ask, clientOf } from '#test/support/request.ts';
import { siteSession } from '#test/site/session.ts';

type Test = Parameters<typeof testContext>[0];

const [ADA, QUIET, OLD] = [person(1, 'Ada'), person(2, 'Quillback'), person(3, 'Driftwood')];

const privacy = (profile: boolean, online = false) =>
  event('player.privacy', { player: QUIET.uuid, profile, online, names: false });

/** Before the running match. */
const ended = { started: after(-3_600_000), finished: after(-3_000_000) };

const kill = (killer: string, victim: string) => ({ killer, victim, time: after(-3_100_000) });

/** A network with a match of teams, a free-for-all that the second player won, a running free-for-all, and heartbeats. */
async function openNetwork(t: Test, url: string) {
  const context = await testContext(t, url);
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const { client_id } = await application(context);
  const get = clientOf(API!, { token: await serviceToken(context, client_id) });
  const objective = { player: QUIET, type: 'core', name: 'Blue Core', color: 'blue', time: after(-3_100_000) } as const;
  await sendEvents(
    context,
    configured('Alpha', { max: 40 }),
    event('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'max' }),
    match({
      ...ended,
      win: 'Red',
      teams: [team('Red', { ...QUIET, counters: { best_streak: 9 } }), team('Blue', ADA)],
      objectives: [{ ...objective, team: 'Red' }],
      kills: [kill(QUIET.uuid, ADA.uuid), kill(ADA.uuid, QUIET.uuid)],
    }),
    match({
      ...ended,
      win: 'Quillback',
      teams: [team('Quillback', { ...QUIET, counters: { best_streak: 8 } }), team('Ada', ADA)],
      objectives: [{ ...objective, team: 'Quillback' }],
    }),
    match({ ...ended, teams: [team('Red', ADA), team('Blue', OLD)] }),
    ...reports(0),
  );
  return { context, get, api: API!, site: SITE!, client_id };
}

const reports = (ms: number) => [
  presence('Alpha', { current: 2, players: ['Ada', 'Quillback'], player_count: 2 }, { time: after(ms) }),
  progress({ teams: [team('Quillback', QUIET), team('Ada', ADA)] }, { time: after(ms) }),
];

const FIELDS = 'teams,objectives,counters,winners,team_colors';
const LIVE = ['/v1/servers', '/v1/live-matches', '/live/'];

async function answersOf({
  context,
  get,
  site,
}: Awaited<ReturnType<typeof openNetwork>>): Promise<Record<string, string>> {
  // Live parts are rendered once a second.
  context.clock.advance(1_000);
  const listed = (await get('/v1/matches')).json as { id: string }[];
  const server = (await get('/v1/servers')).json[0].id as string;
  const paths = [
    '/v1/matches',
    `/v1/matches?fields=${FIELDS}`,
    '/v1/matches?fields=teams',
    '/v1/matches?gamemode=teampvp',
    ...listed.flatMap(({ id }) => [`/v1/matches/${id}`, `/v1/matches/${id}?fields=${FIELDS}`]),
    `/v1/players/${ADA.uuid}?fields=kills,matches`,
    ...['matches', 'kills', 'deaths'].map((list) => `/v1/players/${ADA.uuid}/${list}`),
    '/v1/servers',
    '/v1/live-matches',
    `/v1/servers/${server}/live-match`,
  ];
  const pages = [
    ...['/', '/matches', '/feeds/matches.atom', '/live/', '/maps/twin-peaks', `/players/${ADA.uuid}`],
    ...listed.map(({ id }) => `/matches/${id}`),
    '/servers/Alpha',
  ];
  const found: [string, string][] = [];
  for (const path of paths) found.push([path, (await get(path)).text]);
  for (const path of pages) found.push([path, (await ask(site, path)).text]);
  return Object.fromEntries(found);
}

onEachDatabase('matches show private players as hidden if the network wants it so', async (t, url) => {
  const network = await openNetwork(t, url);
  const { context, get } = network;
  const { db, clock } = context;
  const mirror = new Mirror(context);
  const before = await answersOf(network);
  const [, own, teams] = ((await get('/v1/matches')).json as { id: string }[]).map(({ id }) => id);
  for (const path of [`/v1/matches/${teams}`, `/matches/${teams}`, ...LIVE])
    assert.match(before[path]!, /Quillback/, path);
  await mirror.check('before');

  await sendEvents(context, privacy(true));
  assert.equal(
    (await answersOf(network))[`/v1/matches/${teams}`],
    before[`/v1/matches/${teams}`],
    'matches show the name',
  );

  await storeMatchPrivacy(db, clock.now(), true);
  while (await recordNextShown(db, clock.now()));
  await mirror.check('after the setting changed');
  await sendEvents(context, privacy(false), ...reports(1_000));
  await mirror.check('after it was switched off');
  const shown = await answersOf(network);
  for (const path of Object.keys(before).filter(
    (one) => one !== '/' && !LIVE.includes(one) && !one.includes('/servers'),
  ))
    assert.equal(shown[path], before[path], path);

  await sendEvents(context, privacy(true));
  await mirror.check('after it was switched on');
  const hidden = await answersOf(network);
  for (const [path, text] of Object.entries(hidden)) assert.doesNotMatch(text, /Quillback|000000000002/, path);
  const match = JSON.parse(hidden[`/v1/matches/${own}?fields=${FIELDS}`]!);
  assert.deepEqual([match.win, match.winners], ['hidden', ['hidden']]);
  assert.deepEqual([match.teams[0].name, match.teams[0].players[0].uuid], ['hidden', '']);
  assert.deepEqual([match.objectives[0].team, match.objectives[0].player], ['hidden', 'hidden']);
  assert.equal(match.objectives[0].player_uuid, '');
  assert.deepEqual(match.counters, [{ uuid: '', name: 'hidden', team: 'hidden', counters: { best_streak: 8 } }]);
  assert.equal(JSON.parse(hidden[`/v1/matches/${teams}`]!).teams[0].players[0].kill_count, 0, 'what counts stays');
  const [slain] = JSON.parse(hidden[`/v1/players/${ADA.uuid}/kills`]!);
  assert.deepEqual([slain.victim, slain.victim_uuid, slain.killer], ['hidden', '', 'Ada']);
  assert.match(hidden[`/matches/${teams}`]!, /<span class="player soft">hidden<\/span>/);

  await sendEvents(context, ...reports(2_000));
  for (const path of LIVE) assert.doesNotMatch((await answersOf(network))[path]!, /Quillback|000000000002/, path);

  await storeMatchPrivacy(db, clock.now(), false);
  while (await recordNextShown(db, clock.now()));
  await mirror.check('after the setting changed back');
  assert.equal((await answersOf(network))[`/v1/matches/${own}`], before[`/v1/matches/${own}`]);
});

onEachDatabase(
  'a hidden player is no one else’s victim, and is whole for staff and on the own page',
  async (t, url) => {
    const { context, api, site, client_id } = await openNetwork(t, url);
    const { db, clock } = context;
    await storeMatchPrivacy(db, clock.now(), true);
    await sendEvents(context, privacy(true));
    const other = await account(context, 'Ada', ADA.uuid);
    const asOther = clientOf(api, { token: await userToken(context, client_id, other.id) });
    const mine = (await asOther('/v1/players/me?fields=kills')).json;
    assert.deepEqual([mine.kills[0].victim, mine.deaths[0].killer_uuid], ['hidden', '']);
    const owner = await account(context, 'Quillback', QUIET.uuid);
    const asOwner = clientOf(api, { token: await userToken(context, client_id, owner.id) });
    const own = (await asOwner('/v1/players/me?fields=kills')).json;
    assert.deepEqual([own.kills[0].killer, own.kills[0].victim], ['Quillback', 'Ada']);
    const cookie = await siteSession(context, { name: 'Moderator', role: 'moderator' });
    assert.match((await ask(site, `/players/${QUIET.uuid}`, { headers: { cookie } })).text, /Quillback[^]*Ada/);
  },
);
