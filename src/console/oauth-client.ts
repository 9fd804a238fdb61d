import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { newSecret } from '#platform/crypto/secrets.ts';
import type { Db } from '#db/db.ts';
import { type FirstPartyClient, firstPartyClient } from '#store/applications/first-party-clients.ts';
import { callAuthService } from './back-channel.ts';

/** What one sign-in under way has to remember until the browser comes back. */
export interface Attempt {
  state: string;
  nonce: string;
  /** RFC 7636 */
  verifier: string;
}

/** What was sent back instead of a code, or why what was sent back proves nothing. */
export class SignInFailed extends Error {
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`The sign-in failed: ${code}`, { cause });
    this.name = 'SignInFailed';
    this.code = code;
  }
}

interface ClientParts {
  config: Config;
  db: Db;
  clock: Clock;
  key: SecretKey;
}

/**
 * The console as an application like any other: OpenID Connect with code, PKCE and nonce, its secret sealed in the
 * database.
 */
export class ConsoleClient {
  readonly #parts: ClientParts;
  readonly #redirectUri: string;
  #known: Promise<FirstPartyClient> | undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#redirectUri = `${parts.config.SITE_URL}/console/signed-in`;
  }

  /** The application, registered at the first start. */
  async registered(): Promise<FirstPartyClient> {
    this.#known ??= this.#register();
    try {
      return await this.#known;
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  #register(): Promise<FirstPartyClient> {
    const { db, clock, key, config } = this.#parts;
    const name = `${config.NETWORK_NAME} console`;
    return firstPartyClient(db, clock.now(), key.derive('own client'), {
      id: 'console',
      name,
      redirect_uris: [this.#redirectUri],
    });
  }

  begin(): Attempt {
    return { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
  }

  async authorizationUrl({ state, nonce, verifier }: Attempt, uiLocales: string): Promise<string> {
    const query = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      redirect_uri: this.#redirectUri,
      state,
      nonce,
      client_id: (await this.registered()).client_id,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ui_locales: uiLocales,
    });
    return `${this.#parts.config.AUTH_URL}/oauth/authorize?${query.toString()}`;
  }

  /** Where signing out goes on: it ends the session of the sign-in, too, where the person agrees. */
  async signOutUrl(): Promise<string> {
    const { config } = this.#parts;
    const query = new URLSearchParams({
      client_id: (await this.registered()).client_id,
      post_logout_redirect_uri: `${config.SITE_URL}/`,
    });
    return `${config.AUTH_URL}/oauth/logout?${query.toString()}`;
  }

  /**
   * Redeems what the browser brought back.
   * @returns `sub`
   * @throws SignInFailed where it proves nothing
   */
  async redeem(attempt: Attempt, returned: URLSearchParams): Promise<string> {
    const { state, iss, code, error } = Object.fromEntries(returned);
    if (state !== attempt.state) throw new SignInFailed('state');
    // RFC 9207: an answer of another service is none.
    if (iss !== this.#parts.config.AUTH_URL) throw new SignInFailed('iss');
    if (code === undefined) throw new SignInFailed(error ?? 'invalid_request');
    const tokens = await this.#exchange(code, attempt.verifier);
    const sub = await this.#subjectOf(tokens.id_token, attempt.nonce);
    await this.#letGo(tokens.refresh_token);
    return sub;
  }

  async #exchange(code: string, code_verifier: string): Promise<{ id_token: string; refresh_token: string }> {
    const { client_id, client_secret } = await this.registered();
    const form = { grant_type: 'authorization_code', code, code_verifier, client_id, client_secret };
    const sent = { ...form, redirect_uri: this.#redirectUri };
    const { status, json } = await callAuthService(this.#parts.config, '/oauth/token', sent);
    const answer = (json ?? {}) as Record<string, string | undefined>;
    if (status >= 500) throw new Error(`The sign-in answers with status ${status}`);
    if (status !== 200) throw new SignInFailed(answer['error'] ?? 'invalid_grant');
    return answer as { id_token: string; refresh_token: string };
  }

  /** OpenID Connect Core section 3.1.3.7. */
  async #subjectOf(idToken: string, nonce: string): Promise<string> {
    const { config, clock } = this.#parts;
    const { json } = await callAuthService(config, '/oauth/jwks');
    try {
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(json as JSONWebKeySet), {
        issuer: config.AUTH_URL,
        audience: (await this.registered()).client_id,
        algorithms: ['RS256'],
        currentDate: new Date(clock.now()),
        clockTolerance: 5,
        requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      });
      if (payload['nonce'] === nonce) return payload.sub!;
    } catch (error) {
      throw new SignInFailed('id_token', error);
    }
    throw new SignInFailed('nonce');
  }

  /** The console needs to know who somebody is and no more: what else was granted is given back. */
  async #letGo(token: string): Promise<void> {
    const { client_id, client_secret } = await this.registered();
    await callAuthService(this.#parts.config, '/oauth/revoke', { token, client_id, client_secret });
  }
}
