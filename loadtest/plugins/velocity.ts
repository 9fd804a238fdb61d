import { mkdir, readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Report } from '../report.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { ban, withoutPunishmentId } from './ban.ts';
import type { DriverSession, JavaDriver } from './java.ts';
import { printedBlock } from './printed.ts';

const MAX_STOP_MS = 10_000;
const PATIENCE_MS = 20_000;

const SENT = 'Your code was sent. The account page on the site shows the result.';

/** Steps of the driver's network, each with its answer. */
const STEPS: readonly (readonly [name: string, command: string, expected: unknown])[] = [
  ['a banned player', 'login wader', 'You are banned: Griefing "spawn"\nPunishment: ID'],
  ['a player', 'login salt', 'allowed'],
  ['the first server', 'connect salt Lobby', true],
  ['another player', 'connect duck Lobby', true],
  ['a change of the server', 'connect salt games', true],
  ['a second connection that is refused', 'leave salt-again conflict', true],
  ['a player who has left already', 'connect gone Lobby', true],
  ['a player who leaves in the same moment', 'connect going Lobby', true],
  ['a server without a key', 'connect duck private', true],
  ['/link', 'command salt link abcd efgh', SENT],
  ['too soon', 'command salt stats', 'Please wait a moment.'],
  ['heartbeats', 'presence', 1],
];

const STATISTICS = 'Saltmarten: kills 0, deaths 0, won 0 of 0 matches, played 0 h';
const NO_URL = 'warn: config.properties has no url: nothing is reported.';

/** Settings, a step, its answer, and what the log must say. */
const CONFIGURATIONS: readonly (readonly [settings: string[], command: string, expected: unknown, log: string[]])[] = [
  [[], 'commands', ['link', 'scorehallstats', 'stats'], [NO_URL]],
  [['stats-command='], 'commands', ['link', 'scorehallstats'], [NO_URL]],
  [
    ['url=https://a.example.org', 'key.lobby=shk_a', 'key.games=shk_a'],
    'commands',
    [],
    ['error: Scorehall does nothing: java.io.IOException: two servers in config.properties have the same key'],
  ],
  [
    ['url=http://a.example.org', 'key.down=shk_a', 'key.empty=shk_b'],
    'command salt link abcd',
    'Linking is not set up on this network.',
    ['warn: The setting url must begin with https://, or http:// on this machine: nothing is reported.'],
  ],
  [
    ['url=https://a.example.org', 'key.down=secret', 'key...=shk_a', 'report-players=false'],
    'presence',
    0,
    [
      "warn: down: The setting key must be the server's key, shk_…. Events stay in outbox.ndjson.",
      'warn: These keys belong to no server in velocity.toml: [..]',
      'info: Servers without a key, which are not reported: [Lobby, games, empty, private]',
    ],
  ],
];

/** The servers of `prepare`, in the order of the keys in the settings. */
const SESSIONS = [
  'Server 0 + Saltmarten',
  'Server 0 + 🦆Duck',
  'Server 0 + Going',
  'Server 0 - Going',
  'Server 0 - Saltmarten',
  'Server 1 + Saltmarten',
  'Server 0 - 🦆Duck',
];
/** No heartbeat of the server that is down. */
const ONLINE = ['Server 0:', 'Server 1: Saltmarten', 'Server 2:'];

