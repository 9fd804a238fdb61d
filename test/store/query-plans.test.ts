import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import type { Db, Queryable } from '#db/db.ts';
import { insertAll, type Sql, sql, statementText } from '#db/sql.ts';
import { changesWithFeed, readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { readStanding, statsOf } from '#store/game/player-stats.ts';
import { countersOfMatches, readReports, reportsAbout, reportsBetween } from '#store/game/counters/counter-reports.ts';
import { counterByKey } from '#store/game/counters/counters.ts';
import { counterLeaders, valuesOfPlayers } from '#store/game/counters/player-counters.ts';
import {
  hasResult,
  liveMatchOf,
  newestReport,
  removeSeen,
  reportingMatches,
  unreportedMatchesOf,
} from '#store/game/live-matches.ts';
import { deathsBelow, killsBelow, killsOfMatch } from '#store/game/kills.ts';
import {
  countedMatches,
  leaders,
  leadersAround,
  placeOn,
  placesOfPlayer,
  climbers,
} from '#store/game/leaderboards/leaderboards.ts';
import {
  mergeLeaderboards,
  projectMatches,
  removeMatchResult,
  removePlayersFromLeaderboards,
  subtractPlayedTwice,
} from '#store/game/leaderboards/leaderboard-projection.ts';
import { rankedAmong } from '#store/game/unranked-players.ts';
import { listRankedMaps, readRanks } from '#store/game/maps/map-ranks.ts';
import {
  filteredMatches,
  indexOf,
  MATCH_INDEXES,
  type MatchFilters,
  largestMatch,
  listMatchesByKeys,
  listMatchesWhere,
  listPlayedMatches,
  teamsOfMatches,
} from '#store/game/match-lists.ts';
import {
  listMatches,
  listMatchesWithTeams,
  listWholeMatches,
  matchByKey,
  matchWithTeams,
  withWinners,
} from '#store/game/matches.ts';
import { listMaps, mapByName, mapsByKeys, positionsIn, ratesOf, readRotations } from '#store/game/maps/maps.ts';
import { readObjectives } from '#store/game/player-objectives.ts';
import {
  addDelivery,
  deliveriesBefore,
  dueMessage,
  hasDelivered,
  messagesInOrder,
  OF_DELETED_WEBHOOKS,
} from '#store/applications/webhooks/deliveries.ts';
import { heldWebhooks } from '#store/applications/webhooks/progress.ts';
import { addWebhook, claimMails, webhookById, webhookHealth } from '#store/applications/webhooks/webhooks.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { readsOfAccount, readStatements } from '#store/applications/account-reads.ts';
import { claimNotices } from '#store/mail/punishment-notices.ts';
import { accountsOfPlayer, activeOperators } from '#store/accounts/accounts.ts';
import { readFirstHour } from '#store/installation/first-hour.ts';
import { teamsKey } from '#store/game/own-teams.ts';
import { eventsOfPlayer } from '#store/game/player-events.ts';
import {
  findPlayer,
  namesByUuid,
  namesOf,
  playersBefore,
  playersByKeys,
  playersByUuid,
  playersNamed,
} from '#store/game/players.ts';
import { searchMaps, searchPlayers, searchServers } from '#store/game/search.ts';
import { countKills, duelsWith, moveKills, rivalsByKills } from '#store/game/rivals/kill-pairs.ts';
import { deriveRecords, recordsOf } from '#store/game/rivals/player-records.ts';
import { companions, matchesTogether, recentMatches } from '#store/game/rivals/recent-matches.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { readTeampvpRanks } from '#store/game/teampvp-ranks.ts';
import {
  bannedPlayers,
  isBanned,
  listPunishments,
  listPunishmentsOf,
  punishmentsByKeys,
  revokedByReference,
} from '#store/game/punishments.ts';
import { serversByKeys } from '#store/game/servers.ts';
import { importedRows, importedRowsBetween, importMarks } from '#store/imports.ts';
import { bansAfter, countUnknown, issuedBans, listedBans, onlineOn } from '#store/game/watches/managed-state.ts';
import { receiptsAfter, receiptsBefore } from '#events/ledger/server-events.ts';
import { isApprovedByOperator } from '#store/applications/access-requests.ts';
import type { Application } from '#store/applications/applications.ts';
import { endExcessRequests, endExcessTokens } from '#store/applications/live-tokens.ts';
import { findAccessToken, isFormerToken } from '#store/applications/tokens.ts';
import { listChanges, punishmentHistory, reportedTerms } from '#events/punishments/changes.ts';
import { application, event, match, person, punishment, sendEvents } from '#test/support/builders.ts';
import { purge } from '#test/support/purge.ts';
import { createTestDatabase, testContext } from '#test/support/context.ts';
import { deriveRatings } from '#events/jobs/map-ratings.ts';
import { ROWS_PER_CHUNK } from '#events/ledger/chunk.ts';
import { withdrawalImpact } from '#events/jobs/withdrawal.ts';
import { privateInMatches } from '#store/game/hidden-in-matches.ts';
import { allAsShown, HiddenLists, isHidden } from '#store/game/hidden-lists.ts';
import { hideReported } from '#store/game/hidden-players.ts';
import { withPresentNames } from '#store/game/present-names.ts';
import { changesByNames } from '#store/game/renamed-players.ts';
import { uuidLabel } from '#text/text.ts';
import { UnitOfWork } from '#events/ledger/unit-of-work.ts';
import { Keys } from '#store/sequence.ts';

/** Full scans of tables that grow with the network, which no request may cause. */
const LARGE =
  /^SCAN (ranked_players|place_counts|unranked_players|merged_in_matches|matches|match_details|player_matches|players|player_names|player_stats|kills|punishments|tokens|accounts|ledger|former_tokens|player_objectives|rotations|map_votes|boards|map_results|match_counters|counter_reports|player_counters|unreported_matches|live_matches|import_rows|managed_players|managed_bans|access_requests|changes|webhook_deliveries|punishment_notices|account_reads|kill_pairs|player_records|m|d|p|k|v|o|n|u|s|r|c)\b/;

/** A database, or a transaction, that notes the statements of its readers, of transactions those that write too. */
function recorderOf<Q extends Queryable>(db: Q, queries: Sql[], names = ['all', 'get', 'tuples', 'tuple']): Q {
  return new Proxy(db, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (names.includes(String(name))) queries.push(args[0] as Sql);
        if (name === 'runAll') queries.push(...(args[0] as Sql[]));
        const work = args[0] as (tx: Queryable) => unknown;
        const inTransaction = (tx: Queryable) => work(recorderOf(tx, queries, [...names, 'run']));
        const given = name === 'transaction' ? [inTransaction, ...args.slice(1)] : args;
        return (member as (...args: unknown[]) => unknown).apply(target, given);
      };
    },
  });
}

