import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { gameAddressText, readGameAddress } from '#store/game/watches/game-address.ts';
import { createWatcher } from '#connectors/watch.ts';
import type { Watcher, WatcherOptions } from '#watch/watcher.ts';
import { type Names, resolveMinecraft } from '#watch/minecraft-address.ts';
import { Leases } from '#context/leases.ts';
import { heldWatches, removeWatch, setWatch, watchOf, type WatchProtocol } from '#store/game/watches/server-watches.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByKey, serverByName, type ServerNow } from '#store/game/servers.ts';
import { liveMatchOf, unreportedMatchesOf } from '#store/game/live-matches.ts';
import { configured, map, match, presence, progress, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestAppContext, TestClock, testContext } from '#test/support/context.ts';
import {
  minecraftResponder,
  pgmStatus,
  pongTo,
  sourceResponder,
  statusAnswer,
  statusPacket,
  tcpResponder,
  udpResponder,
  varInt,
} from './responder.ts';

const INTERVAL_MS = 30_000;
type Test = Parameters<typeof testContext>[0];

/** A network with a watcher, whose polls run when a test says so. */
class World {
  readonly context: TestAppContext;
  readonly #watcher: Watcher;

  constructor(context: TestAppContext, watcher: Watcher) {
    this.context = context;
    this.#watcher = watcher;
  }

  static async open(t: Test, url: string, options: WatcherOptions = {}): Promise<World> {
    const context = await testContext(t, url);
    const watcher = createWatcher(context, { monotonic: () => context.clock.now(), ...options });
    const close = context[Symbol.asyncDispose].bind(context);
    context[Symbol.asyncDispose] = async () => {
      await watcher[Symbol.asyncDispose]();
      await close();
    };
    return new World(context, watcher);
  }

