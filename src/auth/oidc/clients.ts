import type { AdapterPayload, Client } from 'oidc-provider';
import { sameText, secretHash } from '#platform/crypto/secrets.ts';
import type { Application } from '#store/applications/applications.ts';

/** What `client_secret` holds of a service: the hashes of its live secrets, since several may live side by side. */
const SEPARATOR = '.';

/** An application as the protocol knows it (RFC 7591 metadata). */
export function clientMetadata(application: Application, secretHashes: string[]): AdapterPayload {
  const { client_id, name, type, redirect_uris, require_pkce } = application;
  const signsIn = redirect_uris.length > 0;
  const isService = type === 'service';
  return {
    client_id,
    client_name: name,
    application_type: type === 'installed' ? 'native' : 'web',
    token_endpoint_auth_method: isService ? 'client_secret_post' : 'none',
    redirect_uris,
    post_logout_redirect_uris: [...new Set(redirect_uris.flatMap(afterSignOut))],
    response_types: signsIn ? ['code'] : [],
    grant_types: [
      ...(signsIn ? ['authorization_code', 'refresh_token'] : []),
      ...(isService ? ['client_credentials'] : []),
    ],
    require_pkce,
    // A service whose secrets are all withdrawn has none that matches, which is not the same as none.
    ...(isService ? { client_secret: secretHashes.join(SEPARATOR) || 'none' } : {}),
  } as AdapterPayload;
}

/** After signing out people go back to a registered address, or to the front page of the same site. */
function afterSignOut(uri: string): string[] {
  const { protocol, origin } = new URL(uri);
  return /^https?:$/.test(protocol) ? [uri, `${origin}/`] : [uri];
}

/** Compares a secret with the hashes; all of them, so that time does not tell which one matched. */
export function secretMatches(clientSecret: string, actual: string): boolean {
  return matchesAny(clientSecret.split(SEPARATOR), actual);
}

export function matchesAny(hashes: readonly string[], actual: string): boolean {
  const hash = secretHash(actual);
  return hashes.map((known) => sameText(known, hash)).includes(true);
}

/** The origins whose pages may call the protocol's endpoints for an application: those of its redirect addresses. */
export function isOriginOf(client: Client, origin: string): boolean {
  if (client.tokenEndpointAuthMethod !== 'none' || origin === 'null') return false;
  return (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin);
}