/** The steps of SQLite's query plans for all statements of a reader. */
async function stepsOf(db: Db, path: string, read: (db: Db) => Promise<unknown>): Promise<string[]> {
  const queries: Sql[] = [];
  await read(recorderOf(db, queries));
  const raw = new DatabaseSync(path, { readOnly: true });
  const steps = queries.flatMap((query) => {
    const text = statementText(query, new WeakMap(), () => '?');
    const rows = raw.prepare(`explain query plan ${text}`).all(...query.values) as { detail: string }[];
    return rows.map(({ detail }) => detail);
  });
  raw.close();
  return steps;
}

const isLargeScan = (step: string): boolean => LARGE.test(step) && !/USING (COVERING )?INDEX/.test(step);

/** The steps of a reader that scan a large table. */
async function plansOf(db: Db, path: string, read: (db: Db) => Promise<unknown>): Promise<string[]> {
  const steps = await stepsOf(db, path, read);
  return steps.filter(isLargeScan);
}

test('no read of a request scans a table that grows with the network', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(
    context,
    match({ teams: [{ name: 'Red', players: [person(1), person(2)] }] }),
    punishment('1', person(1)),
  );
  const last = Number.MAX_SAFE_INTEGER;
  const player = (await findPlayer(context.db, person(1).uuid))!;
  const map = { key: 1, name: 'X' } as Parameters<typeof ratesOf>[1][number];
  const readers: Record<string, (db: Db) => Promise<unknown>> = {
    listPlayedMatches: (db) => listPlayedMatches(db, player.key, last, 20),
    killsBelow: (db) => killsBelow(db, player.key, { before: undefined, limit: 20, audience: 'public' }),
    listMatchesByKeys: (db) => listMatchesByKeys(db, [5, 6]),
    listMatchesByKeysOfPlayer: (db) => listMatchesByKeys(db, [5, 6], player.key),
    killsOfMatch: (db) => killsOfMatch(db, 5),
    deathsBelow: (db) =>
      deathsBelow(db, player.key, { before: { match: 5, number: 3 }, limit: 20, audience: 'public' }),
    rivalsByKills: (db) => rivalsByKills(db, 'victims', { player: player.key, limit: 20 }),
    'rivalsByKills after a player': (db) => rivalsByKills(db, 'killers', { player: player.key, after: 7, limit: 20 }),
    duelsWith: (db) => duelsWith(db, player.key, [5, 7]),
    recordsOf: (db) => recordsOf(db, [player.key]),
    recentMatches: (db) => recentMatches(db, player.key),
    companions: (db) => companions(db, 'teammates', { player: player.key, limit: 20 }),
    matchesTogether: (db) => matchesTogether(db, player.key, 5),
    readObjectives: (db) => readObjectives(db, player.key, 'wool', 20),
    isFormerToken: (db) => isFormerToken(db, 'x'),
    statsOf: (db) => statsOf(db, player.key),
    readStanding: (db) => readStanding(db, player.key),
    namesOf: (db) => namesOf(db, player.key),
    eventsOfPlayer: (db) => eventsOfPlayer(db, player.key, last, 20),
    'eventsOfPlayer without matches': (db) => eventsOfPlayer(db, player.key, last, 20, { matches: false }),
    playersNamed: (db) => Promise.all([playersNamed(db, 'x', 20), playersNamed(db, 'x', 20, 'public')]),
    'findPlayer for everybody': (db) => findPlayer(db, 'x', 'public'),
    playersBefore: (db) => playersBefore(db, last, 20),
    accountsOfPlayer: (db) => accountsOfPlayer(db, person(1).uuid),
    activeOperators,
    readFirstHour: (db) => readFirstHour(db, 1),
    isBanned: (db) => isBanned(db, player.key, 1),
    'playersByUuid and bannedPlayers': (db) =>
      Promise.all([playersByUuid(db, [person(1).uuid, person(2).uuid]), bannedPlayers(db, [1, 2], 1)]),
    'searchPlayers, searchServers and searchMaps': (db) =>
      Promise.all([searchPlayers(db, 'player', 20), searchServers(db, 'alpha', 20), searchMaps(db, 'x', 20)]),
    'findPlayer by UUID': (db) => findPlayer(db, person(1).uuid),
    'findPlayer by name': (db) => findPlayer(db, 'nobody'),
    matchByKey: (db) => matchByKey(db, 1),
    listPunishmentsOf: (db) => listPunishmentsOf(db, player.key, last, 20, 1),
    'mapByName with ratings and rotations': (db) =>
      Promise.all([mapByName(db, 'x'), ratesOf(db, [map]), readRotations(db, [map]), positionsIn(db, 1, [map])]),
    'listMaps of a mode and a rotation': (db) =>
      listMaps(db, { before: last, limit: 20, gamemode: 'ctw', serverKey: 1 }),
    'listMaps by the beginning of a name': (db) => listMaps(db, { before: last, limit: 20, search: 'x' }),
    'listRankedMaps of a mode and a rotation': (db) =>
      listRankedMaps(db, { ranking: 'plays', gamemode: 'ctw', serverKey: 1, after: { value: 5, key: 9 }, limit: 20 }),
    'listRankedMaps by rating': (db) => listRankedMaps(db, { ranking: 'rating', limit: 20 }),
    readRanks: (db) => readRanks(db, [1]),
    'leaders, leadersAround, placeOn and placesOfPlayer': async (db) => {
      const board = { bucket: 300_000_000, mode: 'total', metric: 'win' } as const;
      await leaders(db, { ...board, after: { value: 5, key: 9 }, limit: 20 });
      await leadersAround(db, board, player.key, 5);
      await placeOn(db, board, player.key);
      await placesOfPlayer(db, player.key, [board.bucket]);
    },
    'largestMatch, climbers and rankedAmong': (db) =>
      Promise.all([
        largestMatch(db, 1),
        climbers(db, { bucket: 300_000_000, mode: 'total', metric: 'win' }, 100_000_000),
        ...[rankedAmong(db, 'key', [1, 2]), rankedAmong(db, 'uuid', ['x'])],
      ]),
    readTeampvpRanks: async (db) => readTeampvpRanks(db, player.key, await statsOf(db, player.key)),
    teamsOfMatches: (db) => teamsOfMatches(db, [1]),
    findAccessToken: (db) => findAccessToken(db, 'x', 1),
    isApprovedByOperator: (db) => isApprovedByOperator(db, { key: 1, access: 'approved' } as Application),
    listMatches: async (db) => listMatches(db, { before: last, limit: 20 }),
    'listMatches by keys': async (db) => listMatches(db, { keys: [1, 2] }),
    matchWithTeams: async (db) => matchWithTeams(db, 1),
    listMatchesWithTeams: (db) => listMatchesWithTeams(db, { before: last, limit: 20 }),
    'listMatchesWithTeams by keys': (db) => listMatchesWithTeams(db, { keys: [1, 2] }),
    listWholeMatches: (db) => listWholeMatches(db, { before: last, limit: 20 }),
    listPunishments: (db) => listPunishments(db, last, 20, 1),
    counterByKey: (db) => counterByKey(db, 'wools'),
    'valuesOfPlayers of two counters': (db) => valuesOfPlayers(db, [1, 2], [player.key]),
    counterLeaders: (db) => counterLeaders(db, { counter: 1, mode: 'ctw', after: { value: 5, key: 9 }, limit: 20 }),
    countersOfMatches: (db) => countersOfMatches(db, [1, 2]),
    readReports: (db) => readReports(db, 1, [player.key]),
    reportsBetween: (db) => reportsBetween(db, 1, last, 20),
    revokedByReference: (db) => revokedByReference(db, 0, ['a', 'b']),
    reportedTerms: (db) => reportedTerms(db, ['a', 'b']),
    importedRows: (db) => importedRows(db, 1, 'bans', ['1', '2']),
    importedRowsBetween: (db) => importedRowsBetween(db, 1, 'bans', { after: '1', last: '~', limit: 20 }),
    importMarks: (db) => importMarks(db, 1),
    namesByUuid: (db) => namesByUuid(db, [person(1).uuid]),
    'issuedBans and countUnknown': (db) =>
      Promise.all([issuedBans(db, 1, [person(1).uuid], 1), countUnknown(db, [person(1).uuid])]),
    'onlineOn and listedBans': (db) =>
      Promise.all([onlineOn(db, 1), bansAfter(db, 1, '', 200), listedBans(db, 1, ['x'])]),
    reportsAbout: (db) => reportsAbout(db, player.key, 1, 20),
    'liveMatchOf and unreportedMatchesOf': (db) => Promise.all([liveMatchOf(db, 1, 1), unreportedMatchesOf(db, 1, 1)]),
    'newestReport and hasResult': (db) => Promise.all([newestReport(db, 1), hasResult(db, 1, 1, 2)]),
    removeSeen: (db) => removeSeen(db, [{ serverKey: 1, started: 1, finished: 2 }]),
    reportingMatches: (db) => reportingMatches(db, [1, 2], 1),
    'privateInMatches and withWinners': (db) =>
      Promise.all([
        privateInMatches(db, [person(1).uuid]),
        withWinners(db, [{ key: 1, head: '{"win":"Player1"', started: 1, finished: 2, hidden: 1 }]),
      ]),
    'HiddenLists and isHidden': (db) => Promise.all([HiddenLists.read(db), isHidden(db, person(1).uuid)]),
    'changesWithFeed of all kinds and of some': (db) =>
      Promise.all([changesWithFeed(db, 5, 100), changesWithFeed(db, 5, 100, ['match', 'map'])]),
    'resources by keys': (db) =>
      Promise.all([
        ...[mapsByKeys(db, [1, 2]), punishmentsByKeys(db, [1, 2], 1), playersByKeys(db, [1, 2])],
        ...[allAsShown(db, [player]), serversByKeys(db, [1, 2], 1)],
      ]),
    countedMatches,
    changesByNames: (db) => changesByNames(db, [player.key]),
    withPresentNames: (db) => withPresentNames(db, [{ name: uuidLabel(person(1).uuid) }], ['name']),
    hideReported: async (db) => hideReported(db, await HiddenLists.read(db), [1]),
    'mails to punished players and who read an account': (db) =>
      Promise.all([
        ...[claimNotices(db, context.clock.now()), readsOfAccount(db, 'x', { zone: 'UTC', now: 1 })],
        readStatements(db, [{ uuid: person(1).uuid, day: 1, application_key: 1, requests: 1 }]),
        db.all(sql`select 1 from punishment_notices where due <= 1 and expires > 1 limit 1`),
        db.all(sql`select 1 from punishment_notices where expires <= 1 limit 500`),
        db.all(sql`select 1 from account_reads where day < 1 limit 500`),
      ]),
    'log of a webhook': (db) =>
      Promise.all([
        ...[deliveriesBefore(db, 1, last, 50), dueMessage(db, 1, 1, { change: false }), messagesInOrder(db, 1)],
        ...[hasDelivered(db, 1, { kind: 'match', key: 1 }), claimMails(db, 1), webhookHealth(db, 1)],
        heldWebhooks(db, 'x'),
      ]),
  };
  for (const [name, read] of Object.entries(readers)) {
    assert.deepEqual(await plansOf(context.db, database.url, read), [], name);
  }
});

