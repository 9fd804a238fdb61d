import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { selfSignedCertificate } from '#platform/crypto/certificate.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { createManagedServers, reportedState } from '#connectors/management.ts';
import type { ManagedServers, ManagedServersOptions } from '#management/managed-servers.ts';
import { stepsOf } from '#management/steps.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { saveBans } from '#store/game/watches/managed-state.ts';
import { managedServer, removeManaged, setManaged } from '#store/game/watches/managed-servers.ts';
import { readManagementUrl } from '#store/game/watches/management-url.ts';
import { serverByKey, serverByName } from '#store/game/servers.ts';
import { configured, event, presence, punishment, sendEvents } from '#test/support/builders.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { onEachDatabase, onSqlite, type TestAppContext, TestClock, testContext } from '#test/support/context.ts';
import { tcpResponder } from '../watch/responder.ts';
import { ManagementResponder, SECRET } from './responder.ts';

/** Messages of a server of Minecraft 1.21.9, in the form of its OpenRPC document. */
const SESSION = JSON.parse(readFileSync(new URL('session.json', import.meta.url), 'utf8')) as {
  first: Record<string, unknown>;
  notifications: unknown[];
  second: Record<string, unknown>;
};

interface Facts {
  player?: { name: string };
  punished?: { name: string };
  punisher?: { name: string } | null;
  reason?: string;
  expires?: string | null;
}

class World {
  readonly context: TestAppContext;
  readonly key: number;

  constructor(context: TestAppContext, key: number) {
    this.context = context;
    this.key = key;
  }

  static async open(
    t: Parameters<typeof testContext>[0],
    url: string,
    settings: Parameters<typeof testContext>[2] = {},
  ): Promise<World> {
    const context = await testContext(t, url, settings);
    await sendEvents(context, configured('Alpha', { max: 100 }));
    return new World(context, (await serverByName(context.db, 'Alpha'))!.key);
  }

  servers(options: ManagedServersOptions = {}, context = this.context): ManagedServers {
    const servers = createManagedServers(context, { backoffMs: 1, ...options });
    const close = this.context[Symbol.asyncDispose].bind(this.context);
    this.context[Symbol.asyncDispose] = async () => {
      await servers[Symbol.asyncDispose]();
      await close();
    };
    return servers;
  }

  async manage(url: string, { ca = '', secret = SECRET } = {}): Promise<void> {
    const { db, config } = this.context;
    await setManaged(db, openSecretKey(config), this.key, { url, ca, secret });
  }

  async state() {
    return (await managedServer(this.context.db, this.key))?.state;
  }

  /** The reported events, oldest first: the type and an identifying member. */
  async events(): Promise<string[]> {
    const rows = await this.context.db.all<{ type: string; time: number; body: string }>(sql`
      select type, time, body from ledger where scope_key = ${this.key} and type <> 'server.configured' order by key`);
    return rows.map(({ type, time, body }) => {
      const { player, punished = player, punisher, reason, expires } = JSON.parse(body) as Facts;
      const facts = [punished?.name, punisher?.name, reason, expires].filter((fact) => typeof fact === 'string');
      return [new Date(time).toISOString().slice(11, 19), type, ...facts].join(' ');
    });
  }

  async until(check: () => Promise<boolean>): Promise<void> {
    for (let rounds = 0; !(await check()); rounds++) {
      assert.ok(rounds < 2_000, `in vain: ${JSON.stringify([await this.state(), await this.events()])}`);
      await pause(5);
    }
  }

  async untilEvents(count: number): Promise<string[]> {
    await this.until(async () => (await this.events()).length >= count);
    return await this.events();
  }
}

