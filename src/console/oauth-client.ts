import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Config } from '#platform/config/config.ts';
import { staffNeedsFactor } from '#platform/config/plain-http.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { newSecret } from '#platform/crypto/secrets.ts';
import type { AppContext } from '#context/context.ts';
import { type FirstPartyClient, firstPartyClient } from '#store/applications/first-party-clients.ts';
import { request } from 'node:http';

/** The values of one sign-in in progress, remembered until the browser returns from the auth service. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string;
}

/** A sign-in with two factors, or with a passkey that verified the person, as a value of `acr`. */
const TWO_FACTORS = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';

export interface SignedInAccount {
  id: string;
  /** When the person signed in at the auth service, in epoch milliseconds; 0 if a factor was missing that staff needs. */
  authenticated: number;
}

/** A sign-in that failed: `code` is the error of the auth service, or the value of the response that is not valid. */
export class SignInFailed extends Error {
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`The sign-in failed: ${code}`, { cause });
    this.name = 'SignInFailed';
    this.code = code;
  }
}

type ClientDeps = Pick<AppContext, 'config' | 'db' | 'clock'> & { key: SecretKey };

/**
 * The console's own OAuth client: OpenID Connect with authorization code, PKCE and nonce. Its secret is sealed in the
 * database.
 */
export class ConsoleClient {
  readonly #deps: ClientDeps;
  readonly #redirectUri: string;
  readonly credentials: FirstPartyClient;

  private constructor(deps: ClientDeps, redirectUri: string, credentials: FirstPartyClient) {
    this.#deps = deps;
    this.#redirectUri = redirectUri;
    this.credentials = credentials;
  }

  /** Registers the client at the first start. */
  static async open(deps: ClientDeps): Promise<ConsoleClient> {
    const { db, clock, key, config } = deps;
    const redirectUri = `${config.SITE_URL}/console/signed-in`;
    const registration = { id: 'console', name: `${config.NETWORK_NAME} console`, redirect_uris: [redirectUri] };
    const credentials = await firstPartyClient(db, clock.now(), key.derive('own client'), registration);
    return new ConsoleClient(deps, redirectUri, credentials);
  }

  begin(): SignInAttempt {
    return { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
  }

  /** @param again the name of a signed-in account that has to sign in again */
  authorizationUrl({ state, nonce, verifier }: SignInAttempt, uiLocales: string, again?: string): string {
    const query = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      redirect_uri: this.#redirectUri,
      state,
      nonce,
      client_id: this.credentials.client_id,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ui_locales: uiLocales,
      ...(staffNeedsFactor(this.#deps.config) ? { acr_values: TWO_FACTORS } : {}),
      ...(again === undefined ? {} : { prompt: 'login', login_hint: again }),
    });
    return `${this.#deps.config.AUTH_URL}/oauth/authorize?${query.toString()}`;
  }

  /** The logout page of the auth service, which also ends its own session if the person agrees. */
  signOutUrl(): string {
    const { config } = this.#deps;
    const { client_id } = this.credentials;
    const query = new URLSearchParams({ client_id, post_logout_redirect_uri: `${config.SITE_URL}/` });
    return `${config.AUTH_URL}/oauth/logout?${query.toString()}`;
  }

  /**
   * Verifies the authorization response and exchanges its code.
   * @returns the account, and when it signed in, which a browser cannot change as it can the request
   * @throws SignInFailed if the response or its ID token is not valid
   */
  async redeem(attempt: SignInAttempt, returned: URLSearchParams): Promise<SignedInAccount> {
    const { state, iss, code, error } = Object.fromEntries(returned);
    if (state !== attempt.state) throw new SignInFailed('state');
    // RFC 9207: a response of another issuer is refused (mix-up attack).
    if (iss !== this.#deps.config.AUTH_URL) throw new SignInFailed('iss');
    if (code === undefined) throw new SignInFailed(error ?? 'invalid_request');
    const tokens = await this.#exchange(code, attempt.verifier);
    const account = await this.#accountOf(tokens.id_token, attempt.nonce);
    await this.#revokeToken(tokens.refresh_token);
    return account;
  }

  async #exchange(code: string, code_verifier: string): Promise<{ id_token: string; refresh_token: string }> {
    const form = { grant_type: 'authorization_code', code, code_verifier, redirect_uri: this.#redirectUri };
    const body = { ...form, ...this.credentials };
    const { status, json } = await callAuthService(this.#deps.config, '/oauth/token', body);
    const response = (json ?? {}) as Record<string, string | undefined>;
    if (status >= 500) throw new Error(`The auth service answered with status ${status}`);
    if (status !== 200) throw new SignInFailed(response['error'] ?? 'invalid_grant');
    return response as { id_token: string; refresh_token: string };
  }

  /** Verifies the ID token (OpenID Connect Core, section 3.1.3.7). */
  async #accountOf(idToken: string, nonce: string): Promise<SignedInAccount> {
    const { config, clock } = this.#deps;
    const { json } = await callAuthService(config, '/oauth/jwks');
    try {
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(json as JSONWebKeySet), {
        issuer: config.AUTH_URL,
        audience: this.credentials.client_id,
        algorithms: ['RS256'],
        currentDate: new Date(clock.now()),
        clockTolerance: 5,
        requiredClaims: ['sub', 'exp', 'iat', 'nonce', 'auth_time'],
      });
      // The clocks of two machines differ, and a time in the future would never become old.
      const signedIn = Math.min(Number(payload['auth_time']) * 1000, clock.now());
      const authenticated = staffNeedsFactor(config) && payload['acr'] !== TWO_FACTORS ? 0 : signedIn;
      if (payload['nonce'] === nonce) return { id: payload.sub!, authenticated };
    } catch (error) {
      throw new SignInFailed('id_token', error);
    }
    throw new SignInFailed('nonce');
  }

  /** The console only needs the identity of the person, so it revokes its tokens immediately. */
  async #revokeToken(token: string): Promise<void> {
    await callAuthService(this.#deps.config, '/oauth/revoke', { token, ...this.credentials });
  }
}

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
async function callAuthService(
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
