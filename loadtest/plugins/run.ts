import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Agent } from '#agent/agent.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { openDb } from '#db/open.ts';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { ban, withoutPunishmentId } from './ban.ts';
import { checkPlaceholders } from './placeholders.ts';
import { checkRented } from './rented.ts';
import { checkSenderRules } from './sender-rules.ts';
import { checkSenders } from './senders.ts';
import { findJdk } from '../../scripts/plugins.ts';
import { checkCommand, checkJars } from './jars.ts';
import { compileDriver, type JavaDriver } from './java.ts';
import { checkSignInErrors } from './sign-in-errors.ts';
import { checkStalledBody } from './stalled.ts';
import { checkVelocity } from './velocity.ts';
import {
  EXPECTED_FAULTS,
  EXPECTED_LIVE,
  EXPECTED_MATCH,
  EXPECTED_PRESENCE,
  EXPECTED_READS,
  EXPECTED_RESULTS,
  EXPECTED_SESSIONS,
  EXPECTED_WINS,
  matchFacts,
  type WireMatch,
} from './expected.ts';

/** Compiles the Java plugins, plays matches with them, and compares the responses of the data API. */
export async function runLoadTest({ database }: LoadTestOptions, report: Report): Promise<void> {
  const jdk = await findJdk(process.env);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-plugins-'));
  try {
    await checkCommand(report);
    await checkJars(jdk, join(folder, 'jars'), report);
    const driver = await compileDriver(jdk, join(folder, 'classes'));
    report.add('plugins, stubs and driver compile without warnings', jdk.version, true);
    await checkFaults(join(folder, 'faults'), driver, report);
    await checkStalledBody(join(folder, 'stalled'), driver, report);
    await checkSenderRules(join(folder, 'rules'), driver, report);
    for (const dialect of dialectsOf(database)) {
      await using created = await databases(dialect);
      const server = join(folder, dialect);
      await mkdir(server);
      await deliver(await created.create(), server, driver, report);
      await checkRented(() => created.create(), join(folder, `${dialect}-rented`), driver, report);
      await checkVelocity(await created.create(), join(folder, `${dialect}-velocity`), driver, report);
      await checkSenders(await created.create(), join(folder, `${dialect}-senders`), driver, report);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkFaults(folder: string, driver: JavaDriver, report: Report): Promise<void> {
  await mkdir(folder);
  const facts = JSON.parse(await driver.run('faults', folder)) as Record<string, unknown>;
  for (const [name, expected] of Object.entries(EXPECTED_FAULTS)) {
    report.add(`outbox: ${name}`, JSON.stringify(facts[name]), isDeepStrictEqual(facts[name], expected));
  }
}

async function deliver(database: string, folder: string, driver: JavaDriver, report: Report): Promise<void> {
  const [key] = (await prepare(database, 1)) as [string];
  await declareCounters(database);
  const service = await serveProcess(database);
  try {
    await driver.run('play', folder);
    const troubles = await sendOutboxes(folder, `http://127.0.0.1:${service.ingest}`, key);
    // The driver's player has not requested a code.
    const unknownCodes = troubles.filter((trouble) => trouble.startsWith('refused: account.link data.code'));
    report.add('/link reaches the service', unknownCodes.length, unknownCodes.length > 0);
    report.add(
      'other events that the service refuses',
      troubles.length - unknownCodes.length,
      troubles.length === unknownCodes.length,
    );
    const renamed = join(folder, 'plugins/ScorehallRotation');
    report.add('the agent finds the outbox of each plugin', '', existsSync(join(renamed, 'outbox.ndjson')));
    await ban(service.ingest, key);
    await compare(service.api, key, report);
    await checkHidden(folder, report);
    const reads = withoutPunishmentId(
      JSON.parse(await driver.run('read', folder, `http://127.0.0.1:${service.api}`, key)),
    );
    report.add('/stats and the check for bans', JSON.stringify(reads), isDeepStrictEqual(reads, EXPECTED_READS));
    await checkSignInErrors(`http://127.0.0.1:${service.auth}`, driver, report);
  } finally {
    await service.kill('SIGTERM');
  }
  await checkPlaceholders({ database, folder, driver, key }, report);
}

async function declareCounters(database: string): Promise<void> {
  await using db = await openDb(database, { keyedHash: secretHash });
  for (const data of PGM_COUNTERS) await reportAsOperator(db, systemClock, { type: 'counter.declared', data });
}

/** Sends everything twice, because a second agent without positions reads the same files again. */
async function sendOutboxes(serverFolder: string, url: string, key: string): Promise<string[]> {
  const troubles: string[] = [];
  for (const name of ['agent', 'agent-again']) {
    const dataFolder = join(serverFolder, name);
    const onTrouble = (sentence: string): void => void troubles.push(sentence);
    await using agent = await Agent.open({ serverFolder, dataFolder, url, key, trustLinks: false, onTrouble });
    await agent.poll();
    await agent.flush();
  }
  return troubles;
}

/** What the plugins write about players with a nick and vanished ones. */
async function checkHidden(folder: string, report: Report): Promise<void> {
  const pgm = await eventsOf(folder, 'ScorehallPGM');
  const named = (name: string, type: string): number[] =>
    pgm.flatMap((event, index) => (event.type === type && JSON.stringify(event).includes(name) ? [index] : []));
  const live = [...named('Nicked', 'match.progress'), ...named('Nicked', PRESENCE)];
  report.add('reports of the present that name a player with a nick', live.length, live.length === 0);
  const finished = named('Nicked', 'match.finished').length;
  report.add('finished matches that name that player', finished, finished === 1);
  for (const type of ['match.progress', PRESENCE]) {
    const reports = pgm.flatMap((event, index) => (event.type === type ? [index] : []));
    const vanishing = named('Vanishing', type);
    const before = reports.filter((index) => index <= vanishing.at(-1)!).length;
    const after = reports.length - before;
    report.add(
      `${type}: before and after a player vanishes`,
      `${vanishing.length}, ${after}`,
      vanishing.length > 0 && after > 1,
    );
  }
  const last = pgm.findLast(({ type }) => type === PRESENCE);
  const presence = JSON.stringify(last?.data);
  report.add('presence on PGM', presence, presence === EXPECTED_PRESENCE);
  const bukkit = await eventsOf(folder, 'Scorehall');
  const about = (name: string): string =>
    bukkit.flatMap((event) => (JSON.stringify(event).includes(name) ? [event.type] : [])).join(', ');
  report.add('events of a player who is vanished', about('Ghost'), about('Ghost') === '');
  report.add('of one who vanishes for a while', about('Shade'), about('Shade') === EXPECTED_SESSIONS);
  // Otherwise the agent would report everybody from the log until the first heartbeat.
  const first = [pgm, bukkit].map((events) => events.find(({ type }) => type !== 'player.login')?.type);
  report.add('the plugins report who is online at the start', first.join(), first.join() === `${PRESENCE},${PRESENCE}`);
}

const PRESENCE = 'server.presence';

interface OutboxEvent {
  type: string;
  data: unknown;
}

async function eventsOf(folder: string, plugin: string): Promise<OutboxEvent[]> {
  const text = await readFile(join(folder, 'plugins', plugin, 'outbox.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OutboxEvent);
}

interface WireLive {
  map: string;
  phase: string;
  participants: number;
  teams?: { name: string; color: string; score: number; players: { name: string; kill_count: number }[] }[];
  objectives?: { name: string }[];
}

function liveFacts({ map, phase, participants, teams = [], objectives = [] }: WireLive): unknown[] {
  const lines = teams.flatMap(({ name, color, score, players }) =>
    players.map((player) => `${name} ${color} ${score} ${player.name} ${player.kill_count}`),
  );
  return [map, phase, participants, lines, objectives.map(({ name }) => name)];
}

const playerPath = (number: string): string => `/v1/players/7f0c6a4e-52b1-4c2f-9b7d-0000000000${number}`;

async function serverId(get: (path: string) => Promise<unknown>): Promise<string> {
  const [server] = (await get('/v1/servers')) as { id: string }[];
  return server!.id;
}

interface WireTotals {
  name: string;
  total: Record<'play_count' | 'win_count' | 'lose_count', number>;
}

type Kills = Record<'kills' | 'deaths', { killer: string; victim: string; location: { x: number | null } }[]>;

async function compare(api: number, key: string, report: Report): Promise<void> {
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${api}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return await response.json();
  };
  const matches = (await get('/v1/matches')) as { id: string; map: string; win: string }[];
  const wins = Object.fromEntries(matches.map(({ map, win }) => [map, win]));
  report.add('matches, each once', matches.length, matches.length === Object.keys(EXPECTED_WINS).length);
  report.add('their winners', JSON.stringify(wins), isDeepStrictEqual(wins, EXPECTED_WINS));
  for (const [number, expected] of Object.entries(EXPECTED_RESULTS)) {
    const { name, total } = (await get(`${playerPath(number)}?fields=total`)) as WireTotals;
    const { play_count, win_count, lose_count } = total;
    const results = [play_count, win_count, lose_count].join(' ');
    report.add(`matches, won and lost ones of ${name}`, results, results === expected);
  }
  const fields = 'teams,objectives,counters,winners,team_colors';
  const all = (await Promise.all(matches.map(({ id }) => get(`/v1/matches/${id}?fields=${fields}`)))) as WireMatch[];
  const found = all.find(({ map }) => JSON.stringify(map).includes('Old Mill'));
  const facts = found === undefined ? {} : matchFacts(found);
  for (const [name, expected] of Object.entries(EXPECTED_MATCH)) {
    const read = (facts as Record<string, unknown>)[name];
    report.add(name, JSON.stringify(read) ?? 'missing', isDeepStrictEqual(read, expected));
  }
  const { kills, deaths } = (await get(`${playerPath('01')}?fields=kills`)) as Kills;
  const lines = [...kills, ...deaths].map(({ killer, victim, location }) => `${killer}>${victim} ${location.x}`);
  report.add('kills', lines.join(', '), isDeepStrictEqual(lines, ['Saltmarten>Wa"d\\er 1', '>Saltmarten 1']));
  const ada = (await get(`${playerPath('0b')}?fields=kills`)) as Kills;
  const killers = ada.deaths.map(({ killer }) => killer);
  report.add('killers: team mate, enemy, one who left', killers.join(), isDeepStrictEqual(killers, ['', 'Bea', '']));
  const live = liveFacts((await get(`/v1/servers/${await serverId(get)}/live-match`)) as WireLive);
  report.add('the match that runs', JSON.stringify(live), isDeepStrictEqual(live, EXPECTED_LIVE));
  const last = (await get('/v1/players/7f0c6a4e-52b1-4c2f-9b7d-000000000095')) as { name?: string };
  report.add('an outbox of many files', last.name ?? 'missing', last.name === 'Named49');
}