onEachDatabase('a managed server reports joins and bans while they happen and what was missed', async (t, url) => {
  const world = await World.open(t, url);
  const { context } = world;
  const responder = await ManagementResponder.open(t);
  responder.lists = SESSION.first;
  await world.manage(responder.url);
  // Hal's ban is known from an import, and Hal was merged into another player since.
  const hal = { uuid: '0b7a1f3e-5c2d-4e8f-9a1b-000000000007', name: 'Hal' };
  await sendEvents(
    context,
    punishment('imported', hal, {}, { server: 'Alpha' }),
    event('player.merged', { from: hal.uuid, into: '0b7a1f3e-5c2d-4e8f-9a1b-0000000000aa' }),
  );
  await finishJobs(context.db);
  const servers = world.servers();
  await servers.tick();
  await world.until(async () => (await world.state()) === 'connected');
  const first = [
    '12:00:00 punishment.issued Hal',
    '12:00:00 player.login Ada',
    '12:00:00 punishment.issued Bob Griefing the harbour',
  ];
  assert.deepEqual(await world.events(), first);
  const { players, playerCount } = (await serverByKey(context.db, world.key, context.clock.now() - 60_000))!;
  assert.deepEqual([players, playerCount], [['Ada'], 1], 'the heartbeat names everybody');

  const other = world.servers();
  await other.tick();
  context.clock.advance(10_000);
  for (const message of SESSION.notifications) responder.send(message);
  const live = [
    '12:00:10 player.login Cid',
    '12:00:10 player.logout Ada',
    '12:00:10 punishment.issued Dan Cid Spam in chat 2026-04-01T00:00:00.000Z',
    '12:00:10 punishment.revoked',
  ];
  assert.deepEqual(await world.untilEvents(7), [...first, ...live]);

  // The connection is lost for a minute, in which Cid leaves, Eve joins, Dan and Hal are pardoned and Fay is banned.
  context.clock.advance(60_000);
  responder.lists = SESSION.second;
  responder.drop();
  const missed = [
    '12:00:10 player.logout Cid',
    '12:01:10 player.login Eve',
    '12:01:10 punishment.issued Fay Cheating',
    '12:01:10 punishment.revoked',
    '12:01:10 punishment.revoked',
  ];
  assert.deepEqual(await world.untilEvents(12), [...first, ...live, ...missed]);
  const inForce = await context.db.tuples(sql`
    select p.name from punishments u join players p on p.key = u.punished_key where u.revoked is null`);
  assert.deepEqual(inForce, [['Fay']]);
  await world.until(async () => (await world.state()) === 'connected');
  assert.equal(responder.connections, 2, 'the other process does not follow the server');
  assert.deepEqual(new Set(responder.requested), new Set(['minecraft:players', 'minecraft:bans']));

  // The agent reports the same server: a change that both see is reported once.
  context.clock.advance(1_000);
  await sendEvents(context, presence('Alpha', {}, { time: new Date(context.clock.now()).toISOString() }));
  responder.send({
    method: 'minecraft:notification/players/joined',
    params: [{ id: randomUUID(), name: 'Gil-2 小明' }],
  });
  await world.until(async () => (await context.db.all(sql`select uuid from managed_players`)).length === 2);
  context.clock.advance(context.config.PRESENCE_TIMEOUT * 1000 + 1);
  responder.send({ method: 'minecraft:notification/server/stopping' });
  const atStop = ['12:03:11 player.logout Eve', '12:03:11 player.logout Gil-2 小明'];
  assert.deepEqual((await world.untilEvents(14)).slice(12).sort(), atStop);

  // A process that ends hands its servers over.
  await servers[Symbol.asyncDispose]();
  await other.tick();
  await world.until(async () => responder.connections === 3);
  await world.until(async () => (await world.events()).length === 15);
  assert.equal((await world.events()).at(-1), '12:03:11 player.login Eve');
  assert.equal(await removeManaged(context.db, world.key), true);
  await other.tick();
  assert.deepEqual(await context.db.all(sql`select uuid_hash from managed_bans`), []);
});

onEachDatabase('processes whose clocks differ by minutes do not take servers from each other', async (t, url) => {
  const world = await World.open(t, url);
  const responder = await ManagementResponder.open(t);
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': [] };
  await world.manage(responder.url);
  // The monotonic clock of the processes, which is independent of the time of day.
  let elapsed = 0;
  const processOf = (skewMs: number): ManagedServers => {
    const clock = new TestClock(world.context.clock.now() + skewMs);
    return world.servers({ monotonic: () => elapsed }, { ...world.context, clock });
  };
  const [first, ahead, behind] = [0, 120_000, -120_000].map(processOf) as [
    ManagedServers,
    ManagedServers,
    ManagedServers,
  ];
  await first.tick();
  await world.until(async () => (await world.state()) === 'connected');
  const held = async () =>
    (await world.context.db.get<{ holder: string }>(sql`select holder from managed_servers`))!.holder;
  const holder = await held();
  const staysWith = async (expected: string, ...processes: ManagedServers[]): Promise<void> => {
    for (let second = 1; second <= 30; second++) {
      elapsed += 1_000;
      for (const one of processes) {
        await one.tick();
        assert.equal(await held(), expected, `in second ${second}`);
      }
    }
  };
  await staysWith(holder, first, ahead, behind);
  assert.equal(responder.connections, 1);

  // The first process stops, after a renewal that the others have seen.
  elapsed += 19_999;
  await ahead.tick();
  assert.equal(await held(), holder, 'before the lease is over');
  elapsed += 1;
  await Promise.all([ahead.tick(), behind.tick()]);
  const heir = await held();
  assert.notEqual(heir, holder);
  await world.until(async () => responder.connections === 2);
  await staysWith(heir, first, ahead, behind);
  assert.equal(responder.connections, 2);
});

