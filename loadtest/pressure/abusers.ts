import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { Operator } from '../support/operator.ts';
import { type Abuser, repeated, type Target } from './abuser.ts';
import { Statuses } from './metrics.ts';
import { storeOldRows } from './old-rows.ts';
import { SIGN_IN_ABUSERS } from './sign-in-abusers.ts';
import { webhookAbuser } from './webhook-abuser.ts';

/** The players of the matches that operators' acts change, ten in each match. */
const PEOPLE = createPopulation(100, 2);
const MATCH_PLAYERS = 10;
const playerUuid = (number: number): string => PEOPLE.players[number]!.uuid;
const MATCHES_A_BATCH = 100;
const HUGE_MATCH_PLAYERS = 1_000;
const OLD_ROWS = 200_000;

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
  {
    name: 'invalid matches',
    attack: (target, stop) => {
      const players = Array.from({ length: 340 }, () => ({}));
      const teams = Array.from({ length: 1_000 }, () => ({ players }));
      return repeatedEvents(target, stop, eventsOfNow('match.finished', { map: 'Invalid', teams }));
    },
  },
  { name: 'purge', whileStopped: ({ url }) => storeOldRows(url, OLD_ROWS), attack: untilStopped },
  { name: 'purge beside backups', whileStopped: ({ url }) => storeOldRows(url, OLD_ROWS), attack: backUpUntilStopped },
  {
    name: 'connections on the home page',
    attack: ({ ports }, stop) => repeated(100, stop, () => fetch(`http://127.0.0.1:${ports.site}/`, { signal: stop })),
  },
  webhookAbuser(storeMatches),
  ...SIGN_IN_ABUSERS,
];

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
