import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import type { Random } from '#demo/network/random.ts';
import { prepare } from '../../loadtest/ingest/speed.ts';
import { apiCases } from '../api.ts';
import type { BenchClient } from '../client.ts';
import type { BenchRequest } from '../case.ts';
import { DEFAULT_SEED } from '../generated.ts';
import { BenchHistory } from '../generated-history.ts';
import { type Clients, SERVERS } from './plan.ts';

/** How often bots make which request of the data API, in percent. The first ones are cases of the bench. */
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

/** Most HTTP libraries ask for gzip, browsers for more. */
const BOT = { 'accept-encoding': 'gzip' };
const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/**
 * The clients of an evening: bots with one application's token, readers of the site, and game servers, which are created.
 * @param api the address of the data API, which has to answer already
 */
export async function clientsOf(client: BenchClient, api: string, keys: readonly string[]): Promise<Clients> {
  const asks = await bots(client, api);
  const weights = Object.values(MIX);
  const pages = await readers(client);
  return {
    api: (random) => asks[random.weighted(weights)]!(),
    site: (random) => ({ path: random.pick(pages)(random), headers: BROWSER }),
    keys,
    season: new BenchHistory(DEFAULT_SEED, 0),
  };
}

/** Creates the game servers of an evening; returns their keys. */
export async function createServers(url: string, count = SERVERS): Promise<string[]> {
  return (await prepare(url, count)).slice(-count);
}

/** In the order of the mix. */
async function bots(client: BenchClient, api: string): Promise<(() => BenchRequest)[]> {
  const cases = new Map((await apiCases(client)).map((one) => [one.name, one]));
  await cases.get('304')!.prepare!(api);
  const headers = { authorization: `Bearer ${client.token}` };
  const others: Record<string, () => BenchRequest> = {
    'players online': () => ({ path: '/v1/servers/online', headers }),
    servers: () => ({ path: '/v1/servers', headers }),
  };
  return Object.keys(MIX).map((name) => {
    const ask = others[name] ?? (cases.get(name)!.ask as () => BenchRequest);
    return () => {
      const { headers: own, ...rest } = ask();
      return { ...rest, headers: { ...own, ...BOT } };
    };
  });
}

/** Kinds of pages, each as often as the others. */
async function readers({ context: { db } }: BenchClient): Promise<((random: Random) => string)[]> {
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
