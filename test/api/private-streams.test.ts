import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type MirrorPage, type MirrorStore, Scorehall } from '#client/index.ts';
import { testApi } from '#test/support/api.ts';
import { event, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { StreamClient } from '#test/support/event-stream.ts';
import { fill } from './filled-network.ts';

const QUIET = person(1);

const choose = (switches: { profile?: boolean; online?: boolean }) =>
  event('player.privacy', { player: QUIET.uuid, profile: false, online: false, names: false, ...switches });

/** A copy in memory, of which the keys are `KIND ID`. */
class Copy implements MirrorStore {
  readonly resources = new Map<string, Record<string, any>>(); // oxlint-disable-line typescript/no-explicit-any -- JSON
  /** What each page put, since the last call of `until`. */
  #put: string[] = [];
  #cursor: string | undefined;
  #applied = Promise.withResolvers<void>();

  cursor(): string | undefined {
    return this.#cursor;
  }

  apply({ put, remove, cursor, more }: MirrorPage): void {
    for (const { kind, id, resource } of put) this.resources.set(`${kind} ${id}`, resource as never);
    for (const { kind, id } of remove) this.resources.delete(`${kind} ${id}`);
    this.#put.push(...put.map(({ kind, id }) => `${kind} ${id}`));
    this.#cursor = cursor;
    if (!more) this.#applied.resolve();
  }

  clear(): void {
    assert.fail('The feed was lost.');
  }

  /** Waits for resources of the copy. @returns which were put meanwhile */
  async until(condition: () => boolean): Promise<string[]> {
    while (!condition()) {
      await this.#applied.promise;
      this.#applied = Promise.withResolvers();
    }
    return this.#put.splice(0);
  }
}

/** A network on which two processes serve, and a mirror of the one that does not get the switch. */
async function openWorld(t: TestContext, url: string) {
  const [first, second] = [await testApi(t, url), await testApi(t, url)];
  const { server } = await fill(first.context);
  const copy = new Copy();
  const stop = new AbortController();
  const client = new Scorehall({ baseUrl: second.origin, token: second.token });
  const mirrored = client.changes.mirror(copy, { signal: stop.signal, pollMs: 5 });
  t.after(async () => {
    stop.abort();
    await mirrored.catch(() => undefined);
  });
  const { id } = (await first.get('/v1/players/Player1')).json;
  const player = () => copy.resources.get(`player ${id}`);
  await copy.until(() => player() !== undefined);
  return { context: first.context, second, copy, player, id, server };
}

onEachDatabase('a mirror has the empty members of a private player, and all of them again', async (t, url) => {
  const { context, second, copy, player, id } = await openWorld(t, url);
  const before = new Map(copy.resources);
  assert.notEqual(player()!['last_login'], '');
  await sendEvents(context, choose({ profile: true }));
  assert.deepEqual(await copy.until(() => player()!['private'] === true), [`player ${id}`]);
  const { last_login, last_login_server, last_logout, ...known } = before.get(`player ${id}`)!;
  assert.deepEqual([last_login, last_logout].includes(''), false);
  const empty = { last_login: '', last_login_server: '', last_logout: '' };
  assert.deepEqual(player(), { ...known, ...empty, private: true });
  assert.equal(last_login_server, 'Alpha');
  assert.deepEqual((await second.get('/v1/players/Player1')).json, { ...known, ...empty });
  await sendEvents(context, choose({}));
  await copy.until(() => !('private' in player()!));
  assert.deepEqual(copy.resources, before);
});

onEachDatabase('streams and mirrors lose who hides the online state', async (t, url) => {
  const { context, second, copy, player, id, server } = await openWorld(t, url);
  const listed = () => copy.resources.get(`server ${server}`)!['players'] as string[];
  assert.deepEqual(listed(), ['Player1', 'Player2']);
  const path = '/v1/changes/stream?presence=1';
  const stream = await StreamClient.open(t, second.origin, path, { token: second.token });
  await stream.until(() => stream.text.includes('event: live'));
  assert.match(stream.text, /event: presence\ndata: .*"Player1","Player2"/);
  const seen = stream.text.length;
  const later = () => stream.text.slice(seen);

  await sendEvents(context, choose({ online: true }));
  second.context.clock.advance(1_000);
  const put = await copy.until(() => listed().length === 1 && player()!['last_login'] === '');
  assert.ok(
    [`player ${id}`, `server ${server}`].every((one) => put.includes(one)),
    String(put),
  );
  assert.deepEqual([listed(), 'private' in player()!], [['Player2'], false]);
  await stream.until(() => /event: presence\n.*Player2/.test(later()) && later().includes('event: live'));
  assert.doesNotMatch(later(), /Player1|0{11}1"/);
  const events = later()
    .split('\n')
    .filter((line) => line.startsWith('data: {"server":'));
  assert.equal(JSON.parse(events[0]!.slice(6)).participants, 1, 'the running match has one player less');
});
