import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from '#db/sql.ts';
import { parseLine } from '#agent/log-line.ts';
import { Agent, type AgentOptions } from '#agent/agent.ts';
import { application, login, map, person, sendEvents, serviceToken } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testServices } from '#test/support/context.ts';
import { openIngestService, type HttpService } from '#test/ingest/service.ts';
import { ask } from '#test/support/request.ts';
import { CORPUS, FORGERIES } from './log-corpus.ts';

const UUIDS: Record<string, string> = {
  Wader: '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10',
  Otter: '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a11',
  // A name that Minecraft allows, as an own member.
  ['__proto__']: '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a12',
};
const ADDRESS = '203.0.113.77';

/** The folder of a game server, the service that it reports to, and agents between them. */
async function world(t: TestContext, url: string, options: Partial<AgentOptions> = {}) {
  const service = await openIngestService(t, url);
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const server = new GameServer(folder, service.context.clock.now() - 300_000);
  const troubles: string[] = [];
  const open = (): Promise<Agent> =>
    Agent.open({
      serverFolder: folder,
      dataFolder: join(folder, 'scorehall-agent'),
      url: service.origin,
      key: service.alpha,
      trustLinks: false,
      onTrouble: (sentence) => troubles.push(sentence),
      now: () => server.now,
      ...options,
    });
  /** Lets a new agent read everything and deliver it. */
  const deliver = async (polls = 1): Promise<void> => {
    await using agent = await open();
    for (let poll = 0; poll < polls; poll++) await agent.poll();
    await agent.flush();
  };
  return { service, folder, server, open, deliver, troubles, sessions: () => sessionsOf(service) };
}

class GameServer {
  readonly folder: string;
  now: number;

  constructor(folder: string, now: number) {
    this.folder = folder;
    this.now = now;
  }

  line(message: string, thread = 'Server thread/INFO', end = '\n'): void {
    const path = join(this.folder, 'logs/latest.log');
    this.now += 1_000;
    const time = new Date(this.now).toTimeString().slice(0, 8);
    appendFileSync(path, `[${time}] [${thread}]: ${message}${end}`);
    utimesSync(path, this.now / 1000, this.now / 1000);
  }

  join(name: string): void {
    this.line(`UUID of player ${name} is ${UUIDS[name]}`, 'User Authenticator #1/INFO');
    this.line(`${name}[/${ADDRESS}:50123] logged in with entity id 12 at ([world]0.5, 64.0, 0.5)`);
  }

  leave(name: string): void {
    this.line(`${name} lost connection: Disconnected`);
  }

  /** @returns the path of the archive; latest.log is missing until the next line */
  rotate(number: number): string {
    const path = join(this.folder, 'logs/latest.log');
    const day = new Date(this.now).toLocaleDateString('sv-SE');
    const archive = join(this.folder, `logs/${day}-${number}.log`);
    renameSync(path, archive);
    writeFileSync(`${archive}.gz`, gzipSync(readFileSync(archive)));
    utimesSync(`${archive}.gz`, this.now / 1000, this.now / 1000);
    rmSync(archive);
    return `${archive}.gz`;
  }

  write(path: string, content: unknown): void {
    this.now += 10_000;
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), JSON.stringify(content));
    utimesSync(join(this.folder, path), this.now / 1000, this.now / 1000);
  }
}

async function sessionsOf({ context }: HttpService): Promise<string[]> {
  const rows = await context.db.all<{ login: number; name: string }>(
    sql`select login, name from player_sessions order by time, ledger_key`,
  );
  return rows.map(({ login, name }) => `${login === 1 ? '+' : '-'}${name}`);
}

onEachDatabase('who is on the server by its log is in the data API', async (t, url) => {
  const { service, server, deliver, sessions, troubles } = await world(t, url);
  server.line('Starting minecraft server version 1.21.4');
  server.line('[PGM] [MatchManagerImpl] Loaded match-0 (airship_battle)');
  server.join('Wader');
  server.join('Otter');
  server.leave('Otter');
  server.join('__proto__');
  await deliver();
  server.leave('__proto__');
  await deliver();
  assert.deepEqual(troubles, []);
  assert.deepEqual(await sessions(), ['+Wader', '+Otter', '-Otter', '+__proto__', '-__proto__']);
  const { API } = await testServices(service.context, ['API']);
  const app = await application(service.context);
  const token = await serviceToken(service.context, app.client_id);
  const [alpha] = (await ask(API!, '/v1/servers', { token })).json;
  assert.deepEqual([alpha.player_count, alpha.players, alpha.current_map], [1, ['Wader'], 'airship_battle']);
});

