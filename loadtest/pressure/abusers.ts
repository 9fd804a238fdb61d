import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { insertAll } from '#db/sql.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createApplication } from '#store/applications/applications.ts';
import { bucketsIn, oldestRetained } from '#store/game/time-buckets.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { Operator } from '../support/operator.ts';
import type { Ports } from '../support/served-process.ts';
import type { Owner } from './honest-users.ts';
import { Statuses } from './metrics.ts';

/** The target and the credentials of an abuser; plain data for its thread. */
export interface Target {
  url: string;
  ports: Ports;
  /** The key of the abuser's game server, `Server 1`. */
  key: string;
  account: Owner;
  /** The number of stored matches that an operator's act works on (`--matches`). */
  matches: number;
}

export interface Abuser {
  name: string;
  /** An act of an operator, during which no thread that answers requests may be blocked. */
  isOperatorAct?: true;
  prepare?(target: Target): Promise<void>;
  /** Changes the database while the service is stopped: it starts again with the attack, and with its background jobs. */
  whileStopped?(target: Target): Promise<void>;
  /** Runs until the signal; returns the responses. */
  attack(target: Target, stop: AbortSignal): Promise<Statuses>;
}

/** The players of the matches that operators' acts change, ten in each match. */
const PEOPLE = createPopulation(100, 2);
const MATCH_PLAYERS = 10;
const playerUuid = (number: number): string => PEOPLE.players[number]!.uuid;
const MATCHES_A_BATCH = 100;
const HUGE_MATCH_PLAYERS = 1_000;
const OLD_ROWS = 200_000;
const ROWS_A_BATCH = 2_000;

export const ABUSERS: readonly Abuser[] = [
  // A baseline of the machine.
  { name: 'nobody', attack: () => Promise.resolve(new Statuses()) },
  operatorAct('withdrawal', 'server', 'withdraw', '--name', 'Server 1', '--since', new Date(0).toISOString()),
  operatorAct('merge', 'player', 'merge', '--from', playerUuid(0), '--into', playerUuid(1)),
  operatorAct('erasure', 'player', 'erase', '--player', playerUuid(0)),
  {
    name: 'huge matches',
    attack: (target, stop) => {
      let seed = 100;
      return repeatedEvents(target, stop, () => {
        const people = createPopulation(HUGE_MATCH_PLAYERS, seed++);
        return JSON.stringify(matchOf(people, HUGE_MATCH_PLAYERS, Date.now()));
      });
    },
  },
  {
    name: 'huge reports',
    attack: (target, stop) => {
      const counters = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`counter_${number}`, number]));
      const { players } = createPopulation(HUGE_MATCH_PLAYERS, 3);
      const teams = [{ name: 'Red', players: players.map((player) => ({ ...player, counters })) }];
      const started = new Date(Date.now() - 60_000).toISOString();
      return repeatedEvents(target, stop, eventsOfNow('match.progress', { map: 'Huge', started, teams }));
    },
  },
  {
    name: 'huge heartbeats',
    attack: (target, stop) => {
      const players = createPopulation(1_000, 3).players.map(({ name }) => name);
      return repeatedEvents(target, stop, eventsOfNow('server.presence', { current: 0, players }));
    },
  },
  { name: 'purge', whileStopped: storeOldRows, attack: untilStopped },
  { name: 'purge beside backups', whileStopped: storeOldRows, attack: backUpUntilStopped },
  {
    name: 'client credentials',
    attack: async ({ url, ports }, stop) => {
      await using db = await openDb(url, { keyedHash: secretHash });
      const registered = { name: 'Flood', type: 'service', redirect_uris: [], access: 'none' } as const;
      const { application, secret } = await createApplication(db, Date.now(), { ...registered, redirect_uris: [] });
      const fields = { grant_type: 'client_credentials', client_id: application.client_id, client_secret: secret! };
      return await repeated(20, stop, () => {
        const body = new URLSearchParams(fields);
        return fetch(`http://127.0.0.1:${ports.auth}/oauth/token`, { method: 'POST', body, signal: stop });
      });
    },
  },
  {
    name: 'connections on the home page',
    attack: ({ ports }, stop) => repeated(100, stop, () => fetch(`http://127.0.0.1:${ports.site}/`, { signal: stop })),
  },
  {
    name: 'sign-in guessing',
    attack: ({ ports, account }, stop) => {
      const origin = `http://127.0.0.1:${ports.auth}`;
      let guess = 0;
      return repeated(20, stop, () => {
        const body = new URLSearchParams({ login: account.name, password: `guess ${guess++}` });
        const headers = { origin, 'x-forwarded-for': `203.0.113.${1 + (guess % 10)}` };
        return fetch(`${origin}/sign-in`, { method: 'POST', body, headers, redirect: 'manual', signal: stop });
      });
    },
  },
];

