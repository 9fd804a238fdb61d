import { testRollingUpgrade } from '../operate/rolling-upgrade.ts';
import type { Setup } from './setup.ts';

/** Replaces two processes on PostgreSQL one by one under load, with an online migration. */
export async function testRolling({ report, folder }: Setup): Promise<void> {
  await testRollingUpgrade(report, folder);
}
