import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { apiDocument } from '#api/index.ts';
import { createSite } from '#site/index.ts';
import { Cards, Painter } from '#site/cards.ts';
import { familyOf, fitted, textWidth } from '#site/open-graph/font.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { after, event, map, match, person, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { get, page, SITE } from './request.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const sizeOf = (png: Buffer): number[] => [png.readUInt32BE(16), png.readUInt32BE(20)];

onEachDatabase('every page names a card, which is a PNG and is not drawn again for 304', async (t, url) => {
  const context = await testContext(t, url, { NETWORK_NAME: '港の network' });
  const [matchId, mapId] = await sendEvents(
    context,
    match({ map: 'Гавань', win: '赤', teams: [team('赤', 1), team('שלום', 2)] }),
    map('Гавань'),
  );
  const paths = ['/', '/matches', '/punishments', '/privacy', '/developers', `/matches/${matchId}`, `/maps/${mapId}`, `/players/${person(1).uuid}`]; // prettier-ignore
  const cards = new Set<string>();
  for (const path of paths) {
    const [, card] = /<meta property="og:image" content="http:\/\/127\.0\.0\.1:7402([^"]+)"/.exec(
      await page(context, path),
    )!;
    cards.add(card!);
  }
  assert.equal(cards.size, 4, [...cards].join(' '));
  const etags = new Set<string>();
  for (const card of cards) {
    const response = await get(context, card);
    assert.equal(response.headers.get('content-type'), 'image/png', card);
    assert.deepEqual(sizeOf(Buffer.from(await response.arrayBuffer())), [1200, 630]);
    const etag = response.headers.get('etag')!;
    etags.add(etag);
    assert.equal((await get(context, card, { headers: { 'if-none-match': etag } })).status, 304);
  }
  assert.equal(etags.size, 4);
  const japanese = await get(context, '/cards/site.png?lang=ja');
  assert.ok(!etags.has(japanese.headers.get('etag')!));
  assert.equal((await get(context, `/cards/matches/${matchId}`)).status, 404);
  for (const path of ['/cards/matches/nothing.png', '/cards/players/x.png', '/cards/maps/00000000000.png'])
    assert.equal((await get(context, path)).status, 404, path);
});

onEachDatabase('a card shows the picture of the map, unless the renderer would need much memory', async (t, url) => {
  const context = await testContext(t, url);
  const scored = { ...person(1), kill_count: 3 };
  const [id] = await sendEvents(context, match({ map: 'Lantern', teams: [team('Red', scored), team('Blue', 2)] }));
  let versions = 0;
  const drawn = async (bytes: Buffer | undefined): Promise<string> => {
    const image = bytes && ({ content_type: 'image/png', data: bytes.toString('base64') } as const);
    const version = ++versions;
    await sendEvents(context, map('Lantern', { image, version: `1.0.${version}` }, { time: after(version) }));
    const response = await get(context, `/cards/matches/${id}.png`);
    assert.deepEqual(sizeOf(Buffer.from(await response.arrayBuffer())), [1200, 630]);
    return response.headers.get('etag')!;
  };
  const plain = await drawn(undefined);
  const wide = Buffer.from(PIXEL);
  wide.writeUInt32BE(2_049, 16);
  assert.equal(await drawn(Buffer.concat([wide, Buffer.alloc(1)])), plain, 'more than 2048 pixels');
  assert.equal(await drawn(PIXEL.subarray(0, 20)), plain, 'no whole header');
  assert.notEqual(await drawn(PIXEL), plain);
});

onEachDatabase('a board has a card, which its page names with its parameters and language', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, match({ win: 'Red', teams: [team('Red', 1), team('Blue', 2)] }));
  await runJobsOnce(context);
  const cardOf = async (path: string): Promise<string> =>
    /<meta property="og:image" content="http:\/\/127\.0\.0\.1:7402([^"]+)"/.exec(await page(context, path))![1]!;
  const board = await cardOf('/leaderboards?period=all&by=play&lang=ja');
  assert.equal(board, '/cards/leaderboards.png?mode=total&amp;period=all&amp;by=play&amp;lang=ja');
  assert.equal(await cardOf('/leaderboards?period=week&ago=1'), '/cards/site.png');
  const etagOf = async (path: string): Promise<string | null> => (await get(context, path)).headers.get('etag');
  const wins = await etagOf('/cards/leaderboards.png?period=all');
  assert.notEqual(await etagOf('/cards/leaderboards.png?period=all&by=play'), wins);
  assert.equal((await get(context, '/cards/leaderboards.png?by=luck')).status, 400);
  await sendEvents(
    context,
    event('player.privacy', { player: person(1).uuid, profile: true, online: false, names: false }),
  );
  assert.notEqual(await etagOf('/cards/leaderboards.png?period=all'), wins, 'a private player is not on it');
});

