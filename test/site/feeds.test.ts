import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import sax from 'sax';
import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
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