  async watch(name: string, address: string, protocol: WatchProtocol = 'minecraft'): Promise<void> {
    const { db } = this.context;
    await sendEvents(this.context, configured(name, { max: 100 }));
    await setWatch(db, await this.#key(name), { address, protocol });
  }

  /** Makes the polls that are due, after `ms`. */
  async poll(ms = 0): Promise<void> {
    this.context.clock.advance(ms);
    await this.tick();
    await this.#watcher.settled();
  }

  /** Starts the polls that are due. */
  async tick(): Promise<void> {
    await this.#watcher.tick();
  }

  async server(name: string): Promise<ServerNow> {
    const { db, clock, config } = this.context;
    return (await serverByKey(db, await this.#key(name), clock.now() - config.PRESENCE_TIMEOUT * 1000))!;
  }

  async outcome(name: string) {
    return await watchOf(this.context.db, await this.#key(name));
  }

  async remove(name: string): Promise<boolean> {
    return await removeWatch(this.context.db, await this.#key(name));
  }

  async #key(name: string): Promise<number> {
    return (await serverByName(this.context.db, name))!.key;
  }
}

const shownOf = ({ playing, playerCount, players, gamemode, current_map, next_map, online }: ServerNow) => ({
  ...{ playing, playerCount, players, gamemode, current_map, next_map, online },
});

onEachDatabase('a watched Minecraft server follows its status within one interval', async (t, url) => {
  const world = await World.open(t, url);
  let status: unknown = pgmStatus(40, ['Ada', 'Bob'], 'Harbour §lDay', 'Mills');
  const responder = await minecraftResponder(t, () => status);
  await world.watch('Alpha', responder.address);
  await world.poll();
  assert.deepEqual(shownOf(await world.server('Alpha')), {
    playing: 39,
    playerCount: 40,
    players: ['Ada', 'Bob'],
    gamemode: 'ctw',
    current_map: 'Harbour Day',
    next_map: 'Mills',
    online: true,
  });
  const { succeeded, error, playerCount, max } = (await world.outcome('Alpha'))!;
  assert.deepEqual(
    { succeeded, error, playerCount, max },
    { succeeded: world.context.clock.now(), error: null, playerCount: 40, max: 120 },
  );

  status = { players: { online: 1, max: 20, sample: [{ name: 'Cid' }] } };
  await world.poll(INTERVAL_MS - 1);
  assert.equal(responder.polls, 1, 'not before the interval');
  await world.poll(1);
  const { playing, players, current_map } = await world.server('Alpha');
  assert.deepEqual({ playing, players, current_map }, { playing: 1, players: ['Cid'], current_map: '' });

  assert.equal(await world.remove('Alpha'), true);
  await world.poll(INTERVAL_MS);
  assert.equal(responder.polls, 2, 'no longer watched');
  assert.equal(await world.remove('Alpha'), false);
});

onEachDatabase(
  'a hidden player is recognised by the UUID in the sample of a status, whatever the name',
  async (t, url) => {
    const world = await World.open(t, url);
    const { db } = world.context;
    const id = '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42';
    const sample = [
      { name: 'Ada', id: '00000000-0000-4000-8000-000000000001' },
      { name: 'Merganser', id },
    ];
    const responder = await minecraftResponder(t, () => ({ players: { online: 2, max: 20, sample } }));
    await world.watch('Alpha', responder.address);
    const { key } = (await serverByName(db, 'Alpha'))!;
    await setHidden(db, 0, key, [id]);
    await world.poll();
    const { players, playerCount, playing } = await world.server('Alpha');
    assert.deepEqual({ players, playerCount, playing }, { players: ['Ada'], playerCount: 1, playing: 1 });
  },
);

/**
 * The ids of the tags are those in the constructors of MapTag in PGM 852bf3d: `wool` in WoolModule.java, `core` in
 * CoreModule.java, `monument` in DestroyableModule.java, `flag` in FlagModule.java, `controlpoint` and `payload` in
 * ControlPointModule.java, `deathmatch` and `scorebox` in ScoreModule.java, `blitz`, `ffa`, `rage`, `timelimit` in theirs.
 */
const TAGS: [string[], string][] = [
  [['2teams', 'wool'], 'ctw'],
  [['2teams', 'core', 'timelimit'], 'dtc'],
  [['4teams', 'monument'], 'dtm'],
  [['2teams', 'flag'], 'ctf'],
  [['2teams', 'controlpoint', 'timelimit'], 'cp'],
  [['2teams', 'payload'], 'payload'],
  [['2teams', 'deathmatch'], 'tdm'],
  [['2teams', 'blitz'], 'blitz'],
  [['2teams', 'rage'], 'rage'],
  [['deathmatch', 'ffa'], 'tdm'],
  [['ffa'], 'ffa'],
  [['2teams', 'blitz', 'wool'], 'ctw'],
  [['2teams', 'deathmatch', 'flag'], 'ctf'],
  [['2teams', 'scorebox', 'terrain'], ''],
  [['ctw', 'koth', 'tdm'], ''],
];

onSqlite('the tags of PGM give the gamemode', async (t, url) => {
  const world = await World.open(t, url);
  let tags: string[] = [];
  const responder = await minecraftResponder(t, () => pgmStatus(9, [], 'Harbour', 'Mills', tags));
  await world.watch('Alpha', responder.address);
  const shown: [string[], string][] = [];
  for (const [row] of TAGS) {
    tags = row;
    await world.poll(INTERVAL_MS);
    shown.push([row, (await world.server('Alpha')).gamemode]);
  }
  assert.deepEqual(shown, TAGS);
});

onEachDatabase('the imported map decides between gamemodes with one tag', async (t, url) => {
  const world = await World.open(t, url);
  const { context } = world;
  await sendEvents(context, map('Crown', { gamemodes: ['koth'] }), map('Towers', { gamemodes: ['tdm', 'cp'] }));
  let name = '';
  const responder = await minecraftResponder(t, () => pgmStatus(9, [], name, 'Mills', ['2teams', 'controlpoint']));
  await world.watch('Alpha', responder.address);
  const { key } = (await serverByName(context.db, 'Alpha'))!;
  const shown: unknown[] = [];
  for (name of ['Crown', 'Towers', 'Unknown']) {
    await world.poll(INTERVAL_MS);
    const live = await liveMatchOf(context.db, key, 0);
    shown.push([name, (await world.server('Alpha')).gamemode, live?.gamemode]);
  }
  assert.deepEqual(shown, [
    ['Crown', 'koth', 'koth'],
    ['Towers', 'cp', 'cp'],
    ['Unknown', 'cp', 'cp'],
  ]);
});

onEachDatabase('a match of PGM is followed from poll to poll, until its result is known', async (t, url) => {
  const world = await World.open(t, url);
  const { context } = world;
  const { db, clock } = context;
  let answer: object = {};
  const responder = await minecraftResponder(t, () => answer);
  await world.watch('Alpha', responder.address);
  const { key } = (await serverByName(db, 'Alpha'))!;
  const began = clock.now() - 312_000;
  const pgm = pgmStatus(9, ['Ada'], 'Harbour', 'Mills') as { bukkit_extra: { pgm: { 7: object } } };
  const poll = async (number: number, state: unknown, duration: unknown, map = 'Harbour', ms = INTERVAL_MS) => {
    answer = {
      ...pgm,
      bukkit_extra: { pgm: { [number]: { ...pgm.bukkit_extra.pgm[7], state, duration, map: { name: map } } } },
    };
    await world.poll(ms);
    const live = await liveMatchOf(db, key, clock.now() - 120_000);
    const seen = await unreportedMatchesOf(db, key, clock.now() - 120_000);
    return [
      live?.phase,
      live?.started,
      live?.map,
      seen.map((one) => `${one.map} ${(one.seen - one.started) / 1000} s`),
    ];
  };
  assert.deepEqual(await poll(7, 'running', 312, 'Harbour', 0), ['running', began, 'Harbour', []]);
  const { participants, observers } = (await liveMatchOf(db, key, 0))!;
  assert.deepEqual([participants, observers], [8, 1]);
  assert.deepEqual(
    await poll(7, 'running', 337),
    ['running', began, 'Harbour', []],
    'an answer that was five seconds old',
  );
  assert.deepEqual(await poll(7, 'finished', 350), ['finished', began, 'Harbour', []]);
  const seen = 'Harbour 372 s';
  assert.deepEqual(await poll(8, 'starting', 0, 'Mills'), ['starting', null, 'Mills', [seen]]);
  const [, started] = await poll(8, 'running', 20, 'Mills');
  assert.equal(started, clock.now() - 20_000);
  const restarted = await poll(8, 'running', 5, '§c<Eve>\u202e');
  assert.deepEqual(restarted.slice(2), ['<Eve>', ['Mills 20 s', seen]], 'a duration that falls is a restart');

  await sendEvents(
    context,
    match({
      map: 'Harbour',
      started: new Date(began + 3_000).toISOString(),
      finished: new Date(began + 351_000).toISOString(),
    }),
  );
  const time = new Date(clock.now() + 1).toISOString();
  await sendEvents(context, progress({ map: 'Own', started: new Date(clock.now() - 4_000).toISOString() }, { time }));
  assert.deepEqual((await poll(8, 'running', 35, 'Mills')).slice(2), ['Own', ['Mills 20 s']], 'its own report wins');
  for (const [state, duration] of [
    ['running', -1],
    ['over', 3],
    ['running', 1e12],
    [{}, []],
  ] as const)
    assert.equal((await poll(9, state, duration, 'Bad', 120_000))[0], undefined, 'no match is read from nonsense');
});

onEachDatabase('a failed poll reports nothing, and its reason is stored', async (t, url) => {
  const world = await World.open(t, url);
  let isUp = true;
  const responder = await tcpResponder(t, (socket) =>
    isUp ? socket.end(statusPacket('{"players":{"online":3,"max":5}}')) : socket.destroy(),
  );
  await world.watch('Alpha', responder.address);
  await world.poll();
  const succeeded = world.context.clock.now();
  isUp = false;
  await world.poll(INTERVAL_MS);
  assert.equal((await world.server('Alpha')).playerCount, 3, 'as long as its heartbeat is recent');
  assert.equal((await world.outcome('Alpha'))!.error, 'wrong_answer');
  assert.equal((await world.outcome('Alpha'))!.succeeded, succeeded);
  await world.poll(world.context.config.PRESENCE_TIMEOUT * 1000);
  assert.deepEqual((await world.server('Alpha')).online, false);
  isUp = true;
  await world.poll(INTERVAL_MS);
  assert.equal((await world.outcome('Alpha'))!.error, null);
  assert.equal((await world.server('Alpha')).online, true);
});

onEachDatabase('a server that reports itself keeps its own presence while it is recent', async (t, url) => {
  const world = await World.open(t, url);
  const responder = await minecraftResponder(t, () => pgmStatus(9, ['Ada'], 'Seen', ''));
  await world.watch('Alpha', responder.address);
  const report = async (): Promise<void> => {
    const time = new Date(world.context.clock.now()).toISOString();
    await sendEvents(world.context, presence('Alpha', { current: 1, players: ['Own'], current_map: 'Told' }, { time }));
  };
  await report();
  await world.poll();
  assert.equal(responder.polls, 0);
  assert.deepEqual((await world.server('Alpha')).players, ['Own']);
  await world.poll(world.context.config.PRESENCE_TIMEOUT * 1000 + 1);
  assert.equal((await world.server('Alpha')).current_map, 'Seen', 'silent, so it is polled');
  world.context.clock.advance(1);
  await report();
  await world.poll(INTERVAL_MS);
  assert.equal((await world.server('Alpha')).current_map, 'Told');
});

onEachDatabase('each server belongs to one process, and the first polls of many spread', async (t, url) => {
  const { context } = await World.open(t, url);
  const { db, clock } = context;
  await sendEvents(context, ...Array.from({ length: 7 }, (_, index) => configured(`S${index}`, {})));
  for (let index = 0; index < 7; index++) {
    const { key } = (await serverByName(db, `S${index}`))!;
    await setWatch(db, key, { address: '127.0.0.1:1', protocol: 'minecraft' });
  }
  let elapsed = 0;
  const processes = Array.from({ length: 4 }, () => new Leases(context, 'server_watches', () => elapsed));
  const held = async (process: Leases) => (await heldWatches(db, process.holder)).map(({ serverName }) => serverName);
  const heldByAll = async () => (await Promise.all(processes.map(held))).flat();
  await Promise.all(processes.map((process) => process.hold(3)));
  const taken = await heldByAll();
  assert.ok(taken.length >= 3 && new Set(taken).size === taken.length, 'at once');
  for (let rest = 7 - taken.length; rest > 0; rest -= 3) {
    await processes[0]!.hold(3);
    assert.equal((await heldByAll()).length, 7 - Math.max(0, rest - 3), 'no more than the limit');
  }
  const before = await Promise.all(processes.map(held));
  clock.advance(-86_400_000);
  for (let second = 0; second < 60; second++) {
    elapsed += 1_000;
    for (const process of processes) await process.hold(3);
  }
  assert.deepEqual(await Promise.all(processes.map(held)), before, 'the time of day ends no lease');

  const [first, second, ...others] = processes as [Leases, Leases, ...Leases[]];
  await first.release();
  await second.hold(7);
  const inherited = before[0]!.length + before[1]!.length;
  assert.equal((await held(second)).length, inherited, 'a process that stops leaves its servers to the others');
  for (const { elapse, expected } of [
    { elapse: 19_999, expected: inherited },
    { elapse: 1, expected: 7 },
  ]) {
    elapsed += elapse;
    await second.hold(7);
    assert.equal((await held(second)).length, expected, 'of those that stand still, after the time of a lease');
  }
  for (const process of others) await process.hold(7);
  assert.equal((await held(second)).length, 7);
});

onEachDatabase('processes whose clocks differ by minutes poll each server once an interval', async (t, url) => {
  let elapsed = 0;
  const options = { monotonic: () => elapsed };
  const world = await World.open(t, url, options);
  const skewed = [120_000, -120_000].map((skewMs) => {
    const clock = new TestClock(world.context.clock.now() + skewMs);
    return new World(world.context, createWatcher({ ...world.context, clock }, options));
  });
  const responder = await minecraftResponder(t, () => ({ players: { online: 1, max: 20 } }));
  await world.watch('Alpha', responder.address);
  for (; elapsed <= 3 * INTERVAL_MS; elapsed += 5_000) {
    for (const process of [world, ...skewed]) await process.poll();
    assert.equal(responder.polls, 1 + Math.floor(elapsed / INTERVAL_MS), `after ${elapsed} ms`);
  }

  // The process that polls stops.
  await Promise.all(skewed.map((process) => process.poll()));
  const before = responder.polls;
  elapsed += 20_000 - 5_000 - 1;
  await Promise.all(skewed.map((process) => process.poll()));
  assert.equal(responder.polls, before, 'before the lease is over');
  elapsed += 1;
  await Promise.all(skewed.map((process) => process.poll()));
  assert.equal(responder.polls, before + 1);
  elapsed += INTERVAL_MS;
  for (const process of [world, ...skewed]) await process.poll();
  assert.equal(responder.polls, before + 2, 'only the new holder polls');
});

onSqlite('a server with another address is polled at once, and no server twice at the same time', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 300 });
  const responder = await minecraftResponder(t, () => ({ players: { online: 1, max: 20 } }));
  let connections = 0;
  const silent = await tcpResponder(t, () => void connections++);
  await world.watch('Alpha', responder.address);
  await world.watch('Beta', silent.address);
  await world.poll();
  assert.deepEqual([responder.polls, connections], [1, 1]);
  const other = await minecraftResponder(t, () => ({ players: { online: 2, max: 20 } }));
  await world.watch('Alpha', other.address);
  await world.poll();
  assert.deepEqual([responder.polls, other.polls, connections], [1, 1, 1]);
  world.context.clock.advance(INTERVAL_MS);
  await world.tick();
  world.context.clock.advance(INTERVAL_MS);
  await world.poll();
  assert.equal(connections, 2, 'while the poll before waits for the answer');
});

onSqlite('other games are polled by gamedig', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 3_000 });
  const responder = await sourceResponder(t, () => ({
    map: 'cp_\u0007dust',
    players: ['Ada', '\u202eEve', ''],
    max: 24,
  }));
  await world.watch('Alpha', responder.address, 'valve');
  await world.poll();
  const { playerCount, players, current_map } = await world.server('Alpha');
  assert.deepEqual([playerCount, players.toSorted(), current_map], [3, ['Ada', 'Eve'], 'cp_dust']);
  assert.equal((await world.outcome('Alpha'))!.max, 24);
});

