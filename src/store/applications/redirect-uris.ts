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
  if (/^https?:$/.test(protocol) && !PLAIN_HOST.test(hostname))
    return 'must have a plain host: letters, digits, -, _ and .';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.test(hostname) ? undefined : 'must be https, except on this machine';
  if (type !== 'installed') return 'must be https, or http on 127.0.0.1, [::1] or localhost';
  if (!isPrivateScheme(protocol)) return `must not use the scheme ${protocol.slice(0, -1)}`;
  return hasDomain(protocol) ? undefined : 'must use a scheme with a dot, as in com.example.app:/callback';
}

/** The host becomes part of the policy header of our pages, in which `;` would begin another directive. */
const PLAIN_HOST = /^([a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:.]+\]$/;

/** RFC 8252 section 7.1: a scheme is the reversed name of a domain of the application, so that no other one claims it. */
export function hasDomain(protocol: string): boolean {
  return protocol.includes('.');
}

/** Browsers and operating systems handle these schemes themselves, so no application can receive them. */
function isPrivateScheme(protocol: string): boolean {
  return !/^(javascript|data|vbscript|file|blob|about|ftp|ws|wss|mailto|tel|view-source|filesystem):$/.test(protocol);
}
