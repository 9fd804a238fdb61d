import type { EventEmitter } from 'node:events';
import type { Client, Configuration, KoaContextWithOIDC, Provider as Protocol } from 'oidc-provider';
import type { JWK } from 'jose';
import type { Config } from '#platform/config/config.ts';
import { hostCookie, pathCookie } from '#http/cookies.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { isApprovedByOperator } from '#store/applications/access-requests.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { isBanned } from '#store/game/punishments.ts';
import { playerByUuid } from '#store/game/players.ts';
import { ACR_VALUES, reduceClaims } from './authentication-context.ts';
import { dropUnregistered, isAllowedOrigin, secretMatches } from './clients.ts';
import { type ProtocolPages, signedOutPage, signOutPage } from './protocol-pages.ts';
import { guardRedirect } from './redirect-guard.ts';
import { parametersProblem } from './request.ts';
import { normalisedPath } from './methods.ts';
import { existingGrant, createPolicy } from './policy.ts';
import { Provider } from './oidc-provider.ts';
import { dropOvertakenCookie, markSessions } from './session-storage.ts';
import { type StorageParts, createStorage } from './storage.ts';
import { translateOutage } from './outage.ts';
import { replaceDescription, describeTokenError } from './error-descriptions.ts';
import { generateRefreshTokenId, refreshTokenRotation } from './refresh-tokens.ts';
import { adjustQuery, keepOfflineAccess, OFFLINE_ACCESS, SCOPES } from './scopes.ts';

const DAY = 86_400;
/** Refresh tokens of one sign-in expire after this time, however often they are replaced. */
const MAX_FAMILY_LIFETIME = 365 * DAY;
const CODE_LIFETIME = 60;
const INTERACTION_LIFETIME = 3_600;

interface ProviderParts extends StorageParts {
  pages: ProtocolPages;
  secure: boolean;
}

/** Configures oidc-provider (OAuth 2.0 and OpenID Connect) as the service's specification requires. */
export function createProvider(parts: ProviderParts, keys: JWK[]): Protocol {
  const provider = new Provider(parts.config.AUTH_URL, providerConfiguration(parts, keys));
  // Build URLs from the `X-Forwarded-*` headers: `pinHost` has set them from the issuer, with or without a proxy.
  provider.proxy = true;
  // Compare hashed secrets. Undocumented, but the maintainer recommends it (panva/node-oidc-provider#631); tested.
  Object.assign(provider.Client.prototype, { compareClientSecret });
  dropUnregistered(provider.Client.prototype);
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: generateRefreshTokenId });
  markSessions(provider);
  provider.use(async (ctx, next) => {
    const path = normalisedPath(ctx.url);
    if (path !== ROUTES!.authorization && path !== ROUTES!.end_session) return await next();
    const problem = parametersProblem(ctx.querystring);
    if (problem !== undefined) return await parts.pages.refuse(ctx as KoaContextWithOIDC, problem);
    if (path === ROUTES!.authorization) adjustQuery(ctx as KoaContextWithOIDC);
    await next();
  });
  const adjustResponse = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    applySpecifiedBodies(ctx);
    await addUsername(ctx, parts.db);
    replaceDescription(ctx);
    await parts.pages.replaceAutoSubmit(ctx);
    await guardRedirect(ctx, parts.db, parts.pages);
    dropOvertakenCookie(ctx, parts.secure);
    const cacheable = CACHE_SECONDS[ctx.oidc?.route];
    if (cacheable !== undefined && ctx.status === 200) ctx.set('cache-control', `public, max-age=${cacheable}`);
  };
  provider.use((ctx, next) => adjustResponse(ctx as KoaContextWithOIDC, next));
  const emitter: EventEmitter = provider;
  for (const event of ['grant', 'introspection', 'revocation', 'pushed_authorization_request'])
    emitter.on(`${event}.error`, describeTokenError);
  return provider;
}