/**
 * Answers in the forms of live servers, with invented names: node-gamedig#467 (Xonotic: counts as text, `^x0AF`, UTF-8),
 * #204 (bots with colours), qstat#45 and etlegacy#271 (bots have the ping 0), GeyserMC/Geyser#3389 and
 * pmmp/PocketMine-MP#153 (escaped semicolons of a pong), the characters of QuakeWorld and of DarkPlaces (`U+E0xx`).
 */
const ANSWERS: readonly {
  protocol: WatchProtocol;
  answer: (request: Buffer) => Buffer;
  expected: { players: string[]; playerCount: number; max: number; map: string };
}[] = [
  {
    protocol: 'quake3',
    answer: () =>
      statusAnswer(
        'statusResponse',
        '\\version\\ioq3 1.36\\sv_maxclients\\12\\mapname\\oa_dm1\\sv_hostname\\Quay\n4 0 "^1Grism"\n2 0 "Sarge"\n7 48 "^5Reed^7ling^^"\n0 999 "Moorhen"\n',
      ),
    expected: { players: ['Moorhen', 'Reedling^'], playerCount: 2, max: 12, map: 'oa_dm1' },
  },
  {
    protocol: 'xonotic',
    answer: () =>
      statusAnswer(
        'statusResponse',
        '\\gamename\\Xonotic\\sv_maxclients\\32\\clients\\4\\bots\\1\\mapname\\lilrun2\\hostname\\exe\n9 41 "^x0AFw^x000\u0131nd"\n0 55 "[No\u00a0chat]"\n5 0 "^3[BOT]Eureka"\n3 20 "\ue0d2\ue0e5ed\ue012"\n',
      ),
    expected: { players: ['Reed0', '[No\u00a0chat]', 'w\u0131nd'], playerCount: 3, max: 32, map: 'lilrun2' },
  },
  {
    protocol: 'quake2',
    answer: () =>
      statusAnswer('print', Buffer.from('\\maxclients\\8\\mapname\\q2dm1\n3 30 "\xd2\xe5\xe5\xe4"\n', 'latin1')),
    expected: { players: ['Reed'], playerCount: 1, max: 8, map: 'q2dm1' },
  },
  {
    protocol: 'quake3',
    answer: () => statusAnswer('statusResponse', Buffer.from('\\mapname\\Ca\xf1on\n1 20 "Andr\xe9"\n', 'latin1')),
    expected: { players: ['André'], playerCount: 1, max: 0, map: 'Cañon' },
  },
  {
    // A status without numbers.
    protocol: 'quake3',
    answer: () => statusAnswer('statusResponse', '\\mapname\\dm6\n'),
    expected: { players: [], playerCount: 0, max: 0, map: 'dm6' },
  },
  {
    protocol: 'minecraftbedrock',
    answer: (ping) =>
      pongTo(
        ping,
        'MCPE;Quay\\; the server;390;1.14.60;7;20;13253860892328930865;Bedrock\\; level é;Survival;1;19132;19133;',
      ),
    expected: { players: [], playerCount: 7, max: 20, map: 'Bedrock; level é' },
  },
  {
    protocol: 'minecraftbedrock',
    answer: (ping) => pongTo(ping, 'MCPE;a\\;b\\;c\\;d\\;;390;1.14.60;;;1;Lake;Survival;1;19132;19133;'),
    expected: { players: [], playerCount: 0, max: 0, map: 'Lake' },
  },
];

