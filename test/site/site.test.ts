import assert from 'node:assert/strict';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { storePrivacy } from '#store/game/private-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { openApiDocument } from '#ingest/openapi.ts';
import { runJobsOnce } from '#server/jobs.ts';
import {
  after,
  event,
  configured,
  login,
  map,
  match,
  person,
  presence,
  punishment,
  rating,
  team,
  sendEvents,
} from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, createTestDatabase, testContext } from '#test/support/context.ts';
import { everyPage } from './pages.ts';
import { get, page, SITE } from './request.ts';
import { fillNetwork } from './world.ts';
import { character } from '#test/support/characters.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

onEachDatabase('every page is complete HTML with its metadata, without inline scripts or styles', async (t, url) => {
  const context = await testContext(t, url);
  await fillNetwork(context, 30);
  for (const { name, path } of await everyPage(context.db)) {
    const response = await get(context, path);
    const body = await response.text();
    assert.equal(response.status, name === 'lost' ? 404 : 200, path);
    assert.match(body, /<!doctype html>\s*<html lang="en">/, path);
    assert.equal(body.match(/<h1/g)?.length, 1, `${path} has exactly one h1`);
    assert.match(body, new RegExp(`<link rel="canonical" href="${SITE}/`), path);
    assert.match(body, /<meta property="og:title" content="[^"]+"/, path);
    assert.ok(
      !/<style|<script(?! type="module" src="\/assets\/)| style=| on[a-z]+=/.test(body),
      `${path} has nothing inline`,
    );
    const maximum = name === 'developers-reference' ? 160_000 : 100_000;
    assert.ok(Buffer.byteLength(body) < maximum, `${path} has ${Buffer.byteLength(body)} bytes`);
    assert.ok(!body.includes('undefined') && !body.includes('[object'), path);
    assert.match(response.headers.get('content-security-policy')!, /script-src 'self'; style-src 'self'/);
  }
});

onEachDatabase('every permalink shows its page; names, ids and other spellings redirect to it', async (t, url) => {
  const context = await testContext(t, url);
  const [, , , matchId] = await sendEvents(
    context,
    login('Alpha', person(1, 'OldName'), { time: after(-9_000_000) }),
    login('Alpha', person(1, 'Newer')),
    map('Twin Peaks', { authors: [{ name: 'Ann', uuid: '', contribution: 'Terrain' }] }),
    match({ win: 'Red', teams: [team('Red', { ...person(1, 'Newer'), kill_count: 3 }), team('Blue', 2)] }),
    punishment('p', person(1, 'Newer'), { reason: 'Flying', type: 'mute' }),
  );
  const uuid = person(1).uuid;
  assert.match(await page(context, `/players/${uuid}`), /Newer/);
  for (const named of ['newer', 'OLDNAME', uuid.replaceAll('-', '')]) {
    const response = await get(context, `/players/${named}`);
    assert.deepEqual([response.status, response.headers.get('location')], [302, `/players/${uuid}`], named);
  }
  // Names that a path cannot have as they are: browsers resolve `..`, percent-encoded, too.
  const names = ['.', '..', 'me'];
  await sendEvents(
    context,
    ...names.map((name, at) => login('Alpha', person(10 + at, name))),
    presence('Alpha', { players: [...names, 'Newer'], player_count: 5 }, { time: after(0) }),
  );
  const home = await page(context, '/');
  assert.match(home, /and 1 other</);
  for (const [at, name] of names.entries()) {
    const [, href] = new RegExp(`href="(/players/[^"]+)"><bdi>${name.replaceAll('.', '\\.')}</bdi>`).exec(home)!;
    const { pathname } = new URL(href!, 'http://localhost');
    assert.equal((await get(context, pathname)).headers.get('location'), `/players/${person(10 + at).uuid}`, name);
  }
  const redirect = await get(context, '/maps/twin%20peaks');
  assert.equal(redirect.status, 302);
  assert.match(await page(context, redirect.headers.get('location')!), /Terrain/);
  assert.match(await page(context, `/matches/${matchId}`), /Red won/);
  for (const path of ['/matches/nothing', '/players/nobody', '/maps/nowhere', '/punishments/0', '/a/b/c']) {
    assert.equal((await get(context, path)).status, 404, path);
  }
});

onEachDatabase('the page of a punishment says who revoked it and why, in both languages', async (t, url) => {
  const context = await testContext(t, url);
  const time = new Date(context.clock.now()).toISOString();
  const [mine, theirs, active] = await sendEvents(
    context,
    punishment('one', person(1, 'Rogue')),
    punishment('two', person(1, 'Rogue'), {}, { server: 'Alpha' }),
    punishment('three', person(1, 'Rogue')),
  );
  await sendEvents(
    context,
    event(
      'punishment.revoked',
      { punishment_id: mine!, reason: 'Was <b>his</b> brother', revoker: person(2, 'Mod') },
      { time },
    ),
    event('punishment.revoked', { punishment_id: theirs! }, { time, server: 'Beta' }),
  );
  const first = await page(context, `/punishments/${mine}`);
  assert.match(first, /Revoked by[\s\S]*Mod[\s\S]*Was &lt;b&gt;his&lt;\/b&gt; brother/);
  const second = await page(context, `/punishments/${theirs}`);
  assert.match(second, /Revoked by[\s\S]*Beta/);
  assert.doesNotMatch(second, /Reason for the revocation/);
  assert.match(await page(context, `/punishments/${mine}?lang=ja`), /取り消した人[\s\S]*取り消しの理由/);
  assert.doesNotMatch(await page(context, `/punishments/${active}`), /Revoked by/);
});

onEachDatabase(
  'search finds players, servers and maps by the beginning of a word of a name, and everything by id',
  async (t, url) => {
    const context = await testContext(t, url);
    const [id] = await sendEvents(
      context,
      match({ teams: [team('Red', { ...person(1, 'Grüße%_') }), team('Blue', { ...person(2, 'gruft') })] }),
      login('Alpha', person(3, 'Grus'), { time: after(-9_000_000) }),
      login('Alpha', person(3, 'Fled')),
      map('Grün Ø Garten'),
      map('Zebra'),
    );
    const found = await page(context, '/search?q=GRU');
    assert.match(found, /gruft/);
    assert.match(found, /Fled[\s\S]*formerly <bdi>Grus/);
    assert.ok(!found.includes('Grüße') && !found.includes('Garten'));
    assert.match(await page(context, '/search?q=gr%C3%BC'), /Grüße%_[\s\S]*Grün Ø Garten/);
    assert.ok(!(await page(context, '/search?q=%25')).includes('Zebra'), '% is not a wildcard');
    assert.equal((await get(context, `/search?q=${id}`)).headers.get('location'), `/matches/${id}`);
    assert.equal(
      (await get(context, `/search?q=${person(1).uuid}`)).headers.get('location'),
      `/players/${person(1).uuid}`,
    );
    assert.match(await page(context, '/search?q=nobodyhere'), /Nothing found/);

    await sendEvents(context, configured('Garten East'), configured('Garden'), login('Alpha', person(4, 'Mr_Garten')));
    const words = await page(context, '/search?q=GARTEN');
    const [east, old] = await Promise.all(
      ['Garten East', 'Garden'].map(async (name) => await serverByName(context.db, name)),
    );
    for (const result of [
      /id="players">Players<[\s\S]*Mr_Garten[\s\S]*id="servers">Servers<[\s\S]*id="maps">Maps<[\s\S]*Grün Ø Garten/,
      new RegExp(`href="/servers/${idOf(east!.key)}"><bdi>Garten East`),
    ])
      assert.match(words, result);
    assert.ok(!words.includes('Garden') && !words.includes('Zebra'));
    assert.match(await page(context, '/search?q=garten&lang=ja'), /サーバー[\s\S]*Garten East/);
    const ofServer = await get(context, `/search?q=${idOf(old!.key)}`);
    assert.equal(ofServer.headers.get('location'), `/servers/${idOf(old!.key)}`);
    await sendEvents(context, event('server.removed', {}, { server: 'Garten East' }));
    assert.ok(!(await page(context, '/search?q=east')).includes('Garten East'), 'a removed server has no page');
    await setHidden(context.db, context.clock.now(), 0, ['Fled']);
    assert.match(await page(context, '/search?q=grus'), /Nothing found/, 'a former name of a hidden player');
    assert.match(await page(context, '/search?q=fled'), /id="players"/);
  },
);

onEachDatabase('lists page by max_id to the end and filter by gamemode, map or server', async (t, url) => {
  const context = await testContext(t, url);
  const played = Array.from({ length: 65 }, (_, number) =>
    match({
      map: `Map ${number % 2}`,
      gamemode: number % 3 === 0 ? 'CTW' : 'tdm',
      teams: [team('Red', 1), team('Blue', 2)],
    }),
  );
  await sendEvents(context, ...played);
  const countListed = async (from: string): Promise<number> => {
    const seen = new Set<string>();
    for (let path: string | undefined = from; path !== undefined;) {
      const body = await page(context, path);
      for (const [, id] of body.matchAll(/class="cover"\s+href="\/matches\/([0-9a-z]{11})"/g)) seen.add(id!);
      path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    return seen.size;
  };
  assert.equal(await countListed('/matches'), 65);
  assert.equal(await countListed('/matches?gamemode=ctw'), 22);
  assert.equal(await countListed('/matches?map=map%201'), 32);
  assert.equal(await countListed('/matches?server=alpha'), 65);
  assert.equal(await countListed('/matches?server=nowhere'), 0);
  assert.equal(await countListed(`/players/${person(1).uuid}/matches`), 65);
  const combined = {
    'map=map%201&gamemode=CTW': 11,
    'server=alpha&gamemode=ctw': 22,
    'map=map%201&server=nowhere': 32,
    'player=player1': 65,
    'player=player1&server=alpha&map=map%201&gamemode=ctw': 11,
    'player=player1&map=map%201&server=nowhere': 0,
    'team=blue&team=red': 65,
    'team=Red&team=Blue&gamemode=ctw': 22,
    'team=Red&team=Blue&map=map%201': 32,
    'team=Red&team=Green': 0,
    'team=Red': 65,
    'player=player1&team=Red&team=Blue&map=map%201&server=alpha': 32,
    'player=unknown': 0,
    [`player=${'x'.repeat(200)}`]: 0,
  };
  for (const [query, count] of Object.entries(combined))
    assert.equal(await countListed(`/matches?${query}`), count, query);
  const ofPlayer = await page(context, '/matches?player=player1&gamemode=ctw');
  assert.match(
    textOf(ofPlayer),
    /Matches: Player1 · Capture the Wool .*Map 0 Capture the Wool · Alpha Draw Red 0 Blue 0 0 K · 0 D/,
  );
  assert.match(ofPlayer, /<input type="hidden" name="gamemode" value="ctw"/);
  const ofTeams = await page(context, '/matches?team=Red&team=Blue&gamemode=ctw');
  assert.match(textOf(ofTeams), /Matches: Red – Blue · Capture the Wool .* All teams /);
  assert.match(ofTeams, /href="\/matches\?gamemode=ctw">All teams</);
  assert.match(ofTeams, /name="team" value="Red" \/?><input type="hidden" name="team" value="Blue"/);
  assert.match(ofTeams, /href="\/matches\?team=Red&amp;team=Blue&amp;gamemode=tdm"/);

  await storePrivacy(context.db, person(1).uuid, { profile: true, online: false, names: false });
  assert.equal(await countListed('/matches?player=player1&gamemode=ctw'), 0);
  assert.match(await page(context, '/matches?player=player1'), /This profile is private/);
  assert.equal(await countListed('/matches?player=player2'), 65);
});

onEachDatabase(
  'leaderboards rank players, page, show earlier periods and refuse invalid parameters',
  async (t, url) => {
    const context = await testContext(t, url);
    const players = Array.from({ length: 40 }, (_, number) => ({ ...person(number), kill_count: number }));
    await sendEvents(context, match({ win: 'Red', gamemode: 'ctw', teams: [team('Red', ...players)] }));
    await runJobsOnce(context);
    const first = await page(context, '/leaderboards?mode=ctw&by=kill&period=day');
    assert.match(first, /Player39[\s\S]*Player10/);
    assert.ok(!first.includes('Player9<'));
    const next = /rel="next" href="([^"]+behind[^"]+)"/.exec(first)![1]!.replaceAll('&amp;', '&');
    assert.match(await page(context, next), />31<[\s\S]*Player9<[\s\S]*Player1</);
    const ofAllTime = await page(context, '/leaderboards?mode=ctw&by=kill&period=all');
    assert.match(ofAllTime, /Player39[\s\S]*Player10/);
    assert.ok(!ofAllTime.includes('class="stretch"'), 'all time has no earlier period');
    assert.match(await page(context, '/leaderboards?mode=tntrun'), /Nobody is ranked here yet/);
    assert.match(await page(context, '/leaderboards?period=day&ago=1'), /Nobody is ranked here yet/);
    for (const wrong of ['mode=no', 'period=year', 'by=luck', 'ago=x', 'ago=31&period=day', 'behind=1']) {
      assert.equal((await get(context, `/leaderboards?${wrong}`)).status, 400, wrong);
    }
  },
);

onEachDatabase('a map shows its image, ratings and wins by team; clients may cache the image', async (t, url) => {
  const context = await testContext(t, url);
  const image = { content_type: 'image/png' as const, data: PIXEL };
  const [id] = await sendEvents(
    context,
    map('Twin Peaks', { image, teams: [{ name: 'Red', max: 8, color: 'dark red' }] }),
    match({ win: 'Red', teams: [team('Red', 1), team('Blue', 2)] }),
    rating('Twin Peaks', person(1), 5),
    rating('Twin Peaks', person(2), 4),
  );
  await runJobsOnce(context);
  const body = await page(context, `/maps/${id}`);
  assert.match(body, /4\.50 of 5 on average, 2 ratings/);
  assert.match(body, /c-dark-red/);
  assert.match(body, /Share of wins in 1 finished match/);
  const [source] = /\/maps\/[0-9a-z]{11}\/image\?v=[\w-]{12}/.exec(body)!;
  const picture = await get(context, source);
  assert.equal(picture.headers.get('content-type'), 'image/png');
  assert.match(picture.headers.get('cache-control')!, /immutable/);
  const again = await get(context, source, { headers: { 'if-none-match': picture.headers.get('etag')! } });
  assert.equal(again.status, 304);
  assert.match((await get(context, `/maps/${id}/image`)).headers.get('cache-control')!, /max-age=300$/);
  assert.equal((await get(context, '/maps/00000000000/image')).status, 404);
});

test('a page is in the language of the link, cookie or browser, and an unchanged page gets 304', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url, {
    NETWORK_NAME: 'Nét <&>',
    CONTACT: 'a@example.org',
    ACCENT_COLOR: '#ffff00',
  });
  t.after(() => database.drop());
  const japanese = await get(context, '/?lang=ja');
  assert.match(await japanese.text(), /<html lang="ja">[\s\S]*ランキング/);
  assert.match(
    japanese.headers.get('set-cookie')!,
    /^scorehall_language=ja; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.match(await page(context, '/', { headers: { cookie: 'scorehall_language=ja' } }), /<html lang="ja">/);
  assert.match(await page(context, '/', { headers: { 'accept-language': 'ja-JP,en;q=0.5' } }), /<html lang="ja">/);
  const first = await get(context, '/');
  assert.equal(first.headers.get('set-cookie'), null);
  assert.match(await first.text(), /Nét &lt;&amp;&gt;[\s\S]*mailto:a@example.org/);
  const again = await get(context, '/', { headers: { 'if-none-match': first.headers.get('etag')! } });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  const head = await get(context, '/', { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  const post = await get(context, '/', { method: 'POST' });
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
});

test('the developer page about game servers names the events that their keys may send', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url);
  t.after(() => database.drop());
  const named = [...(await page(context, '/developers/ingest')).matchAll(/<li><code>([a-z.]+)<\/code><\/li>/g)];
  const { components } = JSON.parse(openApiDocument({ INGEST_URL: SITE, NETWORK_NAME: 'N', SITE_URL: SITE })) as {
    components: { schemas: { Event: { discriminator: { mapping: object } } } };
  };
  assert.deepEqual(
    named.map(([, type]) => type),
    Object.keys(components.schemas.Event.discriminator.mapping),
  );
});

onEachDatabase('malformed addresses never cause a server error', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({ teams: [team('Red', 1)] }), presence('Alpha', { players: ['A'] }));
  const paths = [
    '/',
    '/matches',
    '/maps',
    '/leaderboards',
    '/players',
    '/punishments',
    '/search',
    '/matches/',
    '/players/',
    '/maps/',
  ];
  const names = [
    'max_id',
    'gamemode',
    'server',
    'map',
    'rotation',
    'q',
    'mode',
    'period',
    'by',
    'ago',
    'behind',
    'around',
    'lang',
  ];
  const text = fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom('\0', '%', '%00', '../', '0'.repeat(300), '-1', '\ud800'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom(...names),
      text,
      fc.boolean(),
      async (path, name, value, raw) => {
        const written = raw ? value.replace(/[^!-~]|[#?]/g, '%') : encodeURIComponent(value.toWellFormed());
        const address = path.endsWith('/') && path !== '/' ? `${path}${written}` : `${path}?${name}=${written}`;
        const { status } = await get(context, address);
        assert.ok(status < 500, `${address} answered ${status}`);
      },
    ),
    { numRuns: 300 },
  );
});