test('rows of the log of webhooks that are deleted are found by indexes', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  const { db, clock, config } = context;
  const { key: application_key } = await application(context);
  const { id: feed } = await readFeed(db);
  const wanted = { url: 'https://a.example/', form: 'standard', kinds: ['match'], after_reset: 'head' } as const;
  const added = { key: application_key, ...wanted, cursor: { feed, number: 0 } };
  const { id } = (await addWebhook(db, clock.now(), openSecretKey(config), added))!;
  const { key } = (await webhookById(db, id))!;
  await db.run(sql`update webhooks set logged = 19999`);
  const row = { type: 'webhook.test', state: 'delivered', attempts: 1, next_attempt: null } as const;
  const steps = await stepsOf(
    db,
    database.url,
    inTransaction((tx) => addDelivery(tx, clock.now(), key, row)),
  );
  assert.ok(
    steps.some((step) => step.includes('webhook_deliveries_failed')),
    steps.join('\n'),
  );
  assert.deepEqual(steps.filter(isLargeScan), []);
  const purged = await stepsOf(db, database.url, (recorder) =>
    recorder.all(sql`select 1 from webhook_deliveries where ${OF_DELETED_WEBHOOKS} limit 500`),
  );
  assert.deepEqual(
    purged.filter((step) => step.startsWith('SCAN') && !step.startsWith('SCAN logged')),
    [],
    purged.join('\n'),
  );
});

