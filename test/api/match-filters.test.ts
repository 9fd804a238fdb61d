import assert from 'node:assert/strict';
import { idOf, keyOf } from '#platform/ids.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { mapByName } from '#store/game/maps/maps.ts';
import { MATCH_INDEXES } from '#store/game/match-lists.ts';
import { serverByName } from '#store/game/servers.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { after, configured, event, map, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';

interface Sent {
  id: string;
  server: string;
  map: string;
  gamemode: string;
  ranked: boolean;
  other: string;
  player: number;
  finished: string;
}

const MATCHES = 48;
const SINCE = after(-1_700_000);
const UNTIL = after(-400_000);

/** Matches that arrive in another order than that of their ends, some with equal ends. */
async function sendMatches(context: TestApi['context']): Promise<Sent[]> {
  await sendEvents(context, configured('Alpha'), configured('Beta'), map('Twin Peaks'));
  const sent = Array.from({ length: MATCHES }, (_, number) => ({
    server: number % 3 === 0 ? 'Beta' : 'Alpha',
    map: number % 4 === 0 ? 'Harbour' : 'Twin Peaks',
    gamemode: number % 5 < 2 ? 'CTW' : 'tdm',
    ranked: number % 7 < 3,
    other: number % 6 < 4 ? 'Blue' : 'Green',
    player: 1 + (number % 2),
    finished: after(-100_000 * ((number * 7) % 24)),
  }));
  const events = sent.map(({ server, player, other, finished, ...data }) => {
    const ended = { started: after(-600_000, finished), finished };
    return match({ ...data, ...ended, teams: [team('Red', player), team(other, 9)] }, { server });
  });
  const ids = await sendEvents(context, ...events);
  return sent.map((one, place) => ({ ...one, id: ids[place]! }));
}

/** A filter of each kind: its query, and the matches that it lets through. */
const FILTERS: Record<string, [query: string, (match: Sent) => boolean]> = {
  server: ['server=beta', ({ server }) => server === 'Beta'],
  map: ['map=TWIN+peaks', ({ map: name }) => name === 'Twin Peaks'],
  gamemode: ['gamemode=Ctw', ({ gamemode }) => gamemode === 'CTW'],
  player: [`player=${person(2).uuid}`, ({ player }) => player === 2],
  ranked: ['ranked=1', ({ ranked }) => ranked],
  time: [`since=${SINCE}&until=${UNTIL}`, ({ finished }) => finished >= SINCE && finished < UNTIL],
  team: ['team=blue&team=Red', ({ other }) => other === 'Blue'],
};

/** Newest first; with a time by the end. */
const inOrder = (kinds: readonly string[], matches: readonly Sent[]): string[] =>
  matches
    .toSorted((a, b) => {
      const byEnd = kinds.includes('time') ? b.finished.localeCompare(a.finished) : 0;
      return byEnd || b.id.localeCompare(a.id);
    })
    .map(({ id }) => id);

async function pagedBy({ get }: TestApi, query: string): Promise<string[]> {
  const paged: string[] = [];
  for (let page = ''; ;) {
    const { status, json, text } = await get(`/v1/matches?${query}&limit=5${page}`);
    assert.equal(status, 200, text);
    const ids = (json as Sent[]).map(({ id }) => id);
    paged.push(...ids);
    if (ids.length < 5) return paged;
    page = `&max_id=${ids.at(-1)!}`;
  }
}

onEachDatabase('each allowed combination of filters gives its matches, page by page', async (t, url) => {
  const api = await testApi(t, url);
  const sent = await sendMatches(api.context);
  const withPlayer = [
    ...['server', 'map', 'gamemode', 'ranked', 'time', 'map gamemode', 'server ranked time', 'team'],
    'map time team',
  ];
  for (const names of [...Object.keys(MATCH_INDEXES), ...withPlayer.map((names) => `${names} player`)]) {
    const kinds = names.split(' ');
    const expected = inOrder(
      kinds,
      sent.filter((one) => kinds.every((kind) => FILTERS[kind]![1](one))),
    );
    assert.ok(expected.length >= 2, names);
    assert.deepEqual(await pagedBy(api, kinds.map((kind) => FILTERS[kind]![0]).join('&')), expected, names);
  }
  const unranked = sent.filter(({ ranked }) => !ranked);
  assert.deepEqual(await pagedBy(api, 'ranked=0'), inOrder([], unranked));
  const early = sent.filter(({ finished }) => finished < UNTIL);
  assert.deepEqual(await pagedBy(api, `until=${UNTIL}`), inOrder(['time'], early), 'only an end');
  const late = sent.filter(({ finished }) => finished >= SINCE);
  assert.deepEqual(await pagedBy(api, `since=${SINCE}`), inOrder(['time'], late), 'only a start');

  const withTeams = await api.get(`/v1/matches?${FILTERS['time']![0]}&fields=teams,objectives&limit=100`);
  const { json: plain } = await api.get(`/v1/matches?${FILTERS['time']![0]}&limit=100`);
  const stripped = (withTeams.json as { teams: object[]; objectives: object[] }[]).map(
    ({ teams: _, objectives: __, ...rest }) => rest,
  );
  assert.deepEqual(stripped, plain);
  assert.equal(withTeams.json[0].teams.length, 2);

  const second = inOrder([], sent)[1]!;
  await retractEvents(api.context.db, api.context.clock, [keyOf(second)!]);
  const withdrawn = sent.filter(({ id }) => id !== second);
  assert.deepEqual(await pagedBy(api, 'player=player2'), inOrder([], withdrawn.filter(FILTERS['player']![1])));
});