test('the live player count includes only servers with a current heartbeat', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url);
  t.after(() => database.drop());
  await sendEvents(context, presence('Alpha', { players: ['A', 'B'] }));
  assert.match(await page(context, '/'), /class="count">2</);
  context.clock.advance(121_000);
  assert.match(await page(context, '/'), /class="count">0</);
  assert.equal((await context.db.tuples(sql`select count(*) from online_samples`))[0]![0], 0);
});

onEachDatabase('match rows show the teams with their scores, and the record of a player after them', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(
    context,
    match({
      win: 'Red',
      teams: [scored('Red', 3, { ...person(1), kill_count: 8, death_count: 14 }), scored('Blue', 2, 2)],
      objectives: [
        { player: person(1, 'Leitund46'), team: 'Red', type: 'flag', name: 'Well', color: '', time: after(-1) },
        { player: null, team: 'Blue', type: 'control_point', name: 'Hill', color: '', time: after(-1) },
      ],
    }),
  );
  const rows = textOf(await page(context, `/players/${person(1).uuid}/matches`));
  assert.match(rows, /Won Red 3 Winner Blue 2 8 K · 14 D/);
  const [, id] = /href="\/matches\/([0-9a-z]{11})"/.exec(await page(context, '/matches'))!;
  const detail = await page(context, `/matches/${id}`);
  assert.match(textOf(detail), /Well captured by Leitund46 Red/);
  assert.match(textOf(detail), /Hill captured by Blue(?! Blue)/);
  assert.match(textOf(await page(context, `/matches/${id}?lang=ja`)), /Well Leitund46 が奪取 Red .*Hill Blue が占領/);
  assert.match(textOf(await page(context, `/players/${person(1).uuid}`)), /0 points · 1 objective /);
  assert.equal(textOf(detail).match(/1 Mar 2026/g)?.length, 1, 'the time stands once');
});

