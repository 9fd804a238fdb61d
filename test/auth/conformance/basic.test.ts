import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Fields } from '../flow.ts';
import { CALLBACK } from '../support.ts';
import { ConformanceWorld } from './provider.ts';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** A request object without a signature. */
const unsigned = (claims: object): string =>
  [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.';

/** Modules of oidcc-basic-certification-test-plan, under the names of the suite without `oidcc-`. */
describe('OpenID Connect: Basic OP', () => {
  const op = ConformanceWorld.inSuite();

  /** Moves the clock of the process and of the service. */
  const passTime = (t: TestContext, seconds: number): void => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + seconds * 1000 });
    op.services.context.clock.advance(seconds * 1000);
  };

  /** A module in which only the request differs, and the sign-in has to succeed. */
  const succeeds = (name: string, more: Fields): void => {
    test(name, async () => {
      const { tokens } = await op.signIn(op.newPerson(), more);
      await op.userinfo(tokens.access_token);
    });
  };

  /** A module that requests a scope: its claims are in userinfo, and with their types. */
  const returnsClaims = (name: string, scope: string, expected: Fields): void => {
    test(name, async () => {
      const { tokens } = await op.signIn(op.newPerson(), { scope });
      const claims = await op.userinfo(tokens.access_token);
      const types = Object.entries(claims).map(([claim, value]) => [claim, typeof value]);
      assert.deepEqual(Object.fromEntries(types), { sub: 'string', ...expected });
    });
  };

  const PROFILE = {
    name: 'string',
    preferred_username: 'string',
    profile: 'string',
    uuid: 'string',
    banned: 'boolean',
  };
  const EMAIL = { email: 'string', email_verified: 'boolean' };

  test('server', async () => {
    const { tokens, claims } = await op.signIn(op.newPerson());
    const now = Date.now() / 1000;
    assert.ok(Math.abs(claims.iat! - now) < 60 && claims.exp! > now && (claims['auth_time'] as number) <= now);
    await op.userinfo(tokens.access_token);
  });

  test('response-type-missing', async () => {
    const { response_type: _, ...request } = op.request();
    const { searchParams } = new URL((await op.newPerson().open(op.url(request))).url);
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['invalid_request', 'a state']);
  });

  test('userinfo-get', async () => {
    await op.userinfo((await op.signIn(op.newPerson())).tokens.access_token);
  });

  test('userinfo-post-header', async () => {
    const { access_token } = (await op.signIn(op.newPerson())).tokens;
    await op.userinfo(access_token, { method: 'POST', headers: { authorization: `Bearer ${access_token}` } });
  });

  test('userinfo-post-body', async () => {
    const { access_token } = (await op.signIn(op.newPerson())).tokens;
    await op.userinfo(access_token, { method: 'POST', body: new URLSearchParams({ access_token }) });
  });

  test('ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { nonce: _, ...request } = op.request();
    const { callback } = await op.authorize(op.newPerson(), request);
    assert.equal((await op.tokensFor(callback, request)).claims['nonce'], undefined);
  });

  returnsClaims('scope-profile', 'openid profile', PROFILE);
  returnsClaims('scope-email', 'openid email', EMAIL);
  // An account has neither address nor telephone number, so these scopes give nothing, which is no error.
  returnsClaims('scope-address', 'openid address', {});
  returnsClaims('scope-phone', 'openid phone', {});
  returnsClaims('scope-all', 'openid profile email address phone', { ...PROFILE, ...EMAIL });

  test('alternate-happy-flow', async () => {
    const request = Object.fromEntries(Object.entries(op.request({ scope: 'email openid' })).reverse());
    const { callback } = await op.authorize(op.newPerson(), request);
    const { tokens } = await op.tokensFor(callback, request);
    assert.equal(typeof (await op.userinfo(tokens.access_token))['email'], 'string');
  });

  succeeds('display-page', { display: 'page' });
  succeeds('display-popup', { display: 'popup' });

  test('prompt-login', async (t) => {
    const person = op.newPerson();
    const first = await op.signIn(person);
    passTime(t, 2);
    const second = await op.signIn(person, { prompt: 'login' });
    assert.deepEqual([first.sawPage, second.sawPage], [true, true]);
    assert.ok((second.claims['auth_time'] as number) > (first.claims['auth_time'] as number));
  });

  test('prompt-none-not-logged-in', async () => {
    const { callback, sawPage } = await op.authorize(op.newPerson(), op.request({ prompt: 'none' }));
    assert.deepEqual([sawPage, callback.origin + callback.pathname], [false, CALLBACK]);
    assert.deepEqual([callback.searchParams.get('error'), callback.searchParams.get('code')], ['login_required', null]);
  });

  test('prompt-none-logged-in', async () => {
    const person = op.newPerson();
    const first = await op.signIn(person);
    const second = await op.signIn(person, { prompt: 'none' });
    assert.deepEqual([second.sawPage, second.claims['auth_time']], [false, first.claims['auth_time']]);
  });

  test('max-age-1', async (t) => {
    const person = op.newPerson();
    const first = await op.signIn(person);
    passTime(t, 2);
    const second = await op.signIn(person, { max_age: '1' });
    assert.equal(second.sawPage, true);
    const [before, after] = [first.claims['auth_time'] as number, second.claims['auth_time'] as number];
    assert.ok(after >= before + 2 && after <= Date.now() / 1000);
  });

  test('max-age-10000', async (t) => {
    const person = op.newPerson();
    const first = await op.signIn(person, { max_age: '15000' });
    passTime(t, 2);
    const second = await op.signIn(person, { max_age: '10000' });
    assert.deepEqual([second.sawPage, second.claims['auth_time']], [false, first.claims['auth_time']]);
  });

  succeeds('ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' });

  test('id-token-hint', async () => {
    const person = op.newPerson();
    const { tokens } = await op.signIn(person);
    const second = await op.signIn(person, { prompt: 'none', id_token_hint: tokens.id_token });
    assert.equal(second.sawPage, false);
  });

  succeeds('login-hint', { login_hint: 'bob@example.com' });
  succeeds('ui-locales', { ui_locales: 'se ja en' });
  succeeds('claims-locales', { claims_locales: 'se en', scope: 'openid profile' });

  test('ensure-request-with-acr-values-succeeds', async () => {
    const acr_values = (op.metadata['acr_values_supported'] as string[]).join(' ');
    const { claims } = await op.signIn(op.newPerson(), { acr_values });
    assert.ok(acr_values.split(' ').includes(String(claims['acr'])), String(claims['acr']));
    assert.equal((await op.signIn(op.newPerson(), { acr_values: '1 2' })).callback.searchParams.has('code'), true);
  });

  /** The second use of a code is refused and ends the access token of the first. */
  const expectRefusedReuse = async (pass: () => void): Promise<void> => {
    const { code, tokens } = await op.signIn(op.newPerson());
    pass();
    const { status, body } = await op.redeem(code);
    assert.deepEqual([status, body['error']], [400, 'invalid_grant']);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await fetch(`${op.issuer}/oauth/userinfo`, { headers })).status, 401);
  };

  test('codereuse', () => expectRefusedReuse(() => undefined));
  test('codereuse-30seconds', (t) => expectRefusedReuse(() => passTime(t, 30)));

  test('ensure-registered-redirect-uri', async () => {
    const person = op.newPerson();
    await person.open(op.url(op.request({ redirect_uri: `${CALLBACK}/other` })));
    assert.deepEqual([person.page.status, new URL(person.page.url).origin], [400, op.issuer]);
    assert.match(person.text, /redirect_uri/);
  });

  test('ensure-post-request-succeeds', async () => {
    const person = op.newPerson();
    const request = op.request();
    await person.post('/oauth/authorize', request, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' });
    await op.tokensFor((await op.answerPages(person)).callback, request);
  });

  test('server-client-secret-post', async () => {
    const { callback } = await op.authorize(op.newPerson(), op.request());
    const { status } = await op.post('/oauth/token', {
      ...{ grant_type: 'authorization_code', code: callback.searchParams.get('code')!, redirect_uri: CALLBACK },
      ...{ client_id: op.client.id, client_secret: op.client.secret },
    });
    assert.equal(status, 200);
  });

  test('unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const request = op.request({ request: unsigned(op.request({ state: 'another state' })) });
    const { searchParams } = new URL((await op.newPerson().open(op.url(request))).url);
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['request_not_supported', 'a state']);
  });

  test('claims-essential', async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { tokens } = await op.signIn(op.newPerson(), { claims });
    // Claims come by scope alone, which people consent to; the suite warns of that.
    assert.equal((await op.userinfo(tokens.access_token))['name'], undefined);
    const both = await op.signIn(op.newPerson(), { claims, scope: 'openid profile' });
    assert.equal((await op.userinfo(both.tokens.access_token))['name'], 'Steve');
  });

  test('ensure-request-object-with-redirect-uri', async () => {
    const request = op.request({
      redirect_uri: 'https://evil.example/',
      request: unsigned({ redirect_uri: CALLBACK }),
    });
    const person = op.newPerson();
    await person.open(op.url(request));
    assert.deepEqual([person.page.status, new URL(person.page.url).origin], [400, op.issuer]);
  });

  test('refresh-token', async () => {
    const { tokens, claims } = await op.signIn(op.newPerson());
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const stolen = await op.post('/oauth/token', grant, op.client2);
    assert.deepEqual([stolen.status, stolen.body['error']], [400, 'invalid_grant'], 'of another client');
    const { status, body } = await op.post('/oauth/token', grant, op.client);
    assert.equal(status, 200);
    assert.notEqual(body['access_token'], tokens.access_token);
    const refreshed = await op.verify(body['id_token'] as string, 'a nonce');
    assert.deepEqual(
      [refreshed.sub, refreshed.aud, refreshed['auth_time']],
      [claims.sub, claims.aud, claims['auth_time']],
    );
    await op.userinfo(body['access_token'] as string);
  });

  test('ensure-request-with-valid-pkce-succeeds', async () => {
    const request = op.request({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    const { callback } = await op.authorize(op.newPerson(), request);
    const { status } = await op.redeem(callback.searchParams.get('code')!, { code_verifier: VERIFIER });
    assert.equal(status, 200);
  });
});
