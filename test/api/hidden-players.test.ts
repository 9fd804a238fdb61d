import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { after, configured, event, login, logout, match, person, presence } from '#test/support/builders.ts';
import { progress, sendEvents, team } from '#test/support/builders.ts';
import { application, serviceToken } from '#test/support/builders.ts';
import { onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { ask, clientOf } from '#test/support/request.ts';

type Test = Parameters<typeof testContext>[0];

const SECRET_KEY = 'a secret that is long enough for tests';
const [ADA, STAFF] = [person(1, 'Ada'), person(2, 'Saltmarten')];

/** A network with the server Alpha, and everything that it shows about the present. */
async function openNetwork(t: Test, url: string) {
  const context = await testContext(t, url);
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const { client_id } = await application(context);
  const get = clientOf(API!, { token: await serviceToken(context, client_id) });
  await sendEvents(context, configured('Alpha', { max: 40 }), event('map.published', { name: 'Twin', version: '1' }));
  const { id } = (await get('/v1/servers')).json[0];
  const paths = ['/v1/servers', `/v1/servers/${id}`, '/v1/live-matches', `/v1/servers/${id}/live-match`];
  const pages = ['/', `/servers/${id}`, '/servers', '/matches', '/maps', '/maps?playing=1'];
  /** All answers about the present, as one text. */
  const shown = async (): Promise<string> => {
    const answers = await Promise.all([
      ...[...paths, '/v1/maps?playing=1'].map((path) => get(path)),
      ...pages.map((path) => ask(SITE!, path)),
    ]);
    return answers.map(({ text }) => text).join('\n');
  };
  let reports = 0;
  /** The reports of a game server in which both players take part, and one more who is not named. */
  const report = async (players = [ADA, STAFF], time = after(++reports * 1_000)): Promise<void> => {
    const names = players.map(({ name }) => name);
    const objectives = players.map((player) => {
      return { player, team: 'Red', type: 'wool', name: `Wool of ${player.uuid.slice(-2)}`, time } as const;
    });
    const counts = { current: players.length, player_count: players.length + 1 };
    await sendEvents(context, presence('Alpha', { ...counts, players: names, current_map: 'Twin' }, { time }));
    const red = { ...team('Red', ...players.map((player) => ({ ...player, kill_count: 2, death_count: 1 }))) };
    await sendEvents(context, progress({ map: 'Twin', teams: [red], observers: 1, objectives }, { time }));
  };
  const run = async (...args: string[]): Promise<void> => {
    const { status, err } = await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
    assert.equal(status, 0, err);
  };
  const counts = async () => {
    const { current, player_count, players } = (await get(`/v1/servers/${id}`)).json;
    return { current, player_count, players };
  };
  return { context, get, id, site: SITE!, shown, report, run, counts };
}

onEachDatabase('a hidden player appears nowhere live, from the change of the list on', async (t, url) => {
  const { context, get, id, site, shown, report, run, counts } = await openNetwork(t, url);
  await sendEvents(context, login('Alpha', ADA), login('Alpha', STAFF));
  await report();
  const live = async () => (await get(`/v1/servers/${id}/live-match`)).json;
  assert.match(await shown(), /Saltmarten/);
  assert.deepEqual(await counts(), { current: 2, player_count: 3, players: ['Ada', 'Saltmarten'] });
  const before = await live();
  assert.deepEqual([before.participants, before.observers, before.teams[0].kill_count], [2, 1, 4]);

  await run('server', 'set', '--name', 'Alpha', '--hidden', 'sALTMARTEN');
  for (const step of ['after the change of the list', 'after the next reports']) {
    assert.doesNotMatch(await shown(), /Saltmarten|000000000002/i, step);
    assert.deepEqual(await counts(), { current: 1, player_count: 2, players: ['Ada'] }, step);
    assert.deepEqual((await get('/v1/servers/online')).json, { count: 2 }, step);
    assert.match((await ask(site, '/')).text, /class="count">2</, step);
    const { participants, observers, teams, objectives } = await live();
    assert.deepEqual([participants, observers], [1, 1], step);
    assert.deepEqual([teams[0].kill_count, teams[0].death_count, teams[0].players.length], [2, 1, 1], step);
    assert.deepEqual(
      objectives.map(({ player, name }: Record<string, string>) => [player, name]),
      [
        ['Ada', 'Wool of 01'],
        ['', 'Wool of 02'],
      ],
    );
    const [listed] = (await get('/v1/live-matches')).json;
    assert.deepEqual([listed.participants, listed.teams[0].kill_count], [1, 2], step);
    await report();
  }

  await sendEvents(context, logout('Alpha', STAFF, { time: after(60_000) }));
  await sendEvents(context, logout('Alpha', ADA, { time: after(60_000) }));
  const player = (await get('/v1/players/Saltmarten?fields=names')).json;
  const sessions = { last_login: '', last_login_server: '', last_logout: '', names: [] };
  assert.deepEqual({ ...player, ...sessions }, player, 'neither sessions nor the times of names');
  const { last_login: seen } = (await get('/v1/players/Ada')).json;
  assert.notEqual(seen, '');
  assert.doesNotMatch((await ask(site, `/players/${STAFF.uuid}`)).text, /2026-03-01T12:0|Alpha/);
  assert.match((await ask(site, `/players/${ADA.uuid}`)).text, /Alpha/);

  const played = { started: after(-600_000), finished: after(30_000), teams: [team('Red', ADA, STAFF)] };
  await sendEvents(context, match({ map: 'Twin', ...played }));
  assert.match((await get('/v1/matches?fields=teams')).text, /Saltmarten/, 'a finished match keeps what happened');

  await run('server', 'set', '--name', 'Alpha', '--hidden', '');
  await report(undefined, after(120_000));
  assert.deepEqual((await counts()).players, ['Ada', 'Saltmarten']);
  assert.notEqual((await get('/v1/players/Saltmarten')).json.last_login, '');
});

onEachDatabase('a hidden player without a name leaves the objectives of no team as they are', async (t, url) => {
  const { context, get, id, report, run } = await openNetwork(t, url);
  const unnamed = person(3, '\u200b');
  await sendEvents(context, login('Alpha', unnamed));
  await run('network', 'set', '--hidden', unnamed.uuid);
  await report();
  const time = after(5_000);
  const objectives = [ADA, unnamed].map(
    (player) => ({ player, team: '', type: 'flag', name: `Flag of ${player.uuid.slice(-2)}`, time }) as const,
  );
  const teams = [team('Red', ADA, unnamed)];
  await sendEvents(context, progress({ map: 'Twin', teams, objectives }, { time }));
  const live = (await get(`/v1/servers/${id}/live-match`)).json;
  assert.deepEqual(
    live.objectives.map(({ player, name }: Record<string, string>) => [player, name]),
    [
      ['Ada', 'Flag of 01'],
      ['', 'Flag of 03'],
    ],
  );
  assert.deepEqual([live.participants, live.teams[0].players.length], [1, 1], 'and is hidden');
});

onEachDatabase('only the present name finds a hidden player, except for staff', async (t, url) => {
  const { get, context, site, run } = await openNetwork(t, url);
  await sendEvents(
    context,
    login('Alpha', { ...STAFF, name: 'Quillback' }),
    login('Alpha', STAFF, { time: after(1_000) }),
    login('Alpha', { ...ADA, name: 'Driftwood' }),
    login('Alpha', ADA, { time: after(1_000) }),
    match({ teams: [team('Red', ADA, STAFF)] }),
  );
  const answers = async (name: string) => {
    const [lookedUp] = (await get(`/v1/players?names=${name}`)).json;
    return {
      found: (await get(`/v1/players/${name}`)).status,
      names: [lookedUp.status, lookedUp.former_name, lookedUp.candidates.length],
      search: (await get(`/v1/players?search=${name.slice(0, 5)}`)).json.length,
      matches: (await get(`/v1/matches?player=${name}`)).json.length,
      punishments: (await get(`/v1/players/${name}/punishments`)).status,
      page: (await ask(site, `/players/${name}`)).status,
      head: (await ask(site, `/players/${name}/head`)).status,
      formerly: (await ask(site, `/search?q=${name}`)).text.includes('formerly'),
    };
  };
  const before = await answers('Quillback');
  assert.deepEqual([before.found, before.names, before.formerly], [200, ['found', 'Quillback', 0], true]);
  await run('network', 'set', '--hidden', 'Saltmarten');
  assert.deepEqual(await answers('Quillback'), await answers('Nobody'));
  const present = await answers('Saltmarten');
  assert.deepEqual([present.found, present.names, present.search], [200, ['found', '', 0], 1]);
  assert.deepEqual(await answers('Driftwood'), { ...before, names: ['found', 'Driftwood', 0] });
  await run('player', 'show', '--player', 'Quillback');

  // The former name of somebody else as well, who is found by it.
  await sendEvents(context, login('Alpha', { ...ADA, name: 'Quillback' }, { time: after(-1_000) }));
  assert.equal((await get('/v1/players/Quillback')).json.name, 'Ada');
  assert.equal((await get('/v1/players?names=Quillback')).json[0].player.name, 'Ada');
});

onEachDatabase('a player of a free-for-all is hidden with the team of that name', async (t, url) => {
  const { context, get, id, run } = await openNetwork(t, url);
  await run('network', 'set', '--hidden', 'Saltmarten');
  const objective = { type: 'flag', name: 'Flag', time: after(-1) } as const;
  await sendEvents(
    context,
    progress({
      teams: [team('Ada', ADA), team('Saltmarten', STAFF)],
      objectives: [
        { ...objective, team: 'Saltmarten' },
        { ...objective, team: 'Ada', player: ADA },
      ],
    }),
  );
  const { teams, objectives, participants } = (await get(`/v1/servers/${id}/live-match`)).json;
  assert.deepEqual([teams.map(({ name }: { name: string }) => name), objectives.length, participants], [['Ada'], 1, 1]);
  assert.equal((await get('/v1/live-matches')).json[0].teams.length, 1);
});

onEachDatabase('an observer who is hidden is not in the number of observers', async (t, url) => {
  const { context, get, id, run } = await openNetwork(t, url);
  await run('network', 'set', '--hidden', 'Saltmarten');
  await sendEvents(
    context,
    presence('Alpha', { current: 1, players: ['Ada', 'Saltmarten'] }),
    progress({ teams: [team('Red', ADA)], participants: 1, observers: 1 }),
  );
  const { participants, observers } = (await get(`/v1/servers/${id}/live-match`)).json;
  assert.deepEqual([participants, observers], [1, 0]);
});

onEachDatabase('an entry means the player, whatever the name, and never another player', async (t, url) => {
  const { context, get, id, shown, report, run, counts } = await openNetwork(t, url);

  await t.test('a name that nobody has yet means the first player who gets it', async () => {
    await run('network', 'set', '--hidden', 'SALTMARTEN, Ada');
    await report();
    assert.deepEqual((await counts()).players, []);
    await sendEvents(context, login('Alpha', STAFF));
    const renamed = { ...STAFF, name: 'Merganser' };
    await report([ADA, renamed]);
    assert.match(await shown(), /Merganser/, 'a heartbeat does not say whose the new name is');
    await sendEvents(context, login('Alpha', renamed, { time: after(5_000) }));
    assert.doesNotMatch(await shown(), /Merganser/, 'the login says it, and hides what is shown already');
    await report([ADA, renamed]);
    assert.deepEqual((await counts()).players, []);
    const heir = person(3, 'Saltmarten');
    await report([ADA, heir]);
    assert.deepEqual((await counts()).players, [], 'a former name, until another player is known to have it');
    await sendEvents(context, login('Alpha', heir, { time: after(6_000) }));
    await report([ADA, heir]);
    assert.deepEqual((await counts()).players, ['Saltmarten'], 'the former name is that of another player now');
  });

  await t.test('a UUID in any form, also one that was merged into another', async () => {
    const [old, present] = [person(10, 'Redpoll'), person(11, 'Siskin')];
    await run('network', 'set', '--hidden', old.uuid.replaceAll('-', '').toUpperCase());
    await report([old]);
    await sendEvents(context, login('Alpha', old));
    assert.deepEqual((await counts()).players, []);
    await sendEvents(context, login('Alpha', present, { time: after(10_000) }));
    await sendEvents(context, event('player.merged', { from: old.uuid, into: present.uuid }));
    await report([present]);
    assert.doesNotMatch(await shown(), /Siskin|Redpoll/);
    await report([old]);
    assert.doesNotMatch(await shown(), /Redpoll|00000000000a/, 'the former game account is the same player');
    await report([{ ...old, name: 'Bedrocker' }]);
    assert.doesNotMatch(JSON.stringify((await get(`/v1/servers/${id}/live-match`)).json), /00000000000a|Bedrocker/);
  });
});

onEachDatabase('a report that another process is committing does not show the player', async (t, url, dialect) => {
  const { context, report, counts } = await openNetwork(t, url);
  await sendEvents(context, login('Alpha', STAFF));
  await report();
  const other = await testContext(t, url);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  let hiding: Promise<void> | undefined;
  // The transaction has stored the report, and ends when the change of the list waits for it, or has not waited.
  const slow: typeof context.db.transaction = (work) =>
    context.db.transaction(async (tx) => {
      const result = await work(tx);
      hiding = setHidden(other.db, 0, key, ['Saltmarten']);
      if (dialect === 'postgres') await Promise.race([hiding, untilLocked(context.db)]);
      return result;
    });
  const { db, clock } = context;
  const newer = presence('Alpha', { current: 1, players: ['Saltmarten'] }, { time: after(90_000) });
  await ingestEvents({ transaction: slow, keyedHash: db.keyedHash }, clock, { kind: 'operator' }, [newer]);
  await hiding;
  assert.deepEqual(await counts(), { current: 0, player_count: 0, players: [] });
});

async function untilLocked(db: Awaited<ReturnType<typeof testContext>>['db']): Promise<void> {
  const waiting = sql`
    select 1 as found from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await db.get(waiting)) === undefined);
}