onEachDatabase('the statistics of a player show the draws that the win rate leaves out', async (t, url) => {
  const context = await testContext(t, url);
  const results = ['Red', 'Red', 'Blue', '', ''];
  await sendEvents(context, ...results.map((win) => match({ win, teams: [team('Red', 1), team('Blue', 2)] })));
  const shown = textOf(await page(context, `/players/${person(1).uuid}`));
  assert.match(shown, /67%.* Matches 5 Wins 2 Losses 1 Draws 2 /);
  assert.match(shown, /Mode Matches Wins Draws Win rate .*5 2 2 67%/);
});

onEachDatabase('numbers of a match row stay beside their words', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({ teams: [team('Red', { ...person(1), kill_count: 74 }), team('Blue', 2)] }));
  assert.match(
    await page(context, '/matches'),
    /<span class="unbroken">2 players<\/span> · <span class="unbroken">74 kills</,
  );
});

test('addresses that people type lead to the page, and pages name their icons and colours', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url);
  t.after(() => database.drop());
  const redirect = async (path: string, init?: RequestInit): Promise<unknown[]> => {
    const { status, headers } = await get(context, path, init);
    return [status, headers.get('location')];
  };
  assert.deepEqual(await redirect('/login'), [302, '/console/sign-in']);
  assert.deepEqual(await redirect('/leaderboard'), [302, '/leaderboards']);
  assert.deepEqual(await redirect('/matches/'), [301, '/matches']);
  assert.deepEqual(await redirect('/matches///?gamemode=ctw'), [301, '/matches?gamemode=ctw']);
  assert.deepEqual(await redirect('//evil.example/'), [301, '/evil.example']);
  assert.deepEqual(await redirect('/\\evil.example/'), [301, '/evil.example']);
  assert.deepEqual(await redirect('//'), [404, null]);
  assert.deepEqual(await redirect('/matches/', { method: 'POST' }), [405, null]);
  const home = await page(context, '/');
  assert.match(home, /<meta name="theme-color" media="\(prefers-color-scheme: light\)" content="#fffdf8"/);
  assert.match(home, /<meta name="theme-color" media="\(prefers-color-scheme: dark\)" content="#1a1f29"/);
  const [, icon] = /<link rel="apple-touch-icon" href="([^"]+)">/.exec(home)!;
  assert.deepEqual(await redirect('/apple-touch-icon.png'), [302, icon]);
  const png = Buffer.from(await (await get(context, icon!)).arrayBuffer());
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [192, 192]);
});

