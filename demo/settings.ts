import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type Environment, settingNames, readConfig } from '#platform/config.ts';
import { UsageError } from '#platform/errors.ts';
import type { Listen } from '#platform/setting.ts';
import { NETWORK, ZONE } from './network/index.ts';

const FIRST_PORT = 7400;
const TRIES = 30;
const STEP = 10;

/** What an operator's environment must not decide for a demo: where it writes, and to whom it sends mail. */
const OWN: ReadonlySet<string> = new Set(['DATABASE_URL', 'SMTP_URL', 'SECRET_KEY', 'DATA_FOLDER']);

/**
 * The settings of a demo, on ports that nobody uses: the usual ones, or else the next free ones.
 * @throws UsageError when a port that the environment demands is taken
 */
export async function demoSettings(own: Environment, actual: Environment): Promise<Record<string, string>> {
  const demanded = Object.fromEntries(
    settingNames().flatMap((name) => (actual[name] && !OWN.has(name) ? [[name, actual[name]]] : [])),
  );
  let accepted: Listen | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const settings = { ...addresses(FIRST_PORT + attempt * STEP), ...demanded, ...own } as Record<string, string>;
    accepted = await takenPort(readConfig(settings));
    if (accepted === undefined) return settings;
  }
  throw new UsageError(
    `No free port for the demo was found; the last one tried was ${accepted!.host}:${accepted!.port}.`,
  );
}

/** Sign-in is at localhost by name, since browsers keep no passkeys for an address in numbers. */
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
  };
}

async function takenPort({ listen }: Config): Promise<Listen | undefined> {
  for (const where of Object.values(listen)) if (where.port !== 0 && !(await isFree(where))) return where;
  return undefined;
}

async function isFree(where: Listen): Promise<boolean> {
  if (where.path !== undefined) return true;
  const server = createServer();
  try {
    server.listen(where);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}
