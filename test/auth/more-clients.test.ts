import assert from 'node:assert/strict';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Auth, type AuthConfig, skipCSRFCheck } from '@auth/core';
import * as oauth from 'oauth4webapi';
import type { Strategy } from 'passport-openidconnect';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { example } from '#site/developers/guide.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from './support.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };

/** A test of one client library with its own services and an account linked to Steve. */
function withClient(name: string, work: (services: TestAuth) => Promise<void>): void {
  test(name, async (t) => {
    const database = await createTestDatabase('sqlite');
    const services = await openTestAuth(t, database.url);
    t.after(() => database.drop());
    await makeAccount(services, 'Someone', STEVE);
    await work(services);
  });
}

withClient('oauth4webapi signs in a public application with PKCE and refreshes', async (services) => {
  const { application } = await makeApplication(services, 'web');
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(services.auth);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const client = { client_id: application.client_id };
  const [verifier, nonce, state] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomNonce(),
    oauth.generateRandomState(),
  ];
  const request = new URL(as.authorization_endpoint!);
  request.search = new URLSearchParams({
    ...{ ...client, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid profile email', nonce, state },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  }).toString();
  const answer = oauth.validateAuthResponse(as, client, await authorize(services.auth, request, 'Steve'), state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    answer,
    CALLBACK,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  assert.equal(tokens.token_type, 'bearer', 'the library converts it to lower case');
  assert.equal(tokens.scope, 'openid profile email');
  const sub = oauth.getValidatedIdTokenClaims(tokens)!.sub;
  const info = await oauth.processUserInfoResponse(
    as,
    client,
    sub,
    await oauth.userInfoRequest(as, client, tokens.access_token, insecure),
  );
  assert.equal(info.preferred_username, 'Steve');
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, insecure);
  const fresh = await oauth.processRefreshTokenResponse(as, client, refreshed);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, oauth.None(), fresh.refresh_token!, insecure),
  );
  const refused = await oauth.userInfoRequest(as, client, fresh.access_token, insecure);
  assert.equal(refused.status, 401);
});

withClient(
  'oauth4webapi accepts client credentials if it requests a scope, because `scope` is then a string',
  async (services) => {
    const { application, secret } = await makeApplication(services, 'service');
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(services.auth);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client = { client_id: application.client_id };
    const auth = oauth.ClientSecretBasic(secret!);
    const response = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope: 'openid' }, insecure);
    const tokens = await oauth.processClientCredentialsResponse(as, client, response);
    assert.equal(tokens.scope, 'openid');
  },
);

withClient(
  'simple-oauth2 redeems codes, accepts client credentials with a null scope, and refreshes tokens',
  async (services) => {
    const { application, secret } = await makeApplication(services, 'service');
    const configuration = {
      client: { id: application.client_id, secret: secret! },
      auth: {
        tokenHost: services.auth,
        tokenPath: '/oauth/token',
        authorizePath: '/oauth/authorize',
        revokePath: '/oauth/revoke',
      },
      options: { authorizationMethod: 'body' },
    };
    const { authorizePath: _, ...auth } = configuration.auth;
    const own = await new ClientCredentials({ ...configuration, auth }).getToken({});
    assert.deepEqual([own.token['token_type'], own.token['scope'], own.token['expires_in']], ['bearer', null, 3600]);
    const code = new AuthorizationCode(configuration);
    const request = code.authorizeURL({ redirect_uri: CALLBACK, scope: 'openid profile', state: 's' });
    const callback = await authorize(services.auth, request, 'Steve');
    assert.equal(callback.searchParams.get('state'), 's');
    const tokens = await code.getToken({ code: callback.searchParams.get('code'), redirect_uri: CALLBACK });
    assert.equal(tokens.token['token_type'], 'Bearer');
    const fresh = await tokens.refresh();
    assert.notEqual(fresh.token['access_token'], tokens.token['access_token']);
    await fresh.revokeAll();
  },
);