const banned = (id: string, name: string, reason: string) => ({ player: { id, name }, reason, source: 'Server' });

// Only the service knows the reference of the punishment.
onSqlite('a pardon is reported also while the server reports itself', async (t, url) => {
  const world = await World.open(t, url);
  const { context } = world;
  const [bob, cid] = [randomUUID(), randomUUID()];
  const responder = await ManagementResponder.open(t);
  const bans = [banned(bob, 'Bob', 'Why'), banned(cid, 'Cid', 'Why')];
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': bans };
  await world.manage(responder.url);
  await world.servers().tick();
  await world.untilEvents(2);
  await world.until(async () => (await world.state()) === 'connected');

  context.clock.advance(1_000);
  await sendEvents(context, presence('Alpha', {}, { time: new Date(context.clock.now()).toISOString() }));
  const notify = (method: string, param: object): void =>
    responder.send({ method: `minecraft:notification/${method}`, params: [param] });
  notify('players/joined', { id: randomUUID(), name: 'Eve' });
  notify('bans/added', banned(randomUUID(), 'Dan', 'New'));
  notify('bans/added', banned(cid, 'Cid', 'Longer'));
  notify('bans/removed', { id: bob, name: 'Bob' });
  assert.deepEqual((await world.untilEvents(4)).slice(2), [
    '12:00:01 punishment.changed Longer',
    '12:00:01 punishment.revoked',
  ]);
});

onEachDatabase('the list of bans says how to object, and what was added is no part of a reason', async (t, url) => {
  const world = await World.open(t, url, { APPEAL_URL: 'https://example.org/appeals' });
  const { context } = world;
  const { db, clock } = context;
  const [bob, cid, dan] = [randomUUID(), randomUUID(), randomUUID()];
  await sendEvents(context, punishment('from its file', { uuid: cid, name: 'Cid' }, {}, { server: 'Alpha' }));
  const responder = await ManagementResponder.open(t);
  const listed = [banned(bob, 'Bob', '§cWhy'), banned(cid, 'Cid', 'Why')];
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': listed };
  await world.manage(responder.url);
  const servers = world.servers();
  await servers.tick();
  await world.until(async () => responder.replaced.length === 1);
  const idOfBan = async (uuid: string): Promise<string> => {
    const query = sql`select u.key from punishments u join players p on p.key = u.punished_key where p.uuid = ${uuid}`;
    return idOf((await db.get<{ key: number }>(query))!.key);
  };
  const objection = '\nTo object: https://example.org/appeals';
  const withId = async (uuid: string): Promise<string> => `\nPunishment: ${await idOfBan(uuid)}${objection}`;
  assert.deepEqual(responder.replaced, [{ ...listed[0]!, reason: `§cWhy${await withId(bob)}` }]);

  clock.advance(1_000);
  const expires = '2027-01-01T00:00:00Z';
  const fresh = { ...banned(dan, 'Dan', 'Spam'), expires };
  responder.send({ method: 'minecraft:notification/bans/added', params: [fresh] });
  await world.until(async () => responder.replaced.length === 2);
  assert.deepEqual(responder.replaced[1], { ...fresh, reason: `Spam${await withId(dan)}` });

  // Another process reads the list with the added lines, after Bob was erased.
  await servers[Symbol.asyncDispose]();
  await erasePlayer(db, clock.now(), bob);
  await finishJobs(db);
  const entries = [...responder.replaced, listed[1]!];
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': entries };
  const before = await world.events();
  await world.servers().tick();
  await world.until(async () => responder.replaced.length === 3);
  assert.deepEqual(responder.replaced[2], { ...listed[0]!, reason: `§cWhy${objection}` });
  await world.until(async () => (await world.state()) === 'connected');
  assert.deepEqual((await world.events()).slice(before.length), [], 'nothing is changed or issued again');
  const reasons = await db.tuples(sql`select reason from punishments order by reason`);
  assert.deepEqual(reasons.flat(), ['', 'Spam', 'Why']);
  // Only what was announced while it happened gives a mail.
  assert.equal((await db.tuples(sql`select due from punishment_notices`)).length, 2);
});

