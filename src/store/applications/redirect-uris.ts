import type { ApplicationType } from './applications.ts';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Checks a redirect URI. Type installed: custom scheme, loopback or claimed https (RFC 8252); web and service: https, and
 * http only on loopback.
 * @returns the second half of a sentence about what is wrong; undefined if it is right
 */
export function checkRedirectUri(type: ApplicationType, uri: string): string | undefined {
  if (uri.length > 2000) return 'must not be longer than 2000 characters';
  if (!URL.canParse(uri) || /\s/.test(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment (#)';
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.test(hostname) ? undefined : 'must be https, except on this machine';
  if (type !== 'installed') return 'must be https, or http on 127.0.0.1, [::1] or localhost';
  return isPrivateScheme(protocol) ? undefined : `must not use the scheme ${protocol.slice(0, -1)}`;
}

/** Browsers and operating systems handle these schemes themselves, so no application can receive them. */
function isPrivateScheme(protocol: string): boolean {
  return !/^(javascript|data|vbscript|file|blob|about|ftp|ws|wss|mailto|tel|view-source|filesystem):$/.test(protocol);
}
