import { join } from 'node:path';
import { UsageError } from '#platform/errors.ts';

const PROJECT = join(import.meta.dirname, '../../..');

/**
 * Loads a folder of `packages/` that a command needs and an installation may lack.
 * @throws UsageError that says how to install it
 */
export async function installed<T>(folder: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const [, missing = folder] = /^Cannot find \w+ '([^']+)'/.exec(message) ?? [];
    throw new UsageError(
      `${folder} is not installed (${missing} is missing): in ${PROJECT}, with all of packages/ of this version, run npm ci --omit=dev --ignore-scripts`,
    );
  }
}