onEachDatabase('the winner of a free-for-all has no colour of a team', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({ win: 'Player3', gamemode: 'tntrun', teams: [alone(1), alone(2), alone(3)] }));
  const list = await page(context, '/matches');
  assert.match(textOf(list), /Player3 won/);
  assert.ok(!/team-chip c-/.test(list));
  const [, id] = /href="\/matches\/([0-9a-z]{11})"/.exec(list)!;
  const detail = await page(context, `/matches/${id}`);
  assert.ok(!/c-red|score-line/.test(detail), 'no colours and no line of scores');
  assert.equal(detail.match(/<table/g)?.length, 1);
  assert.match(textOf(detail), /Free-for-all.*Player3 Winner 3 0 0 .*Player2 2 0 0 .*Player1 1 /);
});

onEachDatabase('a server card tells offline, idle and busy apart; the home page names its feeds', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Never'), presence('Gone'), configured('Idle'));
  context.clock.advance(600_000);
  await sendEvents(
    context,
    presence('Idle', {}, { time: after(600_000) }),
    presence('Busy', { players: ['A'], current_map: 'Twin Peaks' }, { time: after(600_000) }),
  );
  const body = await page(context, '/');
  const cardOf = (name: string): string =>
    textOf(body.split('class="server card').find((card) => card.includes(`<bdi>${name}<`))!);
  assert.match(cardOf('Never'), /Offline never seen/);
  assert.match(cardOf('Gone'), /Offline last seen 1 Mar 2026, 12:00 UTC/);
  assert.match(cardOf('Idle'), /No match is running 0 players/);
  assert.match(cardOf('Busy'), /Twin Peaks 1 player/);
  for (const feed of ['matches', 'punishments'])
    assert.match(
      body,
      new RegExp(`<link rel="alternate" type="application/atom\\+xml" title="Feed of ${feed}" href="/${feed}.atom"`),
    );
});

