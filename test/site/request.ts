import assert from 'node:assert/strict';
import { apiDocument } from '#api/index.ts';
import { createSite } from '#site/index.ts';
import type { TestAppContext } from '#test/support/context.ts';

export const SITE = 'http://127.0.0.1:7402';

const sites = new WeakMap<TestAppContext, ReturnType<typeof createSite>>();

/** Sends a request to the site of a context, without a listener. */
export async function get(context: TestAppContext, path: string, init: RequestInit = {}): Promise<Response> {
  const site = sites.get(context) ?? createSite(context, async () => apiDocument(context.config));
  sites.set(context, site);
  return await site.request(SITE + path, init);
}

/** The body of a page, which must answer with status 200. */
export const page = async (context: TestAppContext, path: string, init: RequestInit = {}): Promise<string> => {
  const response = await get(context, path, init);
  assert.equal(response.status, 200, `${path} answered ${response.status}`);
  return await response.text();
};
