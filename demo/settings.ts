import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type Environment, type ServiceName, settingNames, readConfig } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import type { Listen } from '#platform/config/setting.ts';
import { NETWORK, ZONE } from './network/index.ts';

const FIRST_PORT = 7400;
const ATTEMPTS = 30;
const STEP = 10;

/** Settings that a demo ignores in the environment, so that it never writes to an operator's database or sends mail. */
const IGNORED: ReadonlySet<string> = new Set(['DATABASE_URL', 'SMTP_URL', 'SECRET_KEY', 'DATA_FOLDER']);

/**
 * The settings of a demo: `own`, settings of the environment (`actual`), and the default ports or the next free ones.
 * @throws UsageError if no port is free or a setting of the environment names a used one
 */
export async function demoSettings(own: Environment, actual: Environment): Promise<Record<string, string>> {
  const fromEnvironment = Object.fromEntries(
    settingNames().flatMap((name) => (actual[name] && !IGNORED.has(name) ? [[name, actual[name]]] : [])),
  );
  let used: Used | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const settings = { ...addresses(FIRST_PORT + attempt * STEP), ...fromEnvironment, ...own } as Record<
      string,
      string
    >;
    used = await usedAddress(readConfig(settings));
    if (used === undefined) return settings;
    const setting = [`${used.service}_LISTEN`, `${used.service}_URL`].find((name) => name in fromEnvironment);
    if (setting !== undefined)
      throw new UsageError(
        `Another program listens at ${shown(used.listen)}. Choose another ${setting} in the environment, or remove it.`,
      );
  }
  throw new UsageError(`No free port was found for the demo; the last one tried was ${shown(used!.listen)}.`);
}

interface Used {
  service: ServiceName | 'INTERNAL';
  listen: Listen;
}

const shown = ({ host, port }: Listen): string => `${host}:${port}`;

/**
 * Sign-in has a separate host name, which separates its cookies from those of the site, because cookies ignore ports.
 */
function addresses(port: number): Record<string, string> {
  return {
    NETWORK_NAME: NETWORK,
    CONTACT: 'harbour-office@gullwing-quay.example',
    TIME_ZONE: ZONE,
    ACCESS_APPROVAL: 'auto',
    API_URL: `http://127.0.0.1:${port}`,
    AUTH_URL: `http://localhost:${port + 1}`,
    SITE_URL: `http://127.0.0.1:${port + 2}`,
    INGEST_URL: `http://127.0.0.1:${port + 3}`,
    INTERNAL_LISTEN: `127.0.0.1:${port + 4}`,
  };
}

async function usedAddress({ listen, INTERNAL_LISTEN }: Config): Promise<Used | undefined> {
  const addresses = Object.entries({ ...listen, INTERNAL: INTERNAL_LISTEN }) as [Used['service'], Listen][];
  for (const [service, address] of addresses)
    if (address.port !== 0 && (await isUsed(address))) return { service, listen: address };
  return undefined;
}

/** An address that the system refuses for another reason counts as free: the start of the service explains it. */
async function isUsed(address: Listen): Promise<boolean> {
  if (address.path !== undefined) return false;
  const server = createServer();
  try {
    server.listen(address);
    await once(server, 'listening');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  } finally {
    server.close();
  }
}