onSqlite('answers of live servers through gamedig: numbers, letters, colours, bots', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 3_000 });
  for (const [at, { protocol, answer }] of ANSWERS.entries()) {
    const { address } = await udpResponder(t, (request) => [answer(request)]);
    await world.watch(`Server ${at}`, address, protocol);
  }
  await world.poll();
  for (const [at, { protocol, expected }] of ANSWERS.entries()) {
    const { online, players, playerCount, current_map } = await world.server(`Server ${at}`);
    const { max, error } = (await world.outcome(`Server ${at}`))!;
    const seen = { online, error, players: players.toSorted(), playerCount, max, map: current_map };
    assert.deepEqual(seen, { online: true, error: null, ...expected }, `${protocol} ${at}`);
  }
});

onSqlite('bots of a Source server are no players, also without a list', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 3_000 });
  const responder = await sourceResponder(t, () => ({ map: 'cp_dust', players: ['Ada', 'Bot'], max: 24, bots: 1 }));
  await world.watch('Alpha', responder.address, 'valve');
  await world.poll();
  const { playerCount, players } = await world.server('Alpha');
  assert.deepEqual([playerCount, players], [1, ['Ada']]);
});

onSqlite('a status of Minecraft without numbers is online, and its advertising is nobody', async (t, url) => {
  const world = await World.open(t, url);
  const nobody = '00000000-0000-0000-0000-000000000000';
  const statuses: [players: object | undefined, expected: unknown][] = [
    // Paper and Sponge with players hidden by a plugin: setHidePlayers of their ping events.
    [undefined, [true, 0, [], null]],
    [
      { online: '2', max: '20', sample: [{ name: 'Miряев', id: '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10' }] },
      [true, 2, ['Miряев'], null],
    ],
    [
      {
        online: 2,
        max: 20,
        sample: [
          { name: 'Welcome', id: nobody },
          { name: 'Ada', id: '1' },
        ],
      },
      [true, 2, ['Ada'], null],
    ],
    [{ online: -1, max: 20 }, [true, 2, ['Ada'], 'wrong_answer']],
  ];
  let players: object | undefined;
  const responder = await minecraftResponder(t, () => ({ version: { name: 'Paper' }, ...(players && { players }) }));
  await world.watch('Alpha', responder.address);
  for (const [shown, expected] of statuses) {
    players = shown;
    await world.poll(INTERVAL_MS);
    const server = await world.server('Alpha');
    const seen = [server.online, server.playerCount, server.players, (await world.outcome('Alpha'))!.error];
    assert.deepEqual(seen, expected);
  }
});