onEachDatabase('the card of a player has the best place, the best map and the favourite victim', async (t, url) => {
  const context = await testContext(t, url);
  const cards = new Cards();
  cards.response = async (svg) => new Response(svg);
  const site = createSite(context, async () => apiDocument(context.config), cards);
  const wordsOf = async (player: { uuid: string }, query = ''): Promise<string> => {
    const svg = await (await site.request(`${SITE}/cards/players/${player.uuid}.png${query}`)).text();
    return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words]) => words!.trim()).join(' | ');
  };
  const [ada, bob, cat] = [person(1, 'Ada'), person(2, 'Bob'), person(3, 'Cat')];
  const [killed] = [{ killer: ada.uuid, victim: bob.uuid, time: match().time }];
  await sendEvents(
    context,
    match({
      ...{ map: 'Isle', win: 'Red', teams: [team('Red', { ...ada, kill_count: 3 }, cat), team('Blue', bob)] },
      kills: [killed, killed, killed],
    }),
    match({ win: 'Red', teams: [team('Red', cat), team('Blue', ada)] }),
    match({ win: 'Red', teams: [team('Red', cat), team('Blue', 4)] }),
  );
  await runJobsOnce(context);
  assert.match(
    await wordsOf(ada),
    /Matches \| .* \| 2nd of 4 by matches \| Best map \| Isle \| Favourite victim \| Bob$/,
  );
  assert.match(
    await wordsOf(ada, '?lang=ja'),
    /\| 4 人中 2 位（試合数） \| 得意なマップ \| Isle \| 最も多く倒した相手 \| Bob$/,
  );
  assert.match(await wordsOf(cat), /\| No\. 1 of all time by wins \| Best map \| \S+( \S+)*$/);
  assert.match(await wordsOf(bob), /\| 3rd of 4 by matches$/);
  const choice = { profile: true, online: false, names: false };
  await sendEvents(context, event('player.privacy', { player: bob.uuid, ...choice }));
  assert.match(await wordsOf(ada), /\| Best map \| Isle$/);
  await sendEvents(context, event('player.privacy', { player: ada.uuid, ...choice }));
  assert.match(await wordsOf(ada), /\| Ada \| Private profile$/);
});

test('letters of every script are drawn, and the queue of drawings is bounded', async (t) => {
  const painter = new Painter();
  t.after(() => painter.close());
  const drawn = await Promise.all(
    ['', 'A', '港', 'Ж', 'ع', '항', 'ไ', '😀'].map((text) =>
      painter.png(
        `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><text y="56" font-size="48">${text}</text></svg>`,
      ),
    ),
  );
  const pictures = drawn.map((png) => pixelsOf(Buffer.from(png)));
  assert.equal(new Set(pictures).size, pictures.length, 'each differs from the others and from nothing');
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => painter.png(svg)));
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 8);
  await painter.close();
  assert.ok((await painter.png(svg)).length > 0, 'a closed thread starts again');
});

/** The compressed pixels of a PNG, uncompressed. */
function pixelsOf(png: Buffer): string {
  const start = png.indexOf('IDAT');
  return inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4))).toString('base64');
}

test('a text has one font and the largest size that fits, and is shortened between characters at the smallest', () => {
  const families = ['Größe – 7 · “x”', 'łódź', 'Größe 港', 'שלום'].map(familyOf);
  assert.deepEqual(families, ['Bricolage Grotesque', 'UnifontEX', 'UnifontEX', 'UnifontEX']);
  assert.deepEqual(fitted('Harbour', 1000, [96, 48]), { text: 'Harbour', size: 96 });
  assert.deepEqual(fitted('Harbour', 200, [96, 48]), { text: 'Harbour', size: 48 });
  assert.deepEqual(fitted('港'.repeat(10), 240, [48]), { text: `${'港'.repeat(4)}…`, size: 48 });
  assert.ok(textWidth(fitted('👩‍👩‍👧‍👦'.repeat(9), 480, [48]).text) * 48 <= 480);
});
