import { RateLimits } from '#http/rate-limits.ts';
import { UsageMeter } from './usage-meter.ts';
import type { HttpService } from '#http/service.ts';
import type { AppContext } from '#context/context.ts';
import type { Config } from '#platform/config/config.ts';
import { changes } from './changes.ts';
import { counters } from './counters.ts';
import type { Endpoint } from './endpoint.ts';
import { leaderboards } from './leaderboards.ts';
import { maps } from './maps.ts';
import { matches } from './matches.ts';
import { openapiDocument } from './openapi.ts';
import { playerLookups } from './player-lookups.ts';
import { players } from './players.ts';
import { punishments } from './punishments.ts';
import { rivals } from './rivals.ts';
import { liveMatches } from './live-matches.ts';
import { servers } from './servers.ts';
import { Api } from './service.ts';
import type { StreamHost } from './open-streams.ts';
import { ChangeStreams } from './streams/change-streams.ts';

/** Every endpoint of the data API. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...servers,
  ...matches,
  ...maps,
  ...punishments,
  ...playerLookups,
  ...players,
  ...rivals,
  ...leaderboards,
  ...counters,
  ...liveMatches,
  ...changes,
];

const COUNTED = ['user', 'application', 'server', 'clientId', 'failedCredentials'] as const;

/** The OpenAPI document of the data API. */
export const apiDocument = (config: Config): object => openapiDocument(ENDPOINTS, config);

/** @param streams sends the events of streams; by default this thread does */
export async function openApi(
  context: AppContext,
  streams: StreamHost = new ChangeStreams(context),
): Promise<HttpService> {
  const { config, log } = context;
  const saveFailed = (error: unknown): void => log.error({ err: error }, 'saving the rate limit counters failed');
  const limits = await RateLimits.open(context, COUNTED, saveFailed);
  const usageNotSaved = (error: unknown): void => log.error({ err: error }, 'saving the API usage failed');
  const meter = new UsageMeter(context, usageNotSaved);
  const api = new Api(context, { limits, meter, streams }, ENDPOINTS, () => apiDocument(config));
  return {
    listener: (request, response) => void api.serve(request, response),
    readsBodies: false,
    stopping: () => api.stop(),
    close: async () => {
      // A database that is away or closed must not keep the service from stopping.
      await meter[Symbol.asyncDispose]().catch(usageNotSaved);
      await limits[Symbol.asyncDispose]().catch(saveFailed);
    },
  };
}