onSqlite('a management server that lies, or is not the right one, costs its own connection alone', async (t, url) => {
  const world = await World.open(t, url);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const cert = selfSignedCertificate(privateKey, 'localhost', new Date(0));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const [plain, secure] = [await ManagementResponder.open(t), await ManagementResponder.open(t, { key, cert })];
  const servers = world.servers({ limits: { maxBytes: 1_000_000, maxIdle: 1_000, timeoutMs: 300 } });
  const outcome = async (
    target: ManagementResponder,
    more: { ca?: string; secret?: string } = {},
  ): Promise<unknown> => {
    await world.manage(target.url, more);
    await servers.tick();
    await world.until(async () => (await world.state()) !== null);
    return await world.state();
  };
  const empty = { 'minecraft:players': [], 'minecraft:bans': [] };
  secure.lists = plain.lists = empty;
  assert.equal(await outcome(plain, { secret: 'wrong' }), 'unauthorized');
  assert.equal(await outcome(secure), 'certificate');
  assert.equal(secure.connections, 0, 'the secret does not go to a server that cannot show who it is');
  assert.equal(await outcome(secure, { ca: cert }), 'connected');

  const players = Array.from({ length: 5_001 }, () => ({ id: randomUUID(), name: 'Liar' }));
  const lies: [unknown, ManagementResponder['lists']][] = [
    ['wrong_answer', (socket) => socket.send('{"jsonrpc"')],
    ['wrong_answer', (socket) => socket.send(Buffer.from([1, 2]))],
    ['wrong_answer', { ...empty, 'minecraft:players': { Ada: 1 } }],
    ['too_large', (socket) => socket.send(' '.repeat(1_000_001))],
    ['too_many_players', { ...empty, 'minecraft:players': players }],
    ['timeout', () => undefined],
    ['wrong_answer', flood((socket) => socket.send('{"method":"minecraft:notification/unknown"}'))],
    ['wrong_answer', flood((socket) => socket.ping())],
    ['wrong_answer', flood((socket) => socket.pong())],
  ];
  for (const [reason, lists] of lies) {
    plain.lists = lists;
    assert.equal(await outcome(plain), reason);
  }
  plain.lists = { ...empty, 'minecraft:players': [null, 7, { id: 'x', name: 'A' }, { id: randomUUID(), name: '<b>' }] };
  assert.equal(await outcome(plain), 'connected');
  assert.deepEqual(await world.events(), []);
  const stored = await world.context.db.all(sql`select * from managed_servers`);
  assert.ok(!JSON.stringify(stored).includes(SECRET), 'the secret is sealed');
});

/** Answers a request with more than a server may send without saying anything. */
const flood = (send: (socket: WebSocket) => void) => (socket: WebSocket) => {
  for (let count = 0; count <= 1_000; count++) send(socket);
};

onSqlite('a list of 5,000 players that changes one by one is no flood', async (t, url) => {
  const world = await World.open(t, url);
  const responder = await ManagementResponder.open(t);
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': [] };
  await world.manage(responder.url);
  await world.servers().tick();
  await world.until(async () => (await world.state()) === 'connected');
  const added = { method: 'minecraft:notification/allowlist/added', params: [{ id: randomUUID(), name: 'Ada' }] };
  for (let count = 0; count < 5_000; count++) responder.send(added);
  responder.send({ method: 'minecraft:notification/players/joined', params: added.params });
  await world.untilEvents(1);
  assert.equal(await world.state(), 'connected');
});

onSqlite('a handshake without an end is given up', async (t, url) => {
  const world = await World.open(t, url);
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const responder = await tcpResponder(t, (socket) => {
    const dripping = setInterval(() => socket.write(early), 20);
    socket.on('close', () => clearInterval(dripping));
  });
  await world.manage(`ws://${responder.address}`);
  await world.servers({ limits: { maxBytes: 1_000, maxIdle: 1_000, timeoutMs: 100 } }).tick();
  await world.until(async () => (await world.state()) !== null);
  assert.equal(await world.state(), 'timeout');
});

