import type { TestContext } from 'node:test';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Environment } from '#platform/config.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { configured, tell } from '#test/support/builders.ts';
import { testHall, type TestHall, testHouse } from '#test/support/context.ts';

/** An open ingest with two servers, Alpha and Beta, and their keys. */
export interface OpenDoor {
  hall: TestHall;
  origin: string;
  alpha: string;
  beta: string;
  /** Posts to `/events` as Alpha, by default JSON. */
  post: (body: unknown, wish?: { token?: string; path?: string; headers?: OutgoingHttpHeaders }) => Promise<Reply>;
}

export async function openDoor(t: TestContext, databaseUrl: string, settings: Environment = {}): Promise<OpenDoor> {
  const hall = await testHall(t, databaseUrl, settings);
  const { INGEST: origin } = await testHouse(hall, ['INGEST']);
  await tell(hall, configured('Alpha'), configured('Beta'));
  const [alpha, beta] = [await keyOf(hall, 'Alpha'), await keyOf(hall, 'Beta')];
  const post: OpenDoor['post'] = (body, { token = alpha, path = '/events', headers = {} } = {}) =>
    ask(origin!, path, {
      method: 'POST',
      token,
      body: typeof body === 'string' || Buffer.isBuffer(body) ? (body as string) : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { hall, origin: origin!, alpha, beta, post };
}

export async function keyOf({ db, clock }: TestHall, name: string, test = false): Promise<string> {
  return await createServerKey(db, clock.now(), (await serverByName(db, name))!.key, test);
}
