import type { ApplicationType } from './applications.ts';

const MAX_LENGTH = 2000;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** What is wrong with a redirect URI. Pages and commands say it in their own words. */
export type RedirectUriProblem =
  'too_long' | 'not_absolute' | 'fragment' | 'credentials' | 'plain_http' | 'not_https' | 'browser_scheme';

/**
 * Checks a redirect URI. Type installed: custom scheme, loopback or claimed https (RFC 8252); web and service: https, and
 * http only on loopback.
 * @returns what is wrong; undefined if it is right
 */
export function checkRedirectUri(type: ApplicationType, uri: string): RedirectUriProblem | undefined {
  if (uri.length > MAX_LENGTH) return 'too_long';
  if (!URL.canParse(uri) || /\s/.test(uri)) return 'not_absolute';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'fragment';
  if (username !== '' || password !== '') return 'credentials';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.test(hostname) ? undefined : 'plain_http';
  if (type !== 'installed') return 'not_https';
  return isPrivateScheme(protocol) ? undefined : 'browser_scheme';
}

/** Browsers and operating systems handle these schemes themselves, so no application can receive them. */
function isPrivateScheme(protocol: string): boolean {
  return !/^(javascript|data|vbscript|file|blob|about|ftp|ws|wss|mailto|tel|view-source|filesystem):$/.test(protocol);
}
