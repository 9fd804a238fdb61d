import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';
import { clientNetwork } from '#http/client-network.ts';
import { LIMITS, rateLimit } from '#http/limits.ts';
import { countAttempt } from '#store/accounts/attempts.ts';
import { currentRequest } from './oidc-provider.ts';
import { rateLimitError } from './rate-limit-error.ts';
import { clientInfo } from '../client-info.ts';

export interface InteractionLimits {
  db: Db;
  clock: Clock;
  config: Config;
}

/** Rows that an unauthenticated client creates by starting a sign-in; they stay until they are used or expire. */
const STORED_KINDS: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'Session']);
const COUNTED_ROUTES: ReadonlySet<string> = new Set(['authorization', 'pushed_authorization_request']);

/** The client that has started a request, and how many unfinished ones it may have. */
export interface Opener {
  /** The subject of the limits: an application or a network. */
  name: string;
  maxOpen: number;
}

/**
 * Counts a started sign-in, because each stores a row without a signed-in account. A service pushes the requests of all
 * its users, so it counts by its Client ID, which its secret has proved. A request refused as invalid creates no row and
 * does not count.
 * @returns undefined if the row belongs to no started sign-in
 * @throws errors.OIDCProviderError 429 with `Retry-After` if the network or service has started too many within the hour
 */
export async function countInteraction(
  parts: InteractionLimits,
  kind: string,
  { accountId }: AdapterPayload,
): Promise<Opener | undefined> {
  const request = currentRequest();
  const route = request?.oidc?.route ?? '';
  if (!STORED_KINDS.has(kind) || !COUNTED_ROUTES.has(route) || accountId !== undefined) return undefined;
  const { db, clock, config } = parts;
  const client = request!.oidc.client;
  const isService = kind === 'PushedAuthorizationRequest' && client?.tokenEndpointAuthMethod !== 'none';
  const opener: Opener = isService
    ? { name: `pushed ${client!.clientId}`, maxOpen: LIMITS.openPushedRequest.max.application }
    : {
        name: `interaction ${clientNetwork(clientInfo.getStore()?.address ?? '')}`,
        maxOpen: LIMITS.openSignIn.max.network,
      };
  const limit = isService ? rateLimit(config, 'pushedSignIn', 'application') : rateLimit(config, 'signIn', 'network');
  const { allowed, resets } = await countAttempt(db, clock.now(), opener.name, limit);
  if (allowed) return opener;
  const sentence = 'too many sign-ins were started from this network within the hour';
  throw rateLimitError(sentence, resets - clock.now());
}
