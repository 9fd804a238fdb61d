import { type Config, readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';

/** The settings of a command, which logs less than the service. */
export function readSettings(): Config {
  return readConfig({ LOG_LEVEL: 'warn', ...environment() });
}
