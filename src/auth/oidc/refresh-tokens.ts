import type { KoaContextWithOIDC, RefreshToken } from 'oidc-provider';
import { newSecret, secretHash } from '#platform/crypto/secrets.ts';
import { currentRequest } from './oidc-provider.ts';
import { countToken, type LimitParts } from './rate-limits.ts';

/** 132 random bits, the same in all refresh tokens of a family; 124 more bits differ. */
const FAMILY_LENGTH = 22;

/**
 * The hash of the part that a refresh token shares with those that it replaced and that replace it. Only a holder of one
 * of them knows that part, so an unknown token with it has been used before (RFC 9700, section 4.14.2).
 */
export const familyHash = (token: string): string => secretHash(token.slice(0, FAMILY_LENGTH));

/**
 * Replaces `generateTokenId` of oidc-provider's refresh tokens, which is undocumented and tested: a token that replaces
 * another one continues its family.
 */
export function generateRefreshTokenId(): string {
  const replaced = currentRequest()?.oidc.entities.RotatedRefreshToken;
  const id = newSecret();
  return replaced === undefined ? id : replaced.jti.slice(0, FAMILY_LENGTH) + id.slice(FAMILY_LENGTH);
}

/**
 * `rotateRefreshToken` of oidc-provider: whether this use replaces the refresh token. A public application's is always
 * replaced, so that a second use reveals theft. A service proves its identity by its secret (RFC 9700, section 2.2.2):
 * unless it is set to rotation its token stays the same, and this use extends the lifetime.
 */
export function refreshTokenRotation(parts: LimitParts) {
  return async ({ oidc }: KoaContextWithOIDC): Promise<boolean> => {
    const token = oidc.entities.RefreshToken!;
    await countToken(parts, 'refresh_token', token.clientId!, token.accountId);
    if (oidc.client!['rotate_refresh_tokens'] === true) return true;
    await extendLifetime(token);
    return false;
  };
}

async function extendLifetime(token: RefreshToken): Promise<void> {
  // Without `exp`, `save` computes it from `ttl.RefreshToken`.
  token.exp = undefined as unknown as number;
  await token.save();
}
