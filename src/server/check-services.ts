import type { RunningServices } from './listeners.ts';
import type { ServiceName } from '#platform/config/config.ts';

/** A path of each service that needs no credential. */
const PATHS: Record<ServiceName, string> = {
  API: '/v1/openapi.json',
  AUTH: '/.well-known/openid-configuration',
  SITE: '/',
  INGEST: '/openapi.json',
};

/**
 * Sends one request to every service.
 * @throws Error that names a service which fails
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