/** A gigabyte of zeros, packed by bzip2 into 785 bytes, and those by zlib. */
const GIGABYTE =
  'eNpzisqwNHSMVAuO5ON8dJ8xvs+B4QADA4cCg0GDr5vTAtWVXA3TR+VH5Ye+vEdN/EmGrqATIHkWsIozrJrLJio5J7p08osXuVoE' +
  'TPjW8YQJAOT97O0=';

onSqlite('an answer of a Source server that unpacks to a gigabyte is refused', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 1_000 });
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => void socket.close());
  await once(socket, 'listening');
  // A split answer of one packet; the last eight bytes are its unpacked size and checksum, which gamedig does not read.
  const header = Buffer.from('feffffff010000800100e004'.padEnd(40, '0'), 'hex');
  const answer = Buffer.concat([header, inflateSync(Buffer.from(GIGABYTE, 'base64'))]);
  socket.on('message', (_request, { port, address }) => socket.send(answer, port, address));
  await world.watch('Alpha', `127.0.0.1:${socket.address().port}`, 'valve');
  await world.poll();
  assert.equal((await world.outcome('Alpha'))!.error, 'wrong_answer');
});

/** Responses of hostile servers, and the reason that the operator reads. */
const HOSTILE: Record<string, [reason: string, answer: Parameters<typeof tcpResponder>[1]]> = {
  silent: ['timeout', () => undefined],
  endless: [
    'too_large',
    (socket) => void socket.write(Buffer.concat([varInt(2 ** 30), Buffer.from([0]), varInt(2 ** 30)])),
  ],
  flood: [
    'wrong_answer',
    (socket) => {
      const flood = (): void => {
        while (socket.writable && socket.write(Buffer.alloc(65_536, 0xff)));
      };
      socket.on('drain', flood);
      flood();
    },
  ],
  slow: ['timeout', (socket) => void socket.write(statusPacket('{"players":{"online":1}}').subarray(0, 10))],
  huge: ['too_large', (socket) => socket.end(statusPacket(`{"favicon":"${'x'.repeat(200_000)}"}`))],
  'wrong JSON': ['wrong_answer', (socket) => socket.end(statusPacket('{"players":'))],
  'other JSON': ['wrong_answer', (socket) => socket.end(statusPacket('[null]'))],
  deep: ['wrong_answer', (socket) => socket.end(statusPacket('['.repeat(50_000)))],
  'other protocol': ['wrong_answer', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  'negative count': ['wrong_answer', (socket) => socket.end(statusPacket('{"players":{"online":-1}}'))],
  'a billion players': ['wrong_answer', (socket) => socket.end(statusPacket('{"players":{"online":1000000000}}'))],
  'JSON longer than its packet': [
    'wrong_answer',
    (socket) => socket.end(Buffer.concat([varInt(4), Buffer.from([0]), varInt(9), Buffer.from('{"a":"b"}')])),
  ],
};

onSqlite('hostile answers fail with a reason and hold up no other server', async (t, url) => {
  const world = await World.open(t, url, { timeoutMs: 400 });
  for (const [name, [, answer]] of Object.entries(HOSTILE))
    await world.watch(name, (await tcpResponder(t, answer)).address);
  const honest = await minecraftResponder(t, () => ({ players: { online: 2, max: 9 } }));
  await world.watch('honest', honest.address);
  await world.watch('closed', '127.0.0.1:1');
  await world.poll();
  const reasons = await Promise.all(
    Object.keys(HOSTILE).map(async (name) => [name, (await world.outcome(name))!.error]),
  );
  assert.deepEqual(
    reasons,
    Object.entries(HOSTILE).map(([name, [reason]]) => [name, reason]),
  );
  assert.equal((await world.outcome('closed'))!.error, 'refused');
  assert.equal((await world.server('honest')).playerCount, 2);
});

onSqlite('names and maps of other people are bounded and clean', async (t, url) => {
  const world = await World.open(t, url);
  const flood = Array.from({ length: 5_000 }, (_, index) => ({ name: `P${index}` }));
  const hostile = [
    { name: '§aVisit our shop' },
    { name: 'A\u0000' },
    { name: 7 },
    null,
    { name: 'Ada' },
    { name: 'Ada' },
  ];
  const status = pgmStatus(1_000, [], `\u202e${'x'.repeat(5_000)}\u0000`, '§k§');
  Object.assign(status['players'] as object, { sample: [...hostile, ...flood] });
  await world.watch('Flood', (await minecraftResponder(t, () => status)).address);
  const few = { players: { online: 1, max: 'many', sample: flood.slice(0, 9) }, bukkit_extra: { pgm: { x: 1 } } };
  await world.watch('Few', (await minecraftResponder(t, () => few)).address);
  await world.poll();
  const { players, current_map, next_map, playerCount } = await world.server('Flood');
  assert.deepEqual([players.length, players[0], players[1], playerCount], [200, 'Ada', 'P0', 1_000]);
  assert.equal(current_map, 'x'.repeat(127));
  assert.equal(next_map, '');
  assert.deepEqual((await world.server('Few')).players, ['P0'], 'no more names than players');
});

onSqlite('an SRV record may not lead to a private address that nobody configured', async (t, url) => {
  const responder = await minecraftResponder(t, () => ({ players: { online: 4, max: 9 } }));
  const hosts: Record<string, string> = { 'evil.example': '203.0.113.1', 'own.example': '127.0.0.1' };
  const targets: Record<string, string> = {
    'evil.example': 'own.example',
    'mapped.example': 'six.example',
    'own.example': 'own.example.',
  };
  hosts['six.example'] = '::ffff:10.0.0.1';
  const world = await World.open(t, url, {
    names: {
      srv: async (name) => {
        const target = targets[name.replace('_minecraft._tcp.', '')];
        return target === undefined ? [] : [{ name: target, port: responder.port }];
      },
      addresses: async (host) => hosts[host]?.split(' ') ?? [],
    },
  });
  await world.watch('Evil', 'evil.example');
  await world.watch('Mapped', 'mapped.example');
  await world.watch('Own', 'own.example');
  await world.watch('Nobody', 'nobody.example');
  await world.poll();
  assert.equal((await world.outcome('Evil'))!.error, 'private_redirect');
  assert.equal((await world.outcome('Mapped'))!.error, 'private_redirect');
  assert.equal((await world.outcome('Nobody'))!.error, 'not_found');
  assert.deepEqual([(await world.server('Own')).playerCount, responder.polls], [4, 1]);
});

onSqlite('all addresses of a name are tried', async (t, url) => {
  const responder = await minecraftResponder(t, () => ({ players: { online: 4, max: 9 } }));
  const hosts: Record<string, string[]> = {
    'both.example': ['::1', '127.0.0.1'],
    'closed.example': ['::1', '127.0.0.2'],
  };
  const world = await World.open(t, url, {
    names: { srv: async () => [], addresses: async (host) => hosts[host] ?? [] },
  });
  await world.watch('Both', `both.example:${responder.port}`);
  await world.watch('Closed', `closed.example:${responder.port}`);
  await world.poll();
  assert.deepEqual([(await world.outcome('Both'))!.error, (await world.server('Both')).playerCount], [null, 4]);
  assert.equal((await world.outcome('Closed'))!.error, 'refused');
  assert.equal(responder.polls, 1);
});

test('of the addresses of a redirect only the public ones are tried', async () => {
  const names: Names = {
    srv: async () => [{ name: 'target.example', port: 25_566 }],
    addresses: async () => ['10.0.0.1', '8.8.8.8', '::1', '::ffff:127.0.0.1', '2a00:1450:4001::1', 'fd00::1'],
  };
  const { addresses } = await resolveMinecraft({ host: 'play.example', port: undefined }, names);
  assert.deepEqual(addresses, ['8.8.8.8', '2a00:1450:4001::1']);
});

onSqlite('other games are polled at all addresses of a name', async (t, url) => {
  const responder = await sourceResponder(t, () => ({ map: 'cp_dustbowl', players: ['Ada'], max: 24 }));
  const names = { srv: async () => [], addresses: async () => ['::1', '127.0.0.1'] };
  const world = await World.open(t, url, { timeoutMs: 2_000, names });
  await world.watch('Both', `both.example:${responder.port}`, 'valve');
  await world.poll();
  assert.deepEqual(
    [(await world.outcome('Both'))!.error, (await world.server('Both')).current_map],
    [null, 'cp_dustbowl'],
  );
});

/** The stored form of an address; undefined if it is invalid. */
function read(text: string): string | undefined {
  const address = readGameAddress(text);
  return address && gameAddressText(address);
}

test('addresses of game servers', () => {
  for (const [text, stored] of [
    ['play.example.org', 'play.example.org'],
    [' Play.Example.org:25565 ', 'play.example.org:25565'],
    ['10.0.0.1:1', '10.0.0.1:1'],
    ['[2001:DB8::1]:25565', '[2001:db8::1]:25565'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['paper', 'paper'],
  ]) {
    assert.equal(read(text!), stored);
    assert.equal(read(stored!), stored);
  }
  for (const text of [
    '',
    'a b',
    'host:0',
    'host:65536',
    'host:',
    'http://host',
    'u@host',
    '1.2.3',
    '[::1',
    '-a.b',
    'a..b',
    'x'.repeat(300),
  ])
    assert.equal(read(text), undefined, text);
});
