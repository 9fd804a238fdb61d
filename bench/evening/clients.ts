import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import type { Random } from '#demo/network/random.ts';
import { prepare } from '../../loadtest/support/prepare.ts';
import { apiCases } from '../api.ts';
import type { BenchClient } from '../client.ts';
import type { BenchRequest } from '../case.ts';
import { DEFAULT_SEED } from '../generated.ts';
import { BenchHistory } from '../generated-history.ts';
import { type Clients, SERVERS } from './plan.ts';

/** The requests of bots to the data API, in percent. All but the last two are cases of bench/api.ts. */
const MIX: Readonly<Record<string, number>> = {
  'one match, hot': 25,
  'one match, random': 10,
  'list of 20, newest': 20,
  'list of 20, random': 10,
  'player with all groups': 15,
  '304': 10,
  'players online': 6,
  servers: 4,
};
const RECENT = 1000;

/** Most HTTP libraries accept gzip; browsers accept more. */
const BOT = { 'accept-encoding': 'gzip' };
const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/**
 * The clients of an evening: bots with the token of one application, readers of the site, and game servers.
 * @param api the URL of the data API, which must be running
 * @param keys the ingest keys of the game servers
 */
export async function clientsOf(client: BenchClient, api: string, keys: readonly string[]): Promise<Clients> {
  const requests = await botRequests(client, api);
  const weights = Object.values(MIX);
  const pages = await sitePages(client);
  return {
    api: (random) => requests[random.weighted(weights)]!(),
    site: (random) => ({
      path: random.pick(pages)(random),
      headers: { ...BROWSER, 'x-forwarded-for': addressOf(random) },
    }),
    keys,
    history: new BenchHistory(DEFAULT_SEED, 0),
  };
}

/** One of a thousand readers. */
const addressOf = (random: Random): string => `203.0.${random.int(110, 113)}.${random.int(1, 250)}`;

/**
 * Creates the game servers of an evening.
 * @returns their ingest keys
 */
export async function createServers(url: string, count = SERVERS): Promise<string[]> {
  return (await prepare(url, count)).slice(-count);
}

/** Makers of requests, in the order of `MIX`. */
async function botRequests(client: BenchClient, api: string): Promise<(() => BenchRequest)[]> {
  const cases = new Map((await apiCases(client)).map((one) => [one.name, one]));
  await cases.get('304')!.prepare!(api);
  const headers = { authorization: `Bearer ${client.token}` };
  const others: Record<string, () => BenchRequest> = {
    'players online': () => ({ path: '/v1/servers/online', headers }),
    servers: () => ({ path: '/v1/servers', headers }),
  };
  return Object.keys(MIX).map((name) => {
    const nextRequest = others[name] ?? (cases.get(name)!.nextRequest as () => BenchRequest);
    return () => {
      const request = nextRequest();
      return { ...request, headers: { ...request.headers, ...BOT } };
    };
  });
}

/** Makers of page paths; each kind of page is equally frequent. */
async function sitePages({ context: { db } }: BenchClient): Promise<((random: Random) => string)[]> {
  const matches = await db.tuples(sql`select key from matches order by key desc limit ${RECENT}`);
  const maps = await db.tuples(sql`select key from maps`);
  const players = await db.tuples(sql`select uuid from players order by key limit 20000`);
  return [
    () => '/',
    (random) => `/matches/${idOf(Number(random.pick(matches)[0]))}`,
    (random) => `/maps/${idOf(Number(random.pick(maps)[0]))}`,
    (random) => `/players/${String(random.pick(players)[0])}`,
    (random) => random.pick(['/leaderboards?period=month', '/leaderboards?period=all&mode=ctw&by=kill']),
  ];
}