onSqlite('joins and leaves beyond the limit of a minute are found by the next list', async (t, url) => {
  const world = await World.open(t, url);
  const responder = await ManagementResponder.open(t);
  responder.lists = { 'minecraft:players': [], 'minecraft:bans': [] };
  await world.manage(responder.url);
  let elapsed = 0;
  await world.servers({ sessionsPerMinute: 2, monotonic: () => elapsed }).tick();
  await world.until(async () => (await world.state()) === 'connected');
  const [ada, bob] = ['Ada', 'Bob'].map((name) => ({ id: randomUUID(), name }));
  const notify = (method: string, param: object | undefined): void =>
    responder.send({ method: `minecraft:notification/${method}`, params: [param] });
  notify('players/joined', ada);
  notify('players/left', ada);
  notify('players/joined', bob);
  notify('bans/added', banned(randomUUID(), 'Cid', 'Why'));
  const first = ['player.login Ada', 'player.logout Ada', 'punishment.issued Cid Why'];
  const untilEvents = async (count: number) => (await world.untilEvents(count)).map((line) => line.slice(9));
  assert.deepEqual(await untilEvents(3), first);

  responder.lists['minecraft:players'] = [bob];
  responder.lists['minecraft:bans'] = [banned(randomUUID(), 'Dan', 'Why')];
  responder.drop();
  await untilEvents(6);
  elapsed += 59_999;
  notify('players/left', bob);
  notify('bans/added', banned(randomUUID(), 'Eve', 'Why'));
  await untilEvents(7);
  elapsed += 1;
  notify('players/left', bob);
  assert.deepEqual((await untilEvents(8)).slice(3).sort(), [
    'player.login Bob',
    'player.logout Bob',
    'punishment.issued Dan Why',
    'punishment.issued Eve Why',
    'punishment.revoked',
  ]);
});

onSqlite('a message of more than 1 MiB that nobody asked for ends the connection', async (t, url) => {
  const world = await World.open(t, url);
  const responder = await ManagementResponder.open(t);
  const outcomeOf = async (bytes: number): Promise<unknown> => {
    responder.lists = { 'minecraft:players': [], 'minecraft:bans': [] };
    await world.manage(responder.url);
    const servers = world.servers({ backoffMs: 60_000 });
    await servers.tick();
    await world.until(async () => (await world.state()) === 'connected');
    const before = (await world.events()).length;
    responder.send({ padding: ' '.repeat(bytes - '{"padding":""}'.length) });
    const gil = { id: randomUUID(), name: 'Gil' };
    responder.send({ method: 'minecraft:notification/players/joined', params: [gil] });
    await world.until(async () => (await world.state()) !== 'connected' || (await world.events()).length > before);
    await servers[Symbol.asyncDispose]();
    return await world.state();
  };
  assert.equal(await outcomeOf(1024 * 1024), 'connected');
  assert.equal(await outcomeOf(1024 * 1024 + 1), 'too_large');
});

onSqlite('a long list of bans leaves the thread to others while it is compared', async (t, url) => {
  const world = await World.open(t, url);
  await world.manage('wss://localhost:1');
  const { db } = world.context;
  const serverKey = world.key;
  const entries = Array.from({ length: 2_000 }, () => ({ player: { id: randomUUID(), name: 'Bob' }, reason: 'Why' }));
  await saveBans(db, serverKey, [
    ...[{ uuidHash: db.keyedHash(entries[0]!.player.id), content: '', reference: 'known', expires: null }],
    ...Array.from({ length: 500 }, (_, number) => ({
      uuidHash: `gone ${number}`,
      content: '',
      reference: '',
      expires: null,
    })),
  ]);
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns++;
    next = setImmediate(count);
  }
  const state = reportedState(db, serverKey, 0);
  const known = { state, keyedHash: (uuid: string) => db.keyedHash(uuid), contact: null };
  const steps = await stepsOf({ report: { kind: 'bans', entries }, time: 1 }, known);
  clearImmediate(next);
  const kinds = Map.groupBy(steps, ({ kind }) => kind);
  assert.deepEqual([kinds.get('banned')!.length, kinds.get('unbanned')!.length], [2_000, 500]);
  assert.ok(turns >= 10, `the event loop had ${turns} turns`);
});

test('a management address is on this machine or has TLS', () => {
  const read = ['wss://Play.Example.org:25585/', ' ws://127.0.0.1:25585', 'ws://[::1]:1/manage'].map(readManagementUrl);
  assert.deepEqual(read, ['wss://play.example.org:25585', 'ws://127.0.0.1:25585', 'ws://[::1]:1/manage']);
  const wrong = [
    'ws://play.example.org:1',
    'wss://a.example',
    'wss://u:p@a.example:1',
    'https://a:1',
    'wss://a:1/?s=1',
  ];
  for (const text of [...wrong, 'ws://127.0.0.1.example:1', 'x'])
    assert.equal(readManagementUrl(text), undefined, text);
});