function providerConfiguration(parts: ProviderParts, keys: JWK[]): Configuration {
  const { config, db, clock, secure } = parts;
  const cookie = { httpOnly: true, sameSite: 'lax', secure } as const;
  return {
    adapter: createStorage(parts),
    jwks: { keys },
    routes: ROUTES,
    scopes: [...SCOPES, OFFLINE_ACCESS],
    extraParams: { [OFFLINE_ACCESS]: keepOfflineAccess },
    claims: {
      openid: ['sub', 'auth_time'],
      acr: null,
      amr: null,
      profile: ['name', 'preferred_username', 'profile', 'uuid', 'banned'],
      email: ['email', 'email_verified'],
    },
    acrValues: ACR_VALUES,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    extraClientMetadata: { properties: ['require_pkce', 'rotate_refresh_tokens'] },
    pkce: { required: (_ctx, client) => client['require_pkce'] === true },
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientBasedCORS: (_ctx, origin, client) => isAllowedOrigin(client, origin),
    cookies: {
      names: {
        session: hostCookie('session', secure),
        interaction: pathCookie('step', secure),
        resume: pathCookie('resume', secure),
      },
      long: cookie,
      short: cookie,
    },
    interactions: { policy: createPolicy(config, db), url: (_ctx, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant: existingGrant(db, clock),
    findAccount: async ({ oidc }, id) => await translateOutage(findAccount(parts, id, () => oidc.client?.clientId)),
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: refreshTokenRotation(parts),
    expiresWithSession: async () => false,
    ttl: lifetimes(config),
    discovery: { ui_locales_supported: ['en', 'ja'] },
    renderError: async (ctx, out, error) => {
      if (PROGRAM_ROUTES.has(ctx.oidc?.route)) ctx.body = out;
      else await parts.pages.error(ctx, out, error);
    },
    features: oidcFeatures(parts),
  };
}

const ROUTES: Configuration['routes'] = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  end_session: '/oauth/logout',
  pushed_authorization_request: '/oauth/par',
};

/** Keys for a shorter time than discovery, because the one that replaces a withdrawn key can sign at once. */
const CACHE_SECONDS: Readonly<Record<string, number | undefined>> = { discovery: 3600, jwks: 300 };

/** Routes whose errors are JSON even if `Accept` prefers HTML, as that of Java's HttpURLConnection does by default. */
const PROGRAM_ROUTES: ReadonlySet<string | undefined> = new Set([
  'token',
  'userinfo',
  'revocation',
  'introspection',
  'pushed_authorization_request',
]);

function lifetimes(config: Config): Configuration['ttl'] {
  return {
    AccessToken: config.ACCESS_TOKEN_LIFETIME,
    ClientCredentials: config.ACCESS_TOKEN_LIFETIME,
    IdToken: config.ACCESS_TOKEN_LIFETIME,
    AuthorizationCode: CODE_LIFETIME,
    Interaction: INTERACTION_LIFETIME,
    Session: config.SESSION_LIFETIME,
    Grant: MAX_FAMILY_LIFETIME + DAY,
    RefreshToken: (_ctx, token) => {
      const age = Math.floor(Date.now() / 1000) - ((token as { iiat?: number }).iiat ?? Date.now() / 1000);
      return Math.max(1, Math.min(config.REFRESH_TOKEN_LIFETIME, Math.floor(MAX_FAMILY_LIFETIME - age)));
    },
  };
}

/** Features that neither the specification nor the pages need are off (see docs/signin.md). */
function oidcFeatures({ pages, config, db }: ProviderParts): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => {
        if (token.clientId === client.clientId) return true;
        const owner = await translateOutage(applicationByClientId(db, token.clientId!));
        return owner?.suspended === null && config.INTROSPECTORS.includes(client.clientId);
      },
    },
    pushedAuthorizationRequests: { enabled: true },
    claimsParameter: {
      enabled: true,
      assertClaimsParameter: async (ctx, claims) => reduceClaims(ctx, claims),
    },
    resourceIndicators: { enabled: false },
    dPoP: { enabled: false },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: async (ctx) => await pages.show(ctx, signOutPage(ctx)),
      postLogoutSuccessSource: async (ctx) => await pages.show(ctx, signedOutPage(ctx)),
    },
  };
}

/** Treats a disabled account as missing, so that the tokens of its applications are refused. */
async function findAccount(parts: ProviderParts, id: string, clientId: () => string | undefined) {
  const account = await accountById(parts.db, id);
  if (account === undefined || account.disabled !== null) return undefined;
  return { accountId: id, claims: () => translateOutage(accountClaims(parts, account, clientId())) };
}

async function accountClaims(parts: ProviderParts, account: Account, clientId: string | undefined) {
  const { id, name, email, email_verified, player_uuid } = account;
  const { config } = parts;
  return {
    sub: id,
    name,
    preferred_username: name,
    email,
    email_verified,
    ...(player_uuid === null ? {} : { uuid: player_uuid, profile: `${config.SITE_URL}/players/${player_uuid}` }),
    ...(player_uuid !== null && (await bannedClaim(parts, player_uuid, clientId))),
  };
}

/** `banned`, for a player who has been on the network and an application that an operator has approved. */
async function bannedClaim({ db, clock }: ProviderParts, playerUuid: string, clientId: string | undefined) {
  const application = clientId === undefined ? undefined : await applicationByClientId(db, clientId);
  if (application === undefined || !(await isApprovedByOperator(db, application))) return {};
  const player = await playerByUuid(db, playerUuid);
  return player === undefined ? {} : { banned: await isBanned(db, player.key, clock.now()) };
}

/**
 * The client credentials response has `token_type: "bearer"` and, if no scope was granted, `scope: null` (specification,
 * "Token response"). Clients ignore the body of a revocation response (RFC 7009 section 2.2), but some parse it as JSON.
 */
function applySpecifiedBodies(ctx: KoaContextWithOIDC): void {
  if (ctx.status === 200 && ctx.oidc?.route === 'revocation') ctx.body = {};
  if (ctx.oidc?.route !== 'token' || ctx.status !== 200) return;
  if (ctx.oidc.params?.['grant_type'] !== 'client_credentials') return;
  const body = ctx.body as { token_type: string; scope?: string };
  ctx.body = { ...body, token_type: body.token_type.toLowerCase(), scope: body.scope ?? null };
}

/** `username` (RFC 7662 section 2.2) in the introspection of a token with the scope `profile`, which shows the name. */
async function addUsername(ctx: KoaContextWithOIDC, db: ProviderParts['db']): Promise<void> {
  if (ctx.oidc?.route !== 'introspection') return;
  const { sub, scope = '' } = (ctx.body ?? {}) as { sub?: string; scope?: string };
  if (sub === undefined || !scope.split(' ').includes('profile')) return;
  const account = await translateOutage(accountById(db, sub));
  ctx.body = { ...(ctx.body as object), username: account?.name };
}

function compareClientSecret(this: Client, actual: string): boolean {
  return secretMatches(this.clientSecret ?? '', actual);
}
