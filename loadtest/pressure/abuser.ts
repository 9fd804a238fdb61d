import type { Mailbox } from '#test/support/mailbox.ts';
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

/** A figure beside the latency of the honest users. */
export interface Check {
  name: string;
  figure: string;
  meetsTarget: boolean;
}

export interface Abuser {
  name: string;
  /** An act of an operator, during which no thread that answers requests may be blocked. */
  isOperatorAct?: true;
  prepare?(target: Target): Promise<void>;
  /** Changes the database while the service is stopped: it starts again with the attack, and with its background jobs. */
  whileStopped?(target: Target): Promise<void>;
  /** Bound of the growth of the database by the attack, in megabytes, without the deleted rows that PostgreSQL still keeps. */
  maxGrowthMb?: number;
  /** What must also be true at the end of the attack, while it continues. */
  check?(target: Target, mailbox: Mailbox): Promise<Check[]>;
  /** Runs until the signal; returns the responses. */
  attack(target: Target, stop: AbortSignal): Promise<Statuses>;
}

/** Sends requests over several connections, each as soon as the last one was answered. */
export async function repeated(
  connections: number,
  stop: AbortSignal,
  request: () => Promise<Response>,
): Promise<Statuses> {
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