/** Loads an example of the developer pages, whose imports find the libraries of the tests. */
async function load<Module>(file: string, services: TestAuth, credentials: Credentials): Promise<Module> {
  const folder = await mkdtemp(join(tmpdir(), 'example-'));
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'), 'junction');
  const values = { ...EMPTY, ...credentials, auth: services.auth, api: services.api, redirect: CALLBACK };
  await writeFile(join(folder, file), example(file, values));
  return (await import(pathToFileURL(join(folder, file)).href)) as Module;
}

const EXAMPLE_CLIENT = { client_id: 'c', client_secret: 's' };
const EMPTY = { ingest: '', player: '', token: '', server_key: '' };

interface Credentials {
  client_id: string;
  client_secret: string;
}

async function makeService(services: TestAuth, redirectUri = CALLBACK): Promise<Credentials> {
  const { application, secret } = await makeApplication(services, 'service', [redirectUri]);
  return { client_id: application.client_id, client_secret: secret! };
}

withClient('the example for openid-client gets a token for the application itself', async (services) => {
  const printed = mock.method(console, 'log', () => undefined);
  await load('client-credentials.mjs', services, await makeService(services));
  printed.mock.restore();
  assert.deepEqual(
    printed.mock.calls.map((call) => call.arguments),
    [['200 0 matches']],
  );
  const placeholders = { ...EMPTY, ...EXAMPLE_CLIENT, api: '', redirect: '', auth: 'https://auth.example' };
  const onHttps = example('client-credentials.mjs', placeholders);
  assert.doesNotMatch(onHttps, /allowInsecureRequests|@|undefined/, 'plain http is for tests only');
  assert.match(onHttps, /client\.discovery\(\s+new URL\('https:\/\/auth\.example'\),\s+'c',\s+'s',\s+\);\n/);
});

withClient('the example for Passport signs in and gets name and mail', async (services) => {
  const { scorehall: strategy } = await load<{ scorehall: Strategy }>(
    'passport.mjs',
    services,
    await makeService(services),
  );
  const session: Record<string, unknown> = {};
  const settled = Promise.withResolvers<unknown>();
  const redirected = Promise.withResolvers<string>();
  Object.assign(strategy, {
    redirect: redirected.resolve,
    success: settled.resolve,
    fail: (info: unknown) => settled.reject(new Error(JSON.stringify(info))),
    error: settled.reject,
  });
  strategy.authenticate({ session, query: {}, headers: {} });
  const callback = await authorize(services.auth, await redirected.promise, 'Steve');
  strategy.authenticate({ session, query: Object.fromEntries(callback.searchParams), headers: {}, url: callback.href });
  const profile = (await settled.promise) as { username: string; displayName: string; emails: { value: string }[] };
  assert.deepEqual(
    [profile.username, profile.displayName, profile.emails[0]!.value],
    ['Steve', 'Steve', 'someone@example.org'],
  );
});

withClient('the example for Auth.js signs in and gets name and mail', async (services) => {
  const callbackUrl = 'https://app.example/auth/callback/scorehall';
  const credentials = await makeService(services, callbackUrl);
  const { scorehall } = await load<{ scorehall: AuthConfig['providers'][number] }>(
    'auth-js.mjs',
    services,
    credentials,
  );
  const config: AuthConfig = {
    ...{ secret: 'a secret of the application', trustHost: true, basePath: '/auth', skipCSRFCheck },
    providers: [scorehall],
  };
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(init.headers as Record<string, string>), cookie };
    const response = await Auth(new Request(new URL(path, 'https://app.example'), { ...init, headers }), config);
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    return response;
  };
  const started = await ask('/auth/signin/scorehall', { method: 'POST', body: new URLSearchParams() });
  const callback = await authorize(services.auth, started.headers.get('location')!, 'Steve');
  const ended = await ask(callback.pathname + callback.search);
  assert.equal(ended.headers.get('location'), 'https://app.example');
  const session = (await (await ask('/auth/session')).json()) as { user: object };
  assert.deepEqual(session.user, { name: 'Steve', email: 'someone@example.org' });
});
