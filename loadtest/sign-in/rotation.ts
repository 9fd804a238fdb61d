import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { authorize, CALLBACK } from '#test/auth/support.ts';
import { freePorts } from '#test/support/ports.ts';
import { Person } from '#test/auth/person.ts';
import { openDb } from '#db/open.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { createApplication } from '#store/applications/applications.ts';
import { signingKeys } from '#store/accounts/signing-keys.ts';
import { createOwner } from '../pressure/honest-users.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { type ServedProcess, serveProcess } from '../support/served-process.ts';
import { ONE_OF_EACH, type RotationClientData, type RotationFigures } from './rotation-clients.ts';

const DAY_MS = 86_400_000;
/** An hour in twelve seconds: a key signs thirteen seconds after it is published. */
const FACTOR = 300;
/** A key is added by age at the start, and signs in this time; then one by command, and signs in it again. */
const PHASE_MS = 20_000;
const ENVIRONMENT = {
  SECRET_KEY: 'a secret that is long enough for load tests',
  SIGNING_KEY_LIFETIME: '1d',
  TOKEN_LIMIT: '1000000000',
  // Two processes do not write to one file.
  REVOCATION_LOG: 'off',
};
const FAST_CLOCK = ['--import', new URL('fast-clock.ts', import.meta.url).href];

/**
 * Replaces signing keys by age and by command under load, with a clock that is 300 times as fast. Each kind of client caches the
 * key set in its own way, and refreshes tokens at the processes in turn. SQLite has one process.
 */
export async function testRotation(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  await prepare(url, 1);
  const { account } = await createOwner(url);
  const first = await serveProcess(url, { environment: ENVIRONMENT });
  const issuer = `http://127.0.0.1:${first.auth}`;
  const client = await signIn(url, issuer, account);
  await first.kill();

  // The key of the sign-in is now just old enough to be replaced.
  const clock = [Date.now(), Date.now() + DAY_MS, FACTOR].join(',');
  const environment = { ...ENVIRONMENT, AUTH_URL: issuer, FAST_CLOCK: clock };
  const listening = { ...environment, AUTH_LISTEN: `127.0.0.1:${first.auth}` };
  const processes: ServedProcess[] = [
    await serveProcess(url, { ports: first, environment: listening, options: FAST_CLOCK }),
  ];
  try {
    if (databases.dialect === 'postgres') processes.push(await serveSecond(url, environment));
    const origins = processes.map(({ auth }) => `http://127.0.0.1:${auth}`);
    const clients = startClients({ ...client, issuer, origins }, clock);
    await pause(PHASE_MS);
    await rotateByCommand(url, environment);
    await pause(PHASE_MS);
    reportClients(report, `${databases.dialect}, ${processes.length} processes`, await clients.stop());
    await using db = await openDb(url, { keyedHash: secretHash });
    const keys = (await signingKeys(db)).length;
    report.add(`${databases.dialect}: keys (the first, one by age, one by command)`, keys, keys === 3);
  } finally {
    for (const process of processes) await process.kill();
    await databases.remove(url);
  }
}

/** Its address differs from the issuer, as behind a proxy. */
async function serveSecond(url: string, environment: NodeJS.ProcessEnv): Promise<ServedProcess> {
  const [api, ingest, auth, site, internal] = (await freePorts(5)) as [number, number, number, number, number];
  const listening = { ...environment, AUTH_LISTEN: `127.0.0.1:${auth}` };
  return await serveProcess(url, {
    ports: { api, ingest, auth, site, internal },
    environment: listening,
    options: FAST_CLOCK,
  });
}

/** @returns the credentials of an application with a refresh token that stays the same */
async function signIn(url: string, issuer: string, account: { name: string; password: string }) {
  await using db = await openDb(url, { keyedHash: secretHash });
  const wanted = { name: 'Load test', type: 'service' as const, redirect_uris: [CALLBACK] };
  const { application, secret } = await createApplication(db, Date.now(), { ...wanted, access: 'approved' });
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const person = new Person(issuer);
  await person.open('/sign-in');
  await person.submit({ login: account.name, password: account.password });
  const request = `${issuer}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  const code = (await authorize(issuer, request, account.name, person)).searchParams.get('code')!;
  const fields = { ...query, client_secret: secret!, grant_type: 'authorization_code', code };
  const response = await fetch(`${issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  const { refresh_token } = (await response.json()) as { refresh_token: string };
  return { client_id: application.client_id, client_secret: secret!, refresh_token };
}

async function rotateByCommand(url: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const env = { ...process.env, ...environment, DATABASE_URL: url };
  const child = spawn(process.execPath, [...FAST_CLOCK, main, 'signing-key', 'rotate'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
}

/** The clients run in a thread with the fast clock. */
function startClients(data: RotationClientData, clock: string) {
  const worker = new Worker(new URL('rotation-clients.ts', import.meta.url), {
    workerData: data,
    execArgv: FAST_CLOCK,
    env: { ...process.env, FAST_CLOCK: clock },
  });
  const figures = once(worker, 'message') as Promise<[RotationFigures[]]>;
  return {
    stop: async (): Promise<RotationFigures[]> => {
      worker.postMessage('stop');
      const [all] = await figures;
      await worker.terminate();
      return all;
    },
  };
}

function reportClients(report: Report, title: string, all: readonly RotationFigures[]): void {
  for (const { name, verified, refused, signers } of all) {
    const figure = `${refused.length} of ${verified + refused.length} tokens${refused[0] === undefined ? '' : `: ${refused[0]}`}`;
    report.add(`${title}: refused by ${name}`, figure, refused.length === 0 && verified > 0);
    report.add(`${title}: keys that signed for ${name}`, signers, signers === ONE_OF_EACH);
  }
}
