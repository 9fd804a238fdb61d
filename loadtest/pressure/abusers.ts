import { systemClock } from '#platform/clock.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { ingestEvents } from '#events/ledger.ts';
import { createApplication } from '#store/applications/applications.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { Operator } from '../support/operator.ts';
import type { ServedProcess } from '../support/served-process.ts';
import type { Owner } from './honest-users.ts';
import { Statuses } from './metrics.ts';

/** What an abuser attacks, and what it has. */
export interface Target {
  url: string;
  services: ServedProcess;
  /** The key of the abuser's game server, `Server 1`. */
  key: string;
  account: Owner;
}

export interface Abuser {
  name: string;
  prepare?(target: Target): Promise<void>;
  /** Goes on until the signal; returns what it was answered. */
  attack(target: Target, stop: AbortSignal): Promise<Statuses>;
}

const ROGUE_MATCHES = 200;
const ROGUE_PLAYERS = 100;
const HUGE_MATCH_PLAYERS = 1_000;

export const ABUSERS: readonly Abuser[] = [
  // Shows what the machine itself allows.
  { name: 'nobody', attack: () => Promise.resolve(new Statuses()) },
  {
    name: 'withdrawal',
    prepare: async ({ url }) => {
      const people = createPopulation(2_000, 2);
      await using db = await openDb(url, { keyedHash: secretHash });
      for (let number = 0; number < ROGUE_MATCHES; number++) {
        const match = matchOf(people, ROGUE_PLAYERS, Date.now());
        await ingestEvents(db, systemClock, { kind: 'operator' }, [{ ...match, server: 'Server 1' }]);
      }
    },
    attack: async ({ url }) => {
      const operator = new Operator({ DATABASE_URL: url });
      const since = new Date(0).toISOString();
      const reply = await operator.run('server', 'withdraw', '--name', 'Server 1', '--since', since, '--yes', '--json');
      operator.close();
      if (reply?.status !== 0) throw new Error(`The withdrawal failed: ${reply?.err}`);
      return new Statuses();
    },
  },
  {
    name: 'huge matches',
    attack: (target, stop) => {
      let seed = 100;
      return repeated(10, stop, async () => {
        const people = createPopulation(HUGE_MATCH_PLAYERS, seed++);
        const body = JSON.stringify(matchOf(people, HUGE_MATCH_PLAYERS, Date.now()));
        const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' };
        return await fetch(`http://127.0.0.1:${target.services.ingest}/events`, {
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
    attack: async ({ url, services }, stop) => {
      await using db = await openDb(url, { keyedHash: secretHash });
      const registered = { name: 'Flood', type: 'service', redirect_uris: [], access: 'none' } as const;
      const { application, secret } = await createApplication(db, Date.now(), { ...registered, redirect_uris: [] });
      const fields = { grant_type: 'client_credentials', client_id: application.client_id, client_secret: secret! };
      return await repeated(20, stop, () => {
        const body = new URLSearchParams(fields);
        return fetch(`http://127.0.0.1:${services.auth}/oauth/token`, { method: 'POST', body, signal: stop });
      });
    },
  },
  {
    name: 'connections on the home page',
    attack: ({ services }, stop) =>
      repeated(100, stop, () => fetch(`http://127.0.0.1:${services.site}/`, { signal: stop })),
  },
  {
    name: 'sign-in guessing',
    attack: ({ services, account }, stop) => {
      const origin = `http://127.0.0.1:${services.auth}`;
      let guess = 0;
      return repeated(20, stop, () => {
        const body = new URLSearchParams({ login: account.name, password: `guess ${guess++}` });
        const headers = { origin, 'x-forwarded-for': `203.0.113.${1 + (guess % 10)}` };
        return fetch(`${origin}/sign-in`, { method: 'POST', body, headers, redirect: 'manual', signal: stop });
      });
    },
  },
];

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
