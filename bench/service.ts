import { openServices } from '#server/listeners.ts';
import { type ServiceName, readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { processUsage } from './child.ts';

/** A child process that runs the service named by BENCH_SERVICE, with rate limits that never apply. */
const service = process.env['BENCH_SERVICE'] as ServiceName;
const LIMIT = '999999999';
const settings = {
  [`${service}_LISTEN`]: '127.0.0.1:0',
  APP_LIMIT: LIMIT,
  ADDRESS_LIMIT: LIMIT,
  TOKEN_LIMIT: LIMIT,
  SIGN_IN_LIMIT: LIMIT,
  SITE_LIMIT: '0',
  LOG_LEVEL: 'error',
};
const context = await openAppContext(readConfig({ ...process.env, ...settings }));
const { addresses } = await openServices(context, [service]);
process.on('message', () => process.send!(processUsage()));
process.on('disconnect', () => process.exit());
process.send!({ port: Number(new URL(addresses[service]!).port) });
