import type { Config } from './config.ts';
import { isLoopback } from './plain-http.ts';

type Settings = Pick<Config, 'OPERATOR_SECOND_FACTOR' | 'API_URL' | 'AUTH_URL' | 'SITE_URL' | 'INGEST_URL'>;

/**
 * Whether operators and moderators need a second factor for the console. By default they need one as soon as other machines
 * can reach one of the addresses, which also ends the exemption of the accounts of a demo.
 */
export function staffNeedsFactor(config: Settings): boolean {
  if (config.OPERATOR_SECOND_FACTOR !== '') return config.OPERATOR_SECOND_FACTOR === 'required';
  return ![config.API_URL, config.AUTH_URL, config.SITE_URL, config.INGEST_URL].every(isLoopback);
}
