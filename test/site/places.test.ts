import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { visitsOf } from '#store/accounts/last-visits.ts';
import { event, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext, type TestAppContext } from '#test/support/context.ts';
import { get, page } from './request.ts';
import { siteSession } from './session.ts';

const HOUR_MS = 3_600_000;

/** A crowd in which person 1 has the given kills, and the others two more than each other. */
async function fill(context: TestAppContext, players: number, own = 0): Promise<void> {
  const crowd = Array.from({ length: players }, (_, number) => ({ ...person(number), kill_count: number * 2 }));
  crowd[1]!.kill_count = own;
  await sendEvents(context, match({ win: 'Red', gamemode: 'ctw', teams: [team('Red', ...crowd)] }));
  await runJobsOnce(context);
}

/** The text of a part of a page, without tags. */
const words = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const win = (number: number) => match({ win: 'Red', teams: [team('Red', number), team('Blue', 3)] });

onEachDatabase(
  'a page shows the places of its player, which lead to the leaderboard around the player',
  async (t, url) => {
    const context = await testContext(t, url);
    await fill(context, 40, 2);
    const own = words(await page(context, `/players/${person(2).uuid}`));
    // The title, three figures with places, form, then all totals without these places.
    assert.match(
      own,
      /No\. 1 of all time by wins.* Wins 1 1st of 40 Matches 1 1st of 40 Kills 4 38th of 39 Form and records .*Best map: .*Current streak .*Win rate Matches 1 1st of 40 in March Wins 1 1st of 40 in March .*Kills 4 38th of 39 in March Deaths/,
    );
    const html = await page(context, `/players/${person(2).uuid}`);
    assert.equal(html.match(/<dd class="place small">/g)!.length, 6);
    const link = /<dd class="place small">\s*<a href="([^"]*by=kill[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const around = await page(context, link);
    const rows = [...around.matchAll(/<tr[^>]*><td class="n rank">(\d+)<\/td>.*?<bdi>(\w+)<\/bdi>/gs)];
    assert.deepEqual(
      rows.map(([row, place, name]) => [place, name, row.includes('class="own"')]),
      [
        ...Array.from({ length: 10 }, (_, index) => [String(28 + index), `Player${12 - index}`, false]),
        ['38', 'Player2', true],
        ['39', 'Player1', false],
      ],
    );
    assert.match(around, /<meta name="robots" content="noindex"/);
    assert.match(words(await page(context, `/players/${person(2).uuid}?lang=ja`)), /39 人中 38 位.*3月：39 人中 38 位/);

    await sendEvents(
      context,
      event('player.privacy', { player: person(2).uuid, profile: true, online: false, names: false }),
    );
    for (const [name, status] of [
      ['Player2', 404],
      [person(0).uuid, 404],
      ['Nobody', 404],
      ['Player3', 200],
    ] as const)
      // prettier-ignore
      assert.equal((await get(context, `/leaderboards?period=all&by=kill&around=${name}`)).status, status, name);
    assert.match(words(await page(context, `/players/${person(3).uuid}`)), /Kills 6 37th of 38/);
  },
);

onEachDatabase('the page of a player without places begins with the totals', async (t, url) => {
  const context = await testContext(t, url);
  await fill(context, 3, 7);
  await sendEvents(
    context,
    event('player.privacy', { player: person(1).uuid, profile: true, online: false, names: false }),
  );
  const cookie = await siteSession(context, { name: 'Mara', linked: true });
  const own = await page(context, `/players/${person(1).uuid}`, { headers: { cookie } });
  assert.match(words(own), /Share Wins 1 Kills 7 Played 0 secs Form and records/);
  assert.ok(!own.includes('class="place'));
});

onEachDatabase('the row of the person who is signed in is on every page of a leaderboard', async (t, url) => {
  const context = await testContext(t, url);
  await fill(context, 40, 1);
  const cookie = await siteSession(context, { name: 'Mara', linked: true });
  const path = '/leaderboards?period=all&by=kill';
  const visitors = await page(context, path);
  assert.ok(!visitors.includes('Your place') && !visitors.includes('Player1<'));
  const response = await get(context, path, { headers: { cookie } });
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  const own = await response.text();
  assert.match(words(own), /Your place: 39th of 39/);
  assert.match(own, /<tr class="own"><td class="n rank">39<\/td>.*<bdi>Player1<\/bdi>/s);
  assert.match(own, /href="\/leaderboards\?period=all&amp;by=kill&amp;around=[-0-9a-f]{36}"/);
  const last = await page(context, `${path}&around=Player3`, { headers: { cookie } });
  assert.equal(last.match(/<bdi>Player1<\/bdi>/g)!.length, 1, 'a row that the page has anyway');
  const unranked = await siteSession(context, { name: 'Olga' });
  assert.ok(!(await page(context, path, { headers: { cookie: unranked } })).includes('Your place'));
});

onEachDatabase(
  'a person reads what has changed since the last visit, which is written once an hour',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    await sendEvents(context, win(1), win(2), win(2), win(2));
    await runJobsOnce(context);
    const cookie = await siteSession(context, { name: 'Mara', linked: true, lifetimeMs: 10 * HOUR_MS });
    const visit = async (path = '/'): Promise<string> => {
      const response = await get(context, path, { headers: { cookie } });
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      return /Since your last visit: [^<]*/.exec(await response.text())?.[0] ?? '';
    };
    const [[id]] = (await db.tuples(sql`select id from accounts where name = 'Mara'`)) as [[string]];
    assert.equal(await visit(), '', 'the first visit');
    await sendEvents(context, win(1), win(1), win(1));
    await runJobsOnce(context);
    assert.equal(await visit(), '', 'within an hour');
    assert.equal((await visitsOf(db, id))!.seen, clock.now());
    clock.advance(HOUR_MS);
    assert.equal(await visit(), 'Since your last visit: 3 wins, place 1, up 1');
    assert.equal(await visit(`/players/${person(1).uuid}`), 'Since your last visit: 3 wins, place 1, up 1');
    const written = await visitsOf(db, id);
    clock.advance(HOUR_MS - 1);
    await sendEvents(context, win(2), win(2));
    await runJobsOnce(context);
    assert.equal(await visit(), 'Since your last visit: 3 wins, place 2', 'compared with the visit before this one');
    assert.deepEqual(await visitsOf(db, id), written);
    assert.equal(await visit(`/players/${person(2).uuid}`), '', 'the page of another player');
    clock.advance(1);
    assert.equal(await visit(), 'Since your last visit: place 2, down 1');

    // Another linked player has no visit before.
    await db.run(sql`update accounts set player_uuid = ${person(2).uuid} where id = ${id}`);
    assert.equal(await visit(), '');
    await deleteAccount(db, clock.now(), id);
    assert.equal(await visitsOf(db, id), undefined);
  },
);
