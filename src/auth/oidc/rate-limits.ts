import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import { clientNetwork } from '#http/client-address.ts';
import { LIMITS } from '#http/limits.ts';
import type { RateLimits } from '#http/rate-limits.ts';
import { currentRequest, errors } from './oidc-provider.ts';
import { clientInfo } from '../client-info.ts';
import type { SessionMarks } from '../session-marks.ts';

export interface LimitParts {
  clock: Clock;
  limits: RateLimits;
}

/** Sets `Retry-After` for the current request and returns the error to throw. */
function rateLimitError(error_description: string, waitMs: number): Error {
  currentRequest()?.set('retry-after', String(Math.ceil(waitMs / 1000)));
  return Object.assign(new errors.OIDCProviderError(429, 'rate_limit'), { error_description, allow_redirect: false });
}

/** Rows that an unauthenticated client creates by starting a sign-in or sign-out; they stay until they are used or expire. */
const STORED_KINDS: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'Session']);
const COUNTED_ROUTES: ReadonlySet<string> = new Set(['authorization', 'pushed_authorization_request', 'end_session']);

/** Whether a session without a person is needed: it holds a sign-out that waits for its confirmation. */
const isNewSignOut = ({ state, found_as }: AdapterPayload & SessionMarks): boolean =>
  state !== undefined && found_as === undefined;

/** The client that has started a request, and how many unfinished ones it may have. */
export interface Opener {
  /** An application or a network. */
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
  { clock, limits }: LimitParts,
  kind: string,
  payload: AdapterPayload & SessionMarks,
): Promise<Opener | undefined> {
  const request = currentRequest();
  const route = request?.oidc?.route ?? '';
  if (!STORED_KINDS.has(kind) || !COUNTED_ROUTES.has(route) || payload.accountId !== undefined) return undefined;
  if (kind === 'Session' && !isNewSignOut(payload)) return undefined;
  const client = request!.oidc.client;
  const isService = kind === 'PushedAuthorizationRequest' && client?.tokenEndpointAuthMethod !== 'none';
  const address = clientInfo.getStore()?.address ?? '';
  const { allowed, resets } = isService
    ? await limits.count('pushedSignIn', { application: client!.clientId })
    : await limits.count('signIn', { network: address });
  if (!allowed) {
    // Otherwise oidc-provider would store the session again, after the page of the error.
    if (kind === 'Session') Object.assign(request!.oidc.session!, { touched: false });
    const sentence = 'too many sign-ins were started from this network within the hour';
    throw rateLimitError(sentence, resets - clock.now());
  }
  return isService
    ? { name: `pushed ${client!.clientId}`, maxOpen: LIMITS.openPushedRequest.max.application }
    : { name: `interaction ${clientNetwork(address)}`, maxOpen: LIMITS.openSignIn.max.network };
}

/** A way to get tokens. */
type LimitedGrant = 'client_credentials' | 'code' | 'refresh_token';

/**
 * Counts a token before it is issued, to an application for itself (client credentials) or for one account.
 * @throws errors.OIDCProviderError 429 with `Retry-After`
 */
export async function countToken(
  { clock, limits }: LimitParts,
  grant: LimitedGrant,
  clientId: string,
  accountId?: string,
): Promise<void> {
  const { allowed, resets } =
    accountId === undefined
      ? await limits.count('token', { application: `${grant} ${clientId}` })
      : await limits.count('token', { applicationAccount: `${grant} ${clientId} ${accountId}` });
  if (allowed) return;
  const sentence = 'The application has requested too many tokens within the hour. Use a token until it expires.';
  throw rateLimitError(sentence, resets - clock.now());
}