onEachDatabase('a walk by the end continues after its last match was withdrawn', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const ends = [-4_000_000, -100_000, -3_000_000, -200_000, -2_000_000, -5_000_000].map((ms) => after(ms));
  const played = ends.map((finished) => match({ started: after(-600_000, finished), finished }));
  const ids = await sendEvents(context, configured('Alpha'), ...played).then(([, ...all]) => all);
  const [oldest, newest, third, second, middle, first] = ids;
  const walk = `since=${after(-9_000_000)}&limit=2`;
  const page = async (query: string): Promise<string[]> =>
    (await get(`/v1/matches?${query}`)).json.map(({ id }: Sent) => id);
  assert.deepEqual(await page(walk), [newest, second]);
  await retractEvents(context.db, context.clock, [keyOf(second!)!]);
  // The match that arrived before the withdrawn one ended before all others but one.
  assert.deepEqual(await page(`${walk}&max_id=${second}`), [middle, third], 'what follows the withdrawn match');
  assert.deepEqual(await page(`${walk}&max_id=${second}&server=Alpha`), [middle, third]);
  const listed = await listMatchesWhere(context.db, {}, keyOf(second!)!, 9);
  const rest = [middle, third, oldest, first];
  assert.deepEqual(
    listed.map(({ key }) => idOf(key)),
    rest,
    'on the site, too',
  );
  await retractEvents(context.db, context.clock, [keyOf(oldest!)!]);
  assert.deepEqual(await page(`${walk}&max_id=${oldest}`), [first], 'the match that arrived first');
});

onSqlite('filters take names and ids, and answer a wrong one', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const sent = await sendMatches(context);
  const { db } = context;
  const beta = inOrder([], sent.filter(FILTERS['server']![1])).slice(0, 20);
  const ids = async (query: string): Promise<string[]> => {
    const { status, json, text } = await get(`/v1/matches?${query}`);
    assert.equal(status, 200, text);
    return (json as Sent[]).map(({ id }) => id);
  };
  const betaId = idOf((await serverByName(db, 'Beta'))!.key);
  assert.deepEqual(await ids(`server=${betaId.toUpperCase()}`), beta);
  assert.deepEqual(await ids(`map=${idOf((await mapByName(db, 'twin peaks'))!.key)}`), await ids('map=twin%20peaks'));
  assert.ok((await ids('map=harbour')).length > 0, 'a map that was never published');
  await sendEvents(context, event('server.removed', {}, { server: 'Beta' }));
  assert.deepEqual(await ids('server=Beta'), beta, 'a removed server has its matches');
  for (const nothing of [
    'server=Gamma',
    'map=Moor',
    'gamemode=x',
    'player=Nobody',
    'player=me',
    `max_id=0&since=${SINCE}`,
  ])
    assert.deepEqual(await ids(nothing), [], nothing);
  assert.deepEqual(await ids('server=&player=&since=&ranked='), await ids(''), 'empty filters are not given');
  const zone = '2026-03-01T20:45:00.000+09:00';
  assert.deepEqual(await ids(`since=${encodeURIComponent(zone)}`), await ids(`since=2026-03-01T11:45:00Z`));
  assert.deepEqual(await ids(`since=${zone}`), await ids(`since=2026-03-01T11:45Z`), 'a plus without its encoding');

  const refused = async (query: string): Promise<string> => {
    const { status, json } = await get(`/v1/matches?${query}`);
    assert.equal(status, 400, query);
    return String(json.error_description);
  };
  for (const wrong of [
    'yesterday',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-13-01T00:00:00Z',
    '1772366400',
    '%00',
    '2026-02-30T00:00:00Z',
    '2026-02-28T24:00:00Z',
  ])
    assert.match(await refused(`since=${wrong}`), /^since must be a time with its offset, such as/, wrong);
  for (const wrong of ['team=Red', 'team=Red,Blue,Green'])
    assert.equal(await refused(wrong), 'team must be the names of two teams.');
  assert.match(await refused('ranked=yes'), /^ranked must be 1 or 0\.$/);
  assert.match(await refused(`since=${UNTIL}&until=${SINCE}`), /^since must be before until\.$/);
  assert.match(await refused('server=%00'), /^server must not contain control characters/);
  const pairs = await refused('server=Alpha&map=Harbour');
  assert.match(
    pairs,
    /^server and map must not be given together\. What can be: player with any others; server with gamemode, map with gamemode, map with ranked, gamemode with/,
  );
  assert.deepEqual(await ids('player=Player1&map=Moor&gamemode=ctw&ranked=1'), []);
  assert.deepEqual(await ids('player=Nobody&map=Harbour'), []);
  assert.match(
    await refused('gamemode=ctw&ranked=1&until=2026-03-01T12:00:00Z'),
    /^gamemode, until and ranked must not/,
  );
});

onSqlite('a cached list of a filter changes with the data', async (t, url) => {
  const { context, get } = await testApi(t, url);
  await sendEvents(context, configured('Alpha'), configured('Beta'), match());
  const read = async () => {
    const replies = [await get('/v1/matches?server=Alpha'), await get('/v1/matches?server=Alpha')];
    replies.push(await get('/v1/matches?server=Alpha'));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    return replies[2]!;
  };
  const before = await read();
  assert.equal(before.json.length, 1);
  await sendEvents(context, match({}, { server: 'Beta' }));
  assert.equal((await read()).headers.etag, before.headers.etag);
  await sendEvents(context, match());
  assert.equal((await read()).json.length, 2);
  const held = { 'if-none-match': before.headers.etag! };
  assert.equal((await get('/v1/matches?server=Alpha', { headers: held })).status, 200);
});
