import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { Random } from '#demo/network/random.ts';
import { Simulation } from './simulation.ts';

const KILLS = 100;
const CUTS_PER_KILL = 2;
const MAX_SEED = 2 ** 31;
const MAX_SHOWN = 20;

/**
 * Mirrors of every kind begin with an empty disk and follow through kills and cut connections, a restore and a move. At the
 * end of each round each equals an independent walk of `/v1`. The seed determines events, acts and faults, but not how the
 * operating system interleaves the processes.
 */
export async function testMirrors(
  report: Report,
  { database, kills = KILLS, seed = new Random(Date.now()).below(MAX_SEED) }: LoadTestOptions,
): Promise<void> {
  for (const dialect of dialectsOf(database)) {
    const folder = await mkdtemp(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'scorehall-changes-'));
    try {
      await using opened = await databases(dialect);
      report.note(
        `${dialect}: repeat`,
        `npm run loadtest -- changes --only mirrors --database ${dialect} --seed ${seed}`,
      );
      await using simulation = await Simulation.start(opened, folder, new Random(seed));
      for (const [index, { name, prepare, during }] of ROUNDS.entries()) {
        const share = Math.round((kills * (index + 1)) / ROUNDS.length) - Math.round((kills * index) / ROUNDS.length);
        await prepare?.(simulation);
        await simulation.round(share, share * CUTS_PER_KILL, during);
        const differences = await simulation.check();
        report.add(`${dialect}, ${name}: differences`, differences.length, differences.length === 0);
        for (const line of differences.slice(0, MAX_SHOWN)) console.log(`         ${line}`);
      }
      simulation.report(report, dialect);
    } catch (error) {
      console.log(`         Its backup, revocation log and mirrors: ${folder}`);
      throw error;
    }
    await rm(folder, { recursive: true, force: true });
  }
}

interface Round {
  name: string;
  /** Before the load begins. */
  prepare?: (simulation: Simulation) => Promise<void>;
  /** In the middle of the load. */
  during?: (simulation: Simulation) => Promise<void>;
}

const ROUNDS: readonly Round[] = [
  { name: 'mirrors begin', prepare: (simulation) => simulation.startMirrors() },
  { name: 'a backup is made', during: (simulation) => simulation.backUp() },
  { name: 'after its restore', prepare: (simulation) => simulation.restore() },
  { name: 'during a move', during: (simulation) => simulation.move() },
  { name: 'after the move' },
];
