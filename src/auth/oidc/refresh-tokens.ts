import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * `rotateRefreshToken` of oidc-provider: whether this use replaces the refresh token. A public application's is always
 * replaced, so that a second use reveals theft. A service proves its identity by its secret (RFC 9700, section 2.2.2):
 * unless it is set to rotation its token stays the same, and this use extends the lifetime.
 */
export async function rotatesRefreshToken({ oidc }: KoaContextWithOIDC): Promise<boolean> {
  if (oidc.client!['rotate_refresh_tokens'] === true) return true;
  const token = oidc.entities.RefreshToken!;
  // Without `exp`, `save` computes it anew from `ttl.RefreshToken`.
  token.exp = undefined as unknown as number;
  await token.save();
  return false;
}
