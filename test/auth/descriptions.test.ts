import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, openOnSqlite, post, requestFor } from './flow.ts';
import { Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, type TestAuth } from './support.ts';

/** What RFC 6749 section 5.2 allows in `error_description`. */
const ALLOWED = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
/** Words of oidc-provider's own descriptions. */
const LIBRARY =
  /missing required|not supported value|client is invalid|did not match|unsupported|content-type bodies|mechanism|is not allowed|must be requested|policy requires|invalid /;

type Case = [name: string, change: Fields, ours: RegExp, japanese: RegExp];

const AUTHORIZE: Case[] = [
  [
    'request_uri=x',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    /request_uri is unknown/,
    /request_uri が不明/,
  ],
  ['no response_type', { response_type: '' }, /lacks 'response_type'/, /'response_type' がありません/],
  ['response_type=token', { response_type: 'token' }, /response_type must be code/, /response_type は code/],
  ['response_mode=x', { response_mode: 'x' }, /response_mode must be query, fragment/, /response_mode は query/],
  ['prompt=x', { prompt: 'x' }, /prompt must be login, consent or select_account/, /prompt は login/],
  ['prompt=none login', { prompt: 'none login' }, /none alone/, /none のみ/],
  ['scope with a comma', { scope: 'openid,"profile"' }, /names with one blank/, /空白 1 つ/],
  ['plain challenge', { code_challenge: 'x'.repeat(43) }, /code_challenge_method=S256 together/, /両方送って/],
  ['short challenge', { code_challenge: 'x', code_challenge_method: 'S256' }, /43 to 128 characters/, /43～128 文字/],
  ['max_age=x', { max_age: 'x' }, /max_age must be a whole number/, /max_age は 0 以上/],
  [
    'max_age without openid',
    { scope: 'profile', max_age: '5' },
    /max_age needs the scope openid/,
    /openid スコープが必要/,
  ],
  ['id_token_hint=x', { id_token_hint: 'x' }, /id_token_hint is not an ID token/, /id_token_hint は/],
  ['request=x', { request: 'x' }, /^request is not supported\. Send/, /request には/],
  ['registration=x', { registration: '{}' }, /registration is not supported/, /registration には/],
  [
    'request_uri=https',
    { request_uri: 'https://app.example/r' },
    /^request_uri is not supported\. .*\/oauth\/par/,
    /request_uri には/,
  ],
  ['nobody signed in', { prompt: 'none' }, /Nobody is signed in/, /ログインしていない/],
];

const ON_PAGE: Case[] = [
  ['redirect_uri', { redirect_uri: 'https://other.example/' }, /redirect_uri is not registered/, /登録されていません/],
  ['client_id', { client_id: 'unknown' }, /No application has this client_id/, /この client_id のアプリはありません/],
  ['no client_id', { client_id: '' }, /lacks 'client_id'/, /'client_id' がありません/],
];

function without(url: string): string {
  const request = new URL(url);
  for (const [name, value] of [...request.searchParams]) if (value === '') request.searchParams.delete(name);
  return request.href;
}

async function describeAt(services: TestAuth, url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' } });
  const location = response.headers.get('location');
  assert.ok(location !== null, `no redirect: ${url}`);
  const { searchParams, hash } = new URL(location, services.auth);
  return searchParams.get('error_description') ?? new URLSearchParams(hash.slice(1)).get('error_description') ?? '';
}

