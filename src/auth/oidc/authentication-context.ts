import type { ClaimsParameter, interactionPolicy as policies, KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '#db/db.ts';
import { hasFactor } from '#store/accounts/factors.ts';
import { passkeysOf } from '#store/accounts/passkeys.ts';
import { errors, interactionPolicy } from './oidc-provider.ts';
import { translateOutage } from './outage.ts';

const { Check } = interactionPolicy;

/** How a person has signed in, in the values of RFC 8176. */
type Methods = readonly string[];

/** A value of `acr`: what an application can ask of a sign-in. */
interface AuthenticationContext {
  acr: string;
  isMet: (methods: Methods) => boolean;
  /** Whether the account has what it takes. */
  isReachable: (db: Db, accountId: string) => Promise<boolean>;
}

const hasKey = (methods: Methods): boolean => methods.includes('hwk') || methods.includes('swk');
const hasTwoFactors = (methods: Methods): boolean => methods.includes('mfa');

/** Strongest first; the values are those of OpenID EAP, of OpenID PAPE and of SAML, which clients know. */
const CONTEXTS: readonly AuthenticationContext[] = [
  {
    // A passkey, which no imitated site can use.
    acr: 'phr',
    isMet: hasKey,
    isReachable: async (db, accountId) => (await passkeysOf(db, accountId)).length > 0,
  },
  {
    acr: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
    isMet: hasTwoFactors,
    isReachable: hasFactor,
  },
  {
    acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    isMet: (methods) => methods.includes('pwd') || hasKey(methods),
    isReachable: async () => true,
  },
];

export const ACR_VALUES: string[] = CONTEXTS.map(({ acr }) => acr);

/** The `acr` of a sign-in: the first requested value that it meets, else its strongest. */
function acrOf(methods: Methods, requested: readonly string[]): string | undefined {
  const met = CONTEXTS.filter(({ isMet }) => isMet(methods)).map(({ acr }) => acr);
  return requested.find((acr) => met.includes(acr)) ?? met[0];
}

/**
 * Checks of the login prompt for `acr_values` and an `acr` in `claims` (OpenID Connect Core 3.1.2.1 and 5.5.1.1). A voluntary
 * one asks people to sign in again who can meet it better, once, and refuses no one. An essential one that is not met is
 * a failed sign-in.
 */
export function authenticationContextChecks(db: Db): policies.Check[] {
  const voluntary = new Check('acr_values', 'a stronger sign-in is requested', 'login_required', async (ctx) => {
    const { session, result, prompts } = ctx.oidc;
    const requested = requestedAcr(ctx);
    setContext(ctx, requested.values);
    if (requested.isEssential || result?.login !== undefined || prompts.has('none')) return false;
    if (session?.accountId === undefined || acrIsMet(session.amr ?? [], requested.values)) return false;
    return await translateOutage(anyReachable(db, session.accountId, requested.values));
  });
  const essential = new Check(
    'essential_acr',
    'the requested acr is not met',
    'unmet_authentication_requirements',
    async (ctx) => {
      const { session, result } = ctx.oidc;
      const requested = requestedAcr(ctx);
      if (!requested.isEssential || session?.accountId === undefined) return false;
      if (acrIsMet(session.amr ?? [], requested.values)) return false;
      const canMeet = await translateOutage(anyReachable(db, session.accountId, requested.values));
      if (result?.login === undefined && canMeet) return true;
      throw new errors.UnmetAuthenticationRequirements('the account cannot sign in, or has not, as acr requests');
    },
  );
  return [voluntary, essential];
}

const acrIsMet = (methods: Methods, values: readonly string[]): boolean =>
  values.length === 0 || CONTEXTS.some(({ acr, isMet }) => values.includes(acr) && isMet(methods));

async function anyReachable(db: Db, accountId: string, values: readonly string[]): Promise<boolean> {
  for (const { acr, isReachable } of CONTEXTS)
    if (values.includes(acr) && (await isReachable(db, accountId))) return true;
  return false;
}

interface RequestedAcr {
  /** In the order of preference. */
  values: string[];
  isEssential: boolean;
}

/** oidc-provider has put `acr_values` among the claims. */
function requestedAcr({ oidc }: KoaContextWithOIDC): RequestedAcr {
  const { acr } = ((oidc.claims as ClaimsParameter | undefined)?.id_token ?? {}) as { acr?: AcrRequest | null };
  const values = acr?.value === undefined ? (acr?.values ?? []) : [acr.value];
  return { values, isEssential: acr?.essential === true && values.length > 0 };
}

interface AcrRequest {
  essential?: boolean;
  value?: string;
  values?: string[];
}

/** Puts `acr` and `amr` into the ID token if the request asks for `acr`. oidc-provider takes both from `ctx.oidc`. */
function setContext({ oidc }: KoaContextWithOIDC, requested: readonly string[]): void {
  const { id_token: claims } = oidc.claims as { id_token?: Record<string, unknown> };
  if (claims?.['acr'] !== undefined) claims['amr'] ??= null;
  Object.defineProperty(oidc, 'acr', {
    configurable: true,
    get: () => acrOf(oidc.session?.amr ?? [], requested),
  });
}

const isString = (value: unknown): boolean => typeof value === 'string';

/** The claims that `claims` can request: people consent to all others by scope. */
const REQUESTABLE = ['acr', 'amr', 'auth_time', 'sub'];

/**
 * Reduces the parameter `claims` to what it may request, so that no claim is given without the scope that people consent to.
 * @throws InvalidRequest if a claim is requested in another form than that of OpenID Connect Core 5.5
 */
export function reduceClaims({ oidc }: KoaContextWithOIDC, claims: ClaimsParameter): void {
  const id_token = Object.entries(claims.id_token ?? {}).filter(([name]) => REQUESTABLE.includes(name));
  for (const [name, request] of id_token) {
    if (request === null) continue;
    const { value, values, essential } = request as Record<string, unknown>;
    const isRequest =
      typeof request === 'object' &&
      (value === undefined || isString(value) || name === 'auth_time') &&
      (values === undefined || (Array.isArray(values) && values.every(isString))) &&
      (essential === undefined || typeof essential === 'boolean');
    if (!isRequest)
      throw new errors.InvalidRequest(`claims.id_token.${name} must be null or have essential, value or values`);
  }
  oidc.params!['claims'] = JSON.stringify({ id_token: Object.fromEntries(id_token) });
}
