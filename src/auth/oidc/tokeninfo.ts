import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { HttpError } from '#http/errors.ts';
import type { Clock } from '#platform/clock.ts';

const MAX_TOKEN_LENGTH = 8_192;

/** The tokeninfo endpoint: verifies an ID token of this issuer and returns its claims as the specification names them. */
export class TokenInfo {
  readonly #issuer: string;
  readonly #clock: Clock;
  readonly #keys: ReturnType<typeof createLocalJWKSet>;

  constructor(issuer: string, clock: Clock, keys: readonly JWK[]) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#keys = createLocalJWKSet({ keys: keys.map(publicPart) });
  }

  /** @throws HttpError 400 `invalid_request` without a token, `invalid_token` if it is not valid */
  async of(idToken: string | undefined): Promise<{ user_id: string } & Record<string, unknown>> {
    if (idToken === undefined || idToken === '')
      throw new HttpError(400, 'invalid_request', 'Send the ID token as id_token.');
    const { iss, sub, aud, exp, iat } = await this.#verify(idToken);
    return {
      issuer: iss,
      issued_to: aud,
      audience: aud,
      user_id: sub!,
      expires_in: exp! - Math.floor(this.#clock.now() / 1000),
      issued_at: iat,
    };
  }

  async #verify(idToken: string): Promise<JWTPayload> {
    try {
      if (idToken.length > MAX_TOKEN_LENGTH) throw new TypeError('too long');
      const { payload } = await jwtVerify(idToken, this.#keys, {
        issuer: this.#issuer,
        algorithms: ['RS256'],
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['sub', 'aud', 'exp', 'iat'],
      });
      return payload;
    } catch {
      throw invalidIdToken();
    }
  }
}

/** Also for the ID token of an account that is disabled or deleted. */
export const invalidIdToken = (): HttpError =>
  new HttpError(400, 'invalid_token', 'id_token is not a valid ID token of this service, or has expired.');

function publicPart({ kty, n, e, kid, alg, use }: JWK): JWK {
  return { kty, n, e, kid, alg, use } as JWK;
}
