import type { AdapterPayload, Client } from 'oidc-provider';
import { sameText, secretHash } from '#platform/crypto/secrets.ts';
import type { Application } from '#store/applications/applications.ts';
import { currentRequest, errors } from './oidc-provider.ts';

/** Separates the hashes in `client_secret`: a service can have several valid secrets while it changes them. */
const SEPARATOR = '.';

/** An application as client metadata of oidc-provider (RFC 7591). `client_secret` holds hashes, not secrets. */
export function clientMetadata(application: Application, secretHashes: string[]): AdapterPayload {
  const { client_id, name, type, redirect_uris, post_logout_redirect_uris, require_pkce } = application;
  const signsIn = redirect_uris.length > 0;
  const isService = type === 'service';
  return {
    client_id,
    client_name: name,
    application_type: type === 'installed' ? 'native' : 'web',
    token_endpoint_auth_method: isService ? 'client_secret_post' : 'none',
    redirect_uris,
    post_logout_redirect_uris: [...new Set([...redirect_uris.flatMap(postLogoutUris), ...post_logout_redirect_uris])],
    response_types: signsIn ? ['code'] : [],
    grant_types: [
      ...(signsIn ? ['authorization_code', 'refresh_token'] : []),
      ...(isService ? ['client_credentials'] : []),
    ],
    require_pkce,
    rotate_refresh_tokens: application.rotate_refresh_tokens || !isService,
    // oidc-provider requires a `client_secret`; without valid secrets it is a text that matches no hash.
    ...(isService ? { client_secret: secretHashes.join(SEPARATOR) || 'none' } : {}),
  } as AdapterPayload;
}

/** After signing out an application may redirect to the redirect URI itself or to `/` of its origin. */
function postLogoutUris(uri: string): string[] {
  const { protocol, origin } = new URL(uri);
  return /^https?:$/.test(protocol) ? [uri, `${origin}/`] : [uri];
}

/**
 * Makes oidc-provider leave out an address for after a sign-out that is not registered: RP-Initiated Logout (section 3) forbids
 * the redirect to it, not the sign-out, which oidc-provider refuses. `ORIGIN` equals `ORIGIN/`.
 * @param client the prototype of all clients
 */
export function dropUnregistered(client: Client): void {
  const { postLogoutRedirectUriAllowed: isRegistered } = client as { postLogoutRedirectUriAllowed: IsRegistered };
  client.postLogoutRedirectUriAllowed = function (this: Client, uri) {
    const origin = /^(https?:\/\/[^/?#]+)\/?$/i.exec(uri)?.[1];
    const same = origin === undefined ? [uri] : [origin, `${origin}/`];
    if (!same.some((one) => isRegistered.call(this, one)))
      currentRequest()!.oidc.params!['post_logout_redirect_uri'] = undefined;
    return true;
  };
}

type IsRegistered = (this: Client, uri: string) => boolean;

/** @param hashes `client_secret` of the client metadata */
export function secretMatches(hashes: string, actual: string): boolean {
  const hash = secretHash(actual);
  // Every hash is compared, in constant time each, so that the duration does not reveal which one matched.
  return hashes
    .split(SEPARATOR)
    .map((candidate) => sameText(candidate, hash))
    .includes(true);
}

/** Whether pages of an origin may call the endpoints (CORS): the origins of a public application's redirect URIs may. */
export function isAllowedOrigin(client: Client, origin: string): boolean {
  if (client.tokenEndpointAuthMethod !== 'none' || origin === 'null') return false;
  return (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin);
}

/** The refusal of a suspended application: `unauthorized_client`, with the reason as the description. */
export class SuspendedApplication extends errors.UnauthorizedClient {}
