import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';
import { type Network, clientNetworks } from '#http/client-network.ts';
import { LIMITS, rateLimit } from '#http/limits.ts';
import { countAttempt } from '#store/accounts/attempts.ts';
import { currentRequest } from './oidc-provider.ts';
import { rateLimitError } from './rate-limit-error.ts';
import { clientInfo } from '../client-info.ts';
import type { SessionMarks } from '../session-marks.ts';

export interface InteractionLimits {
  db: Db;
  clock: Clock;
  config: Config;
}

/** Rows that an unauthenticated client creates by starting a sign-in or sign-out; they stay until they are used or expire. */
const STORED_KINDS: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'Session']);
const COUNTED_ROUTES: ReadonlySet<string> = new Set(['authorization', 'pushed_authorization_request', 'end_session']);

/** Whether a session without a person is needed: it holds a sign-out that waits for its confirmation. */
const isNewSignOut = ({ state, found_as }: AdapterPayload & SessionMarks): boolean =>
  state !== undefined && found_as === undefined;

/** The client that has started a request, and how many unfinished ones it may have. */
export interface Opener {
  /** The subject of the limits: an application or a network. */
  name: string;
  maxOpen: number;
}

/**
 * Counts a started sign-in or sign-out, because each stores a row without a signed-in account. A service pushes the requests
 * of all its users, so it counts by its Client ID, which its secret has proved. A request refused as invalid creates no row
 * and does not count.
 * @returns undefined if the row belongs to no started sign-in
 * @throws errors.OIDCProviderError 429 with `Retry-After` if the network or service has started too many within the hour
 */
export async function countInteraction(
  parts: InteractionLimits,
  kind: string,
  payload: AdapterPayload & SessionMarks,
): Promise<Opener | undefined> {
  const request = currentRequest();
  const route = request?.oidc?.route ?? '';
  if (!STORED_KINDS.has(kind) || !COUNTED_ROUTES.has(route) || payload.accountId !== undefined) return undefined;
  if (kind === 'Session' && !isNewSignOut(payload)) return undefined;
  const { db, clock, config } = parts;
  const client = request!.oidc.client;
  const isService = kind === 'PushedAuthorizationRequest' && client?.tokenEndpointAuthMethod !== 'none';
  const networks = clientNetworks(clientInfo.getStore()?.address ?? '').map(({ name, factor }) => ({
    name: `interaction ${name}`,
    factor,
  }));
  const subjects: Network[] = isService ? [{ name: `pushed ${client!.clientId}`, factor: 1 }] : networks;
  const { max, windowMs } = isService
    ? rateLimit(config, 'pushedSignIn', 'application')
    : rateLimit(config, 'signIn', 'network');
  // A refused network stops first: otherwise its refused requests would use up the limit of the wider ones.
  for (const { name, factor } of subjects) {
    const { allowed, resets } = await countAttempt(db, clock.now(), name, { max: max * factor, windowMs });
    if (allowed) continue;
    // Otherwise oidc-provider would store the session again, after the page of the error.
    if (kind === 'Session') Object.assign(request!.oidc.session!, { touched: false });
    const sentence = 'too many sign-ins were started from this network within the hour';
    throw rateLimitError(sentence, resets - clock.now());
  }
  const maxOpen = isService ? LIMITS.openPushedRequest.max.application : LIMITS.openSignIn.max.network;
  return { name: subjects[0]!.name, maxOpen };
}