onEachDatabase('a rotation, a restart and a crash lose and repeat nothing', async (t, url) => {
  const { server, open, deliver, sessions, folder } = await world(t, url);
  server.line('Starting minecraft server version 1.21.4');
  server.join('Wader');
  await deliver();
  server.leave('Wader');
  server.rotate(1);
  server.line('A first line of the new day');
  server.join('Otter');
  server.rotate(2);
  server.join('Wader');
  await deliver(2);
  assert.deepEqual(await sessions(), ['+Wader', '-Wader', '+Otter', '+Wader']);

  // A crash before the position was stored: the same lines are read again and have the same ids.
  const position = readFileSync(join(folder, 'scorehall-agent/log.json'));
  server.leave('Otter');
  await deliver();
  writeFileSync(join(folder, 'scorehall-agent/log.json'), position);
  await deliver();
  // The game server is killed: its players left with its last line.
  server.rotate(3);
  server.line('Starting minecraft server version 1.21.4');
  await deliver(2);
  assert.deepEqual(await sessions(), ['+Wader', '-Wader', '+Otter', '+Wader', '-Otter', '-Wader']);

  // A line that is written in two parts, while the agent runs and the log is rotated under it.
  await using agent = await open();
  server.join('Otter');
  server.line('Otter lost conn', undefined, '');
  await agent.poll();
  appendFileSync(join(folder, 'logs/latest.log'), 'ection: Timed out\n');
  server.rotate(4);
  await agent.poll();
  server.join('Wader');
  await agent.poll();
  await agent.flush();
  assert.deepEqual((await sessions()).slice(6), ['+Otter', '-Otter', '+Wader']);
});

onEachDatabase('while latest.log is missing, a restarted agent reads its archive once', async (t, url) => {
  const { server, open, deliver, sessions, folder, troubles } = await world(t, url);
  server.join('Wader');
  await deliver();
  server.leave('Wader');
  const archive = server.rotate(1);
  await using agent = await open();
  await agent.poll();

  // Only a second reading of the archive can report this login.
  const latest = join(folder, 'logs/latest.log');
  const { size } = statSync(archive);
  server.join('Otter');
  appendFileSync(archive, gzipSync(readFileSync(latest)));
  rmSync(latest);
  await agent.poll();
  await agent.poll();
  await agent.flush();
  assert.deepEqual(await sessions(), ['+Wader', '-Wader']);

  truncateSync(archive, size);
  server.join('Wader');
  await agent.poll();
  server.rotate(2);
  server.join('Otter');
  await agent.poll();
  server.leave('Wader');
  await agent.poll();
  await agent.flush();
  assert.deepEqual(await sessions(), ['+Wader', '-Wader', '+Wader', '+Otter', '-Wader']);
  assert.deepEqual(troubles, []);
});

onSqlite('a missing log and one in another time zone are reported once', async (t, url) => {
  const { server, open, troubles, folder } = await world(t, url);
  await using agent = await open();
  await agent.poll();
  await agent.poll();
  assert.deepEqual(troubles.splice(0), [
    `There is no logs/latest.log in ${folder} yet. Until the game server writes it, nobody is reported as online.`,
  ]);
  server.line('Starting minecraft server version 1.21.4');
  // Stopped for a time that is no difference between two zones.
  server.now += 7 * 3_600_000 + 400_000;
  await agent.poll();
  assert.deepEqual(troubles, []);
  for (const hours of [2, -5, 5.5]) {
    const written = server.now;
    server.now = written + hours * 3_600_000;
    server.line('A line of another zone');
    server.now = written + 1_000;
    utimesSync(join(folder, 'logs/latest.log'), server.now / 1000, server.now / 1000);
    await agent.poll();
  }
  assert.equal(troubles.length, 1, troubles.join());
  assert.match(
    troubles[0]!,
    /^The newest line of latest\.log says [\d:]+, .* written at [\d:]+ .* set TZ of the agent/,
  );
});

