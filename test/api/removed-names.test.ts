import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { playerExport } from '#admin/player-export.ts';
import { jsonPieces } from '#platform/streams/json-stream.ts';
import { playerByUuid } from '#store/game/players.ts';
import { after, event, presence, progress, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { FORMER, HISTORY, OLD, ADA, remove, UUID } from '#test/events/removed-name-network.ts';
import { get as getPage } from '#test/site/request.ts';
import { everyPage } from '#test/site/pages.ts';
import { testApi } from '#test/support/api.ts';

const DEADLINE_MS = 1_000;

/** The beginning of the name, in small letters. */
const WORD = FORMER.slice(0, 6).toLowerCase();

const MATCH_FIELDS = 'fields=teams,objectives,winners,counters';

onEachDatabase('no answer of another process has a removed name a second later', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  const other = await testContext(t, url);
  await sendEvents(context, event('counter.declared', { key: 'best_streak', label: { en: 'Streak' } }));
  const [, , match, , ban] = await sendEvents(context, ...HISTORY);
  const now = { time: after(120_000) };
  await sendEvents(context, presence('Alpha', { players: [FORMER, 'Ada'], current: 2 }, now));
  await sendEvents(context, progress({ started: after(100_000), teams: [team(FORMER, OLD), team('Ada', ADA)] }, now));
  const { id: server } = (await get('/v1/servers')).json[0];
  const showing = [
    `/v1/players?names=${FORMER}`,
    `/v1/players?search=${WORD}`,
    `/v1/players/${FORMER}`,
    `/v1/players/${UUID}?fields=names,kills,ctw,matches`,
    `/v1/players/${ADA.uuid}?fields=kills,matches`,
    `/v1/players/${UUID}/punishments`,
    '/v1/matches',
    `/v1/matches?${MATCH_FIELDS}`,
    `/v1/matches/${match}`,
    `/v1/matches/${match}?${MATCH_FIELDS}`,
    '/v1/punishments?fields=revocation',
    `/v1/punishments/${ban}`,
    '/v1/changes?after=0&expand=1',
    '/v1/servers',
    `/v1/servers/${server}/live-match`,
    '/v1/live-matches',
  ];
  const own = ['/matches.atom', '/punishments.atom', `/search?q=${WORD}`, `/players/${UUID}`, `/matches/${match}`];
  const pages = new Set([...(await everyPage(db)).map(({ path }) => path), ...own]);
  const ofAda = (await playerByUuid(db, ADA.uuid))!;
  /** The places that have the name. A search has it itself, as the text of its field. */
  const found = async (): Promise<string[]> => {
    const texts: [path: string, text: string][] = [];
    for (const path of showing) texts.push([path, (await get(path)).text]);
    for (const path of pages) texts.push([path, await (await getPage(context, path)).text()]);
    const pieces = await Array.fromAsync(jsonPieces(await playerExport(db, ofAda, clock.now())));
    texts.push(['the export of another', pieces.join('')]);
    return texts.filter(([, text]) => text.toLowerCase().includes(FORMER.toLowerCase())).map(([path]) => path);
  };
  const before = new Set(await found());
  assert.deepEqual(await found(), [...before], 'from the caches');
  const named = showing.filter((path) => path.includes(FORMER));
  assert.deepEqual(
    showing.filter((path) => !before.has(path) && !named.includes(path)),
    [],
  );
  for (const path of [`/search?q=${WORD}`, `/players/${UUID}`, '/punishments', 'the export of another'])
    assert.ok(before.has(path), path);
  assert.equal((await get(`/v1/matches?player=${FORMER}`)).json.length, 3);

  await remove(other);

  const deadline = performance.now() + DEADLINE_MS;
  for (let left = await found(); ; left = await found()) {
    const answered = left.filter((path) => !named.includes(path));
    if (answered.length === 0) break;
    assert.ok(performance.now() < deadline, answered.join('\n'));
    await pause(50);
  }
  assert.equal((await get(`/v1/players?names=${FORMER}`)).json[0].status, 'not_found');
  assert.equal((await get(`/v1/players/${FORMER}`)).status, 404);
  assert.deepEqual((await get(`/v1/matches?player=${FORMER}`)).json, []);
});
