import type { House } from './listeners.ts';
import type { Door } from '#platform/config.ts';

/** A path of each door that answers without a credential. */
const PATHS: Record<Door, string> = {
  API: '/v1/openapi.json',
  AUTH: '/.well-known/openid-configuration',
  SITE: '/',
  INGEST: '/openapi.json',
};

/**
 * Asks every door once.
 * @throws Error that names the door which does not answer
 */
export async function askDoors({ addresses }: House): Promise<void> {
  await Promise.all(
    Object.entries(addresses).map(async ([door, address]) => {
      const response = await fetch(address + PATHS[door as Door], { redirect: 'manual' });
      await response.arrayBuffer();
      if (response.status >= 500) throw new Error(`${door} answers with status ${response.status} at ${address}`);
    }),
  );
}
