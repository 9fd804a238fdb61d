import { request } from 'node:http';
import type { Config } from '#platform/config.ts';

const PATIENCE_MS = 10_000;
const MAX_ANSWER = 256 * 1024;

export interface BackChannelResponse {
  status: number;
  json: unknown;
}

/**
 * Asks our own sign-in as any application would, on the listener that it has on this machine: its public address may
 * not lead back here from behind a proxy.
 * @param form what is posted; without one it is a GET
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
  const options = { ...placeOf(listen.AUTH), path, headers, method: form ? 'POST' : 'GET', timeout: PATIENCE_MS };
  const sent = request(options, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
      if (text.length > MAX_ANSWER) response.destroy(new Error('The answer of the sign-in is too long'));
    });
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode!, json: jsonOf(text) }));
  });
  sent.on('timeout', () => sent.destroy(new Error('The sign-in does not answer')));
  sent.on('error', reject);
  sent.end(form && new URLSearchParams(form).toString());
  return await promise;
}

/** A listener on every address is reached by loopback. */
function placeOf({ host, port, path }: Config['listen']['AUTH']): {
  host?: string;
  port?: number;
  socketPath?: string;
} {
  if (path !== undefined) return { socketPath: path };
  const everywhere = host === '0.0.0.0' || host === '' || host === undefined;
  return { host: everywhere ? '127.0.0.1' : host === '::' ? '::1' : host, port: port! };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
