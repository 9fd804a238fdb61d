import { setTimeout as sleep } from 'node:timers/promises';
import type { Databases } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { Random } from '#demo/network/random.ts';
import { ServedNetwork } from '../support/served-network.ts';
import { Acts } from './acts.ts';
import { check } from './check.ts';
import { waitUntilCounted } from './counted.ts';
import { reimport } from './reimport.ts';
import { EventGenerator } from './generated-events.ts';
import { Operator } from '../support/operator.ts';
import { ModelSender } from './sender.ts';

const SERVERS = 3;
const PROCESSES = 2;
const ROUNDS = 3;
const EVENTS_PER_ROUND = 60;
const ACTS_PER_ROUND = 6;
const HOUR_MS = 3_600_000;
/** The same for the three processes. */
const SECRET_KEY = 'the secret key of the random model of the load tests';

export interface CaseResult {
  events: number;
  kills: number;
  differences: string[];
}

/** Runs one random case in a new database: rounds of concurrent work, each followed by a check of everything. */
export async function runCase(databases: Databases, seed: number): Promise<CaseResult> {
  const random = new Random(seed);
  const url = await databases.create();
  const keys = await prepare(url, SERVERS);
  const token = await createReader(url);
  const services = new ServedNetwork(() => ({ SECRET_KEY }));
  await services.serve(url, PROCESSES);
  const operator = new Operator({ DATABASE_URL: url, SECRET_KEY });
  try {
    const began = Math.floor((Date.now() - HOUR_MS) / 1000) * 1000;
    const senders = keys.flatMap((key, number) => {
      const generator = new EventGenerator(random.fork(), began, 'e');
      return [new ModelSender(`Server ${number}`, key, () => services.ingestPorts, generator, random.fork())];
    });
    const acts = new Acts(operator, senders, random.fork(), true);
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      kills += await runRound(services, operator, senders, acts, random.fork());
      const uncounted = await waitUntilCounted(url);
      const found = await check(operator, senders, acts, services.apiPorts, token);
      const differences = [...acts.failures, ...uncounted, ...found];
      if (differences.length > 0) return { events: countSent(senders), kills, differences };
    }
    return { events: countSent(senders), kills, differences: await reimport(databases, url, operator, SECRET_KEY) };
  } finally {
    operator.close();
    await services.stop();
    await databases.remove(url);
  }
}

const countSent = (senders: readonly ModelSender[]): number => senders.reduce((sum, { sent }) => sum + sent.size, 0);

/** Runs senders, operator and kills at the same time, then delivers all events and completes all jobs. */
async function runRound(
  services: ServedNetwork,
  operator: Operator,
  senders: readonly ModelSender[],
  acts: Acts,
  random: Random,
): Promise<number> {
  const act = async (): Promise<void> => {
    for (let number = 0; number < ACTS_PER_ROUND; number++) await acts.next();
  };
  const kill = async (): Promise<number> => {
    await sleep(random.below(1500));
    const victim = random.below(4);
    if (victim === 3) return 0;
    await (victim === 2 ? operator.kill() : services.restart(victim));
    return 1;
  };
  const [kills] = await Promise.all([kill(), act(), ...senders.map((sender) => sender.send(EVENTS_PER_ROUND))]);
  await Promise.all(senders.map((sender) => sender.flush()));
  await acts.finishJobs();
  return kills;
}