test('lines of real servers mean what the corpus says, and forged ones nothing', () => {
  const lines = CORPUS.flatMap(({ source, lines }) => lines.map(([text, expected]) => ({ source, text, expected })));
  assert.ok(lines.length >= 60, `${lines.length} lines`);
  for (const { source, text, expected } of lines) {
    const { seconds: _, ...content } = parseLine(text) ?? { seconds: 0, kind: 'other' };
    assert.deepEqual(content, expected ?? { kind: 'other' }, `${source}: ${text}`);
  }
  for (const forged of FORGERIES) assert.ok(['other', undefined].includes(parseLine(forged)?.kind), forged);
});

onSqlite('a login counts with a hidden address, and a name with a blank if the player is known', async (t, url) => {
  const { server, deliver, sessions, troubles } = await world(t, url, { trustLinks: true });
  const enter = (name: string, address: string): void =>
    server.line(`${name}[${address}] logged in with entity id 1 at ([world_2]-21.3, 67.0, 115.2)`);
  server.line(`UUID of player Wader is ${UUIDS['Wader']}`, 'User Authenticator #0/INFO');
  enter('Wader', '<ip address withheld>');
  server.line(`UUID of player Reed Ling is ${UUIDS['Otter']}`, 'LoginProcessingThread/INFO');
  enter('Reed Ling', `/${ADDRESS}:0`);
  // The chat of a plugin, without a mark of chat: no player has this name.
  server.line('Reed Ling » Wader lost connection: Disconnected');
  server.line('Wader lost connection: Bye\u2028see you');
  server.line('Reed Ling lost connection: Disconnected');
  await deliver();
  assert.deepEqual(await sessions(), ['+Wader', '+Reed Ling', '-Wader', '-Reed Ling']);
  assert.equal(troubles.length, 1, 'the line of the chat');
});

onSqlite('logins and logouts that give no event are counted and reported once, with the reason', async (t, url) => {
  const { server, open, sessions, troubles } = await world(t, url);
  const login = 'logged in with entity id 1 at (0.5, 64.0, 0.5)';
  server.line('Starting minecraft server version 1.21.4');
  await using agent = await open();
  await agent.poll();
  assert.equal(troubles.length, 0);
  for (const name of ['Reed Ling', 'Moor Hen']) server.line(`${name}[/${ADDRESS}:1] ${login}`);
  server.line(`Wader[hidden by a plugin] ${login}`);
  // None of these is a login, and no player is missing.
  server.line(`<Otter> Wader[/${ADDRESS}:1] ${login}`);
  server.line(`[Otter] Wader lost connection: Disconnected`);
  server.line(`Otter: I lost connection: lag`);
  server.line(`Wader (/${ADDRESS}:1) lost connection: Disconnected`);
  server.line(`Alex[local] ${login}`);
  await agent.poll();
  const expected = [
    'Each of 2 lines of the log about logins and logouts gave no event: it may be chat',
    'A line of the log about a login or logout gave no event: it is in no form',
  ];
  const begins = (): string[] => troubles.map((text, at) => text.slice(0, expected[at]?.length));
  assert.deepEqual(begins(), expected);
  server.line(`Moor Hen[/${ADDRESS}:1] ${login}`);
  await agent.poll();
  assert.deepEqual(begins(), expected, 'once');
  assert.deepEqual(await sessions(), []);
  assert.ok(!troubles.join().includes('Hen'), 'quotes no line');
});

