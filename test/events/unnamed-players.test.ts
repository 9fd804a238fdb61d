import assert from 'node:assert/strict';
import { systemClock } from '#platform/clock.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { uuidLabel } from '#text/text.ts';
import { importMinecraft } from '#importers/minecraft.ts';
import { runImport } from '#cli/import/run.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { importCore } from '#cli/import/core.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { testApi } from '#test/support/api.ts';
import {
  account,
  after,
  BEGINNING,
  configured,
  event,
  login,
  match,
  person,
  presence,
  sendEvents,
  statistics,
} from '#test/support/builders.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { onEachDatabase, twoDatabases } from '#test/support/context.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { page } from '#test/site/request.ts';

const ANN = '8667ba71-b85a-4004-af54-457a9734eed7';
const LABEL = '8667ba71-457a9734eed7';
const BEN = '1111ba71-b85a-4004-af54-457a9734eed7';

const unnamed = (uuid: string): WireEvent =>
  event('player.statistics', { player: { uuid }, gamemode: 'factions', kill_count: 2 });

onEachDatabase(
  'a player without a known name is shown under a label of the UUID until a name comes',
  async (t, url) => {
    const { context, get } = await testApi(t, url);
    const { db, clock } = context;
    await sendEvents(context, configured('Alpha'), unnamed(ANN));

    await t.test('in the API, on the site and in the search', async () => {
      const { json } = await get(`/v1/players/${ANN}?fields=factions`);
      assert.deepEqual([json.name, json.uuid, json.factions.kill_count], [LABEL, ANN, 2]);
      assert.equal((await get(`/v1/players/${json.id}`)).json.uuid, ANN);
      assert.match(await page(context, `/players/${ANN}`), new RegExp(`<h1[^>]*>.*${LABEL}`, 's'));
      for (const text of [LABEL, LABEL.toUpperCase(), '8667ba71-b85a']) {
        assert.equal((await get(`/v1/players/${text}`)).status, 404, 'a label is no key');
        assert.deepEqual((await get(`/v1/players?names=${text}`)).json[0].status, 'not_found');
        const isUuid = ANN.startsWith(text);
        const found = (await page(context, `/search?q=${text}`)).includes(`/players/${ANN}`);
        assert.equal(found, isUuid, 'the search takes the beginning of a UUID, and no label');
      }
    });

    await t.test('which is no name for importers and accounts', async () => {
      const network = importCore(db, clock);
      assert.deepEqual([await network.nameOf(ANN), await network.observationOf(ANN)], [undefined, undefined]);
      const { id } = await account(context, 'Chosen');
      assert.equal(await db.transaction((tx) => linkPlayer(tx, id, { uuid: ANN, name: 'Chosen' })), undefined);
      await sendEvents(context, unnamed(ANN));
      assert.equal((await accountById(db, id))!.name, 'Chosen');
    });

    const [named] = await sendEvents(context, login('Alpha', { uuid: ANN, name: 'Ann' }, { time: after(-1000) }));

    await t.test('the first name replaces it, and no later event without a name takes that away', async () => {
      await sendEvents(context, unnamed(ANN));
      const { json } = await get(`/v1/players/${ANN}?fields=factions`);
      assert.deepEqual([json.name, json.factions.kill_count], ['Ann', 6]);
      const names = await namesOf(db, (await playerByUuid(db, ANN))!.key);
      assert.deepEqual(
        names.map(({ name }) => name),
        ['Ann'],
      );
    });

    await t.test('withdrawing the name brings it back', async () => {
      await retractEvents(db, clock, [keyOf(named!)!]);
      assert.equal((await get(`/v1/players/${ANN}`)).json.name, LABEL);
    });

    await t.test('a merge shows the label of the UUID that remains', async () => {
      await sendEvents(context, event('player.merged', { from: ANN, into: BEN }));
      assert.equal((await get(`/v1/players/${ANN}`)).json.name, '1111ba71-457a9734eed7');
      await sendEvents(context, unnamed(ANN));
      const { json } = await get(`/v1/players/${BEN}?fields=factions`);
      assert.deepEqual([json.name, json.factions.kill_count], ['1111ba71-457a9734eed7', 8]);
    });
  },
);

onEachDatabase('an export keeps a player without a name, with the same id', async (t, _url, dialect) => {
  const [one, other] = await twoDatabases(t, dialect);
  const clock = { ...systemClock, now: () => Date.parse(after(0)) };
  await sendEvents({ db: one, clock }, configured('Alpha'));
  const [, receipt] = await sendEvents({ db: one, clock }, unnamed(ANN), statistics({ uuid: ANN, name: 'Ann' }));
  const [first] = await sendEvents({ db: one, clock }, unnamed(BEN));
  await sendEvents({ db: one, clock }, unnamed(BEN));
  await retractEvents(one, clock, [keyOf(receipt!)!, keyOf(first!)!]);
  const events = await Array.fromAsync(exportEvents(one));
  assert.ok(
    events.some(({ type, data }) => type === 'player.known' && !('name' in (data as { player: object }).player)),
  );
  const receipts = await ingestEvents(other, clock, { kind: 'operator' }, events);
  assert.deepEqual(
    receipts.filter(({ status }) => status !== 'accepted'),
    [],
  );
  for (const uuid of [ANN, BEN])
    assert.deepEqual(await playerByUuid(other, uuid), await playerByUuid(one, uuid), 'name and key are the same');
});

