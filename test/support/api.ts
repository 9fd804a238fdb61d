import type { TestContext } from 'node:test';
import type { Environment } from '#platform/config/config.ts';
import type { Application } from '#store/applications/applications.ts';
import { clientOf, type Reply, type Wish } from './request.ts';
import { application, serviceToken } from './builders.ts';
import { type TestAppContext, testContext, testServices } from './context.ts';

/** A running data API, and an application with access to it. */
export interface TestApi {
  context: TestAppContext;
  origin: string;
  app: Application;
  token: string;
  /** Sends a request with the token of that application. */
  get: (path: string, wish?: Wish) => Promise<Reply>;
}

/** Rate limits that no test reaches, unless it sets its own. */
const HIGH_LIMITS = { USER_LIMIT: '1000000', APP_LIMIT: '1000000', ADDRESS_LIMIT: '1000000' };

export async function testApi(t: TestContext, databaseUrl: string, settings: Environment = {}): Promise<TestApi> {
  const context = await testContext(t, databaseUrl, { ...HIGH_LIMITS, ...settings });
  const { API } = await testServices(context, ['API']);
  const app = await application(context);
  const token = await serviceToken(context, app.client_id, 90 * 24 * 3_600_000);
  return { context, origin: API!, app, token, get: clientOf(API!, { token }) };
}
