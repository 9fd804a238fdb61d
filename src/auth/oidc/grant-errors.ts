import type { errors, KoaContextWithOIDC } from 'oidc-provider';

/** Problems of a code or refresh token, by the detail that oidc-provider gives only to its events. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'authorization code not found':
    'The code is unknown, has expired (a code works for 60 seconds) or belongs to another application.',
  'authorization code already consumed':
    'The code has been used before. The tokens of its sign-in have been revoked; start a new sign-in.',
  'authorization code redirect_uri mismatch':
    'redirect_uri must be the same as in the authorization request, character by character.',
  'code_verifier must be provided': 'code_verifier is missing: the authorization request had a code_challenge.',
  'code_verifier does not match code_challenge':
    'code_verifier does not match the code_challenge of the authorization request (S256: the SHA-256 hash of the ' +
    'verifier in base64url).',
  'unsupported code_challenge_method': 'A code_verifier was sent, but the authorization request had no code_challenge.',
  'refresh token not found': 'The refresh token is unknown, has expired or has been revoked. Start a new sign-in.',
  'refresh token already used':
    'The refresh token has been used before. The tokens of its sign-in have been revoked; start a new sign-in.',
  'grant not found': 'The tokens of this sign-in have been revoked. Start a new sign-in.',
};

/** A service sent no secret, or a public application one. */
const OTHER_METHOD = 'the provided authentication mechanism does not match the registered client authentication method';
const SECRET_MISSING =
  'client_secret is missing: this application is a service. Send its secret in the form or by HTTP Basic.';
const SECRET_SUPERFLUOUS =
  'This application has no secret, because it runs on devices of people or in browsers. Send only its client_id.';

/** A token of another application is described like an unknown one, which does not reveal that it exists. */
const CLIENT_MISMATCH = 'client mismatch';

/** Completes the response to a refused request of an application; oidc-provider has the same sentence for every reason. */
export function describeTokenError(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
  const body = ctx.body as { error?: string } | string | undefined;
  if (typeof body !== 'object') return;
  if (error.error_detail === OTHER_METHOD) {
    const isPublic = ctx.oidc.client?.clientAuthMethod === 'none';
    ctx.body = { ...body, error_description: isPublic ? SECRET_SUPERFLUOUS : SECRET_MISSING };
  }
  if (body.error !== 'invalid_grant') return;
  const unknown = ctx.oidc.params?.['code'] === undefined ? 'refresh token not found' : 'authorization code not found';
  const detail = error.error_detail === CLIENT_MISMATCH ? unknown : error.error_detail;
  const description = DESCRIPTIONS[detail ?? ''];
  if (description !== undefined) ctx.body = { ...body, error_description: description };
}
