import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createApplication } from '#store/applications/applications.ts';
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
  /** Runs until the signal; returns the responses. */
  attack(target: Target, stop: AbortSignal): Promise<Statuses>;
}

/** The players of the matches that operators' acts change, ten in each match. */
const PEOPLE = createPopulation(100, 2);
const MATCH_PLAYERS = 10;
const playerUuid = (number: number): string => PEOPLE.players[number]!.uuid;
const MATCHES_A_BATCH = 100;
const HUGE_MATCH_PLAYERS = 1_000;

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
      return repeated(10, stop, async () => {
        const people = createPopulation(HUGE_MATCH_PLAYERS, seed++);
        const body = JSON.stringify(matchOf(people, HUGE_MATCH_PLAYERS, Date.now()));
        const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' };
        return await fetch(`http://127.0.0.1:${target.ports.ingest}/events`, {
          method: 'POST',
          headers,
          body,
          signal: stop,
        });
      });
    },
  },
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
