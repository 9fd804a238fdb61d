import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { storeMatchPrivacy } from '#store/game/hidden-players.ts';
import { recordNextShown } from '#store/game/renamed-players.ts';
import { countRanks } from '#store/game/teampvp-ranks.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { account, after, application, BEGINNING, configured, event, login, match } from '#test/support/builders.ts';
import { person, presence, progress, punishment, sendEvents } from '#test/support/builders.ts';
import { serverSender, serviceToken, team, userToken } from '#test/support/builders.ts';
import { siteSession } from '#test/site/session.ts';
import {
  createTestDatabase,
  onEachDatabase,
  testContext,
  type TestAppContext,
  testServices,
} from '#test/support/context.ts';
import { Mirror } from '#test/support/mirror.ts';
import { publicPaths } from '#test/support/public-paths.ts';
import { StreamClient } from '#test/support/event-stream.ts';
import { ask, clientOf } from '#test/support/request.ts';
import { serve } from '#test/cli/scorehall.ts';

type Test = Parameters<typeof testContext>[0];

const [ADA, QUIET, FORMER] = [person(1, 'Ada'), person(2, 'Quillback'), person(2, 'Driftwood')];
/** A second game account of the private person. */
const SECOND = person(0xdead01, 'Spindrift');
const TRACES = /Quillback|Driftwood|Spindrift|000000000002|0000dead01/i;

const privacy = (profile: boolean) =>
  event('player.privacy', { player: QUIET.uuid, profile, online: false, names: false });

const objective = (player: typeof ADA, name: string, type: 'wool' | 'flag' = 'wool') => ({
  ...{ player, team: name, type, name: 'Red', time: BEGINNING },
});

/** What a server reports again and again: a free-for-all that runs, and who is online. */
const reports = (ms: number) => [
  presence('Alpha', { current: 2, players: ['Ada', 'Quillback'], player_count: 2 }, { time: after(ms) }),
  progress(
    {
      teams: [team('Ada', { ...ADA, kill_count: 1 }), team('Quillback', { ...QUIET, death_count: 1 }), team('Cy', 7)],
      objectives: [objective(QUIET, 'Quillback'), objective(ADA, 'Ada')],
      observers: 0,
      started: after(1),
    },
    { time: after(ms + 1_000) },
  ),
];

