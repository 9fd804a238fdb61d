import assert from 'node:assert/strict';
import { openServices } from '#server/listeners.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { purgeSteps } from '#store/purge/purge.ts';
import { sql } from '#db/sql.ts';
import {
  account,
  application,
  configured,
  event,
  match,
  person,
  sendEvents,
  serviceToken,
  team,
  userToken,
} from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { ask } from '#test/support/request.ts';
import { keyOf } from '#test/ingest/service.ts';
import { makeAccount } from './support.ts';
import { openWorld, signIn } from './world.ts';

const [STEVE, ALEX, FORMER] = [person(1, 'Steve'), person(2, 'Alex'), person(3, 'Former')];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onEachDatabase('the account page shows by day which applications read the data of the game account', async (t, url) => {
  const world = await openWorld(t, url, { TIME_ZONE: 'Asia/Tokyo' });
  const { context } = world.services;
  const { db, clock } = context;
  // At nine in the evening in Tokyo.
  clock.advance(2 * DAY - ((clock.now() + 12 * HOUR) % DAY));
  const label = (days: number): string =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(evening + days * DAY);
  const evening = clock.now();
  await sendEvents(
    context,
    configured('Alpha'),
    ...[STEVE, ALEX, FORMER].map((player) => event('player.known', { player })),
    event('player.merged', { from: FORMER.uuid, into: STEVE.uuid }),
    match({ gamemode: 'ctw', win: 'Red', teams: [team('Red', STEVE)] }),
  );
  await finishJobs(db);
  while (await projectMatches(db, 'Asia/Tokyo', clock.now()));
  await makeAccount(world.services, 'Robin');
  assert.doesNotMatch((await (await signIn(world, 'Robin')).open('/account')).html, /Who read/, 'no game account');
  const { id } = await makeAccount(world.services, 'Someone', STEVE);
  const { id: merged } = await account(context, 'Other', FORMER.uuid);
  let steve = await signIn(world, 'Steve');
  const card = async (query = ''): Promise<string> => {
    const { html } = await steve.open(`/account${query}`);
    const [, found] = /<h2 id="reads">([^]*?)<\/section>/.exec(html) ?? [];
    return found!
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  };
  assert.match(await card(), /^Who read your data .* None\. Nothing has been counted yet\.$/);

  const [board, wall] = [await application(context, { name: 'Board' }), await application(context, { name: 'Wall' })];
  const tokens = {
    board: await serviceToken(context, board.client_id),
    wall: await serviceToken(context, wall.client_id),
  };
  const own = await userToken(context, wall.client_id, id, { lifetimeMs: 90 * DAY });
  const server = await keyOf(context, 'Alpha');
  const read = async (...requests: [token: string, path: string, status?: number][]): Promise<void> => {
    const apiContext = await testContext(t, url, { TIME_ZONE: 'Asia/Tokyo' });
    apiContext.clock.advance(clock.now() - apiContext.clock.now());
    await using api = await openServices(apiContext, ['API']);
    for (const [token, path, status = 200] of requests)
      assert.equal((await ask(api.addresses.API!, path, { token })).status, status, path);
  };
  await read(
    [tokens.board, '/v1/players/Steve?fields=total'],
    [tokens.board, `/v1/players/${FORMER.uuid}`],
    ...['matches', 'kills', 'deaths', 'punishments'].map(
      (list) => [tokens.board, `/v1/players/Steve/${list}`] as [string, string],
    ),
    [tokens.board, `/v1/players?uuids=${STEVE.uuid},${FORMER.uuid},${ALEX.uuid}`],
    [tokens.board, '/v1/players?names=steve'],
    [tokens.board, '/v1/players?search=ste'],
    // From the third one on from the cache of responses.
    ...Array.from({ length: 3 }, () => [tokens.board, '/v1/matches?player=Steve'] as [string, string]),
    [tokens.board, '/v1/leaderboards/ctw/all?around=Steve'],
    [own, '/v1/players/me'],
    [tokens.wall, '/v1/players/Alex'],
    [tokens.wall, '/v1/players/Nobody', 404],
    [tokens.wall, '/v1/players/Steve?fields=nonsense', 400],
    [tokens.wall, '/v1/matches'],
    [tokens.wall, '/v1/leaderboards/ctw/all'],
    [server, '/v1/players/Steve'],
  );
  assert.match(
    await card(),
    new RegExp(
      `31 days\\. .*counted\\. ${label(0)} Board · 13 requests Wall · 1 request Counted until ${label(0)}, 20:59$`,
    ),
  );
  assert.match(await card('?lang=ja'), /データを読んだアプリ .* Board · 13 回 .* までの集計$/);
  const about = await db.tuples(sql`select account_id, sum(requests) from account_reads group by account_id`);
  assert.deepEqual(
    new Map(about as [string, number][]),
    new Map([
      [id, 14],
      [merged, 14],
    ]),
  );

  clock.advance(3 * HOUR - 1);
  await read([tokens.wall, '/v1/players/Steve']);
  clock.advance(1);
  await read([tokens.wall, '/v1/players/Steve']);
  assert.match(
    await card('?lang=en'),
    new RegExp(`${label(1)} Wall · 1 request ${label(0)} Board · 13 requests Wall · 2 requests Counted`),
  );
  const data = JSON.parse((await steve.open('/account/export')).html) as Record<string, unknown>;
  assert.deepEqual((data['reads'] as unknown[])[0], {
    ...{
      day: new Date(evening + DAY).toISOString().slice(0, 10),
      client_id: wall.client_id,
      name: 'Wall',
      requests: 1,
    },
  });
  assert.equal(data['reads_counted_until'], new Date(clock.now() - 20_000).toISOString());
  await deleteApplication(db, board.client_id);
  assert.match(await card(), new RegExp(`${label(0)} An application that is deleted · 13 requests`));

  clock.advance(30 * DAY);
  steve = await signIn(world, 'Steve');
  assert.match(await card(), new RegExp(`counted\\. ${label(1)} Wall · 1 request Counted`));
  const purge = async (): Promise<unknown[]> => {
    const step = purgeSteps(db, { zone: 'Asia/Tokyo', auditMs: 90 * DAY, changesMs: 90 * DAY }, clock.now());
    while (await step());
    return await db.tuples(sql`select requests from account_reads where account_id = ${id}`);
  };
  assert.deepEqual(await purge(), [[1]]);
  await deleteAccount(db, clock.now(), id);
  assert.deepEqual(await purge(), []);
});
