import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyOperation } from '#admin/operation.ts';
import { ACCESS_EXAMPLES } from './access-examples.ts';
import { ACCOUNT_EXAMPLES } from './account-examples.ts';
import { APPLICATION_EXAMPLES } from './application-examples.ts';
import { COUNTER_EXAMPLES } from './counter-examples.ts';
import type { Example } from './examples.ts';
import { JOB_EXAMPLES } from './job-examples.ts';
import { MATCH_EXAMPLES } from './match-examples.ts';
import { NETWORK_EXAMPLES } from './network-examples.ts';
import { OWNER_EXAMPLES } from './owner-examples.ts';
import { PLAYER_EXAMPLES } from './player-examples.ts';
import { PUNISHMENT_EXAMPLES } from './punishment-examples.ts';
import { SERVER_EXAMPLES } from './server-examples.ts';
import { WEBHOOK_EXAMPLES } from './webhook-examples.ts';

/** One example of each operation, by its name; those of one name differ in what follows: `access.approve (request)`. */
export const EXAMPLES = {
  ...SERVER_EXAMPLES,
  ...NETWORK_EXAMPLES,
  ...ACCOUNT_EXAMPLES,
  ...APPLICATION_EXAMPLES,
  ...ACCESS_EXAMPLES,
  ...OWNER_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...PUNISHMENT_EXAMPLES,
  ...PLAYER_EXAMPLES,
  ...COUNTER_EXAMPLES,
  ...MATCH_EXAMPLES,
  // Last, because other jobs wait for the paused one.
  ...JOB_EXAMPLES,
} as unknown as Readonly<Record<string, Example>>;

export const nameIn = (key: string): string => key.split(' ', 1)[0]!;

const FOLDER = join(dirname(dirname(import.meta.dirname)), 'src/admin');

/** Every operation that a file of `src/admin` exports. */
export async function allOperations(): Promise<AnyOperation[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(files.map((file) => import(join(FOLDER, file)) as Promise<object>));
  const values = modules.flatMap((loaded) => Object.values(loaded) as unknown[]);
  return values.filter((value): value is AnyOperation => typeof value === 'object' && value !== null && 'run' in value);
}
