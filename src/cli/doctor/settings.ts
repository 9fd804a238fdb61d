import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseEnv } from 'node:util';
import ipaddr from 'ipaddr.js';
import { settingNames } from '#platform/config/config.ts';
import { isLoopback, isPrivateAddress } from '#platform/config/plain-http.ts';
import { type Finding, findingsOf, type Found, type Installation, ok, problem, warning } from './finding.ts';
import { checkStart } from './start-rules.ts';

const CHECK = 'settings';
/** Variables of `.env` that other programs read. */
const FOREIGN = /^(NODE_|COMPOSE_|POSTGRES_|PG|TZ$|DEBUG$|LANG$|LC_|HOME$|PATH$|https?_proxy$|no_proxy$)/i;

/** Checks settings that are valid but probably not meant. Wrong values have stopped the doctor before. */
export function checkSettings({ config }: Installation): Found {
  const findings = findingsOf([
    checkStart(config).filter(({ check }) => check === CHECK),
    internalListener(config.INTERNAL_LISTEN),
    config.TRUSTED_PROXIES.filter(isPartOfInternet).map(trustOfMany),
    isLoopback(config.SITE_URL) ? localAddresses(config.SITE_URL) : [],
    config.CONTACT === '' ? NO_CONTACT : [],
    config.PRIVACY === '' ? NO_PRIVACY : [],
  ]);
  const isValid = findings.every(({ status }) => status !== 'error');
  return isValid ? [ok(CHECK, 'All values are valid.'), ...findings] : findings;
}

const localAddresses = (url: string): Finding =>
  warning(
    CHECK,
    `The public addresses are on this machine (${url}): nobody else can use them.`,
    'Set DOMAIN, or API_URL, AUTH_URL, SITE_URL and INGEST_URL, to your own: docs/operations.md, "Four addresses".',
  );

const NO_CONTACT = warning(CHECK, 'Pages do not say how to reach you.', 'Set CONTACT to a mail address or a URL.');
const NO_PRIVACY = warning(CHECK, 'There is no privacy statement of yours.', 'Set PRIVACY to the path of a text file.');

/** Names in `.env` that no setting has, mostly misspelt ones. The start logs them by itself. */
export function checkEnvFile(): Finding[] {
  if (!existsSync('.env')) return [];
  const known = new Set<string>(settingNames().flatMap((name) => [name, `${name}_FILE`]));
  const names = Object.keys(parseEnv(readFileSync('.env', 'utf8')));
  return names
    .filter((name) => !known.has(name) && !FOREIGN.test(name))
    .map((name) => warning(CHECK, `.env sets ${name}, which is no setting.`, 'Compare it with docs/settings.md.'));
}

function internalListener({ host, port, path }: Installation['config']['INTERNAL_LISTEN']): Found {
  if (path !== undefined || host === undefined || isLoopback(`http://${isIP(host) === 6 ? `[${host}]` : host}`))
    return [];
  if (isIP(host) === 0 || isPrivateAddress(host)) return [];
  return warning(
    CHECK,
    `The internal listener is open on ${host}:${port}, without credentials.`,
    'Set INTERNAL_LISTEN=127.0.0.1:7404, or to an address of a private network, unless a firewall keeps others away.',
  );
}

/** Whether a network of TRUSTED_PROXIES is larger than any proxy's: `0.0.0.0/0`, the halves of it, `10.0.0.0/0`. */
function isPartOfInternet(proxy: string): boolean {
  const [address = '', bits] = proxy.split('/');
  if (bits === undefined || isIP(address) === 0) return false;
  if (isIP(address) === 4) return Number(bits) < 8;
  const isPrivate = ['uniqueLocal', 'linkLocal'].includes(ipaddr.parse(address).range());
  return Number(bits) < (isPrivate ? 7 : 16);
}

const trustOfMany = (proxy: string): Finding =>
  problem(
    CHECK,
    `TRUSTED_PROXIES trusts all of ${proxy}: anybody there can claim any address, which switches the limits off.`,
    'List only the addresses of your proxies in TRUSTED_PROXIES.',
  );
