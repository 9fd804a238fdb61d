import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import { onEachDatabase } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, statusWithinASecond } from './support.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };

onEachDatabase('openid-client signs in, reads userinfo, refreshes and revokes', async (t, url) => {
  const services = await openTestAuth(t, url);
  const { application, secret } = await makeApplication(services, 'service');
  const account = await makeAccount(services, 'Someone', STEVE);
  const config = await openid.discovery(new URL(services.auth), application.client_id, secret, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  const [nonce, state, verifier] = [openid.randomNonce(), openid.randomState(), openid.randomPKCECodeVerifier()];
  const request = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    ...{
      nonce,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    },
  });
  const callback = await authorize(services.auth, request, 'Steve');
  const tokens = await openid.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: state,
  });
  const claims = tokens.claims()!;
  assert.deepEqual(
    [claims.iss, claims.sub, claims.aud, typeof claims.auth_time],
    [services.auth, account.id, application.client_id, 'number'],
  );
  const info = await openid.fetchUserInfo(config, tokens.access_token, account.id);
  assert.deepEqual(info, {
    sub: account.id,
    name: 'Steve',
    preferred_username: 'Steve',
    profile: `${services.context.config.SITE_URL}/players/${STEVE.uuid}`,
    uuid: STEVE.uuid,
    banned: false,
    email: 'someone@example.org',
    email_verified: true,
  });
  const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  assert.equal(fresh.refresh_token, tokens.refresh_token, 'a service keeps its refresh token');
  assert.equal(fresh.claims()!.auth_time, claims.auth_time);
  const me = await fetch(`${services.api}/v1/players/me`, {
    headers: { authorization: `Bearer ${fresh.access_token}` },
  });
  assert.equal(((await me.json()) as { uuid: string }).uuid, STEVE.uuid);
  await openid.tokenRevocation(config, fresh.access_token);
  assert.equal(await statusWithinASecond(services.api, fresh.access_token, 401), 401);
});