test('each error at authorize says in our words what is wrong and what would be right', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Steve');
  const approved = (await makeApplication(services, 'web')).application.client_id;
  for (const [name, change, ours] of AUTHORIZE) {
    const description = await describeAt(services, without(requestFor(services, approved, change)));
    assert.match(description, ours, name);
    assert.match(description, ALLOWED, name);
    assert.doesNotMatch(description, LIBRARY, name);
  }
  const strict = (await makeApplication(services, 'web', [CALLBACK], { require_pkce: true })).application.client_id;
  assert.match(await describeAt(services, requestFor(services, strict)), /requires PKCE/);
  const twice = `${requestFor(services, approved)}&scope=email`;
  assert.match(await describeAt(services, twice), /'scope' more than once/);
  const posted = await fetch(requestFor(services, approved, { prompt: 'none', response_mode: 'form_post' }));
  assert.match(await posted.text(), /value="Nobody is signed in/);
  const unsupported = await fetch(requestFor(services, approved, { request: 'x', response_mode: 'form_post' }));
  assert.match(await unsupported.text(), /name="error_description" value="request is not/);
  for (const [name, change, ours, japanese] of ON_PAGE)
    for (const [language, expected] of [
      ['en', ours],
      ['ja', japanese],
    ] as const) {
      const person = new Person(services.auth, { accept: 'text/html', 'accept-language': language });
      await person.open(without(requestFor(services, approved, change)));
      assert.match(person.text, expected, `${name} (${language})`);
    }
});

test('an error keeps the state, and a description of ours changes nothing else in the redirect', async (t) => {
  const services = await openOnSqlite(t);
  const uri = `${CALLBACK}?from=a%20b`;
  const { client_id } = (await makeApplication(services, 'web', [uri])).application;
  const request = requestFor(services, client_id, {
    redirect_uri: uri,
    prompt: 'none',
    state: 'a b+c&error_description=x',
  });
  const location = new URL((await fetch(request, { redirect: 'manual' })).headers.get('location')!);
  assert.deepEqual(Object.fromEntries(location.searchParams), {
    from: 'a b',
    error: 'login_required',
    error_description: 'Nobody is signed in, or not recently enough. Send the request without prompt=none.',
    state: 'a b+c&error_description=x',
    iss: services.auth,
  });
});

const basic = (id: string, password: string): Fields => ({
  authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`,
});

test('each error at token says in our words what is wrong and what would be right', async (t) => {
  const services = await openOnSqlite(t);
  const { application, secret } = await makeApplication(services, 'service');
  const web = (await makeApplication(services, 'web')).application.client_id;
  const good = { client_id: application.client_id, client_secret: secret!, grant_type: 'client_credentials' };
  const cases: [fields: Fields, headers: Fields, error: string, ours: RegExp][] = [
    [{ ...good, grant_type: '' }, {}, 'invalid_request', /lacks 'grant_type'/],
    [{ ...good, grant_type: 'password' }, {}, 'unsupported_grant_type', /grant_type must be authorization_code/],
    [
      { client_id: web, grant_type: 'client_credentials' },
      {},
      'unauthorized_client',
      /client_credentials is for services/,
    ],
    [{ grant_type: 'client_credentials' }, {}, 'invalid_request', /client_id is missing/],
    [{ ...good, client_secret: 'x' }, {}, 'invalid_client', /client_secret is wrong/],
    [{ ...good, client_secret: '' }, {}, 'invalid_client', /^client_secret is missing: this application is a service/],
    [{ ...good, client_id: web }, {}, 'invalid_client', /^This application has no secret/],
    [good, basic(application.client_id, 'other'), 'invalid_request', /differs from that in the Authorization header/],
    [
      { ...good, client_id: web, client_secret: '' },
      basic(application.client_id, secret!),
      'invalid_request',
      /client_id in the body differs/,
    ],
    [
      { grant_type: 'client_credentials' },
      { authorization: 'Bearer x' },
      'invalid_request',
      /elsewhere Basic and the base64/,
    ],
    [good, { 'content-type': 'text/plain' }, 'invalid_request', /a form .* or a JSON object/],
    [{ ...good, scope: '"' }, {}, 'invalid_scope', /names with one blank/],
  ];
  for (const [fields, headers, error, ours] of cases) {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
    const { status, body, headers: answered } = await post(services, '/oauth/token', given, headers);
    assert.deepEqual([answered.get('cache-control'), answered.get('pragma')], ['no-store', 'no-cache']);
    assert.ok(status === 400 || status === 401, String(ours));
    assert.equal(body['error'], error, JSON.stringify(body));
    assert.match(String(body['error_description']), ours);
    assert.match(String(body['error_description']), ALLOWED);
  }
  const withoutSecret = { client_id: application.client_id, token: 'x', response_type: 'code' };
  for (const path of ['/oauth/revoke', '/oauth/introspect', '/oauth/par'])
    assert.match(
      String((await post(services, path, withoutSecret)).body['error_description']),
      /^client_secret is missing/,
    );
  const pushed = { ...good, request: 'x', response_type: 'code', redirect_uri: CALLBACK };
  assert.match(String((await post(services, '/oauth/par', pushed)).body['error_description']), /^request is not/);
  const json = await fetch(`${services.auth}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(good),
  });
  assert.equal(json.status, 200, 'the sentence about JSON is true');
});
