import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import type { Listen, ServiceName } from '#platform/config/setting.ts';

/** The proxies for which there is an example, with its path in the folder deploy and the place where the proxy reads it. */
const EXAMPLES = {
  caddy: { file: 'caddy/Caddyfile', place: '/etc/caddy/Caddyfile' },
  nginx: { file: 'nginx/scorehall.conf', place: '/etc/nginx/conf.d/scorehall.conf' },
};

export type ProxyName = keyof typeof EXAMPLES;

export const PROXIES = Object.keys(EXAMPLES) as ProxyName[];

/** Where the proxy reads its file on Debian. */
export const placeOf = (proxy: ProxyName): string => EXAMPLES[proxy].place;

const SERVICES: ServiceName[] = ['API', 'AUTH', 'SITE', 'INGEST'];

/** The names of the four addresses, in the order of the services. */
export const hostsOf = (config: Config): string[] =>
  SERVICES.map((service) => new URL(config[`${service}_URL`]).hostname);

/**
 * The example of deploy/ with the names of these addresses, and with where the services listen.
 * @throws UsageError if an address is not https, or if this installation lacks the folder deploy
 */
export function proxyFile(proxy: ProxyName, config: Config): string {
  const plain = SERVICES.find((service) => !config[`${service}_URL`].startsWith('https:'));
  if (plain !== undefined)
    throw new UsageError(`A proxy needs https addresses: set DOMAIN (${plain}_URL is ${config[`${plain}_URL`]}).`);
  const example = readConfig({ DOMAIN: 'example.org' });
  const [names, hosts] = [hostsOf(example), hostsOf(config)];
  const replaced = new Map(names.map((name, index) => [name, hosts[index]!]));
  for (const service of SERVICES)
    replaced.set(addressOf(proxy, example.listen[service]), addressOf(proxy, config.listen[service]));
  const pattern = new RegExp([...replaced.keys()].map((text) => RegExp.escape(text)).join('|'), 'g');
  return readExample(EXAMPLES[proxy].file).replace(pattern, (text) => replaced.get(text)!);
}

function addressOf(proxy: ProxyName, { host, port, path }: Listen): string {
  if (path !== undefined) return proxy === 'caddy' ? `unix/${path}` : `unix:${path}`;
  return host?.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function readExample(file: string): string {
  const path = join(import.meta.dirname, '../../deploy', file);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`This installation lacks ${path}, the example for the proxy.`);
  }
}
