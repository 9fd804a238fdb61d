import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { CHILD_ENVIRONMENT } from '#test/support/child.ts';
import { onEachDatabase } from '#test/support/context.ts';
import {
  authorize,
  CALLBACK,
  freePort,
  makeAccount,
  makeApplication,
  openTestAuth,
  statusWithinASecond,
  type TestAuth,
} from './support.ts';

const CONCURRENT_REQUESTS = 50;

/** Starts a second process on the same database, with the same issuer and another port. */
async function secondProcess(t: TestContext, { context, auth }: TestAuth): Promise<string> {
  const port = await freePort();
  const otherServices = Object.fromEntries(
    ['API', 'SITE', 'INGEST', 'INTERNAL'].map((service) => [`${service}_LISTEN`, '127.0.0.1:0']),
  );
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: {
      ...{
        ...CHILD_ENVIRONMENT,
        ...otherServices,
        AUTH_LISTEN: `127.0.0.1:${port}`,
        AUTH_URL: auth,
        LOG_LEVEL: 'error',
      },
      ...{
        DATABASE_URL: context.config.DATABASE_URL,
        SECRET_KEY: context.config.SECRET_KEY,
        SMTP_URL: context.config.SMTP_URL,
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
  return `http://127.0.0.1:${port}`;
}

async function post(
  origin: string,
  fields: Record<string, string>,
): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function fiftyUsesOfACode(services: TestAuth, other: string): Promise<void> {
  await makeAccount(services, 'Steve');
  const rotating = { rotate_refresh_tokens: true };
  const { application, secret } = await makeApplication(services, 'service', [CALLBACK], rotating);
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const request = `${services.auth}/oauth/authorize?${new URLSearchParams({
    ...{ client_id: application.client_id, response_type: 'code', scope: 'openid profile', redirect_uri: CALLBACK },
  }).toString()}`;
  const race = async (fields: Record<string, string>): Promise<Record<string, string>[]> => {
    const attempts = Array.from({ length: CONCURRENT_REQUESTS }, (_, n) =>
      post(n % 2 === 0 ? services.auth : other, { ...credentials, ...fields }),
    );
    const answers = await Promise.all(attempts);
    for (const { status, body } of answers) if (status !== 200) assert.equal(body['error'], 'invalid_grant');
    return answers.filter(({ status }) => status === 200).map(({ body }) => body);
  };

  const code = (await authorize(services.auth, request, 'Steve')).searchParams.get('code')!;
  const byCode = await race({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
  assert.equal(byCode.length, 1);
  // The other requests were a second use of the code, which revokes the tokens of the first.
  assert.equal(await statusWithinASecond(services.api, byCode[0]!['access_token']!, 401), 401);

  const next = (await authorize(services.auth, request, 'Steve')).searchParams.get('code')!;
  const { body } = await post(other, {
    ...credentials,
    grant_type: 'authorization_code',
    code: next,
    redirect_uri: CALLBACK,
  });
  const byRefresh = await race({ grant_type: 'refresh_token', refresh_token: body['refresh_token']! });
  assert.equal(byRefresh.length, 1);
}

async function revokedToken(services: TestAuth, other: string): Promise<void> {
  const { application, secret } = await makeApplication(services, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const { body } = await post(other, { ...credentials, grant_type: 'client_credentials' });
  const token = body['access_token']!;
  assert.equal(await statusWithinASecond(services.api, token, 200), 200);
  const fields = { ...credentials, token };
  await fetch(`${other}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal(await statusWithinASecond(services.api, token, 401), 401);
}

/** Both share the second process, whose start takes 3 CPU seconds. */
onEachDatabase('two processes on one database', async (t, url) => {
  const services = await openTestAuth(t, url);
  const other = await secondProcess(t, services);
  await t.test('of fifty concurrent uses of one code or refresh token, at two processes, one succeeds', () =>
    fiftyUsesOfACode(services, other),
  );
  await t.test('a token revoked at one process is refused at another within a second', () =>
    revokedToken(services, other),
  );
});