onSqlite('the UUID of a name is of one login, a minute at most; then that of usercache.json', async (t, url) => {
  const { service, server, deliver } = await world(t, url);
  const bedrock = '00000000-0000-0000-0009-01f331e58a60';
  const assign = (): void => server.line(`UUID of player Wader is ${UUIDS['Wader']}`, 'User Authenticator #1/INFO');
  const enter = (): void => server.line(`Wader[/${ADDRESS}:0] logged in with entity id 1 at (0.5, 64.0, 0.5)`);
  const uuids = async (): Promise<string[]> => {
    await deliver();
    const rows = await service.context.db.all<{ uuid: string }>(
      sql`select uuid from player_sessions join players on players.key = player_sessions.player_key where login = 1 order by time, ledger_key`,
    );
    return rows.map(({ uuid }) => uuid);
  };
  server.line('Starting minecraft server version 1.21.4');
  server.write('usercache.json', [
    { name: 'Wader', uuid: bedrock, expiresOn: '2026-06-01 00:00:00 +0000' },
    { name: 'Wader', uuid: UUIDS['Wader'], expiresOn: '2026-05-01 00:00:00 +0000' },
  ]);
  assign();
  enter();
  server.leave('Wader');
  // Floodgate without a prefix: the Bedrock player of this name has no such line.
  enter();
  server.leave('Wader');
  assert.deepEqual(await uuids(), [UUIDS['Wader'], bedrock]);
  assign();
  server.now += 59_000;
  enter();
  server.leave('Wader');
  assign();
  server.now += 60_000;
  enter();
  assert.deepEqual((await uuids()).slice(2), [UUIDS['Wader'], bedrock], 'both sides of a minute');
});

onSqlite('the folder of a server of Bedrock Edition or of a proxy is called by its name', async (t, url) => {
  const { server, open, folder, troubles } = await world(t, url);
  server.write('velocity.toml', {});
  // Velocity has this file, too.
  server.line('Booting up Velocity', 'main/INFO');
  await using agent = await open();
  await agent.poll();
  await agent.poll();
  assert.equal(troubles.length, 1);
  assert.ok(troubles[0]!.startsWith(`${folder} is the folder of Velocity, a proxy`), troubles.join());
});

onSqlite('a ban that the server recorded in the future has the time of the file (MC-112684)', async (t, url) => {
  const { service, server, deliver } = await world(t, url);
  const end = '2031-01-01 12:00:00 +0000';
  server.line('Starting minecraft server version 1.12');
  const ban = { uuid: UUIDS['Wader'], name: 'Wader', created: end, source: 'Server', expires: end, reason: 'grief' };
  server.write('banned-players.json', [ban]);
  const written = server.now;
  await deliver();
  const rows = await service.context.db.all<{ time: number }>(sql`select time from punishments`);
  assert.deepEqual(
    rows.map(({ time }) => time),
    [written],
  );
});

onSqlite('many lines of which none is understood are reported once', async (t, url) => {
  const { server, open, troubles } = await world(t, url);
  await using agent = await open();
  await agent.poll();
  troubles.length = 0;
  const write = (count: number, text: string): void => {
    for (let line = 0; line < count; line++) server.line(text, 'main/INFO');
  };
  write(600, 'Velocity is not a game server');
  await agent.poll();
  assert.deepEqual(troubles, [], 'a start of a modded server');
  write(400, 'Velocity is not a game server');
  await agent.poll();
  assert.equal(troubles.length, 1);
  assert.match(troubles[0]!, /^1000 lines of the log were read, and none of them is in a form of Minecraft/);
  write(1_000, 'Velocity is not a game server');
  await agent.poll();
  assert.equal(troubles.length, 1);
});

onSqlite('a log with a line that is understood is never called unknown', async (t, url) => {
  const { server, open, troubles } = await world(t, url);
  server.join('Wader');
  await using agent = await open();
  for (let poll = 0; poll < 2; poll++) {
    for (let line = 0; line < 1_000; line++) server.line('A chatty plugin');
    await agent.poll();
  }
  assert.deepEqual(troubles, []);
});

onEachDatabase('on PGM the name of the map is shown where the log or an imported map has it', async (t, url) => {
  const { service, server, deliver } = await world(t, url);
  const { API } = await testServices(service.context, ['API']);
  const app = await application(service.context);
  const token = await serviceToken(service.context, app.client_id);
  const shown = async (): Promise<unknown> => {
    await deliver();
    return (await ask(API!, '/v1/servers', { token })).json[0].current_map;
  };
  await sendEvents(service.context, map('Blocks CTW'));
  server.line('Starting minecraft server version 1.8.8');
  server.line('[PGM] [MatchManagerImpl] Loaded match-0 (blocks_ctw)');
  assert.equal(await shown(), 'Blocks CTW', 'imported');
  server.line('Cycling to Harbour’s Day in 5 seconds');
  server.line('[PGM] [MatchManagerImpl] Loaded match-1 (harbours_day)');
  assert.equal(await shown(), 'Harbour’s Day', 'announced');
  server.line('[PGM] [MatchManagerImpl] Loaded match-2 (unknown_map)');
  assert.equal(await shown(), 'unknown_map');
  server.line('Starting minecraft server version 1.8.8');
  server.line('[PGM] [MatchManagerImpl] Loaded match-0 (harbours_day)');
  assert.equal(await shown(), 'Harbour’s Day', 'announced before the restart');
});

