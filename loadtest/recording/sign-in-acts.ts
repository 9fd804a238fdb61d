import { createHash } from 'node:crypto';
import { makeAccount, makeApplication, PASSWORD } from '#test/auth/support.ts';
import { sql } from '#db/sql.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { ask } from '#test/support/request.ts';
import { Flow, linkOf, signedIn } from './flow.ts';
import { recordRequest } from './requests.ts';
import type { World } from './world.ts';

const OTHER_PASSWORD = 'staple tower lantern';
const CALLBACK = 'https://app.example/callback';
const STEVE = { uuid: '33333333-2222-4333-8444-555555555555', name: 'Stevie' };

/** Registers, signs in, links, recovers, consents and deletes, and uses every endpoint of the protocol. */
export async function recordSignInActs(world: World): Promise<void> {
  const flow = new Flow(world);
  await register(world, flow);
  await changeAccount(world, flow);
  await recover(world, flow);
  await useProtocol(world, flow);
}

/** Where accounts must be linked: the sign-in for an application asks for the game account. */
export async function recordLinking(world: World): Promise<void> {
  const flow = new Flow(world);
  const { application } = await makeApplication(world, 'web', [CALLBACK], { name: 'Ferry' });
  await makeAccount(world, 'Tern');
  const query = new URLSearchParams({
    client_id: application.client_id,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: CALLBACK,
  });
  const person = flow.browser();
  await flow.open('authorize', person, `/oauth/authorize?${query.toString()}`);
  await flow.submit('signed in', person, { login: 'Tern', password: PASSWORD });
  await flow.submit('not linked yet', person, {}, '/link');
  const code = /\/link ([A-Z0-9-]+)/.exec(person.text)?.[1] ?? '';
  await link(world, code);
  await flow.submit('linked', person, {}, '/link');
  await flow.open('register', flow.browser(), '/register');
}

async function register(world: World, flow: Flow): Promise<void> {
  const person = flow.browser();
  await person.open('/register');
  await flow.submit('register refused', person, { name: 'x', email: 'nonsense', password: 'short' });
  await person.open('/register');
  await flow.submit('register', person, { name: 'Petrel', email: 'petrel@example.org', password: PASSWORD });
  const link = await linkOf(world, 'petrel@example.org');
  await flow.open('register link', person, link);
  await flow.submit('registered', person, {});
  await flow.open('register link again', person, link);
  const elsewhere = flow.browser();
  await elsewhere.open('/register');
  await elsewhere.submit({ name: 'Auk', email: 'auk@example.org', password: PASSWORD });
  const other = flow.browser();
  await flow.open('link in another browser', other, await linkOf(world, 'auk@example.org'));
  await flow.submit('registered in another browser', other, { password: OTHER_PASSWORD });
}

async function changeAccount(world: World, flow: Flow): Promise<void> {
  await signedIn(flow, 'Petrel', 'wrong wrong wrong');
  await signedIn(flow, 'Nobody', 'wrong wrong wrong');
  const person = await signedIn(flow, 'Petrel');
  await flow.open('link', person, '/account/link');
  const code = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
  await link(world, code);
  await flow.submit('linked', person, {}, '/account/link');
  for (const [path, fields] of [
    ['/account/unlink', { current: 'wrong wrong wrong' }],
    ['/account/unlink', { current: PASSWORD }],
    ['/account/name', { name: 'Storm', current: PASSWORD }],
    ['/account/email', { email: 'nonsense', current: PASSWORD }],
    ['/account/email', { email: 'storm@example.org', current: PASSWORD }],
  ] as const) {
    await person.open(path);
    await flow.submit(`change ${path}`, person, fields, path);
  }
  await flow.open('verify', person, await linkOf(world, 'storm@example.org'));
  await flow.submit('verified', person, {}, '/verify');
  await flow.post('verification again', person, '/account/verify');
  for (const password of ['x', OTHER_PASSWORD]) {
    await person.open('/account/password');
    await flow.submit('password', person, { password, current: PASSWORD }, '/account/password');
  }
  await flow.open('export', person, '/account/export');
  await signedIn(flow, 'Petrel', OTHER_PASSWORD);
  await signedIn(flow, 'Storm', OTHER_PASSWORD);
  await flow.open('account', person, '/account');
  await flow.submit('session ended', person, {}, '/account/sessions/end');
  const leaving = await signedIn(flow, 'Auk', OTHER_PASSWORD);
  await leaving.open('/account/delete');
  await flow.submit('deleted', leaving, { current: OTHER_PASSWORD }, '/account/delete');
  await person.open('/account');
  await flow.submit('signed out', person, {}, '/account/sign-out');
  const former = flow.browser();
  await flow.open('change of the address', former, await linkOf(world, 'petrel@example.org', '/email/undo'));
  await flow.submit('change of the address undone', former, {}, '/email/undo');
}

/** A player types the code on a game server. */
async function link({ context, ingest }: World, code: string): Promise<void> {
  const { db, clock } = context;
  const [row] = await db.all<{ key: number }>(sql`select min(key) as key from servers`);
  const token = await createServerKey(db, clock.now(), row!.key);
  const time = new Date(clock.now()).toISOString();
  const body = JSON.stringify({ version: 1, id: 'link', type: 'account.link', time, data: { player: STEVE, code } });
  await ask(ingest, '/events', { method: 'POST', token, body, headers: { 'content-type': 'application/json' } });
}

