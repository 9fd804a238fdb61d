import type { KoaContextWithOIDC, RefreshToken } from 'oidc-provider';
import type { TokenLimits } from './token-limits.ts';

/**
 * `rotateRefreshToken` of oidc-provider: whether this use replaces the refresh token. A public application's is always
 * replaced, so that a second use reveals theft. A service proves its identity by its secret (RFC 9700, section 2.2.2):
 * unless it is set to rotation its token stays the same, and this use extends the lifetime.
 */
export function refreshTokenRotation(limits: TokenLimits) {
  return async ({ oidc }: KoaContextWithOIDC): Promise<boolean> => {
    const token = oidc.entities.RefreshToken!;
    limits.countInProvider('refresh_token', token.clientId!, token.accountId);
    if (oidc.client!['rotate_refresh_tokens'] === true) return true;
    await extendLifetime(token);
    return false;
  };
}

async function extendLifetime(token: RefreshToken): Promise<void> {
  // Without `exp`, `save` computes it anew from `ttl.RefreshToken`.
  token.exp = undefined as unknown as number;
  await token.save();
}