onEachDatabase('bots of fabric-carpet and players on Folia and NeoForge', async (t, url) => {
  const { server, deliver, sessions } = await world(t, url);
  server.line(`UUID of player Wader is ${UUIDS['Wader']}`, 'User Authenticator #1/INFO');
  server.line(`Wader[/${ADDRESS}:1] logged in with entity id 1 at (0.5, 64.0, 0.5)`, 'Region Scheduler Thread #2/INFO');
  server.line('Wader lost connection: Disconnected', 'Region Scheduler Thread #5/INFO');
  server.write('usercache.json', [{ name: 'Alex', uuid: UUIDS['Otter'], expiresOn: '2026-12-01 00:00:00 +0000' }]);
  server.line('Alex[local] logged in with entity id 454 at (0.5, 64.0, 0.5)');
  server.line('Alex lost connection: Killed');
  await deliver();
  assert.deepEqual(await sessions(), ['+Wader', '-Wader']);
});

onEachDatabase('chat, links without permission and addresses do not leave the log', async (t, url) => {
  const { service, server, deliver, sessions, folder, troubles } = await world(t, url);
  server.join('Wader');
  server.line('<Wader> Otter[/1.2.3.4:5] logged in with entity id 1 at (0, 64, 0)');
  server.line('Wader issued server command: /link ABCD-EFGH');
  server.line(`/${ADDRESS}:50123 lost connection: Disconnected`);
  server.write('banned-ips.json', [{ ip: ADDRESS }]);
  await deliver();
  assert.deepEqual(await sessions(), ['+Wader']);
  const types = await service.context.db.all<{ type: string }>(sql`select distinct type from ledger order by type`);
  assert.ok(!types.some(({ type }) => type === 'account.link'));
  const stored = readdirSync(join(folder, 'scorehall-agent'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  assert.ok(![...stored, ...troubles].some((text) => text.includes(ADDRESS)));
});

onEachDatabase('a link code counts while the player is online, three times a minute', async (t, url) => {
  const { server, open } = await world(t, url, { trustLinks: true });
  const refused: string[] = [];
  server.line('Otter issued server command: /link ABCD');
  server.join('Wader');
  for (let attempt = 0; attempt < 5; attempt++) server.line(`Wader issued server command: /link CODE${attempt}`);
  server.now += 61_000;
  server.line('Wader issued server command: /link CODE9');
  await using agent = await open();
  await agent.poll();
  await agent.flush();
  const lines = readFileSync(join(server.folder, 'scorehall-agent/queue/refused.ndjson'), 'utf8').trim().split('\n');
  for (const line of lines) refused.push((JSON.parse(line) as { event: { data: { code: string } } }).event.data.code);
  assert.deepEqual(refused, ['CODE0', 'CODE1', 'CODE2', 'CODE9']);
});

onEachDatabase('names, bans and counters follow the files of the server', async (t, url) => {
  const { service, server, deliver, folder } = await world(t, url);
  const ban = (name: string) => ({
    uuid: UUIDS[name],
    name,
    created: '2026-02-01 10:00:00 +0000',
    source: 'Server',
    expires: 'forever',
    reason: 'Griefing',
  });
  const bansNow = async () =>
    (
      await service.context.db.all<{ reason: string; revoked: number | null }>(
        sql`select reason, revoked from punishments order by key`,
      )
    ).map(({ reason, revoked }) => `${reason}${revoked === null ? '' : ' revoked'}`);
  server.write('usercache.json', [{ name: 'Wader', uuid: UUIDS['Wader'], expiresOn: '2026-03-20 10:00:00 +0000' }]);
  server.write('banned-players.json', [ban('Otter'), ban('Wader')]);
  const stats = { stats: { 'minecraft:custom': { 'minecraft:deaths': 3 } } };
  server.write(`world/stats/${UUIDS['Wader']}.json`, stats);
  await deliver();
  assert.deepEqual(await bansNow(), ['Griefing', 'Griefing']);
  server.write('banned-players.json', [{ ...ban('Wader'), reason: 'Cheating' }]);
  await deliver();
  assert.deepEqual(await bansNow(), ['Griefing revoked', 'Cheating']);
  // A file that is being written is no list without bans.
  writeFileSync(join(folder, 'banned-players.json'), '');
  await deliver();
  assert.deepEqual(await bansNow(), ['Griefing revoked', 'Cheating']);
  const types = await service.context.db.all<{ type: string; count: number }>(
    sql`select type, count(*) as count from ledger where type in ('player.named', 'player.statistics') group by type order by type`,
  );
  assert.deepEqual(
    types.map(({ type, count }) => `${type} ${count}`),
    ['player.named 1', 'player.statistics 1'],
  );
});

onEachDatabase('events of a plugin come from its outbox, finished files are removed', async (t, url) => {
  const { service, server, deliver, folder, troubles } = await world(t, url);
  const events = [login('Alpha', person(1, 'Ada')), login('Alpha', person(2, 'Bob'))].map((event) =>
    JSON.stringify(event),
  );
  mkdirSync(join(folder, 'plugins/ScorehallPGM'), { recursive: true });
  writeFileSync(join(folder, 'plugins/ScorehallPGM/outbox.1.ndjson'), `${events[0]}\nnot an event\n`);
  writeFileSync(join(folder, 'plugins/ScorehallPGM/outbox.ndjson'), `${events[0]}\n${events[1]}\n{"half`);
  server.line('x');
  await deliver();
  assert.deepEqual(await sessionsOf(service), ['+Ada', '+Bob']);
  assert.deepEqual(readdirSync(join(folder, 'plugins/ScorehallPGM')), ['outbox.ndjson']);
  assert.equal(troubles.length, 1, troubles.join());
});

onEachDatabase('a plugin that reports who is online replaces the heartbeats of the agent', async (t, url) => {
  const { service, server, deliver, folder } = await world(t, url);
  const online = async (): Promise<string[]> =>
    (await service.context.db.all<{ players: string }>(sql`select players from presence`)).flatMap(
      ({ players }) => JSON.parse(players) as string[],
    );
  mkdirSync(join(folder, 'plugins/ScorehallPGM'), { recursive: true });
  // The sender drops heartbeats that are older than five minutes by the clock of the machine.
  service.context.clock.advance(Date.now() - service.context.clock.now());
  server.now = Date.now() - 100_000;
  server.join('Wader');
  server.join('Otter');
  const heartbeat = { version: 1, id: randomUUID(), type: 'server.presence', data: { current: 1, players: ['Otter'] } };
  const time = new Date(server.now).toISOString();
  appendFileSync(join(folder, 'plugins/ScorehallPGM/outbox.ndjson'), `${JSON.stringify({ ...heartbeat, time })}\n`);
  await deliver();
  assert.deepEqual(await online(), ['Otter']);
  // Another agent process, before the next heartbeat of the plugin
  server.now += 60_000;
  await deliver();
  assert.deepEqual(await online(), ['Otter']);
  server.now += 30_000;
  await deliver();
  assert.deepEqual(await online(), ['Wader', 'Otter']);
});

onEachDatabase('a removed plugin that reported logins silences the agent for a day', async (t, url) => {
  const { server, open, sessions, folder } = await world(t, url);
  const outbox = join(folder, 'plugins/Scorehall/outbox.ndjson');
  mkdirSync(join(folder, 'plugins/Scorehall'), { recursive: true });
  writeFileSync(outbox, '');
  const written = (time: number): void => utimesSync(outbox, time / 1000, time / 1000);
  await using agent = await open();
  const deliver = async (): Promise<string[]> => {
    server.now += 5_000;
    await agent.poll();
    await agent.flush();
    return await sessions();
  };
  server.join('Wader');
  written(server.now - 86_400_000);
  assert.deepEqual(await deliver(), [], 'by the plugin');
  server.join('Otter');
  assert.deepEqual(await deliver(), ['+Otter'], 'the plugin wrote nothing for a day');

  // After a quiet day a login is in the log a moment before the plugin writes it.
  server.leave('Otter');
  await agent.poll();
  await agent.flush();
  assert.deepEqual(await sessions(), ['+Otter']);
  written(server.now);
  assert.deepEqual(await deliver(), ['+Otter']);
  rmSync(outbox);
  writeFileSync(join(folder, 'plugins/Scorehall/outbox.position'), '');
  utimesSync(join(folder, 'plugins/Scorehall/outbox.position'), server.now / 1000, server.now / 1000);
  server.leave('Wader');
  assert.deepEqual(await deliver(), ['+Otter']);
});

onSqlite('an outbox that its plugin sends is left to the plugin, with the heartbeats', async (t, url) => {
  const { service, server, deliver, folder, sessions } = await world(t, url);
  const own = join(folder, 'plugins/ScorehallPGM');
  mkdirSync(own, { recursive: true });
  const [first, again] = [login('Alpha', person(1, 'Ada')), login('Alpha', person(2, 'Bob'))].map((event) =>
    JSON.stringify(event),
  );
  // The second event was sent and could not be accepted yet.
  writeFileSync(join(own, 'outbox.ndjson'), `${first}\n[${Date.now()},${again}]\n`);
  writeFileSync(join(own, 'outbox.lock'), '\n');
  server.join('Wader');
  await deliver();
  assert.deepEqual(await sessions(), ['+Wader']);
  const online = async (): Promise<string[]> =>
    (await service.context.db.all<{ players: string }>(sql`select players from presence`)).map(
      ({ players }) => players,
    );
  assert.deepEqual(await online(), []);
  // The plugin was killed more than a minute ago.
  utimesSync(join(own, 'outbox.lock'), Date.now() / 1000 - 61, Date.now() / 1000 - 61);
  await deliver();
  assert.deepEqual((await sessions()).toSorted(), ['+Ada', '+Bob', '+Wader']);
  assert.deepEqual(await online(), ['["Wader"]']);
});

onSqlite('each line of an outbox that is too long for an event is reported once', async (t, url) => {
  const { service, deliver, folder, troubles } = await world(t, url);
  const path = join(folder, 'outbox.ndjson');
  const event = JSON.stringify(login('Alpha', person(1, 'Ada')));
  const tooLong = `{"x":"${'x'.repeat(1024 * 1024)}`;
  writeFileSync(path, tooLong);
  await deliver(2);
  const left = '1 line of outbox.ndjson is longer than the 1 MiB that an event may have, and was left out.';
  assert.deepEqual(troubles.splice(0), [left]);
  appendFileSync(path, `"}\n${event}\n${tooLong}\n`);
  await deliver(2);
  assert.deepEqual(troubles, [left]);
  assert.deepEqual(await sessionsOf(service), ['+Ada']);
});

onSqlite('named pipes, folders and circular links in the place of files do not stop the log', async (t, url) => {
  const { server, folder, deliver, sessions, troubles } = await world(t, url);
  const pipes = ['server.properties', 'usercache.json', 'outbox.ndjson', 'outbox.1.ndjson'];
  execFileSync(
    'mkfifo',
    pipes.map((name) => join(folder, name)),
  );
  mkdirSync(join(folder, 'outbox.2.ndjson'));
  symlinkSync('outbox.3.ndjson', join(folder, 'outbox.3.ndjson'));
  server.line('Starting minecraft server version 1.21.4');
  server.join('Wader');
  // The UUID of this one can only be in usercache.json.
  server.line(`Otter[/${ADDRESS}:50123] logged in with entity id 13 at ([world]0.5, 64.0, 0.5)`);
  await deliver();
  assert.deepEqual([await sessions(), troubles], [['+Wader'], []]);
  rmSync(join(folder, 'logs'), { recursive: true });
  mkdirSync(join(folder, 'logs/latest.log'), { recursive: true });
  await assert.rejects(deliver(), /latest\.log is not a regular file/);
});
