import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The address of a game server; `port` is undefined for the default of the protocol. */
export interface GameAddress {
  host: string;
  port: number | undefined;
}

const MAX_LENGTH = 253;
const FORM = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+))(?::(\d{1,5}))?$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** The forms that `readGameAddress` accepts, for messages. */
export const GAME_ADDRESS_FORMS = 'HOST, HOST:PORT or [IPv6]:PORT, for example play.example.org:25565';

/** Parses the address of a game server; undefined for other text. */
export function readGameAddress(text: string): GameAddress | undefined {
  const trimmed = text.trim();
  const [, ipv6, name, digits] = FORM.exec(trimmed) ?? (isIP(trimmed) === 6 ? ['', trimmed] : []);
  const port = digits === undefined ? undefined : Number(digits);
  if (port === 0 || (port ?? 0) > 65_535) return undefined;
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? { host: ipv6.toLowerCase(), port } : undefined;
  const host = hostOf(name ?? '');
  return host === undefined ? undefined : { host, port };
}

function hostOf(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  const host = domainToASCII(text.replace(/\.$/, ''));
  if (host === '' || host.length > MAX_LENGTH || /^[\d.]+$/.test(host)) return undefined;
  return host.split('.').every((label) => LABEL.test(label)) ? host : undefined;
}

/** The text of an address, for `readGameAddress`. */
export function gameAddressText({ host, port }: GameAddress): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}
