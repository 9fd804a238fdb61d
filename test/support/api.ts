import type { TestContext } from 'node:test';
import type { Environment } from '#platform/config.ts';
import type { Application } from '#store/applications/applications.ts';
import { asker, type Reply, type Wish } from './request.ts';
import { application, serviceToken } from './builders.ts';
import { type TestAppContext, testContext, testServices } from './context.ts';

/** A data API over a real socket, and an application that may use it. */
export interface TestApi {
  context: TestAppContext;
  origin: string;
  app: Application;
  token: string;
  /** Asks as that application. */
  get: (path: string, wish?: Wish) => Promise<Reply>;
}

/** Limits are out of the way unless the test sets them. */
const ROOMY = { USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000' };

export async function testApi(t: TestContext, databaseUrl: string, settings: Environment = {}): Promise<TestApi> {
  const context = await testContext(t, databaseUrl, { ...ROOMY, ...settings });
  const { API } = await testServices(context, ['API']);
  const app = await application(context);
  const token = await serviceToken(context, app.client_id, 90 * 24 * 3_600_000);
  return { context, origin: API!, app, token, get: asker(API!, { token }) };
}