/** A proxy with a server behind it for each key. */
export async function checkVelocity(
  database: string,
  folder: string,
  driver: JavaDriver,
  report: Report,
): Promise<void> {
  const keys = await prepare(database, 4);
  const service = await serveProcess(database);
  const [lobby, games, ...others] = keys as [string, string, ...string[]];
  const settings = [
    printedBlock('A Velocity network', 'properties')
      .replace('https://ingest.example.org', `http://127.0.0.1:${service.ingest}`)
      .replace('https://api.example.org', `http://127.0.0.1:${service.api}`)
      .replace('key.lobby=shk_…', `key.lobby=${lobby}`)
      .replace('key.games=shk_…', `key.games=${games}`),
    ...['empty', 'down'].map((name, index) => `key.${name}=${others[index]}`),
    `key.removed=${await keyOf(database)}`,
  ];
  const expect = async (proxy: DriverSession, name: string, command: string, expected: unknown): Promise<void> => {
    const answer = withoutPunishmentId(await proxy.ask(...command.split(' ')));
    report.add(`Velocity: ${name}`, JSON.stringify(answer), isDeepStrictEqual(answer, expected));
  };
  try {
    await mkdir(folder, { recursive: true });
    await ban(service.ingest, keys[0]!);
    {
      await using proxy = driver.start('velocity', folder, ...settings);
      await proxy.ask('start');
      for (const [name, command, expected] of STEPS) await expect(proxy, name, command, expected);
      await until(async () => isDeepStrictEqual(await onlineOf(database), ONLINE));
      const online = await onlineOf(database);
      report.add('Velocity: who is online on each server', online.join(', '), isDeepStrictEqual(online, ONLINE));
      await expect(proxy, '/stats', 'command duck stats Saltmarten', STATISTICS);
      await until(async () => (await sessionsOf(database)).length >= SESSIONS.length);
      await checkSessions('before the stop', database, SESSIONS, report);
      const stop = (await proxy.ask('stop')) as number;
      report.add('Velocity: milliseconds of the stop', stop, stop < MAX_STOP_MS);
      await checkSessions('after it', database, [...SESSIONS, 'Server 1 - Saltmarten'], report);
      await expect(proxy, 'log lines', 'log', [
        'warn: These keys belong to no server in velocity.toml: [removed]',
        'info: Servers without a key, which are not reported: [private]',
        'warn: games: 1 event was refused: account.link data.code; see refused.ndjson',
      ]);
    }
    for (const [index, [own, command, expected, log]] of CONFIGURATIONS.entries()) {
      await using proxy = driver.start('velocity', `${folder}-${index}`, ...own);
      await proxy.ask('start');
      await expect(proxy, own.join(' ') || 'the standard settings', command, expected);
      await expect(proxy, 'log lines', 'log', log);
    }
    const folders = await readdir(`${folder}-${CONFIGURATIONS.length - 1}/plugins/scorehall/servers`);
    report.add('Velocity: folders of the servers', folders.join(', '), isDeepStrictEqual(folders, ['%2E%2E', 'down']));
    await service.kill('SIGTERM');
    await using proxy = driver.start('velocity', `${folder}-away`, ...settings);
    await proxy.ask('start');
    await expect(proxy, 'the service is away: a banned player', 'login wader', 'allowed');
    const stop = (await proxy.ask('stop')) as number;
    report.add('Velocity: milliseconds of the stop', stop, stop < MAX_STOP_MS);
  } finally {
    await service.kill('SIGTERM');
  }
}

async function keyOf(database: string): Promise<string> {
  const [, key] = await prepare(database, 2);
  return key!;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isTrue()) && Date.now() < end);
}

async function onlineOf(database: string): Promise<string[]> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const rows = await db.all<{ name: string; players: string }>(
    sql`select s.name, p.players from presence p join servers s on s.key = p.server_key order by s.name`,
  );
  return rows.map(({ name, players }) => `${name}: ${(JSON.parse(players) as string[]).join()}`.trim());
}

async function checkSessions(
  when: string,
  database: string,
  expected: readonly string[],
  report: Report,
): Promise<void> {
  const sessions = await sessionsOf(database);
  const isRight = isDeepStrictEqual(sessions, expected.toSorted());
  report.add(`Velocity: logins and logouts ${when}`, sessions.join(', '), isRight);
}

async function sessionsOf(database: string): Promise<string[]> {
  await using db = await openDb(database, { keyedHash: secretHash });
  const rows = await db.all<{ login: number; name: string; server: string }>(
    sql`select login, name, server from player_sessions`,
  );
  return rows.map(({ login, name, server }) => `${server} ${login === 1 ? '+' : '-'} ${name}`).toSorted();
}