onEachDatabase('an account is created for a player without a name under the chosen name', async (t, url) => {
  const { context } = await testApi(t, url);
  await sendEvents(context, unnamed(ANN));
  const environment = { DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY };
  const options = ['--name', 'Chosen', '--email', 'a@example.org', '--uuid', ANN, '--json'];
  const { status, out, err } = await scorehall(environment, 'account', 'create', ...options);
  assert.deepEqual([status, err], [0, '']);
  assert.equal((JSON.parse(out) as { name: string }).name, 'Chosen');
});

onEachDatabase('Bedrock players without a name have different labels, which find nobody', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const uuids = [1, 2, 3].map((last) => `00000000-0000-0000-0009-01f3a4b5c60${last}`);
  const stats = { stats: { 'minecraft:custom': { 'minecraft:deaths': 23, 'minecraft:player_kills': 15 } } };
  await using folder = await folderOf(
    Object.fromEntries(uuids.map((uuid) => [`world/stats/${uuid}.json`, JSON.stringify(stats)])),
  );
  const listener = {
    refused: (_: unknown, reason: string) => assert.fail(reason),
    noted: () => undefined,
    progressed: () => undefined,
  };
  const options = { server: 'Alpha', create: true };
  await runImport(db, clock, importMinecraft(folder.path, importCore(db, clock), options), listener);
  const names = await Promise.all(uuids.map(async (uuid) => (await get(`/v1/players/${uuid}`)).json.name as string));
  assert.equal(new Set(names).size, 3, names.join());
  for (const text of [...names, '00000000-0000', '%20', ''])
    assert.equal((await get(`/v1/players?names=${text},${text}`)).json[0]?.uuid, undefined);
  for (const text of [...names, '00000000-0000', '%E2%80%8B'])
    assert.equal((await get(`/v1/players/${text}`)).status, 404, text);
  assert.deepEqual(await db.all(sql`select key from players where name_key <> ''`), []);
});

onEachDatabase('a name without a visible character costs no match, and leaves a warning', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const unseen = [' ', '\u00a0', '\u200b\u2060', '\u3164', '\u2800', '\u202e', '\u0000', '\ufeff\u115f'];
  const players = unseen.map((name, number) => ({ ...person(number), name }));
  const seen = [person(100, 'A\u200bB'), person(101, '\u0301x'), person(102, '\u30c4')];
  const sent = match({
    teams: [{ name: 'Red', players: [...players, ...seen] }],
    objectives: [{ player: players[3]!, team: 'Red', type: 'wool', name: 'Blue wool', time: BEGINNING }],
  });
  const others = [
    login('Alpha', players[1]!),
    event('punishment.issued', { punishment: 'one', punished: players[2]!, type: 'ban' }, { server: 'Alpha' }),
    event('player.statistics', { player: players[4]!, gamemode: 'factions', kill_count: 2 }),
    presence('Alpha', { players: ['Ann', '\u200b'], current: 2 }),
  ];
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, [sent, ...others]);
  assert.deepEqual(new Set(receipts.map(({ status }) => status)), new Set(['accepted']), JSON.stringify(receipts));
  const warnings = receipts.map((receipt) => ('warnings' in receipt ? (receipt.warnings ?? []) : []));
  assert.deepEqual(
    warnings.map((list) => list.length),
    [5, 1, 1, 1, 1],
  );
  assert.match(warnings[0]![0]!.reason, /`data\.teams\[0\]\.players\[0\]\.name` has no visible character/);

  const idOfReceipt = (receipts[0] as { receipt: string }).receipt;
  const { json } = await get(`/v1/matches/${idOfReceipt}`);
  const shown = (json.teams[0].players as { name: string; uuid: string }[]).map(({ name }) => name);
  assert.deepEqual(shown, [...players.map(({ uuid }) => uuidLabel(uuid)), ...seen.map(({ name }) => name)]);
  assert.doesNotMatch(JSON.stringify(json), /\u3164/, 'nor in the objectives');
  for (const { uuid } of players) assert.equal((await get(`/v1/players/${uuid}`)).json.name, uuidLabel(uuid));
  for (const text of ['%20', '%E2%80%8B%E2%81%A0', '%E3%85%A4', uuidLabel(players[0]!.uuid)])
    assert.equal((await get(`/v1/players/${text}`)).status, 404, text);
  const body = await db.get<{ body: string }>(sql`select body from ledger where type = 'match.finished'`);
  assert.match(body!.body, /\u3164|\\u3164/, 'stored as it was sent');
  assert.deepEqual((await get('/v1/servers')).json[0].players, ['Ann']);

  // A name that can be seen replaces the label, whatever its time.
  await sendEvents(context, login('Alpha', { uuid: players[0]!.uuid, name: 'Zed' }, { time: after(-3_600_000) }));
  assert.equal((await get('/v1/players/zed')).json.uuid, players[0]!.uuid);
  await retractEvents(db, clock, [keyOf(idOfReceipt)!]);
  assert.equal((await get(`/v1/players/${players[0]!.uuid}`)).json.name, 'Zed');

  const { id } = await account(context, 'Chosen');
  const link = event('account.link', { player: players[1]!, code: await newLinkCode(db, clock.now(), id) });
  await sendEvents(context, link);
  const { name, player_uuid } = (await accountById(db, id))!;
  assert.deepEqual([name, player_uuid], ['Chosen', players[1]!.uuid], 'an account keeps its name');
});
