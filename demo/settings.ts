import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type Environment, settingNames, readConfig } from '#platform/config/config.ts';
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
 * @throws UsageError when no port is free, for example because the environment names a used one
 */
export async function demoSettings(own: Environment, actual: Environment): Promise<Record<string, string>> {
  const fromEnvironment = Object.fromEntries(
    settingNames().flatMap((name) => (actual[name] && !IGNORED.has(name) ? [[name, actual[name]]] : [])),
  );
  let used: Listen | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const settings = { ...addresses(FIRST_PORT + attempt * STEP), ...fromEnvironment, ...own } as Record<
      string,
      string
    >;
    used = await usedPort(readConfig(settings));
    if (used === undefined) return settings;
  }
  throw new UsageError(`No free port was found for the demo; the last one tried was ${used!.host}:${used!.port}.`);
}

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

async function usedPort({ listen, INTERNAL_LISTEN }: Config): Promise<Listen | undefined> {
  for (const address of [...Object.values(listen), INTERNAL_LISTEN])
    if (address.port !== 0 && !(await isFree(address))) return address;
  return undefined;
}

async function isFree(address: Listen): Promise<boolean> {
  if (address.path !== undefined) return true;
  const server = createServer();
  try {
    server.listen(address);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}
