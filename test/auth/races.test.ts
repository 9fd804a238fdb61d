import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { Person } from './person.ts';
import {
  authorize,
  CALLBACK,
  makeAccount,
  makeApplication,
  openTestAuth,
  statusWithinASecond,
  type TestAuth,
} from './support.ts';

const CONCURRENT_REQUESTS = 50;
const PAIRS = 5;

type Tokens = Record<string, string>;

/** The addresses of a process. */
interface Process {
  auth: string;
  api: string;
}

/** Starts a second process on the same database, with the same issuer and other ports. */
async function secondProcess(t: TestContext, { context, auth }: TestAuth): Promise<Process> {
  const [port, apiPort] = await freePorts(2);
  const otherServices = Object.fromEntries(
    ['SITE', 'INGEST', 'INTERNAL'].map((service) => [`${service}_LISTEN`, '127.0.0.1:0']),
  );
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: {
      ...{
        ...CHILD_ENVIRONMENT,
        ...otherServices,
        AUTH_LISTEN: `127.0.0.1:${port}`,
        API_LISTEN: `127.0.0.1:${apiPort}`,
        AUTH_URL: auth,
        LOG_LEVEL: 'error',
      },
      ...{
        DATABASE_URL: context.config.DATABASE_URL,
        SECRET_KEY: context.config.SECRET_KEY,
        SMTP_URL: context.config.SMTP_URL,
        USER_LIMIT: String(context.config.USER_LIMIT),
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break;
  return { auth: `http://127.0.0.1:${port}`, api: `http://127.0.0.1:${apiPort}` };
}

async function post(
  origin: string,
  fields: Record<string, string>,
): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

/**
 * Asserts that nothing works any more that a sign-in has given: the data API refuses the access token within a second,
 * both processes refuse it at userinfo, and the refresh token is refused.
 */
async function assertRevoked(processes: Process[], tokens: Tokens, credentials: Tokens, what: string): Promise<void> {
  const { access_token: access, refresh_token } = tokens;
  for (const { auth, api } of processes) {
    assert.equal(await statusWithinASecond(api, access!, 401), 401, `${what}: the access token at /v1`);
    const userinfo = await fetch(`${auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${access}` } });
    assert.equal(userinfo.status, 401, `${what}: the access token at userinfo`);
    const refreshed = await post(auth, { ...credentials, grant_type: 'refresh_token', refresh_token: refresh_token! });
    assert.deepEqual([refreshed.status, refreshed.body['error']], [400, 'invalid_grant'], `${what}: the refresh token`);
  }
}

/** Sends the same request to the processes in turn, at once. @returns the answers of those that succeeded */
async function race(processes: Process[], count: number, fields: Tokens): Promise<Tokens[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => post(processes[n % processes.length]!.auth, fields)),
  );
  for (const { status, body } of answers) if (status !== 200) assert.equal(body['error'], 'invalid_grant');
  return answers.filter(({ status }) => status === 200).map(({ body }) => body);
}

/** A thief who races the application for a code or refresh token: one of the two gets tokens, and neither keeps any. */
async function pairs(services: TestAuth, other: Process): Promise<void> {
  await makeAccount(services, 'Alex');
  const { client_id } = (await makeApplication(services, 'web')).application;
  const processes = [services, other];
  const request = `${services.auth}/oauth/authorize?${new URLSearchParams({
    ...{ client_id, response_type: 'code', scope: 'openid profile', redirect_uri: CALLBACK },
  }).toString()}`;
  const person = new Person(services.auth);
  const redemption = async (): Promise<Tokens> => {
    const code = (await authorize(services.auth, request, 'Alex', person)).searchParams.get('code')!;
    return { client_id, grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  };
  for (let attempt = 1; attempt <= PAIRS; attempt++) {
    const byCode = await race(processes, 2, await redemption());
    assert.equal(byCode.length, 1);
    await assertRevoked(processes, byCode[0]!, { client_id }, `code, try ${attempt}`);

    const { body } = await post(other.auth, await redemption());
    const fields = { client_id, grant_type: 'refresh_token', refresh_token: body['refresh_token']! };
    const byRefresh = await race(processes, 2 + (attempt % 4), fields);
    assert.equal(byRefresh.length, 1);
    await assertRevoked(processes, body, { client_id }, `first tokens, try ${attempt}`);
    await assertRevoked(processes, byRefresh[0]!, { client_id }, `refresh, try ${attempt}`);
  }
}

async function fiftyUsesOfACode(services: TestAuth, other: Process): Promise<void> {
  await makeAccount(services, 'Steve');
  const rotating = { rotate_refresh_tokens: true };
  const { application, secret } = await makeApplication(services, 'service', [CALLBACK], rotating);
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const request = `${services.auth}/oauth/authorize?${new URLSearchParams({
    ...{ client_id: application.client_id, response_type: 'code', scope: 'openid profile', redirect_uri: CALLBACK },
  }).toString()}`;
  const code = (await authorize(services.auth, request, 'Steve')).searchParams.get('code')!;
  const processes = [services, other];
  const byCode = await race(processes, CONCURRENT_REQUESTS, {
    ...credentials,
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
  });
  assert.equal(byCode.length, 1);
  await assertRevoked(processes, byCode[0]!, credentials, 'code');

  const next = (await authorize(services.auth, request, 'Steve')).searchParams.get('code')!;
  const { body } = await post(other.auth, {
    ...credentials,
    grant_type: 'authorization_code',
    code: next,
    redirect_uri: CALLBACK,
  });
  const refresh = { ...credentials, grant_type: 'refresh_token', refresh_token: body['refresh_token']! };
  const byRefresh = await race(processes, CONCURRENT_REQUESTS, refresh);
  assert.equal(byRefresh.length, 1);
  await assertRevoked(processes, byRefresh[0]!, credentials, 'refresh token');
}

async function revokedToken(services: TestAuth, other: Process): Promise<void> {
  const { application, secret } = await makeApplication(services, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const { body } = await post(other.auth, { ...credentials, grant_type: 'client_credentials' });
  const token = body['access_token']!;
  assert.equal(await statusWithinASecond(services.api, token, 200), 200);
  const fields = { ...credentials, token };
  await fetch(`${other.auth}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal(await statusWithinASecond(services.api, token, 401), 401);
}

/** Both share the second process, whose start takes 3 CPU seconds. */
onEachDatabase('two processes on one database', async (t, url) => {
  // The tests ask for the status of a token again and again.
  const services = await openTestAuth(t, url, { USER_LIMIT: '1000000' });
  const other = await secondProcess(t, services);
  await t.test('of fifty concurrent uses of one code or refresh token, at two processes, one succeeds', () =>
    fiftyUsesOfACode(services, other),
  );
  await t.test('a code or refresh token that two to five requests use at once leaves no token that works', () =>
    pairs(services, other),
  );
  await t.test('a token revoked at one process is refused at another within a second', () =>
    revokedToken(services, other),
  );
});