test('a page after a row of a leaderboard and around a player are ranges of its index', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(context, match({ win: 'Red', teams: [{ name: 'Red', players: [person(1), person(2)] }] }));
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  const board = { bucket: 300_000_000, mode: 'total', metric: 'win' } as const;
  const player = await findPlayer(context.db, person(1).uuid);
  const read = async (act: (db: Db) => Promise<unknown>): Promise<string[]> =>
    (await stepsOf(context.db, database.url, act)).filter((step) => /^SCAN b|boards_by|TEMP B-TREE/.test(step));
  const within = 'SEARCH b USING INDEX boards_by_win (bucket=? AND mode=? AND';
  const below = `${within} win>? AND (win,player_key)<(?,?))`;
  assert.deepEqual(await read((db) => leaders(db, { ...board, after: { value: 5, key: 9 }, limit: 20 })), [below]);
  assert.deepEqual(await read((db) => leadersAround(db, board, player!.key, 5)), [
    `${within} (win,player_key)>(?,?))`,
    below,
  ]);
});

const rated = (number: number) => event('map.rated', { player: person(number), map: 'Isle', rate: 4 });
const inTransaction = (act: (tx: Queryable) => Promise<unknown>) => (recorder: Db) => recorder.transaction(act);

test('chunks of leaderboards and of ratings read by indexes', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  const { db, clock } = context;
  const played = match({ teams: [{ name: 'Red', players: [person(1), person(2)] }] });
  const published = event('map.published', { name: 'Isle', version: '1.0' });
  await sendEvents(
    context,
    played,
    published,
    ...Array.from({ length: ROWS_PER_CHUNK + 1 }, (_, number) => rated(number)),
  );
  const [key] = (await db.tuple(sql`select key from matches`)) as [number];
  const [one, two] = [(await findPlayer(db, person(1).uuid))!.key, (await findPlayer(db, person(2).uuid))!.key];
  const derive = (ref: string) => (recorder: Db) =>
    recorder.transaction(async (tx) => deriveRatings(new UnitOfWork(tx, await Keys.lock(tx), clock.now()), ref));
  const chunks: Record<string, (db: Db) => Promise<unknown>> = {
    'restart of the leaderboards': (recorder) => projectMatches(recorder, 'UTC', clock.now()),
    projectMatches: (recorder) => projectMatches(recorder, 'UTC', clock.now()),
    'removal of a match from leaderboards': inTransaction(async (tx) =>
      removePlayersFromLeaderboards(tx, key, [one, two], await removeMatchResult(tx, key)),
    ),
    'merge of leaderboards': inTransaction(async (tx) => {
      await mergeLeaderboards(tx, clock.now(), one, two);
      await subtractPlayedTwice(tx, [key], one, two);
    }),
    projectRivals: (recorder) => projectRivals(recorder),
    'kills of a match': inTransaction((tx) => countKills(tx, [key], -1)),
    'kills of a merged player': inTransaction((tx) => moveKills(tx, 'victim_key', sql`victim_key = ${one}`, two)),
    'records of a player': inTransaction((tx) => deriveRecords(tx, [one])),
    'votes of a player': derive(`vote ${one} map isle`),
    'the next ratings': derive('ratings 0 map isle'),
    'deletion of votes': derive('map isle'),
  };
  for (const [name, act] of Object.entries(chunks)) {
    const steps = await stepsOf(db, database.url, act);
    assert.ok(steps.length > 2, name);
    assert.deepEqual(steps.filter(isLargeScan), [], name);
  }
});

