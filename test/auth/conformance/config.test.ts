import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConformanceWorld } from './provider.ts';

/** Modules of oidcc-config-certification-test-plan, under the names of the suite without `oidcc-`. */
describe('OpenID Connect: Config OP', () => {
  const op = ConformanceWorld.inSuite();

  test('discovery-endpoint-verification', async () => {
    const { metadata, issuer } = op;
    assert.equal(metadata['issuer'], issuer);
    for (const name of ['authorization', 'token', 'userinfo', 'end_session'].map((noun) => `${noun}_endpoint`))
      assert.ok(URL.canParse(String(metadata[name])), name);
    assert.deepEqual(metadata['response_types_supported'], ['code']);
    assert.deepEqual(metadata['subject_types_supported'], ['public']);
    assert.deepEqual(metadata['id_token_signing_alg_values_supported'], ['RS256']);
    const has = (name: string, ...wanted: string[]): void => {
      for (const value of wanted) assert.ok((metadata[name] as string[]).includes(value), `${name}: ${value}`);
    };
    has('scopes_supported', 'openid');
    has('grant_types_supported', 'authorization_code', 'refresh_token');
    has('claims_supported', 'sub', 'iss', 'auth_time', 'acr');
    has('token_endpoint_auth_methods_supported', 'client_secret_basic', 'client_secret_post');
    has('code_challenge_methods_supported', 'S256');
    assert.equal(metadata['claims_parameter_supported'], true);
    assert.equal(metadata['request_parameter_supported'] ?? false, false);
    const { pathname, origin } = new URL(String(metadata['jwks_uri']));
    assert.equal(origin, issuer);
    const { keys } = (await op.json(pathname)) as { keys: Record<string, string>[] };
    for (const { kid, kty, use, d } of keys)
      assert.deepEqual([typeof kid, kty, use, d], ['string', 'RSA', 'sig', undefined]);
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length, 'each key has its own kid');
  });
});
