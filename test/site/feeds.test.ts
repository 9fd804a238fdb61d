import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import sax from 'sax';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { after, configured, map, match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { idOf } from '#platform/ids.ts';
import { healthOf } from '#store/installation/health.ts';
import { mapByName } from '#store/game/maps/maps.ts';
import { serverByName } from '#store/game/servers.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';
import { get, page, SITE } from './request.ts';

onEachDatabase('feeds and sitemaps are well-formed XML and contain every page', async (t, url) => {
  const context = await testContext(t, url);
  const [id] = await sendEvents(
    context,
    match({ map: 'A & B <c>', win: 'Red', teams: [team('Red', 1)] }),
    punishment('p', person(1), { reason: ']]> & <b>' }),
  );
  await runJobsOnce(context);
  const feed = elements(await page(context, '/matches.atom'));
  assert.deepEqual(feed['title'], ['Scorehall: Matches', 'A & B <c> on Alpha']);
  assert.deepEqual(feed['id']!.at(-1), `${SITE}/matches/${id}`);
  assert.match(elements(await page(context, '/punishments.atom'))['content']![0]!, /\]\]&gt; &amp; &lt;b&gt;/);
  // Stored before such texts were refused; XML cannot hold them.
  await context.db.run(sql`update punishments set reason = ${'a\ufffeb\uffffc'}`);
  assert.match(elements(await page(context, '/punishments.atom'))['content']![0]!, /a\ufffdb\ufffdc/);
  const files = elements(await page(context, '/sitemap.xml'))['loc']!;
  const pages = await Promise.all(
    files.map(async (file) => elements(await page(context, file.replace(SITE, '')))['loc']),
  );
  assert.ok(pages.flat().includes(`${SITE}/matches/${id}`));
  assert.ok(pages.flat().includes(`${SITE}/players/${person(1).uuid}`));
  assert.match(await page(context, '/robots.txt'), new RegExp(`Sitemap: ${SITE}/sitemap.xml`));
  assert.equal((await get(context, '/sitemaps/matches-00000000001.xml')).status, 200);
  assert.equal((await get(context, '/sitemaps/tokens-00000000000.xml')).status, 404);
});

onEachDatabase('a feed that has not changed is answered with 304', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({}), punishment('p', person(1)));
  for (const path of ['/matches.atom', '/punishments.atom']) {
    const { headers } = await get(context, path);
    const conditional = { headers: { 'if-none-match': headers.get('etag')! } };
    const second = await get(context, path, conditional);
    assert.deepEqual([second.status, await second.text(), second.headers.get('etag')], [304, '', headers.get('etag')]);
    const japanese = await get(context, `${path}?lang=ja`, conditional);
    assert.equal(japanese.status, 200, 'in another language');
  }
  await sendEvents(context, match({}), punishment('q', person(1)));
  for (const path of ['/matches.atom', '/punishments.atom'])
    assert.equal((await get(context, path, { headers: { 'if-none-match': 'W/"x"' } })).status, 200);
});

/** The matches to which a page or feed links. */
const matchesOn = (html: string): string[] => [
  ...new Set([...html.matchAll(/href="[^"]*\/matches\/([0-9a-z]{11})"/g)].map(([, id]) => id!)),
];

/** A match that ended some minutes before the present. */
const endedBefore = (minutes: number) => ({
  started: after(-3_600_000),
  finished: after(-minutes * 60_000),
  ...{ map: 'Isle', gamemode: 'ctw', teams: [] },
});

onEachDatabase('pages and feeds list matches by their end, the data API by their arrival', async (t, url) => {
  const context = await testContext(t, url);
  const minutes = [5, 30, 1, 20, ...Array.from({ length: 30 }, (_, index) => 31 + index), 2];
  const ids = await sendEvents(
    context,
    configured('Alpha'),
    map('Isle'),
    ...minutes.map((one) => match(endedBefore(one))),
  );
  const byEnd = minutes
    .map((one, index) => ({ one, id: ids[index + 2]! }))
    .sort((a, b) => a.one - b.one || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
  assert.deepEqual(matchesOn(await page(context, '/matches.atom')), byEnd);
  const server = (await serverByName(context.db, 'Alpha'))!;
  const isle = (await mapByName(context.db, 'Isle'))!;
  for (const path of ['/', `/servers/${idOf(server.key)}`, `/maps/${idOf(isle.key)}`]) {
    const listed = matchesOn(await page(context, path));
    assert.ok(listed.length > 2, path);
    assert.deepEqual(listed, byEnd.slice(0, listed.length), path);
  }
  for (const query of ['', '&gamemode=ctw', '&map=Isle', `&server=${idOf(server.key)}`]) {
    const walked: string[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const html: string = await page(context, `/matches?max_id=${next}${query}`);
      walked.push(...matchesOn(html.replace(/<nav class="pager"[\s\S]*/, '')));
      next = /rel="next" href="[^"]*max_id=([0-9a-z]{11})/.exec(html)?.[1];
    }
    assert.deepEqual(walked, byEnd, query);
  }
  assert.equal(
    (await healthOf(context.db, { now: 0, since: 0, mailServer: '' })).last_match,
    Date.parse(after(-60_000)),
  );
});

/** The texts of an XML document by element name. */
function elements(xml: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  let text = '';
  const parser = sax.parser(true);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- sax has nothing else
  parser.onerror = (error) => assert.fail(error);
  parser.onopentag = () => void (text = '');
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- sax has nothing else
  parser.ontext = (part) => void (text += part);
  parser.onclosetag = (name) => void (found[name] ??= []).push(text);
  parser.write(xml).close();
  return found;
}

test('Open Graph images are PNGs of 1200 × 630 pixels', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url);
  t.after(() => database.drop());
  const [id] = await sendEvents(
    context,
    match({ map: '桜の丘', win: 'Équipe', teams: [team('Équipe', person(1, 'x'.repeat(64)) as never), team('青', 2)] }),
    punishment('p', person(2)),
  );
  for (const path of [
    `/cards/matches/${id}.png`,
    `/cards/players/${person(1).uuid}.png`,
    `/cards/players/${person(2).uuid}.png`,
  ]) {
    const response = await get(context, path);
    assert.equal(response.headers.get('content-type'), 'image/png', path);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630]);
    const start = bytes.indexOf('IDAT');
    const lines = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)));
    assert.equal(lines.length, (1200 * 4 + 1) * 630, 'four bytes for each pixel');
  }
  for (const path of ['/cards/matches/x.png', `/cards/matches/${id}`, '/cards/players/y.png']) {
    assert.equal((await get(context, path)).status, 404, path);
  }
});