test('a purge scans no table whose rows live long', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db, clock } = await testContext(t, database.url);
  const steps = await stepsOf(db, database.url, (recorder) =>
    purge(recorder, { zone: 'UTC', auditMs: 1, changesMs: 1 }, clock.now()),
  );
  assert.ok(steps.length > 50, `${steps.length} steps`);
  assert.deepEqual(
    steps.filter((step) => step.startsWith('SCAN') && !['SCAN s', 'SCAN logged'].includes(step)),
    // Besides pages and the list of webhooks: a few keys, the acts of operators, and the oldest 500 tombstones.
    ['SCAN signing_keys', 'SCAN jobs', 'SCAN changes USING INDEX changes_of_removed'],
  );
  assert.ok(steps.includes('SEARCH account_sessions USING PRIMARY KEY (uid_hash>?)'), steps.join('\n'));
});

test('the tokens beyond the limit are found in the order of one index', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  for (const accountId of [null, 'a']) {
    const owner = { kind: 'RefreshToken', clientId: 'x', accountId };
    const steps = await stepsOf(db, database.url, (recorder) => endExcessTokens(recorder, owner, 'newest', 10));
    assert.deepEqual(
      steps.filter((step) => !step.startsWith('LIST')),
      [
        'SEARCH tokens USING PRIMARY KEY (hash=? AND kind=?)',
        'SEARCH tokens USING COVERING INDEX tokens_by_owner (client_id=? AND kind=? AND account_id=?)',
      ],
    );
  }
});

test('the open requests beyond the limit are found in the order of one index', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  const steps = await stepsOf(db, database.url, (recorder) => endExcessRequests(recorder, 'x', 'newest', 10));
  assert.deepEqual(
    steps.filter((step) => !step.startsWith('LIST')),
    [
      'SEARCH tokens USING PRIMARY KEY (hash=? AND kind=?)',
      'SEARCH tokens USING COVERING INDEX tokens_by_opener (opener=?)',
    ],
  );
});

