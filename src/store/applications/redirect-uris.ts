import type { ApplicationType } from './applications.ts';

const MAX_LENGTH = 2000;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** The problem of a redirect URI. Pages and commands have their own texts for it. */
export type RedirectUriProblem =
  | 'too_long'
  | 'not_absolute'
  | 'fragment'
  | 'credentials'
  | 'unusual_host'
  | 'plain_http'
  | 'not_https'
  | 'browser_scheme'
  | 'scheme_without_dot';

/**
 * Checks a redirect URI. Type installed: custom scheme, loopback or claimed https (RFC 8252); web and service: https,
 * and http only on loopback.
 * @returns the problem; undefined if the URI is valid
 */
export function checkRedirectUri(type: ApplicationType, uri: string): RedirectUriProblem | undefined {
  if (uri.length > MAX_LENGTH) return 'too_long';
  if (!URL.canParse(uri) || /\s/.test(uri)) return 'not_absolute';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'fragment';
  if (username !== '' || password !== '') return 'credentials';
  if (/^https?:$/.test(protocol) && !PLAIN_HOST.test(hostname)) return 'unusual_host';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.test(hostname) ? undefined : 'plain_http';
  if (type !== 'installed') return 'not_https';
  if (!isPrivateScheme(protocol)) return 'browser_scheme';
  return hasDomain(protocol) ? undefined : 'scheme_without_dot';
}

/** A service needs no redirect URI: it can use its own tokens (client credentials) without signing people in. */
export const needsRedirectUri = (type: ApplicationType): boolean => type !== 'service';

/** Letters and digits of a domain name (`_` for internal ones) or an address: pages show the host to people. */
const PLAIN_HOST = /^([a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:.]+\]$/;

/** RFC 8252 section 7.1: a scheme is the reversed name of a domain of the application, so that no other one claims it. */
export function hasDomain(protocol: string): boolean {
  return protocol.includes('.');
}

/** Browsers and operating systems handle these schemes themselves, so no application can receive them. */
function isPrivateScheme(protocol: string): boolean {
  return !/^(javascript|data|vbscript|file|blob|about|ftp|ws|wss|mailto|tel|view-source|filesystem):$/.test(protocol);
}
