import type { RunningServices } from './listeners.ts';
import type { ServiceName } from '#platform/config.ts';

/** A path of each door that answers without a credential. */
const PATHS: Record<ServiceName, string> = {
  API: '/v1/openapi.json',
  AUTH: '/.well-known/openid-configuration',
  SITE: '/',
  INGEST: '/openapi.json',
};

/**
 * Asks every door once.
 * @throws Error that names the door which does not answer
 */
export async function checkServices({ addresses }: RunningServices): Promise<void> {
  await Promise.all(
    Object.entries(addresses).map(async ([service, address]) => {
      const response = await fetch(address + PATHS[service as ServiceName], { redirect: 'manual' });
      await response.arrayBuffer();
      if (response.status >= 500) throw new Error(`${service} answers with status ${response.status} at ${address}`);
    }),
  );
}