/** Bounds of a page of a player's matches: the newest match, an old one, after the last one, and invalid keys. */
const BOUNDS = [Number.MAX_SAFE_INTEGER, 3_600_000_000_000_000, 1, 0, -1, Number.MIN_SAFE_INTEGER];
const PAGE = 20;

test('a page of a player’s matches reads their index, for any max_id', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(context, match({ teams: [{ name: 'Red', players: [person(1), person(2)] }] }));
  const { key } = (await findPlayer(context.db, person(1).uuid))!;
  const expected = [
    'SEARCH p USING INDEX player_matches_by_player (player_key>? AND (player_key,match_key)<(?,?))',
    'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)',
    'SCALAR SUBQUERY 1',
    // Ends at the first row.
    'SCAN private_players',
  ];
  for (const before of BOUNDS) {
    const steps = await stepsOf(context.db, database.url, (db) => listPlayedMatches(db, key, before, PAGE));
    assert.deepEqual(steps, expected);
  }
});

const ledgerSearches = (bound: string): string[] => [
  `SEARCH matches USING COVERING INDEX matches_by_server (server_key=?${bound})`,
  'SEARCH l USING INTEGER PRIMARY KEY (rowid=?)',
  `SEARCH ledger USING INDEX ledger_besides_matches (scope_key=?${bound})`,
  'SEARCH l USING INTEGER PRIMARY KEY (rowid=?)',
];

test('the events of a server are read by indexes, from a key on', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  const searches = async (read: (db: Db) => Promise<unknown>): Promise<string[]> =>
    (await stepsOf(db, database.url, read)).filter((step) => /\b(matches|ledger|refusals|l)\b/.test(step));
  for (const [read, bound] of [
    [receiptsAfter, ' AND key>?'],
    [receiptsBefore, ' AND key<?'],
  ] as const) {
    const refusals = `SEARCH refusals USING INDEX refusals_by_scope (scope_key=?${bound})`;
    assert.deepEqual(await searches((recorder) => read(recorder, 1, 5, 20)), [...ledgerSearches(bound), refusals]);
  }
  assert.deepEqual(
    (await searches((recorder) => withdrawalImpact(recorder, { server: 1, since: 5 }))).filter((step) =>
      step.startsWith('SEARCH'),
    ),
    ledgerSearches(' AND key<?').slice(0, 4),
  );
});

test('what keys did to punishments is read by the indexes of punishment events', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  const searches = async (read: (db: Db) => Promise<unknown>): Promise<string[]> =>
    (await stepsOf(db, database.url, read)).filter((step) => / l\b/.test(step));
  const page = { before: 9, limit: 20 };
  const byKey = /^SEARCH l USING (COVERING )?INDEX ledger_punishments_by_key \(credential=\?( AND key<\?)?\)$/;
  for (const read of [(recorder: Db) => listChanges(recorder, { credential: 1, ...page })]) {
    const [step, ...others] = await searches(read);
    assert.match(step!, byKey);
    assert.deepEqual(others, []);
  }
  assert.deepEqual(await searches((recorder) => listChanges(recorder, page)), [
    'SEARCH l USING INDEX ledger_punishments (key<?)',
  ]);
  assert.deepEqual(await searches((recorder) => punishmentHistory(recorder, { scope: 0, reference: 'p' })), [
    'SEARCH l USING INDEX ledger_by_aggregate (aggregate=?)',
  ]);
});

/** PostgreSQL's generic plan of a reader's statements: the plan that it uses for any values. */
async function genericPlanOf(db: Db, url: string, read: (db: Db) => Promise<unknown>): Promise<string> {
  const queries: Sql[] = [];
  await read({ ...db, all: async (query: Sql) => (queries.push(query), []) } as Db);
  const client = new pg.Client(url);
  await client.connect();
  try {
    const plans = queries.map(
      (query) => `explain (generic_plan) ${statementText(query, new WeakMap(), (place) => `$${place}`)}`,
    );
    const { rows } = await client.query({ text: plans.join(';'), rowMode: 'array' });
    return rows.flat().join('\n');
  } finally {
    await client.end();
  }
}

test('old matches of a filter are read by its own index, even if another server has sent all newer ones', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(context, ...Array.from({ length: 400 }, () => match({ map: 'Isle', gamemode: 'ctw', teams: [] })));
  await context.db.run(sql`analyze matches`);
  const last = Number.MAX_SAFE_INTEGER;
  const filters = {
    matches_by_server_and_end: { server: 1 },
    matches_by_map_and_end: { map: 'ruins' },
    matches_by_gamemode_and_end: { gamemode: 'tdm' },
  };
  for (const [index, filter] of Object.entries(filters)) {
    const plan = await genericPlanOf(context.db, database.url, (db) => listMatchesWhere(db, filter, last, 20));
    assert.match(plan, new RegExp(`using ${index}\\b`), plan);
    assert.doesNotMatch(plan, /Sort/, plan);
  }
});

/** A filter of each kind, which lets the oldest 30 of the matches of `fillWithOthers` through. */
const FILTERS: Record<string, MatchFilters> = {
  server: { server: 1 },
  map: { map: 'isle' },
  gamemode: { gamemode: 'ctw' },
  player: { player: 1 },
  ranked: { ranked: true },
  time: { since: 0, until: 31 },
  team: { team: teamsKey(['Red', 'Blue']) },
};
const MATCHES = 4000;