const LIMITS = { USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000' };

/** A network that hides private players in matches, with matches in which one has every part that a player can have. */
async function openNetwork(t: Test, url: string, settings = { PRIVATE_IN_MATCHES: 'hidden' }) {
  const context = await testContext(t, url, { ...LIMITS, ...settings });
  await storeMatchPrivacy(context.db, context.clock.now(), settings.PRIVATE_IN_MATCHES === 'hidden');
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const token = await serviceToken(context, (await application(context)).client_id);
  const get = clientOf(API!, { token });
  await sendEvents(
    context,
    configured('Alpha', { max: 40 }),
    event('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'max' }),
    login('Alpha', FORMER, { time: after(-900_000) }),
    match({
      win: 'Red',
      teams: [
        team('Red', { ...ADA, kill_count: 4 }, { ...QUIET, kill_count: 9, counters: { best_streak: 9 } }),
        team('Blue', 3),
      ],
      kills: [
        { killer: QUIET.uuid, victim: ADA.uuid, time: after(-1_000) },
        { killer: ADA.uuid, victim: QUIET.uuid, time: after(-1_000) },
      ],
    }),
    match({
      ...{ win: 'Quillback', gamemode: 'ffa' },
      teams: [team('Ada', ADA), team('Quillback', { ...QUIET, counters: { best_streak: 2 } }), team('Player7', 7)],
      objectives: [objective(QUIET, 'Quillback')],
    }),
    match({ win: 'Spindrift', teams: [team('Ada', ADA), team('Spindrift', SECOND), team('Player7', 7)] }),
    match({
      ...{ win: 'Red', teams: [team('Red', ADA), team('Blue', 3)] },
      // Who left the team that was the player's own.
      objectives: [objective(QUIET, 'Quillback', 'flag')],
    }),
    event('player.merged', { from: SECOND.uuid, into: QUIET.uuid }),
    punishment('one', QUIET, { reason: 'griefing' }),
    ...reports(0),
  );
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  while (await countRanks(context.db));
  const paths = await publicPaths(context, { api: API!, site: SITE! }, [ADA, QUIET], 'quillback');
  const answers = async (): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (const path of paths) {
      const { pathname, search } = new URL(path);
      const { status, text, headers } = await ask(path, pathname + search, path.startsWith(API!) ? { token } : {});
      const body = path.endsWith('.png') ? String(headers.etag) : text;
      // The feed has other places and times after every change.
      found[path] = path.includes('/changes') ? String(TRACES.test(body)) : `${status} ${withoutTime(body)}`;
    }
    return found;
  };
  return { context, get, answers, api: API!, site: SITE!, paths };
}

/** The later report differs by a millisecond. */
const withoutTime = (body: string): string => body.replaceAll('12:00:01.001', '12:00:01.000');

/** Addresses that tell of the player, by name or UUID, or of a punishment. */
const isAbout = (path: string): boolean =>
  path.includes(QUIET.uuid) || /\/players\/|\/punishments|\/search|v1\/changes|\/$|players\?|\/players$/.test(path);

async function moveAll({ db, clock }: TestAppContext): Promise<void> {
  while (await recordNextShown(db, clock.now()));
}

onEachDatabase('hidden: no match, server, feed or card tells who a private player is', async (t, url) => {
  const { context, get, answers, paths } = await openNetwork(t, url);
  const mirror = new Mirror(context);
  const before = await answers();
  await mirror.check('before');
  const naming = paths.filter((path) => !isAbout(path) && TRACES.test(before[path]!));
  for (const part of [
    '/v1/matches?',
    '/v1/matches/',
    '/v1/servers',
    'live-match',
    '/matches.atom',
    '/matches',
    '/servers/',
  ])
    assert.ok(
      naming.some((path) => path.includes(part)),
      part,
    );

  await sendEvents(context, privacy(true));
  await mirror.check('with the switch');
  const hidden = await answers();
  for (const path of paths) if (!isAbout(path)) assert.doesNotMatch(hidden[path]!, TRACES, path);
  const cards = paths.filter((path) => path.endsWith('.png')).filter((path) => hidden[path] !== before[path]);
  assert.equal(cards.length, 3, 'the cards of the matches that a hidden player won, or was the best in');
  const kills = (await get(`/v1/players/${ADA.uuid}/kills`)).json;
  assert.deepEqual([kills[0].victim, kills[0].victim_uuid, kills[0].killer], ['hidden', '', 'Ada']);
  const { kills: made, deaths } = (await get(`/v1/players/${ADA.uuid}?fields=kills`)).json;
  assert.deepEqual([made[0].victim, deaths[0].killer, deaths[0].killer_uuid], ['hidden', 'hidden', '']);
  const [scored, merged, alone] = (await get('/v1/matches?fields=teams,objectives,winners,counters')).json;
  const [{ player, player_uuid, team: left }] = scored.objectives;
  assert.deepEqual([player, player_uuid, left], ['hidden', '', 'hidden']);
  assert.deepEqual([merged.win, merged.winners, merged.teams[1].name], ['hidden', ['hidden'], 'hidden']);
  assert.deepEqual([alone.win, alone.teams[1].name, alone.objectives[0].team], ['hidden', 'hidden', 'hidden']);
  assert.deepEqual(alone.counters, [{ uuid: '', name: 'hidden', team: 'hidden', counters: { best_streak: 2 } }]);
  assert.deepEqual((await get('/v1/servers')).json[0].players, ['Ada']);

  await sendEvents(context, privacy(false));
  await moveAll(context);
  await mirror.check('without the switch');
  // Servers and running matches have the player with their next reports.
  await sendEvents(context, ...reports(1));
  const again = await answers();
  for (const path of paths) assert.equal(again[path], before[path], path);
});

onEachDatabase(
  'game servers, the person and staff see a hidden player, other people and pages do not',
  async (t, url) => {
    const { context, api, site } = await openNetwork(t, url);
    const { db, clock } = context;
    const key = await createServerKey(db, clock.now(), (await serverSender(context, 'Alpha')).serverKey);
    const asServer = clientOf(api, { token: key });
    const read = async () => (await asServer(`/v1/players/${ADA.uuid}?fields=kills`)).text;
    const before = await read();
    const live = async () => (await ask(site, '/live/')).text;
    assert.match(await live(), /Quillback/);
    await sendEvents(context, privacy(true));

    await t.test('a game server sees the kills of hidden players, and the site names them in no list', async () => {
      assert.equal(await read(), before);
      const page = (await ask(site, `/players/${ADA.uuid}`)).text;
      assert.match(page, /<span class="player soft">hidden</);
      assert.doesNotMatch(page, TRACES);
    });

    await t.test('the person and staff see a hidden player whole, another person only as hidden', async () => {
      const { client_id } = await application(context);
      const ownKills = async (name: string, { uuid }: { uuid: string }) => {
        const { id } = await account(context, name, uuid);
        const get = clientOf(api, { token: await userToken(context, client_id, id) });
        return (await get('/v1/players/me?fields=kills')).json;
      };
      const other = await ownKills('Ada', ADA);
      assert.deepEqual([other.kills[0].victim, other.deaths[0].killer_uuid], ['hidden', '']);
      const own = await ownKills('Quillback', QUIET);
      assert.deepEqual([own.kills[0].killer, own.kills[0].victim], ['Quillback', 'Ada']);
      const cookie = await siteSession(context, { name: 'Moderator', role: 'moderator' });
      assert.match((await ask(site, `/players/${QUIET.uuid}`, { headers: { cookie } })).text, /Quillback[^]*Ada/);
    });

    await t.test('the live parts of pages leave a hidden player out within a second', async () => {
      clock.advance(1_000);
      assert.doesNotMatch(await live(), TRACES);
    });
  },
);

onEachDatabase(
  'another process answers without the player as soon as the switch is stored',
  async (t, url, dialect) => {
    const { context, paths, api } = await openNetwork(t, url);
    const other = await testContext(t, url, { ...LIMITS, PRIVATE_IN_MATCHES: 'hidden' });
    const services = await testServices(other, ['API', 'SITE']);
    const token = await serviceToken(other, (await application(other)).client_id);
    const naming = paths.filter((path) => !isAbout(path) && !path.endsWith('.png'));
    const read = async (path: string): Promise<string> => {
      const isApi = path.startsWith(api);
      const { pathname, search } = new URL(path);
      return (await ask(isApi ? services.API! : services.SITE!, pathname + search, isApi ? { token } : {})).text;
    };
    // The second request of an address is answered from the cache from then on.
    for (const path of [...naming, ...naming]) await read(path);
    const [without] = await sendEvents(context, match({ teams: [team('Red', ADA), team('Blue', 3)] }));
    const { headers } = await ask(services.API!, `/v1/matches/${without}`, { token });
    const tags = new Map<string, string>();
    for (const path of naming.filter((one) => one.startsWith(`${api}/v1/matches/`))) {
      const { pathname, search } = new URL(path);
      const { text, headers } = await ask(services.API!, pathname + search, { token });
      if (TRACES.test(text)) tags.set(pathname + search, headers.etag!);
    }
    await sendEvents(context, privacy(true));
    for (const path of naming) assert.doesNotMatch(await read(path), TRACES, path);
    for (const [path, tag] of tags) {
      const { status } = await ask(services.API!, path, { token, headers: { 'if-none-match': tag } });
      assert.equal(status, 200, `a stored answer is not confirmed: ${path}`);
    }
    // SQLite has one version of all matches.
    const known = { token, headers: { 'if-none-match': headers.etag! } };
    const { status } = await ask(services.API!, `/v1/matches/${without}`, known);
    assert.equal(status, dialect === 'postgres' ? 304 : 200, 'a match without the player keeps its entity tag');
  },
);

onEachDatabase('the setting decides, and a change of it moves the matches in the feed', async (t, url) => {
  const { context, answers, paths } = await openNetwork(t, url, { PRIVATE_IN_MATCHES: 'name' });
  const { db, clock } = context;
  const mirror = new Mirror(context);
  await sendEvents(context, privacy(true));
  await mirror.check('name');
  const named = await answers();
  assert.ok(paths.some((path) => path.includes('/v1/matches/') && TRACES.test(named[path]!)));
  await storeMatchPrivacy(db, clock.now(), true);
  await moveAll(context);
  await mirror.check('hidden');
  const hidden = await answers();
  for (const path of paths) if (!isAbout(path)) assert.doesNotMatch(hidden[path]!, TRACES, path);
  await storeMatchPrivacy(db, clock.now(), false);
  await moveAll(context);
  await mirror.check('name again');
});

test('within a second no answer of another process shows a private player', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const { url } = database;
  const { context, paths, api } = await openNetwork(t, url);
  const { clock, config } = context;
  clock.advance(Date.now() - clock.now());
  const time = new Date(clock.now()).toISOString();
  await sendEvents(
    context,
    presence('Alpha', { current: 2, players: ['Ada', 'Quillback'], player_count: 2 }, { time }),
  );
  const { SECRET_KEY } = config;
  const { child, exit, addresses } = await serve({
    ...LIMITS,
    ...{ DATABASE_URL: url, SECRET_KEY, PRIVATE_IN_MATCHES: 'hidden', PRESENCE_TIMEOUT: '600' },
  });
  t.after(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  const token = await serviceToken(context, (await application(context)).client_id);
  const read = async (path: string): Promise<string> => {
    const { pathname, search } = new URL(path);
    const isApi = path.startsWith(api);
    const asked = await ask(addresses[isApi ? 'API' : 'SITE']!, pathname + search, isApi ? { token } : {});
    return asked.text;
  };
  const { origin } = new URL(paths.find((path) => !path.startsWith(api))!);
  const searches = [`${api}/v1/players?search=quill`, `${origin}/search?q=quill`, `${origin}/live/`];
  const listed = [...paths.filter((path) => !isAbout(path) && !path.endsWith('.png')), ...searches];
  const naming: string[] = [];
  for (const path of listed) if (TRACES.test(await read(path))) naming.push(path);
  // The second request of an address is answered from the cache from then on.
  for (const path of naming) await read(path);
  for (const part of [...searches, '/v1/matches', '/v1/servers', '/v1/leaderboards/', '/leaderboards', '/matches/'])
    assert.ok(
      naming.some((path) => path.includes(part)),
      part,
    );
  const stream = await StreamClient.open(t, addresses['API']!, '/v1/changes/stream?presence=1', { token });
  await stream.until(() => /event: presence\n.*Quillback/.test(stream.text));
  const seen = stream.text.length;

  await sendEvents(context, privacy(true));
  const switched = performance.now();
  for (const path of naming) {
    let [started, text] = [performance.now(), await read(path)];
    while (TRACES.test(text) && started < switched + 1_000) {
      await pause(20);
      [started, text] = [performance.now(), await read(path)];
    }
    assert.doesNotMatch(text, TRACES, path);
  }
  const later = () => stream.text.slice(seen);
  await stream.until(() => /event: presence\n.*\["Ada"\]/.test(later()) && later().includes('"match.changed"'));
  assert.doesNotMatch(later(), TRACES);
});
