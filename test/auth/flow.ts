import type { TestContext } from 'node:test';
import type { NewApplication } from '#store/applications/applications.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from './support.ts';

export const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };

export type Fields = Record<string, string>;
export interface TokenResponse {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Posts a form to the sign-in service. */
export async function post(
  services: TestAuth,
  path: string,
  fields: Fields,
  headers: Fields = {},
): Promise<TokenResponse> {
  const response = await fetch(services.auth + path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as TokenResponse['body']),
    headers: response.headers,
  };
}

export async function openOnSqlite(t: TestContext, settings: Fields = {}): Promise<TestAuth> {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url, settings);
  t.after(() => database.drop());
  return services;
}

/** URL of an authorization request with all scopes. */
export function requestFor(services: TestAuth, clientId: string, more: Fields = {}): string {
  const fields = {
    client_id: clientId,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: CALLBACK,
    ...more,
  };
  return `${services.auth}/oauth/authorize?${new URLSearchParams(fields).toString()}`;
}

/** An authorization code, after Steve has signed in and consented. */
export async function codeOf(services: TestAuth, clientId: string, more: Fields = {}): Promise<string> {
  const callback = await authorize(services.auth, requestFor(services, clientId, more), 'Steve');
  return callback.searchParams.get('code')!;
}

/** A `service` application, and the account of the player Steve. `redeem` exchanges a code of the application. */
export async function serviceWithSteve(t: TestContext, settings: Fields = {}, more: Partial<NewApplication> = {}) {
  const services = await openOnSqlite(t, settings);
  const account = await makeAccount(services, 'Someone', STEVE);
  const { application, secret } = await makeApplication(services, 'service', [CALLBACK], more);
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const redeem = (code: string, more: Fields = {}): Promise<TokenResponse> =>
    post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      ...more,
    });
  return { services, account, application, credentials, redeem };
}