/** Old matches that all filters let through, and all newer matches of others. */
async function fillWithOthers(db: Db): Promise<void> {
  await db.run(sql`
    insert into matches (key, head, started, finished, map_key, server_key, gamemode, ranked, teams_key)
    select n, '', 0, n, case when n <= 30 then 'isle' else 'moor' end, case when n <= 30 then 1 else 2 end,
      case when n <= 30 then 'ctw' else 'tdm' end, case when n <= 30 then 1 else 0 end,
      case when n <= 30 then cast(${FILTERS['team']!.team!} as text) else 'a
b' end
    from (with recursive c (n) as (select 1 union all select n + 1 from c where n < ${MATCHES}) select n from c) numbers`);
  await db.run(sql`
    insert into player_matches (match_key, player_key, name, result, score, kill_count, death_count, time_played)
    select key, server_key, '', 'win', 0, 0, 0, 0 from matches`);
  await db.run(sql`
    insert into ledger (key, scope_key, event_id, type, time, received, body)
    select key, server_key, cast(key as text), 'match.finished', 0, 0, '{}' from matches`);
}

/** The combinations of filters with their index; some of those with a player, with whom all go. */
const COMBINATIONS = [
  ...Object.entries(MATCH_INDEXES),
  ...['map gamemode player', 'player time', 'player team', 'server map gamemode player ranked time team'].map(
    (names) => [names, indexOf(new Set(names.split(' ')))!] as const,
  ),
];

const combined = (names: string): MatchFilters =>
  Object.assign({}, ...names.split(' ').map((name) => FILTERS[name]!)) as MatchFilters;

/** The newest match, one among those of the filters, and one before them. */
const PAGES = [Number.MAX_SAFE_INTEGER, 20, 0];

test('each combination of filters of matches reads its index on SQLite', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  await fillWithOthers(db);
  for (const analysed of [false, true]) {
    if (analysed) await db.run(sql`analyze`);
    for (const [names, index] of COMBINATIONS) {
      for (const before of PAGES) {
        const all = await stepsOf(db, database.url, (recorder) =>
          filteredMatches(recorder, combined(names), before, PAGE),
        );
        // Whether a private player bears the name of a team is read first.
        const steps = all.filter((step) => !/^SEARCH [xyz] .*\((name_key|rowid|uuid)=\?\)$/.test(step));
        const searches = steps.filter((step) => /^(SCAN|SEARCH) (matches|player_matches|p|m)\b/.test(step));
        const [first] = searches.splice(steps[0]!.startsWith('SEARCH matches USING INTEGER PRIMARY KEY') ? 1 : 0, 1);
        assert.match(
          first!,
          new RegExp(`^SEARCH \\w+ USING (COVERING )?INDEX ${index} \\(`),
          `${names}: ${steps.join()}`,
        );
        for (const step of searches)
          assert.match(step, new RegExp(`INDEX ${index} |INTEGER PRIMARY KEY \\(rowid[=<]`), names);
        // The lists of both values of `ranked` are pages, which are merged.
        const sorts = steps.filter((step) => step.includes('TEMP B-TREE')).length;
        assert.equal(sorts, MERGED.includes(names) ? 2 : 0, `${names}: ${steps.join()}`);
      }
    }
  }
});

const MERGED = ['map', 'gamemode'];

