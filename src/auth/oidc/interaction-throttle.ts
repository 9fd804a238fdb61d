import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { networkOf } from '#http/client-network.ts';
import { countAttempt } from '#store/accounts/throttle.ts';
import { errors, requestUnderWay } from './oidc-provider.ts';
import { clientInfo } from '../client-info.ts';

export interface InteractionLimits {
  db: Db;
  clock: Clock;
  /** How many sign-ins one address may begin within an hour. */
  begunPerHour: number;
}

/** What a stranger leaves behind by beginning to sign in: it is kept until it is used, or has run out. */
const LEFT_BEHIND: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'Session']);
const BEGINNINGS: ReadonlySet<string> = new Set(['authorization', 'pushed_authorization_request']);
const HOUR_MS = 3_600_000;
/** A service pushes the requests of all its people from one address; its secret tells that it is it. */
const PUSHED_BY_SERVICE = 10;

/**
 * Counts a sign-in that is begun, so that nobody can fill the database from outside. What is refused before, for being
 * wrong, leaves nothing behind and does not count.
 * @throws errors.OIDCProviderError 429 where too many were begun within the hour
 */
export async function countInteraction(
  parts: InteractionLimits,
  kind: string,
  { accountId }: AdapterPayload,
): Promise<void> {
  const request = requestUnderWay();
  const route = request?.oidc?.route ?? '';
  if (!LEFT_BEHIND.has(kind) || !BEGINNINGS.has(route) || accountId !== undefined) return;
  const { db, clock, begunPerHour } = parts;
  const client = request!.oidc.client;
  const isService = kind === 'PushedAuthorizationRequest' && client?.tokenEndpointAuthMethod !== 'none';
  const subject = isService ? `pushed ${client!.clientId}` : `begun ${networkOf(clientInfo.getStore()?.address ?? '')}`;
  const attempts = begunPerHour * (isService ? PUSHED_BY_SERVICE : 1);
  const { allowed, resets } = await countAttempt(db, clock.now(), subject, { attempts, windowMs: HOUR_MS });
  if (allowed) return;
  request!.set('retry-after', String(Math.ceil((resets - clock.now()) / 1000)));
  throw new TooMany();
}

class TooMany extends errors.OIDCProviderError {
  override allow_redirect = false;
  override error_description = 'too many sign-ins were begun from this address within the hour';

  constructor() {
    super(429, 'rate_limit');
  }
}
