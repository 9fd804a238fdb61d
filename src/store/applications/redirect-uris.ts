import type { ApplicationType } from './applications.ts';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * What is wrong with a Redirect URI of an application, as a sentence; undefined where nothing is.
 * installed: custom scheme, loopback or claimed https (RFC 8252); web and service: https, http on loopback only.
 */
export function checkRedirectUri(type: ApplicationType, uri: string): string | undefined {
  if (uri.length > 2000) return 'must not be longer than 2000 characters';
  if (!URL.canParse(uri) || /\s/.test(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment (#)';
  if (username !== '' || password !== '') return 'must not name a user';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.test(hostname) ? undefined : 'must be https off this machine';
  if (type !== 'installed') return 'must be https, or http on 127.0.0.1, [::1] or localhost';
  return isPrivateScheme(protocol) ? undefined : `must not use the scheme ${protocol.slice(0, -1)}`;
}

/** Schemes that browsers act on themselves are no application's own. */
function isPrivateScheme(protocol: string): boolean {
  return !/^(javascript|data|vbscript|file|blob|about|ftp|ws|wss|mailto|tel|view-source|filesystem):$/.test(protocol);
}
