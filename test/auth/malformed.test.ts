import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { character } from '#test/support/characters.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD } from './support.ts';
import { Person } from './person.ts';

interface Sent {
  status: number;
  location: string;
  body: string;
}

/** How a request declares the length of its body; with `nothing` it has no body. */
const FRAMES = ['length', 'chunks', 'nothing'] as const;
type Frame = (typeof FRAMES)[number];

function frameOf(frame: Frame, body: string): Record<string, string> {
  if (frame === 'length') return { 'content-length': String(Buffer.byteLength(body)) };
  return frame === 'chunks' ? { 'transfer-encoding': 'chunked' } : {};
}

/** Sends a malformed request unchanged, which `fetch` would correct. */
async function send(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
  frame: Frame = 'length',
): Promise<Sent> {
  const { hostname, port } = new URL(origin);
  return await new Promise((resolve, reject) => {
    const options = { hostname, port, method, path, headers: { ...headers, ...frameOf(frame, body) } };
    const request = httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, location: response.headers.location ?? '', body: text }),
      );
    }).on('error', reject);
    if (frame === 'nothing') for (const name of ['content-length', 'transfer-encoding']) request.removeHeader(name);
    request.end(frame === 'nothing' ? undefined : body);
  });
}

const PARAMETERS = {
  authorize: [
    'client_id',
    'response_type',
    'scope',
    'redirect_uri',
    'state',
    'nonce',
    'prompt',
    'max_age',
    'code_challenge',
    'code_challenge_method',
    'ui_locales',
    'login_hint',
    'id_token_hint',
    'response_mode',
    'request',
    'request_uri',
    'claims',
    'acr_values',
    'display',
  ],
  token: [
    'grant_type',
    'client_id',
    'client_secret',
    'code',
    'redirect_uri',
    'refresh_token',
    'scope',
    'code_verifier',
  ],
  revoke: ['token', 'token_type_hint', 'client_id', 'client_secret'],
  introspect: ['token', 'token_type_hint', 'client_id', 'client_secret'],
  par: ['client_id', 'client_secret', 'response_type', 'scope', 'redirect_uri', 'request_uri'],
  tokeninfo: ['id_token'],
  logout: ['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id', 'ui_locales', 'logout_hint'],
  'logout/confirm': ['xsrf', 'logout'],
  userinfo: ['access_token'],
};
type Endpoint = keyof typeof PARAMETERS;
const GET: ReadonlySet<string> = new Set(['authorize', 'tokeninfo', 'logout', 'userinfo']);
const POST: ReadonlySet<string> = new Set([
  ...['authorize', 'logout', 'token', 'revoke', 'introspect', 'par', 'tokeninfo', 'logout/confirm'],
]);

/** Invalid values of many kinds, percent-encoded, some with invalid encoding. */
const ODD = [
  '',
  '%00',
  '%ff%fe',
  '%',
  '%zz',
  '+',
  '%F0%9F%92%A9',
  'true',
  '-1',
  '1e309',
  '[]',
  '%7B%7D',
  'a'.repeat(3_000),
  '..%2F..%2F',
  'https%3A%2F%2Fevil.example%2F',
  'javascript%3Aalert(1)',
  '%0d%0aSet-Cookie:x=1',
  '__proto__',
  'constructor',
];

