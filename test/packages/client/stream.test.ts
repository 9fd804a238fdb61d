import assert from 'node:assert/strict';
import { type FollowedChange, Scorehall } from '#client/index.ts';
import { idOf } from '#platform/ids.ts';
import type { ResourceChange } from '#store/game/changes.ts';
import { testApi } from '#test/support/api.ts';
import { record } from '#test/support/changes.ts';
import { onEachDatabase } from '#test/support/context.ts';

const made = (key: number): ResourceChange => ({ kind: 'match', key, type: 'created' });

/** Longer than the test: nothing comes by polling. */
const NO_POLLS = 3_600_000;

onEachDatabase('the client follows the stream of the service, from a page and over a cut', async (t, url) => {
  const { context, origin, token } = await testApi(t, url);
  await record(context, made(1), made(2));
  const streams: Response[] = [];
  const paths: string[] = [];
  let cut: (() => void) | undefined;
  const client = new Scorehall({
    ...{ baseUrl: origin, token },
    fetch: async (input, init) => {
      const { pathname } = new URL(input as string);
      paths.push(pathname);
      if (!pathname.endsWith('/stream')) return await fetch(input, init);
      const connection = new AbortController();
      cut = () => connection.abort();
      const response = await fetch(input, { ...init, signal: AbortSignal.any([init!.signal!, connection.signal]) });
      streams.push(response);
      return response;
    },
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const options = { types: ['match' as const], pollMs: NO_POLLS, signal: stop.signal };
  const changes = client.changes.follow(undefined, options);
  const next = async (): Promise<FollowedChange> => (await changes.next()).value!;
  assert.deepEqual([(await next()).id, (await next()).id], [idOf(1), idOf(2)]);
  const third = next();
  await record(context, made(3), { kind: 'player', key: 9, type: 'created' });
  const { id, type, cursor } = await third;
  assert.deepEqual([id, type, streams[0]!.status], [idOf(3), 'match.created', 200]);
  cut!();
  const fourth = next();
  await record(context, made(4));
  assert.equal((await fourth).id, idOf(4));
  assert.deepEqual(paths, ['/v1/changes', '/v1/changes/stream', '/v1/changes/stream']);
  const again = client.changes.follow(cursor, options);
  assert.equal((await again.next()).value!.id, idOf(4), 'a cursor of the stream reads pages');
});
