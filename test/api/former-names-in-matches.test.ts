import assert from 'node:assert/strict';
import { allKills, allMatches } from '#store/accounts/export-queries.ts';
import { playerByUuid } from '#store/game/players.ts';
import { recordNextShown } from '#store/game/renamed-players.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { after, application, BEGINNING, configured, event, login, match } from '#test/support/builders.ts';
import { person, sendEvents, serverSender, serviceToken, team } from '#test/support/builders.ts';
import { type TestAppContext, onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { Mirror } from '#test/support/mirror.ts';
import { publicPaths } from '#test/support/public-paths.ts';
import { ask, clientOf } from '#test/support/request.ts';

/** Matches under a former name that the player keeps private, in a network that shows names in matches. */

const [ADA, QUIET, FORMER] = [person(1, 'Ada'), person(2, 'Quillback'), person(2, 'Driftwood')];
const SECOND = person(0xdead01, 'Spindrift');
const TRACES = /Driftwood|Spindrift/;

const choose = (switches: { profile?: boolean; names?: boolean }) =>
  event('player.privacy', { player: QUIET.uuid, profile: false, online: false, names: false, ...switches });

const wool = (player: typeof ADA, name: string) =>
  ({ player, team: name, type: 'wool', name: 'Red Wool', time: BEGINNING }) as const;

const LIMITS = { USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000' };

async function openNetwork(t: Parameters<typeof testContext>[0], url: string) {
  const context = await testContext(t, url, LIMITS);
  const { API, SITE } = await testServices(context, ['API', 'SITE']);
  const token = await serviceToken(context, (await application(context)).client_id);
  await sendEvents(
    context,
    configured('Alpha', { max: 40 }),
    event('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'max' }),
    match(
      {
        ...{ win: 'Driftwood', winners: ['Driftwood', 'Ada'], gamemode: 'ffa' },
        teams: [team('Ada', ADA), team('Driftwood', { ...FORMER, counters: { best_streak: 2 } }), team('Cy', 7)],
        objectives: [wool(FORMER, 'Driftwood'), wool(ADA, 'Ada')],
        kills: [
          { killer: QUIET.uuid, victim: ADA.uuid, time: after(-90_000_000) },
          { killer: ADA.uuid, victim: QUIET.uuid, time: after(-90_000_000) },
        ],
        ...{ started: after(-90_600_000), finished: after(-90_000_000) },
      },
      { time: after(-90_000_000) },
    ),
    match(
      {
        teams: [team('Red', ADA, SECOND), team('Blue', 3)],
        ...{ started: after(-80_600_000), finished: after(-80_000_000) },
      },
      { time: after(-80_000_000) },
    ),
    match(
      {
        teams: [team('Red', ADA), team('Blue', 3)],
        objectives: [wool({ ...QUIET, name: 'QUILLBACK' }, 'Red')],
        ...{ started: after(-70_600_000), finished: after(-70_000_000) },
      },
      { time: after(-70_000_000) },
    ),
    event('player.merged', { from: SECOND.uuid, into: QUIET.uuid }),
    login('Alpha', QUIET, { time: after(-1_000) }),
  );
  const paths = await publicPaths(context, { api: API!, site: SITE! }, [ADA, QUIET], 'driftwood');
  const answers = async (): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    for (const path of paths) {
      const { pathname, search } = new URL(path);
      const { status, text, headers } = await ask(path, pathname + search, path.startsWith(API!) ? { token } : {});
      const body = path.endsWith('.png') ? String(headers.etag) : text;
      found.set(path, path.includes('/changes') ? String(TRACES.test(body)) : `${status} ${body}`);
    }
    return found;
  };
  return { context, answers, api: API!, token };
}

async function moveAll({ db, clock }: TestAppContext): Promise<void> {
  while (await recordNextShown(db, clock.now()));
}

const SWITCHES = [{ names: true }, { profile: true }];

onEachDatabase('matches show the present name of who keeps former names or the profile private', async (t, url) => {
  const { context, answers, api, token } = await openNetwork(t, url);
  const { db, clock } = context;
  const mirror = new Mirror(context);
  // The second request of an address is answered from the cache from then on.
  await answers();
  const before = await answers();
  await mirror.check('before');
  assert.ok([...before].filter(([, text]) => TRACES.test(text)).length > 8);
  const key = await createServerKey(db, clock.now(), (await serverSender(context, 'Alpha')).serverKey);
  const asServer = clientOf(api, { token: key });
  const kills = async (): Promise<string> => (await asServer(`/v1/players/${ADA.uuid}?fields=kills`)).text;
  const killsBefore = await kills();
  assert.match(killsBefore, TRACES);
  const get = clientOf(api, { token });
  const read = async () => (await get('/v1/matches?fields=teams,objectives,winners,counters')).json.at(-1);
  const ada = (await playerByUuid(db, ADA.uuid))!.key;

  for (const [index, switches] of SWITCHES.entries())
    await t.test(Object.keys(switches).join(), async () => {
      await sendEvents(context, choose(switches));
      await mirror.check('with the switch');
      for (let times = 0; times < 2; times++)
        for (const [path, text] of await answers()) assert.doesNotMatch(text, TRACES, path);
      const whole = await read();
      assert.deepEqual([whole.win, whole.winners], ['Quillback', ['Quillback', 'Ada']]);
      assert.deepEqual(whole.teams[1].name, 'Quillback');
      assert.deepEqual(
        [whole.objectives[0], whole.counters[0]].map(({ team: own, uuid = QUIET.uuid }) => [own, uuid]),
        [
          ['Quillback', QUIET.uuid],
          ['Quillback', QUIET.uuid],
        ],
      );
      assert.equal(await kills(), killsBefore, 'servers see what they saw');
      const downloaded = [
        ...(await Array.fromAsync(allKills(db, ada))),
        ...(await Array.fromAsync(allMatches(db, ada))),
      ];
      assert.match(JSON.stringify(downloaded), /"name":"Quillback"[^]*\\"win\\":\\"Quillback/);
      assert.doesNotMatch(JSON.stringify(downloaded), TRACES, 'the download of another person');

      const began = 10_000 * index;
      await sendEvents(context, login('Alpha', { ...QUIET, name: 'Later' }, { time: after(began + 1_000) }));
      await mirror.check('renamed');
      assert.deepEqual([(await read()).win, (await get('/v1/matches')).json.at(-1).win], ['Later', 'Later']);
      await sendEvents(context, login('Alpha', QUIET, { time: after(began + 2_000) }));
      await mirror.check('renamed again');

      await sendEvents(context, choose({}));
      await moveAll(context);
      await mirror.check('without the switch');
      const again = await answers();
      for (const [path, text] of before)
        if (/\/matches/.test(path) && !path.includes('/players/')) assert.equal(again.get(path), text, path);
    });
});
