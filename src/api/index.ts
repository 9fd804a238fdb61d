import { MemoryRateLimiter, SharedRateLimiter } from '#http/rate-limiter.ts';
import { UsageMeter } from './usage-meter.ts';
import type { HttpService } from '#http/service.ts';
import type { AppContext } from '#context/context.ts';
import type { Endpoint } from './endpoint.ts';
import { maps } from './maps.ts';
import { matches } from './matches.ts';
import { openapiOf } from './openapi.ts';
import { players } from './players.ts';
import { punishments } from './punishments.ts';
import { servers } from './servers.ts';
import { Api } from './service.ts';

/** Every endpoint of the data API. */
export const ENDPOINTS: readonly Endpoint[] = [...servers, ...matches, ...maps, ...punishments, ...players];

export async function openApi(context: AppContext): Promise<HttpService> {
  const { config, db, clock, log } = context;
  const saveFailed = (error: unknown): void => log.error({ err: error }, 'saving the rate limit counters failed');
  const rateLimiter =
    config.COUNTERS === 'database'
      ? new SharedRateLimiter(db, clock)
      : await MemoryRateLimiter.open(db, clock, saveFailed);
  const facts = { server: config.API_URL, network: config.NETWORK_NAME, tokenUrl: `${config.AUTH_URL}/oauth/token` };
  const meter = new UsageMeter(db, clock, (error) => log.error({ err: error }, 'saving the API usage failed'));
  const api = new Api(context, rateLimiter, meter, ENDPOINTS, openapiOf(ENDPOINTS, facts));
  return {
    listener: (request, response) => api.serve(request, response),
    readsBodies: false,
    close: async () => {
      await meter[Symbol.asyncDispose]();
      await rateLimiter[Symbol.asyncDispose]();
    },
  };
}
