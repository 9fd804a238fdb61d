import assert from 'node:assert/strict';
import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { after, configured, map, match, person, presence, progress, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { get, page } from './request.ts';

const MINUTE = 60_000;

onEachDatabase('the page of a server shows the running match, and those seen without a result', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha', { max: 20 }), map('Twin Peaks'));
  const path = `/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`;
  assert.match(await page(context, path), /Offline[^]*No match is running\.[^]*No finished matches yet/);

  const red = { ...team('Red', { ...person(1, 'Ada'), kill_count: 3, score: 2 }), color: 'red' };
  const flag = { player: null, team: 'Red', type: 'flag', name: 'Hill <b>', time: after(-1000) } as const;
  await sendEvents(
    context,
    presence('Alpha', { current: 1, players: ['Ada', 'Eve'], gamemode: 'ctw', current_map: 'Twin Peaks' }),
    progress({ map: '<i>Old', started: after(-60 * MINUTE) }, { time: after(-50 * MINUTE) }),
    progress({ observers: 1, teams: [red, team('Blue <b>', 2)], objectives: [flag] }),
  );
  const shown = await page(context, path);
  const parts = [
    /data-part="now"[^]*Twin Peaks<\/bdi><\/a>[^]*2 \/ 20 players/,
    /score c-red[^]*>2<[^]*Blue &lt;b&gt;[^]*Running<[^]*10:00[^]*Playing<\/dt>\s*<dd>2<[^]*Watching<\/dt>\s*<dd>1</,
    /Hill &lt;b&gt;[^]*Ada[^]*Seen without a result[^]*&lt;i&gt;Old[^]*10:00/,
  ];
  for (const part of parts) assert.match(shown, part);
  assert.doesNotMatch(shown, /<b>|<i>Old/);
  assert.match(await page(context, `${path}?lang=ja`), /進行中の試合[^]*結果のない試合/);
  assert.match(await page(context, '/'), new RegExp(`href="${path}"[^]*10:00[^]*Red[^]*2[^]*Blue`));
  assert.match(await page(context, '/matches'), /No finished matches yet/);

  await sendEvents(context, progress({ phase: 'starting', started: undefined, map: 'Next' }, { time: after(1) }));
  assert.match(await page(context, path), /Starting soon/);
  const ended = { started: after(-10 * MINUTE), finished: after(0) };
  await sendEvents(
    context,
    match({ map: '<i>Old', started: after(-61 * MINUTE), finished: after(-50 * MINUTE) }),
    match(ended),
  );
  const reported = await page(context, path);
  assert.doesNotMatch(reported, /Seen without a result/);
  assert.equal(reported.match(/class="match-row"/g)?.length, 2);
  for (const wrong of ['nothing', '00000000000']) assert.equal((await get(context, `/servers/${wrong}`)).status, 404);
});

onEachDatabase('the home page begins with the running matches of most players, with their faces', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, map('Twin Peaks'));
  const sizes = { Alpha: 1, Beta: 3, Gamma: 2, Delta: 4, Epsilon: 5 };
  for (const [server, players] of Object.entries(sizes)) {
    const red = team('Red', ...Array.from({ length: players }, (_, index) => index + 1));
    await sendEvents(
      context,
      presence(server),
      progress({ teams: [{ ...red, score: players }, team('Blue')] }, { server }),
    );
  }
  await sendEvents(context, presence('Zeta'), progress({ phase: 'starting', started: undefined, teams: [team('Red', 9)] }, { server: 'Zeta' })); // prettier-ignore
  // The players of 200 matches would take longer to parse than the rest of the page.
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  await context.db.run(sql`update live_matches set teams = 'not parsed' where server_key = ${key}`);
  const shown = await page(context, '/');
  const [, running] = /data-part="running">([^]*?)<\/ul>/.exec(shown)!;
  const cards = running!.split('<li class="banner"').slice(1);
  assert.deepEqual(
    cards.map((card) => /on (\w+)"/.exec(card)![1]),
    ['Epsilon', 'Delta', 'Beta', 'Gamma'],
  );
  assert.match(
    cards[1]!,
    /<bdi>Twin Peaks<[^]*<bdi>Red<\/bdi> <span class="figures">4<[^]*<bdi>Blue<[^]*10:00 · <[^]*4 players/,
  );
  assert.equal(cards[1]!.match(/class="identicon/g)?.length, 4);
  assert.ok(shown.indexOf('data-part="running"') < shown.indexOf('data-part="servers"'));

  await setHidden(context.db, context.clock.now(), (await serverByName(context.db, 'Delta'))!.key, ['Player1']);
  const [, later] = /data-part="running">([^]*?)<\/ul>/.exec(await page(context, '/'))!;
  const delta = later!.split('<li class="banner"').find((card) => card.includes('on Delta"'))!;
  assert.equal(delta.match(/class="identicon/g)?.length, 3, 'a hidden player has no face');

  context.clock.advance(context.config.PRESENCE_TIMEOUT * 1000 + 1);
  assert.match(await page(context, '/'), /data-part="running"><\/div>/);
});

const SCORE_OF_LIME = /· <bdi>Lime<\/bdi>/;

onEachDatabase('the home page names the map of the running match, whatever the heartbeat says', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(
    context,
    ...[configured('Alpha', { max: 20 }), configured('Lobby', {}), map('Twin Peaks')],
    ...[presence('Alpha', { current: 1, players: ['Ada'] }), presence('Lobby', { current: 1, players: ['Eve'] })],
  );
  const card = async (name: string): Promise<string> =>
    (await page(context, '/'))
      .split('<li class="server')
      .slice(1)
      .find((part) => part.includes(`<bdi>${name}</bdi>`))!;
  assert.match(await card('Alpha'), /No match is running[^]*> \/ 20<[^]*>players</);
  assert.match(await card('Lobby'), /No match is running[^]*>1<[^]*>player</);
  await sendEvents(context, progress());
  assert.match(await card('Alpha'), /href="\/maps\/\w+"><bdi>Twin Peaks<[^]*Capture the Wool[^]*10:00/);
  assert.doesNotMatch(await card('Alpha'), /No match is running/);
  await sendEvents(
    context,
    progress({ teams: [team('Red', 1, 2), team('Blue', 3), team('Lime')] }, { time: after(1) }),
  );
  assert.match(await card('Alpha'), SCORE_OF_LIME, 'three teams with as many players');
  await sendEvents(
    context,
    progress({ teams: [team('Red', 1), team('Blue', 2), team('Lime', 3)] }, { time: after(2) }),
  );
  assert.doesNotMatch(await card('Alpha'), SCORE_OF_LIME, 'everybody plays alone');
  const path = `/servers/${idOf((await serverByName(context.db, 'Alpha'))!.key)}`;
  assert.match(await page(context, path), /1 \/ 20 players/);
});