/** Old leaderboard days and expired counters, which the purge deletes from the start of the service on. */
async function storeOldRows({ url }: Target): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const { day } = oldestRetained(bucketsIn('UTC'), Date.now());
  for (let first = 0; first < OLD_ROWS; first += ROWS_A_BATCH) {
    const numbers = Array.from({ length: ROWS_A_BATCH }, (_, index) => first + index);
    // Players have different places in each order of a leaderboard.
    const boards = numbers.map((n) => [
      day - 1,
      'total',
      n,
      (n * 7_919) % 10_007,
      (n * 104_729) % 5_003,
      n % 997,
      1,
      1,
    ]);
    const counters = numbers.map((n) => [`address:${n}`, 1, 1]);
    await db.runAll([
      ...insertAll('insert into boards (bucket, mode, player_key, play, win, kill, death, time) values', boards),
      ...insertAll('insert into rate_limits (subject, used, resets) values', counters),
    ]);
  }
}

async function untilStopped(_: Target, stop: AbortSignal): Promise<Statuses> {
  if (!stop.aborted) await once(stop, 'abort');
  return new Statuses();
}

async function backUpUntilStopped({ url }: Target, stop: AbortSignal): Promise<Statuses> {
  const operator = new Operator({ DATABASE_URL: url });
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-pressure-'));
  for (let number = 0; !stop.aborted; number++) {
    const reply = await operator.run('backup', join(folder, `${number}.backup`));
    if (reply?.status !== 0) throw new Error(`The backup failed: ${reply?.err}`);
  }
  operator.close();
  await rm(folder, { recursive: true });
  return new Statuses();
}

/** A command of an operator, on stored matches of `Server 1`; it runs until its job has ended. */
function operatorAct(name: string, ...command: string[]): Abuser {
  return {
    name,
    isOperatorAct: true,
    prepare: storeMatches,
    attack: async ({ url }) => {
      const operator = new Operator({ DATABASE_URL: url });
      const reply = await operator.run(...command, '--yes', '--json');
      operator.close();
      if (reply?.status !== 0) throw new Error(`The command failed: ${reply?.err}`);
      return new Statuses();
    },
  };
}

async function storeMatches({ url, matches }: Target): Promise<void> {
  await using db = await openDb(url, { keyedHash: secretHash });
  for (let stored = 0; stored < matches; stored += MATCHES_A_BATCH) {
    const events = Array.from({ length: MATCHES_A_BATCH }, () => matchOf(PEOPLE, MATCH_PLAYERS, Date.now()));
    const sent = events.map((event) => ({ ...event, server: 'Server 1' }));
    await ingestEvents(db, systemClock, { kind: 'operator' }, sent);
  }
}

/** Events with new ids and times, whose data is serialised only once, so that the abuser needs little of the CPU itself. */
function eventsOfNow(type: string, data: object): () => string {
  const json = JSON.stringify(data);
  return () =>
    `{"version":1,"id":"${randomUUID()}","type":"${type}","time":"${new Date().toISOString()}","data":${json}}`;
}

/** Sends events as the abuser's game server, one a request. */
const repeatedEvents = ({ key, ports }: Target, stop: AbortSignal, next: () => string): Promise<Statuses> =>
  repeated(10, stop, () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${ports.ingest}/events`;
    return fetch(url, { method: 'POST', headers, body: next(), signal: stop });
  });

/** Sends requests over several connections, each as soon as the last one was answered. */
async function repeated(connections: number, stop: AbortSignal, request: () => Promise<Response>): Promise<Statuses> {
  const statuses = new Statuses();
  const repeat = async (): Promise<void> => {
    while (!stop.aborted) {
      try {
        const response = await request();
        statuses.add(response);
        await response.arrayBuffer();
      } catch {
        if (!stop.aborted) statuses.addFailure();
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, repeat));
  return statuses;
}
