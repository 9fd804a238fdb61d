import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fields } from '../flow.ts';
import type { Person } from '../person.ts';
import { AFTER_LOGOUT, ConformanceWorld } from './provider.ts';

const STATE = 'a state of the sign-out';

/** Modules of oidcc-rp-initiated-logout-certification-test-plan, under the names of the suite without `oidcc-`. */
describe('OpenID Connect: RP-Initiated Logout OP', () => {
  const op = ConformanceWorld.inSuite();

  const isSignedIn = async (person: Person): Promise<boolean> => {
    const { callback } = await op.authorize(person, op.request({ prompt: 'none' }));
    return callback.searchParams.has('code');
  };

  /** Signs a person in, and opens the sign-out page with the parameters that `change` leaves. */
  const request = async (change: (request: Fields) => Fields = (all) => all) => {
    const person = op.newPerson();
    const { tokens } = await op.signIn(person);
    const all = { id_token_hint: tokens.id_token, post_logout_redirect_uri: AFTER_LOGOUT, state: STATE };
    await person.open(`/oauth/logout?${new URLSearchParams(change(all)).toString()}`);
    return person;
  };

  /** The person confirms. @returns where the browser goes */
  const confirm = async (person: Person): Promise<URL> => {
    assert.equal(person.page.status, 200, person.text);
    await person.submit({}, '/oauth/logout/confirm');
    const url = new URL(person.page.url);
    assert.equal(await isSignedIn(person), false);
    return url;
  };

  const signsOutHere = (name: string, change: (request: Fields) => Fields): void => {
    test(name, async () => {
      const url = await confirm(await request(change));
      assert.equal(url.origin, op.issuer, 'a page says that the person is signed out');
    });
  };

  const isRefused = (name: string, change: (request: Fields) => Fields): void => {
    test(name, async () => {
      const person = await request(change);
      assert.deepEqual([person.page.status, new URL(person.page.url).origin], [400, op.issuer]);
      assert.equal(await isSignedIn(person), true);
    });
  };

  test('rp-initiated-logout-discovery-endpoint-verification', () => {
    assert.equal(op.metadata['end_session_endpoint'], `${op.issuer}/oauth/logout`);
  });

  test('rp-initiated-logout', async () => {
    const url = await confirm(await request());
    assert.deepEqual([url.origin + url.pathname, url.searchParams.get('state')], [AFTER_LOGOUT, STATE]);
  });

  // The redirect is forbidden (RP-Initiated Logout, section 3), not the sign-out.
  signsOutHere('rp-initiated-logout-bad-post-logout-redirect-uri', (all) => ({
    ...all,
    post_logout_redirect_uri: 'https://evil.example/',
  }));

  isRefused('rp-initiated-logout-modified-id-token-hint', ({ id_token_hint, ...rest }) => {
    const [, payload] = id_token_hint!.split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    return { ...rest, id_token_hint: `${header}.${payload}.` };
  });

  // Without the hint nothing names the client, so the redirect URI counts for nothing.
  signsOutHere('rp-initiated-logout-no-id-token-hint', ({ id_token_hint: _, ...rest }) => rest);
  signsOutHere('rp-initiated-logout-no-params', () => ({}));
  signsOutHere('rp-initiated-logout-no-post-logout-redirect-uri', ({ post_logout_redirect_uri: _, ...rest }) => rest);

  test('rp-initiated-logout-no-state', async () => {
    const url = await confirm(await request(({ state: _, ...rest }) => rest));
    assert.equal(url.href, AFTER_LOGOUT);
  });

  signsOutHere('rp-initiated-logout-only-state', ({ state }) => ({ state: state! }));

  signsOutHere('rp-initiated-logout-query-added-to-post-logout-redirect-uri', (all) => ({
    ...all,
    post_logout_redirect_uri: `${AFTER_LOGOUT}?foo=bar`,
  }));

  isRefused('rp-initiated-logout-bad-id-token-hint', ({ id_token_hint, ...rest }) => {
    const parts = id_token_hint!.split('.');
    const payload = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as object;
    parts[1] = Buffer.from(JSON.stringify({ ...payload, sub: 'somebody else' })).toString('base64url');
    return { ...rest, id_token_hint: parts.join('.') };
  });
});