test('each combination of filters of matches reads no more rows than two pages on PostgreSQL', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  await fillWithOthers(db);
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    for (const analysed of [false, true]) {
      if (analysed) await db.run(sql`analyze`);
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode = ${mode}`);
        for (const [names, index] of COMBINATIONS) {
          for (const before of PAGES) {
            const recorded: Sql[] = [];
            await filteredMatches(recorderOf(db, recorded), combined(names), before, PAGE);
            // Whether a private player bears the name of a team is read first.
            const queries = names.includes('team') ? recorded.slice(1) : recorded;
            for (const query of queries) {
              const nodes = nodesOf(await executedPlan(client, query));
              const read = nodes.map(
                (node) => node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0),
              );
              const indexes = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
              const plan = `${names} ${before} ${mode}: ${JSON.stringify(nodes)}`;
              assert.ok(Math.max(...read) <= 2 * PAGE, plan);
              // The primary key finds the few matches before an old one, the end of a match, and the matches of a player.
              const place = names.includes(' ') && index === 'player_matches_by_player' ? -2 : -1;
              const isFirstPage = before === PAGES[0] && query === queries.at(place);
              assert.ok(isFirstPage ? indexes.has(index) : indexes.size > 0, plan);
            }
          }
        }
      }
    }
  } finally {
    await client.end();
  }
});

/** The plan of a prepared statement, by the client's `plan_cache_mode`. */
async function executedPlan(client: pg.Client, query: Sql): Promise<PlanNode> {
  const values = query.values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const text = statementText(query, new WeakMap(), (place) => `$${place}`);
  const types = query.values.map((value) => (typeof value === 'string' ? 'text' : 'bigint'));
  await client.query(`prepare page (${types.join(', ')}) as ${text}`);
  const { rows } = await client.query(`explain (analyze, format json) execute page (${values.join(', ')})`);
  await client.query('deallocate page');
  return (rows[0]['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan;
}

/** A node of an executed plan of PostgreSQL (`explain analyze`). */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A feed of matches, of which the later half is withdrawn, and then a few changes of the other kinds. */
async function fillFeed(db: Db): Promise<void> {
  await db.run(sql`
    insert into changes (number, kind, key, type, revision, time)
    select n, 'match', n, case when n <= ${MATCHES / 2} then 'created' else 'withdrawn' end, 1, 1
    from (with recursive c (n) as (select 1 union all select n + 1 from c where n < ${MATCHES}) select n from c) numbers`);
  const others = ['map', 'punishment', 'player', 'server'].flatMap((kind, index) =>
    ['created', 'erased'].map((type, place) => [MATCHES + 2 * index + place + 1, kind, place, type, 1, 1]),
  );
  await db.runAll(insertAll('insert into changes (number, kind, key, type, revision, time) values', others));
}

/** Filters of the feed, which take all matches, tombstones of matches, or both. */
const FEED_FILTERS = [undefined, ['match'], ['map'], ['map', 'player', 'server', 'punishment']] as const;
const byKind = (index: string) => `SEARCH changes USING INDEX ${index} (kind=? AND number>?)`;
const FEED_PLACES = [0, MATCHES / 2, MATCHES - 1, Number.MAX_SAFE_INTEGER];

test('a page of the feed is a range of an index for each kind on SQLite', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  await fillFeed(db);
  for (const analysed of [false, true]) {
    if (analysed) await db.run(sql`analyze`);
    for (const kinds of FEED_FILTERS) {
      const steps = await stepsOf(db, database.url, (recorder) => changesWithFeed(recorder, 5, PAGE, kinds));
      const searches = steps.filter((step) => /^(SEARCH|SCAN) changes/.test(step));
      const missing = RESOURCE_KINDS.length - (kinds?.length ?? RESOURCE_KINDS.length);
      assert.deepEqual(
        searches.toSorted(),
        kinds === undefined
          ? ['SEARCH changes USING INDEX sqlite_autoindex_changes_1 (number>?)']
          : [
              ...kinds.map(() => byKind('changes_by_kind')),
              ...Array.from({ length: missing }, () => byKind('changes_of_removed_by_kind')),
            ],
        steps.join('\n'),
      );
    }
  }
});

test('a page of the feed reads no more rows than a page of each kind on PostgreSQL', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  await fillFeed(db);
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await db.run(sql`analyze`);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`);
      for (const [kinds, after] of FEED_FILTERS.flatMap((kinds) =>
        FEED_PLACES.map((place) => [kinds, place] as const),
      )) {
        const queries: Sql[] = [];
        // Reads one more than the page has.
        await changesWithFeed(recorderOf(db, queries), after, PAGE - 1, kinds);
        const nodes = nodesOf(await executedPlan(client, queries[0]!));
        const scans = nodes.filter((node) => node['Relation Name'] === 'changes');
        const read = scans.map(
          (node) => node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0),
        );
        assert.ok(Math.max(...read) <= PAGE, `${kinds?.join()} ${after} ${mode}: ${JSON.stringify(scans)}`);
      }
    }
  } finally {
    await client.end();
  }
});

const matchOf = (number: number) => match({ teams: [{ name: 'Red', players: [person(number)] }] });

test('a page of an inactive player’s matches reads no more rows than it shows, for any max_id', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  const matches = [...Array.from({ length: 50 }, () => matchOf(1)), ...Array.from({ length: 400 }, () => matchOf(2))];
  await sendEvents(context, ...matches);
  await context.db.run(sql`analyze`);
  const { key } = (await findPlayer(context.db, person(1).uuid))!;
  const matchesOfPlayer = await listPlayedMatches(context.db, key, Number.MAX_SAFE_INTEGER, 100);
  assert.equal(matchesOfPlayer.length, 50);
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    for (const before of [...BOUNDS, matchesOfPlayer[30]!.key, matchesOfPlayer[45]!.key + 1]) {
      const queries: Sql[] = [];
      const recorder = { ...context.db, all: async (query: Sql) => (queries.push(query), []) } as unknown as Db;
      await listPlayedMatches(recorder, key, before, PAGE);
      const text = statementText(queries[0]!, new WeakMap(), (place) => `$${place}`);
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...queries[0]!.values]);
      const nodes = nodesOf((rows[0]['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan);
      const read = nodes.map(
        (node) => node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0),
      );
      const indexes = nodes.flatMap((node) => node['Index Name'] ?? []);
      assert.deepEqual(indexes, ['player_matches_by_player', 'matches_pkey'], String(before));
      assert.ok(Math.max(...read) <= PAGE, `${before}: ${read.join(', ')}`);
    }
  } finally {
    await client.end();
  }
});
