import type { TestContext } from 'node:test';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Environment } from '#platform/config/config.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { configured, sendEvents } from '#test/support/builders.ts';
import { testContext, type TestAppContext, testServices } from '#test/support/context.ts';

/** A running ingest with two servers, Alpha and Beta, and their keys. */
export interface HttpService {
  context: TestAppContext;
  origin: string;
  alpha: string;
  beta: string;
  /** Posts to `/events` as Alpha, by default JSON. */
  post: (body: unknown, wish?: { token?: string; path?: string; headers?: OutgoingHttpHeaders }) => Promise<Reply>;
}

export async function openIngestService(
  t: TestContext,
  databaseUrl: string,
  settings: Environment = {},
): Promise<HttpService> {
  const context = await testContext(t, databaseUrl, settings);
  const { INGEST: origin } = await testServices(context, ['INGEST']);
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const [alpha, beta] = [await keyOf(context, 'Alpha'), await keyOf(context, 'Beta')];
  const post: HttpService['post'] = (body, { token = alpha, path = '/events', headers = {} } = {}) =>
    ask(origin!, path, {
      method: 'POST',
      token,
      body: typeof body === 'string' || Buffer.isBuffer(body) ? (body as string) : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { context, origin: origin!, alpha, beta, post };
}

export async function keyOf({ db, clock }: TestAppContext, name: string, test = false): Promise<string> {
  return await createServerKey(db, clock.now(), (await serverByName(db, name))!.key, test);
}