onEachDatabase(
  'a malformed request gets an error of the protocol: never a 500, never a redirect to an unregistered address',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { application, secret } = await makeApplication(services, 'service');
    const good: Record<string, string> = {
      ...{ client_id: application.client_id, client_secret: secret!, redirect_uri: encodeURIComponent(CALLBACK) },
      ...{ response_type: 'code', scope: 'openid', grant_type: 'client_credentials', token: 'x' },
    };
    const endpoint = fc.constantFrom(...(Object.keys(PARAMETERS) as Endpoint[]));
    const value = fc.oneof(
      fc.constantFrom(...ODD),
      fc.string({ unit: character, maxLength: 40 }).map(percentEncoded),
      fc.constant('GOOD'),
    );
    const requests = endpoint.chain((name) =>
      fc.record({
        name: fc.constant(name),
        pairs: fc.array(fc.tuple(fc.constantFrom(...PARAMETERS[name], 'unknown'), value), { maxLength: 9 }),
        type: fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/json',
          'text/plain',
          'application/x-www-form-urlencoded; charset=nonsense',
          '',
        ),
        authorization: fc.constantFrom(
          '',
          'Basic',
          'Basic ====',
          'Basic YTpi',
          'Bearer x',
          'Bearer',
          'DPoP x',
          'Digest a=b',
        ),
        method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
        html: fc.boolean(),
        frame: fc.constantFrom(...FRAMES),
      }),
    );
    await fc.assert(
      fc.asyncProperty(requests, async ({ name, pairs, type, authorization, method, html, frame }) => {
        const text = pairs
          .map(([key, chosen]) => `${key}=${chosen === 'GOOD' ? (good[key] ?? 'x') : chosen}`)
          .join('&');
        const headers: Record<string, string> = { accept: html ? 'text/html' : '*/*' };
        if (authorization !== '') headers['authorization'] = authorization;
        if (method === 'POST' && type !== '') headers['content-type'] = type;
        const inQuery = method !== 'POST';
        const path = `/oauth/${name}${inQuery && text !== '' ? `?${text}` : ''}`;
        const sent = inQuery ? '' : text;
        const { status, location, body } = await send(services.auth, method, path, headers, sent, frame);
        assert.ok(status < 500, `${method} ${path} ${text} (${frame}): ${status} ${body}`);
        if (location !== '') {
          const { origin } = new URL(location, services.auth);
          assert.ok([services.auth, new URL(CALLBACK).origin].includes(origin), `${path} leads to ${location}`);
        }
        assert.doesNotMatch(body, /\bat .*\.(ts|js):\d+/, 'no stack trace');
        if (
          (method === 'GET' && !GET.has(name)) ||
          (method === 'POST' && !POST.has(name)) ||
          /PUT|DELETE/.test(method)
        ) {
          assert.ok(status >= 400, `${method} ${path} is ${status}`);
        }
      }),
      { numRuns: 800 },
    );
  },
);

onEachDatabase('a malformed request to a page gets a page, never a 500', async (t, url) => {
  const services = await openTestAuth(t, url);
  await makeAccount(services, 'Robin');
  const person = new Person(services.auth);
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  const session = person.cookie('scorehall_session')!;
  const paths = [
    '/sign-in',
    '/sign-in/x',
    '/sign-in/x/consent',
    '/register',
    '/register/confirm',
    '/verify',
    '/forgot',
    '/reset',
    '/account',
    '/account/name',
    '/account/email',
    '/account/link',
    '/account/unlink',
    '/account/sessions/end',
    '/account/applications/end',
    '/account/verify',
    '/assets/x',
    '/',
  ];
  const fields = [
    'login',
    'password',
    'name',
    'email',
    'token',
    'flow',
    'code',
    'current',
    'session',
    'client_id',
    'lang',
    'done',
    'ui_locales',
  ];
  const page = fc.record({
    path: fc.constantFrom(...paths),
    pairs: fc.array(fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...ODD)), { maxLength: 5 }),
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
    cookie: fc.constantFrom(
      '',
      `scorehall_session=${session}`,
      'scorehall_session=%00',
      'scorehall_step=x; scorehall_language=%ff',
      ';;;==',
    ),
    frame: fc.constantFrom(...FRAMES),
  });
  await fc.assert(
    fc.asyncProperty(page, async ({ path, pairs, method, cookie, frame }) => {
      const text = pairs.map((pair) => pair.join('=')).join('&');
      const headers = { cookie, origin: services.auth, 'content-type': 'application/x-www-form-urlencoded' };
      const inQuery = method === 'GET';
      const address = `${path}${inQuery && text !== '' ? `?${text}` : ''}`;
      const sent = inQuery ? '' : text;
      const { status, location, body } = await send(services.auth, method, address, headers, sent, frame);
      assert.ok(status < 500, `${method} ${address} ${text} (${cookie}, ${frame}): ${status} ${body}`);
      if (location !== '') assert.ok(location.startsWith('/') && !location.startsWith('//'), location);
      if (status === 200 && !path.startsWith('/assets')) assert.match(body, /^<!doctype html>/);
    }),
    { numRuns: 300 },
  );
});

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
