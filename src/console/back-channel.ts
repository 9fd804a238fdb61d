import { request } from 'node:http';
import type { Config } from '#platform/config/config.ts';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE = 256 * 1024;

interface BackChannelResponse {
  status: number;
  json: unknown;
}

/**
 * Sends a request to our own auth service through its listener on this machine. Its public address may not be reachable
 * from here when it is behind a proxy.
 * @param form sent as a URL-encoded POST; without it the request is a GET
 * @returns the status, and the body as JSON (undefined if it is not JSON)
 */
export async function callAuthService(
  { listen, AUTH_URL }: Pick<Config, 'listen' | 'AUTH_URL'>,
  path: string,
  form?: Record<string, string>,
): Promise<BackChannelResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<BackChannelResponse>();
  const headers = {
    host: new URL(AUTH_URL).host,
    accept: 'application/json',
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const options = { ...addressOf(listen.AUTH), path, headers, method: form ? 'POST' : 'GET', timeout: TIMEOUT_MS };
  const outgoing = request(options, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_RESPONSE)
        response.destroy(new Error(`The response of the auth service is longer than ${MAX_RESPONSE} characters`));
    });
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode!, json: parseJson(text) }));
  });
  outgoing.on('timeout', () =>
    outgoing.destroy(new Error(`The auth service did not respond within ${TIMEOUT_MS / 1000} seconds`)),
  );
  outgoing.on('error', reject);
  outgoing.end(form && new URLSearchParams(form).toString());
  return await promise;
}

/** Where to connect to a listener: one on all addresses is reached over loopback. */
function addressOf({ host, port, path }: Config['listen']['AUTH']): {
  host?: string;
  port?: number;
  socketPath?: string;
} {
  if (path !== undefined) return { socketPath: path };
  const isOnAllAddresses = host === '0.0.0.0' || host === '' || host === undefined;
  return { host: isOnAllAddresses ? '127.0.0.1' : host === '::' ? '::1' : host, port: port! };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
