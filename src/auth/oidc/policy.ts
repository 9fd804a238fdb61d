import type { interactionPolicy as policies, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Db } from '#db/db.ts';
import { accountPlayerUuid } from '#store/accounts/accounts.ts';
import { consentOf, touchConsent } from '#store/accounts/consents.ts';
import { interactionPolicy } from './oidc-provider.ts';
import { reportingOutage } from './outage.ts';

const { Check, Prompt, base } = interactionPolicy;

/**
 * What people are asked on the way to an application, in this order: who they are, to link a game account where the
 * network wants one, and whether they agree.
 */
export function policyOf(config: Config, db: Db): policies.DefaultPolicy {
  const policy = base();
  const consent = policy.get('consent')!;
  consent.checks.remove('native_client_prompt');
  consent.checks.add(
    new Check('native_client_prompt', 'installed applications ask every time', 'interaction_required', asksEveryTime),
  );
  const unlinked = new Check('unlinked', 'a game account has to be linked', 'interaction_required', async (ctx) => {
    const id = ctx.oidc.session?.accountId;
    return id !== undefined && (await reportingOutage(accountPlayerUuid(db, id))) === undefined;
  });
  if (config.REGISTRATION === 'linked') policy.add(new Prompt({ name: 'link', requestable: false }, unlinked), 1);
  return policy;
}

/**
 * RFC 8252 section 8.6: whoever else is on the device can claim a custom scheme or a loopback port and pose as the
 * application, so a person has to agree each time; a claimed https address is the application's own.
 */
function asksEveryTime(ctx: KoaContextWithOIDC): boolean {
  const { client, params, result } = ctx.oidc;
  if (client?.applicationType !== 'native' || result?.consent !== undefined) return false;
  return !String(params?.['redirect_uri']).startsWith('https:');
}

/** A consent that covers what is asked stands for a new grant: each sign-in has its own, revoked by itself. */
export function existingGrant(db: Db, clock: Clock) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, result, provider, requestParamOIDCScopes: asked } = ctx.oidc;
    const { Grant } = provider;
    const grantId = result?.consent?.grantId ?? session!.grantIdFor(client!.clientId);
    const known = grantId === undefined ? undefined : await Grant.find(grantId);
    const accountId = session!.accountId!;
    if (known !== undefined && known.accountId === accountId) return known;
    const consent = await reportingOutage(consentOf(db, accountId, client!.clientId));
    if (consent === undefined || ![...asked].every((scope) => consent.scopes.includes(scope))) return undefined;
    await reportingOutage(touchConsent(db, clock.now(), accountId, client!.clientId));
    const grant = new Grant({ accountId, clientId: client!.clientId });
    grant.addOIDCScope([...asked].join(' '));
    await grant.save();
    return grant;
  };
}
