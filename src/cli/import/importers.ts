import { UsageError } from '#platform/errors.ts';
import type * as importers from '#importers/index.ts';
import { installed } from '#platform/process/installed.ts';

export type Importers = typeof importers;

/** Loads the importers for one command, whose mistakes of the operator become those of the command. */
export async function withImporters(work: (importers: Importers) => Promise<void>): Promise<void> {
  const loaded = await installed('packages/importers', () => import('#importers/index.ts'));
  try {
    await work(loaded);
  } catch (error) {
    throw error instanceof loaded.InputError ? new UsageError(error.message) : error;
  }
}
