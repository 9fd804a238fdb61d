import { type Config, environment, readConfig } from '#platform/config/config.ts';

/** The settings of a command, which logs less than the service. */
export function readSettings(): Config {
  return readConfig({ LOG_LEVEL: 'warn', ...environment() });
}
