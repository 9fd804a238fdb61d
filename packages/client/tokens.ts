import { networkError, responseError, ScorehallError } from './errors.ts';

/** Gives the token of a request. `refused` is one that the service no longer accepts. */
export type TokenSource = (refused?: string) => string | Promise<string>;

export interface ApplicationCredentials {
  /** `AUTH_URL` of the network: the origin of its sign-in. */
  authUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000;

/** Keeps the application's own token and renews it before it expires or when it is refused, once for all requests. */
export function applicationTokens(
  { authUrl, clientId, clientSecret }: ApplicationCredentials,
  send: typeof fetch,
  timeoutMs: number,
): TokenSource {
  const url = new URL('/oauth/token', authUrl).href;
  const credentials = btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`);
  let held = { token: '', renewAt: 0 };
  let renewal: Promise<string> | undefined;

  const renew = async (): Promise<string> => {
    const { access_token, expires_in } = await requestToken(() =>
      send(url, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        signal: AbortSignal.timeout(timeoutMs),
      }),
    ).catch((error: unknown) => {
      throw networkError(error, url);
    });
    held = { token: access_token, renewAt: Date.now() + expires_in * 1000 - EARLY_MS };
    return access_token;
  };

  return (refused) => {
    if (renewal !== undefined) return renewal;
    if (held.token !== refused && Date.now() < held.renewAt) return held.token;
    return (renewal = renew().finally(() => (renewal = undefined)));
  };
}

async function requestToken(send: () => Promise<Response>): Promise<{ access_token: string; expires_in: number }> {
  const response = await send();
  if (!response.ok) throw await responseError(response);
  const { access_token, expires_in } = (await response.json()) as Record<string, unknown>;
  if (typeof access_token === 'string' && typeof expires_in === 'number') return { access_token, expires_in };
  throw new ScorehallError('unexpected_response', `${response.url} answered without a token`);
}

/** RFC 6749, section 2.3.1: both are encoded as in a form before they are joined. */
const formEncoded = (text: string): string => new URLSearchParams({ _: text }).toString().slice(2);
