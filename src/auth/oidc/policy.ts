import type { Grant, interactionPolicy as policies, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';
import { accountPlayerUuid } from '#store/accounts/accounts.ts';
import { findConsent, touchConsent } from '#store/accounts/consents.ts';
import { isFirstPartyClient } from '#store/applications/first-party-clients.ts';
import { authenticationContextChecks } from './authentication-context.ts';
import { interactionPolicy } from './oidc-provider.ts';
import { translateOutage } from './outage.ts';
import { OFFLINE_ACCESS, scopesToConsent } from './scopes.ts';

const { Check, Prompt, base } = interactionPolicy;

/**
 * The prompts of an authorization request, in order: login, select_account (if requested), link (with
 * `REGISTRATION=linked`) and consent.
 */
export function createPolicy(config: Config, db: Db): policies.DefaultPolicy {
  const policy = base();
  const consent = policy.get('consent')!;
  consent.checks.remove('native_client_prompt');
  consent.checks.add(
    new Check(
      'native_client_prompt',
      'installed applications ask for consent every time',
      'interaction_required',
      needsConsentEveryTime,
    ),
  );
  const login = policy.get('login')!;
  login.checks.remove('essential_acr');
  login.checks.remove('essential_acrs');
  for (const check of authenticationContextChecks(db)) login.checks.add(check);
  const unlinked = new Check('unlinked', 'a game account must be linked', 'interaction_required', async (ctx) => {
    const id = ctx.oidc.session?.accountId;
    return id !== undefined && (await translateOutage(accountPlayerUuid(db, id))) === undefined;
  });
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1);
  if (config.REGISTRATION === 'linked') policy.add(new Prompt({ name: 'link', requestable: false }, unlinked), 2);
  return policy;
}

/**
 * RFC 8252 section 8.6: other programs on the device can claim a custom scheme or a loopback port and pose as the
 * application, so consent is required each time. An https redirect URI is claimed by the application alone.
 */
function needsConsentEveryTime(ctx: KoaContextWithOIDC): boolean {
  const { client, params, result } = ctx.oidc;
  if (client?.applicationType !== 'native' || result?.consent !== undefined) return false;
  return !String(params?.['redirect_uri']).startsWith('https:');
}

/**
 * `loadExistingGrant` of oidc-provider: the session's grant, else a new grant if the person has already consented to all
 * requested scopes, or if the application is a part of the service itself. Each sign-in gets its own grant, so that revoking
 * one leaves the others.
 */
export function existingGrant(db: Db, clock: Clock) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, result, provider, requestParamOIDCScopes: requested } = ctx.oidc;
    const { Grant } = provider;
    const { clientId } = client!;
    const grantId = result?.consent?.grantId ?? session!.grantIdFor(clientId);
    const existing = grantId === undefined ? undefined : await Grant.find(grantId);
    const accountId = session!.accountId!;
    if (existing !== undefined && existing.accountId === accountId) return await withOfflineAccess(existing, requested);
    if (!(await translateOutage(isFirstPartyClient(db, clientId)))) {
      const consent = await translateOutage(findConsent(db, accountId, clientId));
      if (consent === undefined || !scopesToConsent(requested).every((scope) => consent.scopes.includes(scope)))
        return undefined;
      await translateOutage(touchConsent(db, clock.now(), accountId, clientId));
    }
    const grant = new Grant({ accountId, clientId });
    grant.addOIDCScope([...requested].join(' '));
    await grant.save();
    return grant;
  };
}

/** `offline_access` needs no consent, so an existing grant gets it when it is requested. */
async function withOfflineAccess(grant: Grant, requested: ReadonlySet<string>): Promise<Grant> {
  if (!requested.has(OFFLINE_ACCESS) || grant.getOIDCScopeEncountered().split(' ').includes(OFFLINE_ACCESS))
    return grant;
  grant.addOIDCScope(OFFLINE_ACCESS);
  await grant.save();
  return grant;
}
