import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '#platform/config/config.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { startConnectors } from '#connectors/connectors.ts';
import { listServers } from '#store/game/servers.ts';
import { listWatches, setWatch, type WatchProtocol } from '#store/game/watches/server-watches.ts';
import { freePorts } from '#test/support/ports.ts';
import { prepare } from '../support/prepare.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { findArena, MAP, PACKAGE, startArena } from './openarena.ts';
import { type GameServer, installGame, PACKAGES, startGame } from './game-server.ts';

const SERVERS = 1_000;
const INTERVAL_MS = 30_000;

export const PARTS = ['many', 'game', 'openarena'];

/** Watches many responders at once, and servers of Minecraft's protocol and of OpenArena on which bots play. */
export async function runLoadTest({ wants }: LoadTestOptions, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-watch-'));
  try {
    if (wants('many')) await watchMany(join(folder, 'many.db'), report);
    if (wants('game')) await watchGame(folder, report);
    if (wants('openarena')) await watchArena(folder, report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A network whose servers have these ports on this machine. */
async function openNetwork(
  url: string,
  ports: readonly number[],
  protocol: WatchProtocol = 'minecraft',
): Promise<AppContext> {
  await prepare(url, ports.length);
  const secret = { SECRET_KEY: 'a secret that is long enough for tests' };
  const context = await openAppContext(readConfig({ ...secret, LOG_LEVEL: 'silent', DATABASE_URL: url }));
  const servers = await listServers(context.db, 0);
  for (const [index, { key }] of servers.entries()) {
    await setWatch(context.db, key, { address: `127.0.0.1:${ports[index]}`, protocol });
  }
  return context;
}

/** The CPU time covers this process alone: resolving, polling, parsing and storing, not the responders. */
async function watchMany(url: string, report: Report): Promise<void> {
  const path = join(import.meta.dirname, 'responders.ts');
  const child = spawn(process.execPath, [path, String(SERVERS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    await using context = await openNetwork(url, JSON.parse(line) as number[]);
    await using running = new AsyncDisposableStack();
    running.use(await startConnectors(context));
    await pause(INTERVAL_MS);
    const [before, started] = [process.cpuUsage(), Date.now()];
    await pause(INTERVAL_MS);
    const { user, system } = process.cpuUsage(before);
    const watches = await listWatches(context.db);
    const answered = watches.filter(({ succeeded }) => succeeded !== null && succeeded >= started - 2_000).length;
    report.add(`of ${SERVERS} servers answered within the last 30 s`, answered, answered === SERVERS);
    const share = ((user + system) / 1000 / INTERVAL_MS) * 100;
    report.add('CPU of watching them, in percent of one core', share.toFixed(1), share < 50);
    report.note('memory of the process, MB', Math.round(process.memoryUsage.rss() / 2 ** 20));
  } finally {
    child.kill();
  }
}

async function watchGame(folder: string, report: Report): Promise<void> {
  await installGame(folder);
  report.note('installed', PACKAGES.join(', '));
  const [port] = await freePorts(1);
  using game = await startGame(folder, port!);
  await using context = await openNetwork(join(folder, 'game.db'), [game.port]);
  await using running = new AsyncDisposableStack();
  running.use(await startConnectors(context));
  await followBots(context, game, report);
}

async function followBots(context: AppContext, game: GameServer, report: Report): Promise<void> {
  const leave = [await game.join('Ada'), await game.join('Bob')];
  for (const expected of [2, 1]) {
    const started = Date.now();
    const seen = await untilCount(context, expected);
    const took = Date.now() - started;
    report.add(`${expected} bots online are seen within an interval, ms`, took, seen && took < INTERVAL_MS + 2_000);
    leave.pop()!();
  }
}

async function untilCount({ db }: AppContext, expected: number): Promise<boolean> {
  const until = Date.now() + 2 * INTERVAL_MS;
  while (Date.now() < until) {
    const [server] = await listServers(db, 0);
    if (server?.playerCount === expected) return true;
    await pause(200);
  }
  return false;
}

/** Bots are on the server and are no players. */
async function watchArena(folder: string, report: Report): Promise<void> {
  const program = findArena();
  const part = `${PACKAGE} with bots`;
  if (program === undefined) {
    report.add(part, `not installed: apt-get install ${PACKAGE}`, false);
    return;
  }
  const [port] = await freePorts(1);
  await using arena = await startArena(program, folder, port!);
  await using context = await openNetwork(join(folder, 'arena.db'), [port!], 'quake3');
  await using running = new AsyncDisposableStack();
  running.use(await startConnectors(context));
  const answered = async (): Promise<boolean> => typeof (await listWatches(context.db))[0]?.succeeded === 'number';
  for (const until = Date.now() + INTERVAL_MS; !(await answered()) && Date.now() < until;) await pause(200);
  const [server] = await listServers(context.db, 0);
  const bots = (await arena.players()).length;
  report.add(`${part}: bots that play`, bots, bots > 0);
  report.add(
    `${part}: players that are shown`,
    String(server?.playerCount),
    (await answered()) && server?.playerCount === 0,
  );
  report.add(`${part}: map`, String(server?.current_map), server?.current_map === MAP);
}
