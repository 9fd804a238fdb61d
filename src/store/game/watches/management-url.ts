import { isIP } from 'node:net';

/** The forms that `readManagementUrl` accepts, for messages. */
export const MANAGEMENT_URL_FORMS =
  'wss://HOST:PORT, or ws://127.0.0.1:PORT on this machine, for example wss://play.example.org:25585';

const MAX_LENGTH = 300;

/**
 * Parses the address of a management server; undefined for other text. The secret gives full control of the game
 * server, so it is sent over TLS or to this machine only.
 */
export function readManagementUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !URL.canParse(trimmed)) return undefined;
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(trimmed);
  if (username + password + search + hash !== '' || port === '' || hostname === '') return undefined;
  if (protocol !== 'wss:' && !(protocol === 'ws:' && isThisMachine(hostname))) return undefined;
  return `${protocol}//${hostname}:${port}${pathname === '/' ? '' : pathname}`;
}

/** The lines of the game server's server.properties for a management URL; a value reaches to the end of its line. */
export function managementProperties(url: string): string[] {
  const { protocol, hostname, port } = new URL(url);
  const lines = [
    'enabled=true',
    `host=${hostname.replace(/^\[(.*)\]$/, '$1')}`,
    `port=${port}`,
    ...(protocol === 'ws:' ? ['tls-enabled=false'] : ['tls-enabled=true', 'tls-keystore=keystore.p12']),
  ];
  return lines.map((line) => `management-server-${line}`);
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** The secrets that Minecraft accepts and makes itself: without one of this form the game server does not start. */
const SECRET = /^[A-Za-z0-9]{40}$/;

export const isManagementSecret = (text: string): boolean => SECRET.test(text);