async function recover(world: World, flow: Flow): Promise<void> {
  await makeAccount(world, 'Skua', undefined, false);
  const person = flow.browser();
  await person.open('/forgot');
  await flow.submit('forgot', person, { login: 'Skua' });
  const reset = await linkOf(world, 'skua@example.org');
  await flow.open('reset', person, reset);
  await flow.submit('reset refused', person, { password: 'x' });
  await flow.submit('reset done', person, { password: OTHER_PASSWORD });
  await flow.open('reset again', person, reset);
  const byLink = flow.browser();
  await byLink.open('/sign-in');
  await flow.post('sign-in link sent', byLink, '/sign-in-link/send', { login: 'Skua', flow: '' });
  for (let mails = 0; mails < 3; mails++) {
    const mailed = (await world.mail.next('skua@example.org')).links.find((one) => one.includes('/sign-in-link'));
    if (mailed === undefined) continue;
    await flow.open('sign-in link', byLink, mailed);
    await flow.submit('signed in by link', byLink, {}, '/sign-in-link');
    break;
  }
}

async function useProtocol(world: World, flow: Flow): Promise<void> {
  const { application, secret } = await makeApplication(world, 'service', [CALLBACK], { name: 'Ferry' });
  await makeAccount(world, 'Tern');
  const client = { client_id: application.client_id, client_secret: secret! };
  const verifier = 'v'.repeat(64);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = (more: Record<string, string> = {}): string =>
    `/oauth/authorize?${new URLSearchParams({
      ...{
        client_id: client.client_id,
        response_type: 'code',
        scope: 'openid profile email offline_access',
        redirect_uri: CALLBACK,
      },
      ...{ state: 'xyz', nonce: 'n', code_challenge: challenge, code_challenge_method: 'S256', ...more },
    }).toString()}`;
  const person = flow.browser();
  await flow.open('authorize', person, query());
  await flow.submit('authorize with a wrong password', person, { login: 'Tern', password: 'wrong wrong wrong' });
  await flow.submit('authorize signed in', person, { login: 'Tern', password: PASSWORD });
  const forms = person.forms().map(({ action }) => action);
  const at = (end: string): string | undefined => forms.find((action) => action.endsWith(end));
  const logo = /src="(\/logos\/[^"]*)"/.exec(person.page.html)?.[1];
  if (logo !== undefined) await flow.call('logo', logo);
  if (at('/switch') !== undefined) {
    await flow.submit('switch', person, {}, '/switch');
    await flow.submit('signed in again', person, { login: 'Tern', password: PASSWORD });
  }
  await flow.submit('consent', person, {}, '/consent');
  const code = new URL(person.page.url).searchParams.get('code') ?? '';
  const redeem = { ...client, grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
  const { json: tokens } = await flow.call('token', '/oauth/token', redeem);
  const { json: own } = await flow.call('client credentials', '/oauth/token', {
    ...client,
    grant_type: 'client_credentials',
  });
  await flow.call('wrong secret', '/oauth/token', { ...client, client_secret: 'x', grant_type: 'client_credentials' });
  const { access_token = '', refresh_token = '', id_token = '' } = (tokens ?? {}) as Record<string, string>;
  await flow.call('userinfo', '/oauth/userinfo', undefined, { authorization: `Bearer ${access_token}` });
  await flow.call('userinfo without token', '/oauth/userinfo');
  await flow.call('tokeninfo', `/oauth/tokeninfo?id_token=${id_token}`);
  await flow.call('tokeninfo by post', '/oauth/tokeninfo', { id_token });
  await flow.call('tokeninfo of nonsense', '/oauth/tokeninfo?id_token=x');
  await recordRequest(world.recording, `${world.name}/protocol/tokeninfo-options.txt`, {
    origin: world.auth,
    path: '/oauth/tokeninfo',
    wish: { method: 'OPTIONS' },
  });
  await recordRequest(world.recording, `${world.name}/protocol/me.txt`, {
    origin: world.api,
    path: '/v1/players/me',
    wish: { token: access_token },
  });
  await recordRequest(world.recording, `${world.name}/protocol/own.txt`, {
    origin: world.api,
    path: '/v1/servers',
    wish: { token: String((own as Record<string, string> | undefined)?.['access_token']) },
  });
  await flow.call('introspect', '/oauth/introspect', { ...client, token: access_token });
  await flow.call('refresh', '/oauth/token', { ...client, grant_type: 'refresh_token', refresh_token });
  await flow.call('token again', '/oauth/token', redeem);
  await flow.call('introspect after that', '/oauth/introspect', { ...client, token: access_token });
  await flow.call('revoke', '/oauth/revoke', { ...client, token: access_token });
  await flow.call('introspect revoked', '/oauth/introspect', { ...client, token: access_token });
  await flow.call('par', '/oauth/par', { ...client, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' });
  await flow.call('discovery', '/.well-known/openid-configuration');
  await flow.call('jwks', '/oauth/jwks');
  await flow.open('authorize to choose an account', person, query({ prompt: 'select_account' }));
  await flow.submit('account chosen', person, {}, '/account');
  await flow.open('authorize again', person, query());
  await flow.open('authorize without prompt', flow.browser(), query({ prompt: 'none' }));
  await flow.open('authorize with a wrong redirect', person, query({ redirect_uri: 'https://wrong.example/' }));
  await flow.open('connected', person, '/account');
  await flow.submit('disconnected', person, {}, '/account/applications/end');
  const other = flow.browser();
  await flow.open('authorize to cancel', other, query());
  await flow.submit('authorize to link', other, { login: 'Tern', password: PASSWORD });
  const shown = other.forms().map(({ action }) => action);
  const ends = shown.find((action) => action.endsWith('/cancel'));
  if (ends !== undefined) await flow.submit('cancelled', other, {}, '/cancel');
  await flow.open('logout', person, '/oauth/logout');
  await flow.submit('logged out', person, {}, '/oauth/logout/confirm');
}