test('the home page of a network of 300 servers is no longer than others', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  const names = Array.from({ length: 300 }, (_, number) => `Server ${number + 100}`);
  const players = Array.from({ length: 25 }, (_, number) => `P${number}_of_some_length`.slice(0, 16));
  const busy = (name: string) => presence(name, { players, current_map: 'Twin Peaks' });
  await sendEvents(context, ...names.map((name) => configured(name, { max: 40 })), ...names.slice(1).map(busy));
  const body = await page(context, '/');
  assert.ok(body.length <= 100_000, `${body.length} characters`);
  assert.equal(body.match(/class="server card/g)?.length, 20);
  for (const name of names) assert.ok(body.includes(`<bdi>${name}</bdi>`), name);
  assert.match(textOf(body), /and 15 others .* and 280 others .* Server 399 Twin Peaks 25 \/ 40/);
});

onSqlite('the page about privacy says whether matches name private players', async (t, url) => {
  for (const setting of ['name', 'hidden']) {
    const context = await testContext(t, url, { PRIVATE_IN_MATCHES: setting });
    const [en, ja] = [await page(context, '/privacy'), await page(context, '/privacy?lang=ja')];
    assert.equal(/punishments and the players of matches stay public/.test(en), setting === 'name');
    assert.equal(/処分と試合の参加者は公開/.test(ja), setting === 'name');
    assert.match(en + ja, /(punishments|matches) stay public[^]*は公開されます/);
  }
});

/** The text of a page without its markup. */
const textOf = (markup: string): string => markup.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const scored = (name: string, score: number, ...players: Parameters<typeof team>[1][]) => ({
  ...team(name, ...players),
  score,
});

const alone = (number: number) => ({ ...team(`Player${number}`, number), score: number });

onEachDatabase('a punishment in the list has its page, also under a pseudonym', async (t, url) => {
  const context = await testContext(t, url);
  const rogue = person(1, 'Rogue');
  const [id] = await sendEvents(context, punishment('b1', rogue, { reason: 'Griefing' }));
  const erased = await erasePlayer(context.db, context.clock.now(), rogue.uuid);
  assert.ok('uuid' in erased);
  for (const path of ['/punishments', `/punishments/${id}`, '/punishments.atom', `/players/${erased.uuid}`]) {
    const html = await page(context, path);
    assert.match(html, /deleted-[0-9a-z]{6}/, path);
    assert.match(html, path.startsWith('/players') ? /Griefing|Banned/ : /Griefing/, path);
    assert.doesNotMatch(html, /Rogue/, path);
  }
});
