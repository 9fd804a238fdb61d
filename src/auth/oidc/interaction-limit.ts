import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { networkOf } from '#http/client-network.ts';
import { countAttempt } from '#store/accounts/attempts.ts';
import { errors, currentRequest } from './oidc-provider.ts';
import { clientInfo } from '../client-info.ts';

export interface InteractionLimits {
  db: Db;
  clock: Clock;
  /** Sign-ins that one network may start within an hour (setting `SIGN_IN_LIMIT`). */
  interactionsPerHour: number;
}

/** Rows that an unauthenticated client creates by starting a sign-in; they stay until they are used or expire. */
const STORED_KINDS: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'Session']);
const COUNTED_ROUTES: ReadonlySet<string> = new Set(['authorization', 'pushed_authorization_request']);
const HOUR_MS = 3_600_000;
/** A service pushes the requests of all its users; it is counted by its Client ID, which its secret has proved. */
const SERVICE_FACTOR = 10;

/**
 * Counts a started sign-in, so that nobody can fill the database from outside. A request refused as invalid creates no
 * row and does not count.
 * @throws errors.OIDCProviderError 429 with `Retry-After` if the network or service has started too many within the hour
 */
export async function countInteraction(
  parts: InteractionLimits,
  kind: string,
  { accountId }: AdapterPayload,
): Promise<void> {
  const request = currentRequest();
  const route = request?.oidc?.route ?? '';
  if (!STORED_KINDS.has(kind) || !COUNTED_ROUTES.has(route) || accountId !== undefined) return;
  const { db, clock, interactionsPerHour } = parts;
  const client = request!.oidc.client;
  const isService = kind === 'PushedAuthorizationRequest' && client?.tokenEndpointAuthMethod !== 'none';
  const subject = isService
    ? `pushed ${client!.clientId}`
    : `interaction ${networkOf(clientInfo.getStore()?.address ?? '')}`;
  const attempts = interactionsPerHour * (isService ? SERVICE_FACTOR : 1);
  const { allowed, resets } = await countAttempt(db, clock.now(), subject, { attempts, windowMs: HOUR_MS });
  if (allowed) return;
  request!.set('retry-after', String(Math.ceil((resets - clock.now()) / 1000)));
  throw new TooManySignIns();
}

class TooManySignIns extends errors.OIDCProviderError {
  override allow_redirect = false;
  override error_description = 'too many sign-ins were started from this network within the hour';

  constructor() {
    super(429, 'rate_limit');
  }
}
