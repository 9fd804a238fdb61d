import { parentPort, workerData } from 'node:worker_threads';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import * as openid from 'openid-client';

/** The first key, one that was added by age and one by command. */
export const ONE_OF_EACH = 3;
const HOUR_MS = 3_600_000;
/** Requests of each kind of client at a time. */
const PARALLEL = 4;

export interface RotationClientData {
  client_id: string;
  client_secret: string;
  refresh_token: string;
  issuer: string;
  /** The processes, which get the requests in turn. */
  origins: string[];
}

export interface RotationFigures {
  name: string;
  verified: number;
  refused: string[];
  /** How many keys have signed. */
  signers: number;
}

/** Gets one ID token and verifies it. @returns the token */
type Refresh = () => Promise<string>;

const data = workerData as RotationClientData | null;
if (data !== null && parentPort !== null) await run(data);

async function run(data: RotationClientData): Promise<void> {
  const stopping = new AbortController();
  parentPort!.once('message', () => stopping.abort());
  const kinds: Record<string, Refresh> = {
    'jose createRemoteJWKSet': joseClient(data),
    'openid-client': await openidClient(data),
    'caches of an hour': hourClient(data),
  };
  const all = Object.entries(kinds).map(([name, refresh]) => repeat(name, refresh, stopping.signal));
  parentPort!.postMessage(await Promise.all(all));
}

async function repeat(name: string, refresh: Refresh, signal: AbortSignal): Promise<RotationFigures> {
  const [refused, signers]: [string[], Set<string>] = [[], new Set()];
  let verified = 0;
  const loop = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        signers.add(decodeProtectedHeader(await refresh()).kid!);
        verified++;
      } catch (error) {
        refused.push(String(error));
      }
  };
  await Promise.all(Array.from({ length: PARALLEL }, loop));
  return { name, verified, refused, signers: signers.size };
}

/** `fetch` that goes to the processes in turn, as through a proxy. */
function inTurn({ issuer, origins }: RotationClientData) {
  let count = 0;
  return async (url: string | URL, init?: object): Promise<Response> =>
    await fetch(String(url).replace(issuer, origins[count++ % origins.length]!), init);
}

/** Keeps a key set for ten minutes, and fetches it for an unknown key at most every thirty seconds. */
function joseClient(data: RotationClientData): Refresh {
  const options = { [customFetch]: inTurn(data) };
  return verifyingClient(data, createRemoteJWKSet(new URL(`${data.issuer}/oauth/jwks`), options));
}

/**
 * Fetches the key set once an hour, and for no other reason. Several programs do, five minutes apart, so that one has read the
 * set just before a key is added.
 */
function hourClient(data: RotationClientData): Refresh {
  const send = inTurn(data);
  const read = async (): Promise<JWTVerifyGetKey> =>
    createLocalJWKSet((await (await send(`${data.issuer}/oauth/jwks`)).json()) as JSONWebKeySet);
  const caches = Array.from({ length: 12 }, (_, place) => ({
    until: Date.now() + (place * HOUR_MS) / 12,
    keys: read(),
  }));
  let count = 0;
  return verifyingClient(data, async (header, token) => {
    const cache = caches[count++ % caches.length]!;
    if (Date.now() >= cache.until) Object.assign(cache, { until: Date.now() + HOUR_MS, keys: read() });
    return await (
      await cache.keys
    )(header, token);
  });
}

function verifyingClient(data: RotationClientData, keys: JWTVerifyGetKey): Refresh {
  const send = inTurn(data);
  const { client_id, client_secret, refresh_token, issuer } = data;
  return async () => {
    const body = new URLSearchParams({ client_id, client_secret, grant_type: 'refresh_token', refresh_token });
    const response = await send(`${issuer}/oauth/token`, { method: 'POST', body });
    const { id_token } = (await response.json()) as { id_token: string };
    await jwtVerify(id_token, keys, { issuer, audience: client_id, clockTolerance: 300 });
    return id_token;
  };
}

/** Keeps a key set for five minutes, and fetches it for an unknown key at most every minute. */
async function openidClient(data: RotationClientData): Promise<Refresh> {
  const { issuer, client_id, client_secret, refresh_token } = data;
  const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
  const config = await openid.discovery(
    new URL(issuer),
    client_id,
    { client_secret, [openid.clockTolerance]: 300 },
    undefined,
    { execute, [openid.customFetch]: inTurn(data) as openid.CustomFetch },
  );
  return async () => (await openid.refreshTokenGrant(config, refresh_token)).id_token!;
}
